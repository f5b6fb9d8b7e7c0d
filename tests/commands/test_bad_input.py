"""What people, files and disks bring that cannot be: told in one line, with its status, and nothing recorded.

Left to those who build what they are about: dice, seeds and sealed lists (there is no action yet that throws or seals
anything), signed orders, and checkpoints with signatures (a checkpoint is plain text so far).
"""

import gzip
import io
import json
import os
import resource
import sqlite3
import stat
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import msgspec
import pytest

from commands import context
from ledger import lines, store
from ledger.archive import Header
from ledger.line import CANON, Tree
from ledger.settings import APPLY_BYTES_MAX, LINE_BYTES_MAX
from ledger.wording import LANGUAGES
from tests.commands.running import (
    Told,
    assert_told_in_one_line,
    be_impatient,
    bound_by_permissions,
    contents,
    entries,
    real,
    run,
)
from tests.projections.season import SEASON, record_season

Refuse = Callable[..., str]

FORCE_FILE = """[force]
name = "Iron Wolves"
short = "iw"

[purses]
points = 5

[[model]]
name = "Captain"
kind = "leader"
figures = { xp = 3 }
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The season as the book of this folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_ME", "paul")
    return record_season(tmp_path / "campaign.db")


@pytest.fixture
def refuse(book: Path, capsys: pytest.CaptureFixture[str]) -> Refuse:
    """Run what must be refused in each language, and return what is said in English."""

    def check(*words: str, status: int, code: str, again: str = "") -> str:
        before = contents(book)
        told = {}
        for language in LANGUAGES:
            one = run(capsys, "--lang", language, *words)
            assert one.status == status, one
            said = one.err
            assert one.out == ""
            if again:
                said, repeat = said.splitlines(keepends=True)
                assert again in repeat
            assert_told_in_one_line(said, code)
            told[language] = said
        assert contents(book) == before
        assert told["en"] != told["fr"]
        return told["en"]

    return check


# Names.

NAMES: tuple[tuple[str, str, str], ...] = (
    ("", "NAME_EMPTY", "visible"),
    (" \u3000 ", "NAME_EMPTY", "visible"),
    ("x" * 65, "NAME_TOO_LONG", "65"),
    ("x" * 10_000, "NAME_TOO_LONG", "10000"),
    ("Bob\x1b[31m", "NAME_CONTROL_CHAR", "U+001B"),
    ("Bob\x07", "NAME_CONTROL_CHAR", "U+0007"),
    ("Bob\r", "NAME_CONTROL_CHAR", "U+000D"),
    ("Bob\nby", "NAME_CONTROL_CHAR", "U+000A"),
    ("Bob\x00", "NAME_CONTROL_CHAR", "U+0000"),
    ("Bo\tb", "NAME_CONTROL_CHAR", "U+0009"),
    ("Bob\x9b", "NAME_CONTROL_CHAR", "U+009B"),
    ("Bob\u202eboB", "NAME_INVISIBLE_CHAR", "U+202E"),
    ("Bo\u2066b", "NAME_INVISIBLE_CHAR", "U+2066"),
    ("Bo\u200bb", "NAME_INVISIBLE_CHAR", "U+200B"),
    ("Bo\u200db", "NAME_INVISIBLE_CHAR", "U+200D"),
    ("Bob\U000e0041", "NAME_INVISIBLE_CHAR", "U+E0041"),
    ("Bo\u3164b", "NAME_INVISIBLE_CHAR", "U+3164"),
    ("Z" + "\u0489" * 200, "NAME_TOO_MANY_MARKS", "4"),
)

DOORS: tuple[tuple[str, ...], ...] = (
    ("player", "add"),
    ("player", "rename", "ana"),
    ("rename",),
    ("force", "rename", "ba"),
    ("model", "rename", "raphael"),
    ("model", "add", "ba"),
    ("--book", "new.db", "new"),
    ("--book", "new.db", "new", "Vardia", "--organiser"),
    ("--book", "new.db", "new", "Vardia", "--player"),
)


@pytest.mark.parametrize(("name", "code", "named"), NAMES)
def test_a_name_that_cannot_be_read_is_refused_at_every_door(
    book: Path, refuse: Refuse, name: str, code: str, named: str
) -> None:
    for door in DOORS:
        if name == "" and door[-1].startswith("--"):
            continue  # an option without a value is another mistake
        assert named in refuse(*door, name, status=3, code=code)
    assert sorted(path.name for path in book.parent.glob("*.db*")) == sorted(
        {"campaign.db", *(path.name for path in book.parent.glob("campaign.db-*"))}
    )


def test_a_refused_name_is_not_repeated_at_its_full_length(refuse: Refuse) -> None:
    assert len(refuse("player", "add", "x" * 10_000, status=3, code="NAME_TOO_LONG")) < 300
    assert len(refuse("sheet", "x" * 10_000, status=3, code="WHO_UNKNOWN")) < 300


def test_a_name_like_another_is_refused(refuse: Refuse, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "player", "add", "ánna").status == 0
    told = refuse("player", "add", "Ánna", status=3, code="NAME_TAKEN")
    assert "Ánna" in told
    assert "ánna" in told
    refuse("player", "add", "\uff21na", status=3, code="NAME_TAKEN")
    refuse("force", "rename", "sw", "BLOOD ANGELS", status=3, code="NAME_TAKEN")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 501, "TEXT_TOO_LONG"),
        ("two\nlines", "TEXT_CONTROL_CHAR"),
        ("\x1b]0;title\x07", "TEXT_CONTROL_CHAR"),
        ("left\u202eright", "TEXT_INVISIBLE_CHAR"),
        ("Z" + "\u0489" * 5, "TEXT_TOO_MANY_MARKS"),
    ],
)
def test_a_reason_or_note_that_cannot_be_read_is_refused(refuse: Refuse, text: str, code: str) -> None:
    refuse("note", text, status=3, code=code)
    refuse("points", "grant", "ba", "points", "5", "--because", text, status=3, code=code)
    refuse("battle", "schedule", "ba:sw", "--mission", text, status=3, code=code)


def test_an_empty_note_is_refused(refuse: Refuse) -> None:
    refuse("note", " ", status=3, code="NOTE_EMPTY")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_argument_that_is_no_text_is_refused(book: Path, language: str) -> None:
    before = contents(book)
    told = real("--lang", language, "player", "add", b"Ann\xff")
    assert (told.status, told.out) == (2, "")
    assert_told_in_one_line(told.err, "TEXT_NOT_UTF8")
    assert contents(book) == before


def test_a_name_may_begin_with_a_dash_behind_two_dashes(refuse: Refuse, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`--`" in refuse("player", "add", "-rf", status=2, code="LEADING_DASH")
    assert run(capsys, "player", "add", "--", "-rf").status == 0


# Amounts.


@pytest.mark.parametrize("amount", ["abc", "1.5", "1e3", "٣", "0x10", "1_000", "", "+", "--5", "5 gold", "NaN", "½"])
@pytest.mark.parametrize("verb", ["grant", "spend"])
def test_an_amount_is_a_whole_number(refuse: Refuse, verb: str, amount: str) -> None:
    assert "25" in refuse("points", verb, "--", "ba", "points", amount, status=2, code="NOT_AN_INTEGER")


@pytest.mark.parametrize("amount", ["9" * 5000, "1000001", "-1000001"])
def test_an_amount_has_bounds(refuse: Refuse, amount: str) -> None:
    told = refuse("points", "grant", "--", "ba", "points", amount, status=2, code="NUMBER_OUT_OF_RANGE")
    assert "1000000" in told
    assert len(told) < 300


@pytest.mark.parametrize("verb", ["grant", "spend"])
def test_a_movement_moves_something_and_the_way_its_verb_says(refuse: Refuse, verb: str) -> None:
    refuse("points", verb, "ba", "points", "0", status=3, code="AMOUNT_ZERO")
    assert "-5" in refuse("points", verb, "--", "ba", "points", "-5", status=3, code="AMOUNT_NEGATIVE")
    refuse("points", verb, "ba", "points", "-5", status=2, code="LEADING_DASH")


def test_spending_more_than_there_is_tells_the_sum(refuse: Refuse) -> None:
    """The Blood Angels mustered with 5, earned 10 and spent 12."""
    told = refuse("points", "spend", "ba", "points", "10", status=3, code="PURSE_INSUFFICIENT")
    assert all(part in told for part in ("Blood Angels", str(5 + 10 - 12), "10", str(10 - 3)))
    refuse("model", "add", "ba", "Scout", "--cost", "points=4", status=3, code="PURSE_INSUFFICIENT")


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("points", "grant", "ba", "pionts", "5"), "PURSE_UNKNOWN", "points"),
        (("points", "grant", "bo", "points", "5"), "FORCE_UNKNOWN", "bo"),
        (("points", "grant", "Blod Angels", "points", "5"), "FORCE_UNKNOWN", "Blood Angels"),
        (("points", "grant", "ba", "points", "5", "--battle", "7"), "BATTLE_UNKNOWN", "1"),
        (("model", "add", "ba", "Scout", "--figure", "xq=3"), "FIGURE_UNKNOWN", "xp"),
        (("model", "kill", "Raphel"), "MODEL_UNKNOWN", "Sergeant Raphael"),
        (("player", "rename", "annna", "Bo"), "PLAYER_UNKNOWN", "Ana"),
        (("--me", "nobody", "note", "x"), "PLAYER_UNKNOWN", "nobody"),
        (("options", "set", "campaign.overdratf", "debt"), "CAMPAIGN_OPTION_UNKNOWN", "campaign.overdraft"),
        (("options", "set", "overdraft", "perhaps"), "OPTION_VALUE", "refuse, debt"),
        (("note", "x", "--about", "99"), "ENTRY_UNKNOWN", "19"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(refuse: Refuse, words: tuple[str, ...], code: str, named: str) -> None:
    assert named in refuse(*words, status=3, code=code)


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("points", "grant", "ba", "points"), "NUMBER_MISSING", "42"),
        (("pionts", "grant"), "COMMAND_UNKNOWN_NEAR", "points"),
        (("points", "garnt"), "VERB_UNKNOWN_NEAR", "grant"),
        (("points", "grant", "ba", "points", "5", "--becuase", "x"), "OPTION_UNKNOWN_NEAR", "--because"),
        (("points", "grant", "ba", "points", "5", "6"), "ARGUMENT_UNEXPECTED", "6"),
        (("player", "role", "ana", "king"), "ROLE_UNKNOWN", "organiser"),
        (("model", "add", "ba", "Scout", "--figure", "3"), "AMOUNT_UNNAMED", "3"),
        (("model", "add", "ba", "Scout", "--figure", "xp=1.5"), "NOT_AN_INTEGER", "1.5"),
        (("battle", "finish", "2"), "WINNER_OR_DRAW", "2"),
        (("--book", "new.db", "new", "Vardia", "--option", "points"), "OPTION_UNNAMED", "points"),
    ],
)
def test_a_command_typed_wrongly_records_nothing(refuse: Refuse, words: tuple[str, ...], code: str, named: str) -> None:
    assert named in refuse(*words, status=2, code=code)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("ruling", "annul", "99"), "ENTRY_UNKNOWN"),
        (("ruling", "annul", "16"), "ALREADY_ANNULLED"),
        (("ruling", "annul", "1"), "NOT_ANNULLABLE"),
        (("ruling", "annul", "5"), "ENTRIES_DEPEND"),
    ],
)
def test_an_entry_that_cannot_be_annulled_stays(refuse: Refuse, words: tuple[str, ...], code: str) -> None:
    refuse(*words, status=3, code=code)


# Force files.


def test_a_misspelt_key_of_a_force_file_is_named_with_its_line(book: Path, refuse: Refuse) -> None:
    (book.parent / "wolves.toml").write_text(FORCE_FILE.replace("kind =", "knid ="), encoding="utf-8")
    told = refuse("force", "muster", "wolves.toml", "--player", "ana", status=3, code="FILE_KEY_UNKNOWN")
    line = FORCE_FILE.splitlines().index('kind = "leader"') + 1
    assert all(part in told for part in ("wolves.toml", str(line), "knid", "kind"))


@pytest.mark.parametrize(
    ("was", "becomes", "line", "key", "near"),
    [
        ("[force]", "[froce]", 1, "froce", "force"),
        ("short =", "shrot =", 3, "shrot", "short"),
        ("[purses]", "[purse]", 5, "purse", "purses"),
        ("figures =", "figure =", 11, "figure", "figures"),
    ],
)
def test_a_misspelt_table_or_key_is_found_wherever_it_stands(
    book: Path, refuse: Refuse, was: str, becomes: str, line: int, key: str, near: str
) -> None:
    (book.parent / "wolves.toml").write_text(FORCE_FILE.replace(was, becomes), encoding="utf-8")
    told = refuse("force", "transcribe", "wolves.toml", "--because", "x", status=3, code="FILE_KEY_UNKNOWN")
    assert all(part in told for part in ("wolves.toml", f" {line}", key, near))


@pytest.mark.parametrize(
    ("content", "status", "code", "named"),
    [
        (b"", 3, "FILE_VALUE_WRONG", "force"),
        (FORCE_FILE.replace("Wolves", "W\xf6lves").encode("latin-1"), 3, "FILE_NOT_UTF8", "2"),
        (FORCE_FILE.encode("utf-16"), 3, "FILE_NOT_UTF8", "1"),
        (b"\x00" * 100, 3, "FILE_NOT_TOML", "wolves.toml"),
        (b"{json: no}", 3, "FILE_NOT_TOML", "wolves.toml"),
        (FORCE_FILE.replace('"leader"', "leader").encode(), 3, "FILE_NOT_TOML", "line 10"),
        (FORCE_FILE.replace("points = 5", "points = 1.5").encode(), 3, "FILE_VALUE_WRONG", "6"),
        (FORCE_FILE.replace("points = 5", "pionts = 5").encode(), 3, "PURSE_UNKNOWN", "points"),
        (FORCE_FILE.replace("xp = 3", "xq = 3").encode(), 3, "FIGURE_UNKNOWN", "xp"),
        (FORCE_FILE.replace("Iron Wolves", "x" * 65).encode(), 3, "NAME_TOO_LONG", "65"),
        (FORCE_FILE.replace("Captain", "Cap\\u202etain").encode(), 3, "NAME_INVISIBLE_CHAR", "U+202E"),
        (FORCE_FILE.replace("Captain", " ").encode(), 3, "NAME_EMPTY", "visible"),
        (b"x = " + b"[" * 5000, 3, "FILE_NOT_TOML", "wolves.toml"),
        (b"a." * 5000 + b"x = 1", 3, "FILE_KEY_UNKNOWN", "wolves.toml"),
    ],
)
def test_a_force_file_that_cannot_be_is_refused(
    book: Path, refuse: Refuse, content: bytes, status: int, code: str, named: str
) -> None:
    (book.parent / "wolves.toml").write_bytes(content)
    told = refuse("force", "muster", "wolves.toml", "--player", "ana", status=status, code=code)
    assert named in told
    assert len(told) < 500


def test_a_force_file_of_50_mb_is_not_even_read(book: Path, refuse: Refuse) -> None:
    with (book.parent / "big.toml").open("wb") as file:
        file.truncate(50_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refuse("force", "muster", "big.toml", status=3, code="FILE_TOO_BIG")
    kibibytes = 1 if sys.platform == "linux" else 1024
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000 * kibibytes


@pytest.mark.parametrize("command", [("force", "muster"), ("force", "check"), ("apply",), ("import",)])
def test_a_folder_or_nothing_is_no_file(book: Path, refuse: Refuse, command: tuple[str, ...]) -> None:
    (book.parent / "folder").mkdir()
    assert "folder" in refuse(*command, "folder", status=2, code="FILE_IS_FOLDER")
    assert "none.toml" in refuse(*command, "none.toml", status=2, code="FILE_MISSING")


def test_a_file_check_tells_every_misspelt_key(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = FORCE_FILE.replace("short =", "shrot =").replace("kind =", "knid =")
    (book.parent / "wolves.toml").write_text(broken, encoding="utf-8")
    told = run(capsys, "force", "check", "wolves.toml")
    assert told.status == 3
    assert [line.endswith("[FILE_KEY_UNKNOWN]") for line in told.out.splitlines()] == [True, True]
    assert "shrot" in told.out
    assert "knid" in told.out


# Files of actions.

GRANT = '{"by":"paul","action":{"t":"points.grant","force":"ba","purse":"points","amount":1}}'


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"by":"paul"}',
        '{"action":{"t":"note.add","text":"x"}}',
        '{"by":"paul","action":{"t":"no.such","text":"x"}}',
        '{"by":"paul","action":{"t":"note.add","txet":"x"}}',
        '{"by":"paul","actoin":{"t":"note.add","text":"x"}}',
        '{"by":"paul","action":{"t":"points.grant","force":"ba","purse":"points","amount":1.5}}',
        '{"by":"paul","action":{"t":"points.grant","force":"ba","purse":"points","amount":' + "9" * 5000 + "}}",
        '{"by":"paul","action":{"t":"points.grant","force":"ba","purse":"points","amount":NaN}}',
        '{"by":"paul","id":"two words","action":{"t":"note.add","text":"x"}}',
        '{"by":"paul","action":{"t":"note.add","text":"\\ud800"}}',
        '{"by":"paul","action":{"t":"os:system","text":"x"}}',
        '{"by":"paul","actions":' + "[" * 100_000,
    ],
)
def test_a_bad_line_of_a_file_is_named_and_no_line_of_it_recorded(book: Path, refuse: Refuse, line: str) -> None:
    (book.parent / "season.jsonl").write_text(f"# a season\n{GRANT}\n{line}\n", encoding="utf-8")
    told = refuse("apply", "season.jsonl", status=3, code="APPLY_MALFORMED")
    assert "3" in told
    assert len(told) < 500


def test_a_file_of_actions_beyond_64_mib_is_not_read(book: Path, refuse: Refuse) -> None:
    with (book.parent / "big.jsonl").open("wb") as file:
        file.truncate(APPLY_BYTES_MAX + 1_000_000)
    assert "64" in refuse("apply", "big.jsonl", status=3, code="FILE_TOO_BIG")


def test_a_file_of_actions_that_is_no_text_is_refused(book: Path, refuse: Refuse) -> None:
    (book.parent / "season.jsonl").write_bytes(GRANT.encode() + b"\n\xff\n")
    assert "2" in refuse("apply", "season.jsonl", status=3, code="FILE_NOT_UTF8")


def test_two_lines_of_a_file_may_not_have_the_same_id(book: Path, refuse: Refuse) -> None:
    first = GRANT.replace('{"by"', '{"id":"a","by"')
    (book.parent / "season.jsonl").write_text(f"{first}\n{GRANT}\n{first}\n", encoding="utf-8")
    for how in ("--atomic", "--dry-run", "--keep-going"):
        assert "3" in refuse("apply", "season.jsonl", how, status=3, code="APPLY_MALFORMED")


@pytest.mark.parametrize(
    "content",
    ['{"a":1.5}', '{"a":null}', '{"a":9007199254740993}', '{"a":1e999}', '{"a":' + "[" * 40 + "]" * 40 + "}"],
)
def test_pinned_content_that_no_line_can_hold_is_refused(
    book: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    """What was recorded once has to verify for ever."""
    pin = '{"by":"paul","action":{"t":"campaign.pin-content","kind":"table","name":"odd","content":' + content + "}}"
    (book.parent / "pin.jsonl").write_text(pin, encoding="utf-8")
    before = contents(book)
    told = run(capsys, "apply", "pin.jsonl")
    assert told.status == 3, told
    assert contents(book) == before
    assert run(capsys, "verify").status == 0


# Histories taken in.


@pytest.fixture
def exported(book: Path, capsys: pytest.CaptureFixture[str]) -> bytes:
    """The season's export; the book stays as it is, and a new one is to take the history in."""
    assert run(capsys, "export", "season.clx.jsonl").status == 0
    return (book.parent / "season.clx.jsonl").read_bytes()


