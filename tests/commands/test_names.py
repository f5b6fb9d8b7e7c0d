"""Names that look like markup, formulas, code or paths are names: accepted, and shown literally wherever they stand."""

import json
import os
import pty
import re
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import tomli_w

from aggregates.campaign.players import PlayerJoined
from aggregates.force.musters import ForceMustered
from commands.app import main
from ledger.line import CANON
from ledger.store import Draft, EntryDraft, open_book
from ledger.wording import LANGUAGES
from tests.commands.running import PROGRAM, environment, real, run
from tests.projections.season import record_season

NAMES = (
    "[red]",
    "[/nope]",
    "=1+1",
    "<script>",
    "../x",
    "');DROP",
    "{name}",
    "%s",
    "#7",
    "\\n$(id)`",
    "👩\u200d🚀",
    "漢字字",
)
"""No two of them share a part, so that each of them can be typed where somebody or something is meant."""

STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""What rich writes to draw a line bold, and to end that."""

SCREENS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("sheet",),
    ("standings",),
    ("history",),
    ("replay",),
)
"""Each of them shows everybody."""

SCREENS_OF_ONE: tuple[tuple[str, ...], ...] = (
    ("sheet", "{}"),
    ("sheet", "--player", "{}"),
    ("statement", "{}"),
    ("statement", "{}", "points"),
    ("why", "{}", "points"),
    ("why", "{}", "models"),
    ("history", "--force", "{}"),
    ("history", "--player", "{}"),
)
"""Each of them shows the one whose name stands in place of the braces."""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A campaign in which everything is called by one of the names, recorded by the commands that people type."""
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "new", "<script>", "--organiser", "Paul").status == 0
    for number, name in enumerate(NAMES):
        force = {
            "force": {"name": name, "faction": name},
            "purses": {"points": number + 1},
            "model": [{"name": name, "kind": name, "labels": [name]}],
        }
        Path("force.toml").write_text(tomli_w.dumps(force), encoding="utf-8")
        for words in (
            ("player", "add", name),
            ("force", "muster", "force.toml", "--player", name),
            ("points", "grant", name, "points", "2", "--because", name),
            ("note", name),
        ):
            told = run(capsys, *words)
            assert (told.status, told.err) == (0, ""), (words, told)
            assert "\x1b" not in told.out
            assert name in told.out
    for number, name in enumerate(NAMES, start=1):
        other = NAMES[number % len(NAMES)]
        assert run(capsys, "battle", "schedule", f"{name}:{other}", "--mission", name).status == 0
    return tmp_path / "campaign.db"


