"""Force files and files of actions that cannot be read, and places where no export can be written."""

import resource
import stat
import sys
from pathlib import Path

import pytest

from ledger.settings import APPLY_BYTES_MAX
from tests.commands.running import (
    GRANT,
    Refuse,
    Told,
    assert_told_in_one_line,
    bound_by_permissions,
    contents,
    real,
    run,
)

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