@pytest.fixture
def take_in(book: Path, refuse: Refuse) -> Refuse:
    """Take in what must be refused, into a new book: that is gone again."""

    def check(content: bytes, *, status: int, code: str, into: str = "new.db") -> str:
        (book.parent / "theirs.jsonl").write_bytes(content)
        told = refuse("--book", into, "import", "theirs.jsonl", status=status, code=code)
        assert not any(book.parent.glob("new.db*"))
        return told

    return check


def sealed_again(raws: list[bytes], campaign: str = "0" * 32) -> bytes:
    """Return lines as an export whose header, links and numbers fit them."""
    tree = Tree()
    for raw in raws:
        tree.push(raw)
    header = Header(campaign, "campaign-ledger", tree.root().hex(), len(raws), 1)
    return b"\n".join([CANON.encode(header), *raws, b""])


def replaced(exported: bytes, number: int, was: bytes, becomes: bytes) -> bytes:
    """Return an export with a change in one line of its history."""
    raws = exported.split(b"\n")
    assert was in raws[number]
    raws[number] = raws[number].replace(was, becomes, 1)
    return b"\n".join(raws)


def png() -> bytes:
    return b"\x89PNG\r\n\x1a\n" + bytes(40)


def zipped(content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("season.clx.jsonl", content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda raw: b"no history at all\n", "-"),
        (lambda raw: b'{"no":"ledger"}\n', "-"),
        (lambda raw: raw.decode().encode("utf-16"), "UTF-16"),
        (lambda raw: b"\xef\xbb\xbf" + raw, "BOM"),
        (gzip.compress, "gzip"),
        (zipped, "zip"),
        (lambda raw: png(), "PNG"),
        (lambda raw: raw.replace(b'"v":1', b'"v":2', 1), "2"),
    ],
)
def test_what_is_no_history_is_named_for_what_it_is(
    exported: bytes, take_in: Refuse, change: Callable[[bytes], bytes], kind: str
) -> None:
    assert kind in take_in(change(exported), status=3, code="IMPORT_NOT_LEDGER")