@contextmanager
def terminal(seen: list[str]) -> Iterator[int]:
    """A pseudo-terminal of 100 columns: yield the end to write to; `seen` gets what came out at the other."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (50, 100))
    reader = Thread(target=lambda: seen.append(drained(master)))
    reader.start()
    try:
        yield slave
    finally:
        os.close(slave)
        reader.join()
        os.close(master)


def drained(master: int) -> str:
    read = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # nobody holds the other end any more
            part = b""
        if not part:
            return read.decode().replace("\r\n", "\n")
        read += part


def drawn(*words: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the program in this process on a terminal and return what stands there, without its styles."""
    seen: list[str] = []
    with (
        terminal(seen) as slave,
        os.fdopen(os.dup(slave), "w", encoding="utf-8") as stdout,
        monkeypatch.context() as at,
    ):
        at.setenv("TERM", "xterm-256color")
        at.setattr("sys.stdout", stdout)
        assert main(words) == 0
        stdout.flush()
    plain = STYLE.sub("", seen[0])
    assert "\x1b" not in plain
    return plain


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_stands_literally_on_every_screen(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    for words in SCREENS:
        told = run(capsys, "--lang", language, *words)
        assert (told.status, told.err) == (0, "")
        assert "\x1b" not in told.out
        on_terminal = drawn("--lang", language, *words, monkeypatch=monkeypatch)
        assert [name for name in NAMES if name not in told.out] == [], words
        assert [name for name in NAMES if name not in on_terminal] == [], words


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_can_be_meant_by_name_and_stands_on_their_own_screens(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    for name in NAMES:
        for words in SCREENS_OF_ONE:
            typed = [word.replace("{}", name) for word in words]
            told = run(capsys, "--lang", language, *typed)
            assert (told.status, told.err) == (0, ""), typed
            assert "\x1b" not in told.out
            assert name in told.out, typed
        assert name in drawn("--lang", language, "sheet", name, monkeypatch=monkeypatch)


def test_what_programs_read_has_the_names_as_they_are(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in SCREENS:
        told = run(capsys, *words, "--json")
        found = set(texts(told.json))
        assert "\x1b" not in told.out
        assert [name for name in NAMES if not any(name in text for text in found)] == [], words


def texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for part in value:
                yield from texts(part)
        case dict():
            for part in value.values():
                yield from texts(part)
        case _:
            return


def test_an_export_has_the_names_as_they_are(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "export", "names.jsonl").status == 0
    raws = (book.parent / "names.jsonl").read_bytes().splitlines()
    events = [json.loads(raw).get("data", {}) for raw in raws]
    for tag in ("player.joined", "force.mustered", "model.joined"):
        assert tuple(event["name"] for event in events if event.get("t") == tag) == NAMES
    for name in NAMES:
        spelled = json.dumps(name, ensure_ascii=False)[1:-1].encode()
        assert any(spelled in raw for raw in raws)
    assert run(capsys, "--book", "again.db", "import", "names.jsonl").status == 0
    assert run(capsys, "--book", "again.db", "verify").status == 0


def test_a_campaign_may_be_called_like_a_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("../../etc/passwd", "CON", ".", "/")):
        assert run(capsys, "--book", f"{number}.db", "new", name).status == 0
        assert name in run(capsys, "--book", f"{number}.db", "status").out
    assert sorted(path.name for path in tmp_path.glob("*") if path.suffix == ".db") == ["0.db", "1.db", "2.db", "3.db"]


def test_a_command_that_is_told_can_be_typed_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes next is told with the words that were typed, and a shell must take them for what they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_BOOK", str(record_season(tmp_path / "campaign.db")))
    name = "$(touch owned); echo"
    assert run(capsys, "force", "rename", "ba", name).status == 0
    told = run(capsys, "points", "grant", name, "points", "1").out
    command = re.search(r"campaign (statement .*)$", told, re.MULTILINE)
    assert command is not None
    words = subprocess.run(
        ["/bin/sh", "-c", f"printf '%s\\n' {command[1]}"], capture_output=True, text=True, check=True
    )
    assert words.stdout.splitlines() == ["statement", name, "points"]
    assert not Path("owned").exists()


HIDDEN = "Bob\x1b]0;owned\x07\x9b2J\u202eboB"
"""A name that no door lets in; a book that others wrote may hold it all the same."""


def test_what_hides_in_a_book_of_others_is_shown_by_its_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record_season(tmp_path / "campaign.db")
    monkeypatch.setenv("CAMPAIGN_BOOK", str(path))
    events = (
        PlayerJoined(player="bob", name=HIDDEN),
        ForceMustered(force="odd", name=HIDDEN, player="bob", faction=HIDDEN),
    )
    drafts = tuple(Draft(e.stream, str(e.__struct_config__.tag), CANON.encode(e)) for e in events)
    with open_book(str(path)) as book:
        head = book.head()
        assert head is not None
        entry = EntryDraft("by-hand", b'{"name":"x","player":"bob","t":"player.join"}', head.at, "paul", "", drafts)
        book.append((entry,), campaign=head.campaign, head=head.size)
    for words in (*SCREENS, ("sheet", "odd"), ("around", "20"), ("audit",), ("statement", "odd")):
        for form in ((), ("--json",)):
            told = run(capsys, *words, *form)
            hidden = [c for c in told.out + told.err if c in "\x1b\x07\x9b\u202e"]
            assert hidden == [], (words, form)
        if words[0] != "audit":
            assert "\x1b" not in drawn(*words, monkeypatch=monkeypatch)
    assert "\\u001b]0;owned\\u0007\\u009b2J\\u202eboB" in run(capsys, "sheet", "odd").out


def test_a_real_terminal_and_a_real_pipe_show_the_same_words(book: Path) -> None:
    seen: list[str] = []
    with terminal(seen) as slave:
        done = subprocess.run(
            [*PROGRAM, "sheet", "[red]"], stdout=slave, env=environment(TERM="xterm-256color"), check=False
        )
    piped = real("sheet", "[red]")
    assert (done.returncode, piped.status) == (0, 0)
    assert "\x1b[" in seen[0]
    assert "\x1b" not in piped.out
    assert STYLE.sub("", seen[0]).split() == piped.out.split()