def test_another_book_is_no_history(book: Path, exported: bytes, take_in: Refuse) -> None:
    assert "SQLite" in take_in(book.read_bytes(), status=3, code="IMPORT_NOT_LEDGER")


def test_an_empty_file_holds_nothing(take_in: Refuse) -> None:
    take_in(b"", status=3, code="IMPORT_EMPTY")


def test_a_history_cut_inside_a_line_is_damaged(exported: bytes, take_in: Refuse) -> None:
    take_in(exported[:-1], status=5, code="IMPORT_TRUNCATED")
    take_in(exported[:-20], status=5, code="IMPORT_TRUNCATED")


def test_a_history_with_fewer_lines_than_it_says_is_damaged(exported: bytes, take_in: Refuse) -> None:
    raws = exported.split(b"\n")
    size = len(raws) - 2
    told = take_in(b"\n".join([*raws[:-3], b""]), status=5, code="IMPORT_COUNT")
    assert str(size) in told
    assert str(size - 2) in told


def test_a_line_has_bounds(exported: bytes, take_in: Refuse) -> None:
    head, rest = exported.split(b"\n", 1)
    take_in(head + b"\n" + b"x" * (LINE_BYTES_MAX + 2) + b"\n" + rest, status=3, code="IMPORT_TOO_BIG")
    asked = b'{"action":' + CANON.encode(json.loads(rest.split(b"\n")[0])["action"])
    deep = b'{"action":' + b"[" * 32 + b"]" * 32
    take_in(replaced(exported, 1, asked, deep), status=3, code="IMPORT_TOO_BIG")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"entry":1', b'"entry":NaN'),
        (b'"entry":1', b'"entry":1e999'),
        (b'"entry":1', b'"entry":-0'),
        (b'"entry":1', b'"entry":1.0'),
        (b'"entry":1,', b'"entry":1,"entry":1,'),
        (b'"entry":1', b'"entry": 1'),
        (b'"stream":"', b'"stream":"\\u0030'),
        (b'"by":"paul"', b'"by":"p\\u0061ul"'),
    ],
)
def test_a_line_has_one_spelling(exported: bytes, take_in: Refuse, was: bytes, becomes: bytes) -> None:
    take_in(replaced(exported, 1, was, becomes), status=5, code="IMPORT_NOT_CANONICAL")


def test_the_keys_of_a_line_have_one_order(exported: bytes, take_in: Refuse) -> None:
    first = exported.split(b"\n")[1]
    turned = json.dumps(dict(reversed(json.loads(first).items())), separators=(",", ":")).encode()
    take_in(exported.replace(first, turned, 1), status=5, code="IMPORT_NOT_CANONICAL")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"t":"campaign.founded"', b'"t":"campaign.xyz"'),
        (b'"t":"campaign.founded"', b'"t":"os:system"'),
        (b'"t":"campaign.founded"', b'"t":"aggregates.world:plug"'),
        (b'"t":"campaign.founded"', b'"t":"campaign.founded","zeal":1'),
        (b'"entry":1', b'"era":1,"entry":1'),
    ],
)
def test_what_this_program_does_not_know_is_refused_and_nothing_of_it_imported(
    exported: bytes, take_in: Refuse, was: bytes, becomes: bytes
) -> None:
    before = set(sys.modules)
    take_in(replaced(exported, 2, was, becomes), status=3, code="IMPORT_UNKNOWN_TYPE")
    assert not {name for name in set(sys.modules) - before if not name.startswith(("encodings", "eventsourcing"))}


def test_a_changed_line_in_the_middle_is_named_with_its_entry(exported: bytes, take_in: Refuse) -> None:
    raws = exported.split(b"\n")
    number, found = next((i, raw) for i, raw in enumerate(raws) if b"a slip of the pen" in raw and b'"at"' not in raw)
    told = take_in(exported.replace(found, found.replace(b"a slip", b"a trip")), status=5, code="HISTORY_CHANGED")
    assert f"{number + 1}" in told


def test_the_same_line_id_twice_is_damage(exported: bytes, take_in: Refuse) -> None:
    """Somebody who makes all links fit again still cannot have one id twice."""
    raws = exported.split(b"\n")[1:-1]
    first = json.loads(raws[0])["id"]
    forged, tree = list[bytes](), Tree()
    for raw in raws:
        line = json.loads(raw)
        line["prev"] = tree.root().hex()
        if line["seq"] == 5:
            line["id"] = first
        forged.append(CANON.encode(line))
        tree.push(forged[-1])
    told = take_in(sealed_again(forged), status=5, code="IMPORT_DUPLICATE_ID")
    assert "1" in told
    assert "5" in told


def test_a_header_of_another_campaign_is_damage(exported: bytes, take_in: Refuse) -> None:
    header = msgspec.json.decode(exported.split(b"\n")[0])
    content = exported.replace(header["campaign"].encode(), b"1" * 32, 1)
    told = take_in(content, status=5, code="CAMPAIGN_MISMATCH")
    assert "1111" in told
    assert "0000" in told


def test_a_history_of_another_campaign_does_not_go_into_this_book(
    book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "--book", "other.db", "new", "Elsewhere").status == 0
    assert run(capsys, "--book", "other.db", "export", "other.jsonl").status == 0
    refuse("import", "other.jsonl", status=3, code="WRONG_CAMPAIGN")


def test_a_fork_is_named_with_the_first_line_that_differs(
    book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two copies of one book, recorded in apart."""
    (book.parent / "copy.db").write_bytes(book.read_bytes())
    with lines.read(str(book)) as source:
        head = source.head()
    assert head is not None
    assert run(capsys, "note", "ours").status == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(book.parent / "theirs"))
    assert run(capsys, "--book", "copy.db", "note", "theirs").status == 0
    assert run(capsys, "--book", "copy.db", "export", "theirs.jsonl").status == 0
    monkeypatch.setenv("XDG_STATE_HOME", str(book.parent / ".state"))
    assert str(head.size + 1) in refuse("import", "theirs.jsonl", status=5, code="HISTORY_FORK")
    assert run(capsys, "verify").status == 0


def test_a_history_that_is_known_already_adds_nothing(
    book: Path, exported: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(book)
    told = {language: run(capsys, "--lang", language, "import", "season.clx.jsonl") for language in LANGUAGES}
    assert {one.status for one in told.values()} == {0}
    assert str(exported.count(b"\n") - 1) in told["en"].out
    assert contents(book) == before


def test_a_history_is_taken_in_from_a_pipe_or_refused_in_words(
    exported: bytes, book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`campaign export - | campaign import /dev/stdin`, as far as this machine has such a path."""
    readable, writable = os.pipe()
    os.write(writable, exported[:60_000])
    os.close(writable)
    try:
        told = run(capsys, "--book", "new.db", "import", f"/dev/fd/{readable}")
    finally:
        os.close(readable)
    assert len(exported) < 60_000
    assert told.status in (0, 2), told


# What was seen before, and checkpoints.


def test_a_book_whose_end_is_gone_is_named(book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str]) -> None:
    before = book.read_bytes()
    assert run(capsys, "note", "the last word").status == 0
    for waiting in book.parent.glob("campaign.db-*"):
        waiting.unlink()
    book.write_bytes(before)
    with lines.read(str(book)) as source:
        head = source.head()
    assert head is not None
    told = refuse("sheet", status=5, code="TAIL_MISSING")
    assert str(head.size) in told
    assert str(head.size + 2) in told
    refuse("verify", status=5, code="TAIL_MISSING")
    refuse("note", "x", status=5, code="TAIL_MISSING")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: text.replace("campaign-ledger", "\u201ccampaign-ledger"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text[:50] + "\n" + text[50:],
        lambda text: text.replace("=", ""),
        lambda text: text.replace("/1/", "/2/"),
        lambda text: text.upper(),
    ],
)
def test_a_checkpoint_pasted_wrongly_is_refused(
    book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str], change: Callable[[str], str]
) -> None:
    posted = run(capsys, "checkpoint").out
    (book.parent / "posted.txt").write_text(posted, encoding="utf-8")
    assert run(capsys, "verify", "--against", "posted.txt").status == 0
    (book.parent / "posted.txt").write_text(change(posted), encoding="utf-8", newline="")
    refuse("verify", "--against", "posted.txt", status=3, code="CHECKPOINT_MALFORMED")


# The book's own file.


def as_folder(path: Path, book: Path) -> None:
    path.mkdir()


def as_fifo(path: Path, book: Path) -> None:
    os.mkfifo(path)


def as_link(path: Path, book: Path) -> None:
    path.symlink_to(book)


def as_broken_link(path: Path, book: Path) -> None:
    path.symlink_to("nowhere")


def as_hard_link(path: Path, book: Path) -> None:
    path.hardlink_to(book)


@pytest.mark.parametrize("make", [as_folder, as_fifo, as_link, as_broken_link, as_hard_link])
def test_a_book_is_an_ordinary_file_of_its_own(book: Path, refuse: Refuse, make: Callable[[Path, Path], None]) -> None:
    make(book.parent / "odd.db", book)
    for words in (("sheet",), ("note", "x"), ("verify",), ("export", "x.jsonl"), ("new", "Vardia")):
        refuse("--book", "odd.db", *words, status=2, code="DB_PATH")


@pytest.mark.parametrize("address", [":memory:", "file:x?mode=memory", "nul\0byte", "/dev/null", "none/x.db"])
def test_an_address_that_names_no_file_is_no_book(book: Path, refuse: Refuse, address: str) -> None:
    refuse("--book", address, "new", "Vardia", status=2, code="DB_PATH")
    if address != "none/x.db":
        refuse("--book", address, "sheet", status=2, code="DB_PATH")


def test_a_link_to_a_book_may_be_followed_when_asked(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book.parent / "link.db").symlink_to(book)
    assert run(capsys, "--book", "link.db", "--follow-link", "note", "through a link").status == 0
    assert entries(book) == len(SEASON) + 1


def test_a_book_that_is_not_there_is_said_to_be_missing(refuse: Refuse, book: Path) -> None:
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert "none.db" in refuse("--book", "none.db", *words, status=2, code="BOOK_MISSING")
    assert not (book.parent / "none.db").exists()


def test_a_book_is_never_founded_over_another(refuse: Refuse) -> None:
    assert "campaign.db" in refuse("new", "Vardia", status=3, code="BOOK_EXISTS")


def overwritten(book: Path, change: Callable[[bytes], bytes]) -> None:
    content = book.read_bytes()
    for waiting in book.parent.glob("campaign.db-*"):
        waiting.unlink()
    book.write_bytes(change(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"no database at all, but long enough to have a header of one " * 20,
        lambda content: content[:100],
        lambda content: content[: len(content) // 2],
        lambda content: content[:4096] + b"\xff" * (len(content) - 4096),
        gzip.compress,
    ],
)
@pytest.mark.parametrize("words", [("sheet",), ("note", "x"), ("verify",), ("export", "x.jsonl")])
def test_a_file_that_is_no_book_or_a_damaged_one_is_said_to_be(
    book: Path, refuse: Refuse, change: Callable[[bytes], bytes], words: tuple[str, ...]
) -> None:
    overwritten(book, change)
    refuse(*words, status=5, code="DB_DAMAGED")


def altered(book: Path, *statements: str) -> None:
    connection = sqlite3.connect(book)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TRIGGER spy AFTER INSERT ON stored_events BEGIN SELECT 1; END", "spy"),
        ("CREATE VIEW everything AS SELECT * FROM stored_events", "everything"),
        ("CREATE TABLE loot (gold)", "loot"),
        ("DROP TRIGGER lines_stay", ""),
        ("PRAGMA application_id = 1", ""),
    ],
)
def test_a_database_with_something_foreign_in_it_is_no_book(
    book: Path, refuse: Refuse, statement: str, named: str
) -> None:
    altered(book, statement)
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert named in refuse(*words, status=5, code="DB_FOREIGN")


def test_a_book_of_a_newer_program_is_not_touched(book: Path, refuse: Refuse) -> None:
    altered(book, "PRAGMA user_version = 2")
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert "2" in refuse(*words, status=3, code="DB_TOO_NEW")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_book_that_cannot_be_written_can_still_be_read(book: Path, what: str, language: str) -> None:
    launcher = bound_by_permissions()
    shelf = book.parent / "shelf"
    shelf.mkdir()
    kept = shelf / "campaign.db"
    kept.write_bytes(book.read_bytes())
    before = contents(kept)
    kept.chmod(stat.S_IRUSR if what != "folder" else stat.S_IRUSR | stat.S_IWUSR)
    shelf.chmod(stat.S_IRUSR | stat.S_IXUSR if what != "file" else stat.S_IRWXU)
    try:
        told = real("--lang", language, "--book", str(kept), "note", "x", launcher=launcher)
        looked = [
            real("--book", str(kept), *words, launcher=launcher)
            for words in (("history",), ("verify",), ("export", str(book.parent / f"{what}.jsonl")))
        ]
    finally:
        shelf.chmod(stat.S_IRWXU)
    assert (told.status, told.out) == (4, "")
    first, again = told.err.splitlines(keepends=True)
    assert_told_in_one_line(first, "DB_READ_ONLY")
    assert "--id" in again
    assert [one.status for one in looked] == [0, 0, 0], looked
    assert contents(kept) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_book_in_a_folder_that_cannot_be_written_is_refused(book: Path, language: str) -> None:
    launcher = bound_by_permissions()
    shelf = book.parent / "shelf"
    shelf.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    told = real("--lang", language, "--book", str(shelf / "new.db"), "new", "Vardia", launcher=launcher)
    shelf.chmod(stat.S_IRWXU)
    assert (told.status, told.out) == (4, "")
    assert_told_in_one_line(told.err.splitlines(keepends=True)[0], "DB_READ_ONLY")
    assert list(shelf.iterdir()) == []


def test_a_full_disk_records_nothing(book: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite is told that the file may not grow any more: it reports what it reports when the disk is full."""
    make = store._FullPool._create_connection

    def full(pool: store._FullPool) -> object:
        connection = make(pool)
        database = connection._sqlite_conn
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    (book.parent / "long.jsonl").write_text(
        "".join(GRANT.replace("amount", f'because":"{number:x<500}","amount') + "\n" for number in range(40)),
        encoding="utf-8",
    )
    monkeypatch.setattr(store._FullPool, "_create_connection", full)
    refuse("apply", "long.jsonl", "--atomic", status=4, code="DISK_FULL", again=" apply long.jsonl --atomic")


def test_a_book_somebody_else_writes_in_is_busy(book: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    be_impatient(monkeypatch)
    holder = sqlite3.connect(book, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        refuse("note", "x", status=4, code="BUSY", again=" campaign --id ")
    finally:
        holder.close()


# The clock.


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set the clock of this machine, as far as the program looks at it."""

    def turn(time: str) -> None:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Self:
                return cls.fromisoformat(time).astimezone(tz)

        monkeypatch.setattr(context, "datetime", Clock)

    return turn


@pytest.mark.parametrize("time", ["1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"])
def test_a_clock_that_cannot_be_right_records_nothing(refuse: Refuse, clock: Callable[[str], None], time: str) -> None:
    clock(time)
    assert time[:4] in refuse("note", "x", status=3, code="CLOCK_IMPLAUSIBLE")
    refuse("--book", "new.db", "new", "Vardia", status=3, code="CLOCK_IMPLAUSIBLE")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clock_behind_the_book_is_remarked_and_the_order_stays(
    book: Path, capsys: pytest.CaptureFixture[str], clock: Callable[[str], None], language: str
) -> None:
    """The season's last entry is of 19 February 2026."""
    clock("2026-02-10T12:00:00Z")
    told = run(capsys, "--lang", language, "note", "late")
    assert told.status == 0
    assert "2026" in told.err or "19" in told.err
    assert "remark." not in told.err
    last = run(capsys, "history", "--last", "1", "--json").json[0]
    assert last["at"] == "2026-02-19T12:00:00Z"


# Exports.


def test_an_export_goes_onto_no_other_file_unless_told_to(
    book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str]
) -> None:
    target = book.parent / "season.jsonl"
    target.write_text("mine", encoding="utf-8")
    assert "--replace" in refuse("export", "season.jsonl", status=3, code="EXPORT_EXISTS")
    assert target.read_text(encoding="utf-8") == "mine"
    assert run(capsys, "export", "season.jsonl", "--replace").status == 0
    assert target.read_bytes().startswith(b'{"campaign"')


def test_an_export_needs_a_place_for_a_file(book: Path, refuse: Refuse) -> None:
    (book.parent / "folder").mkdir()
    for target in ("folder", "none/season.jsonl", "/dev/null"):
        assert target in refuse("export", target, "--replace", status=2, code="EXPORT_TARGET")


def test_an_export_into_a_folder_that_takes_no_files_is_told(book: Path) -> None:
    launcher = bound_by_permissions()
    shelf = book.parent / "shelf"
    shelf.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    told = real("export", str(shelf / "x.jsonl"), launcher=launcher)
    shelf.chmod(stat.S_IRWXU)
    assert (told.status, told.out) == (4, "")
    assert_told_in_one_line(told.err, "FILE_NOT_WRITTEN")


def quiet(told: Told) -> bool:
    return (told.status, told.err) == (0, "")


def test_an_export_is_the_same_bytes_through_a_pipe_that_is_no_utf8(book: Path) -> None:
    assert quiet(real("player", "add", "Ánna 漢字"))
    assert quiet(real("export", "season.jsonl"))
    told = real("export", "-", PYTHONIOENCODING="ascii")
    assert told.out.encode() == (book.parent / "season.jsonl").read_bytes()
