"""Histories that are none, are damaged or belong elsewhere, and checkpoints that do not fit."""

import gzip
import io
import json
import os
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ledger import lines
from ledger.archive import Header
from ledger.line import CANON, Tree
from ledger.settings import LINE_BYTES_MAX
from ledger.wording import LANGUAGES
from tests.commands.running import Refuse, contents, run


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
        (b'"t":"campaign.founded"', b'"t":"trap:spring"'),
        (b'"t":"campaign.founded"', b'"t":"campaign.founded","zeal":1'),
        (b'"entry":1', b'"era":1,"entry":1'),
    ],
)
def test_what_this_program_does_not_know_is_refused_and_nothing_of_it_imported(
    book: Path, exported: bytes, take_in: Refuse, monkeypatch: pytest.MonkeyPatch, was: bytes, becomes: bytes
) -> None:
    (book.parent / "trap.py").write_text("def spring(): pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(book.parent)
    take_in(replaced(exported, 2, was, becomes), status=3, code="IMPORT_UNKNOWN_TYPE")
    assert "trap" not in sys.modules


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


def test_a_book_whose_end_is_gone_is_named(book: Path, refuse: Refuse, capsys: pytest.CaptureFixture[str]) -> None:
    before = book.read_bytes()
    assert run(capsys, "note", "the last word").status == 0
    for waiting in book.parent.glob("campaign.db-*"):
        waiting.unlink()
    book.write_bytes(before)
    with lines.read(str(book)) as source:
        head = source.head()
    assert head is not None
    told = refuse("verify", status=5, code="TAIL_MISSING")
    assert str(head.size) in told
    assert str(head.size + 2) in told
    refuse("note", "x", status=5, code="TAIL_MISSING")
    looked = run(capsys, "sheet")
    assert looked.status == 0
    assert "[TAIL_MISSING]" in looked.err


def test_a_book_whose_end_is_gone_can_be_gone_on_with_deliberately(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last export may be older than the last entry; then it is all there is."""
    assert run(capsys, "export", "history.jsonl").status == 0
    assert run(capsys, "note", "the last word").status == 0
    book.unlink()
    taken = run(capsys, "import", "history.jsonl")
    assert taken.status == 0
    assert "[TAIL_MISSING]" in taken.err
    assert run(capsys, "note", "another last word").status == 5

    assert run(capsys, "verify", "--accept").status == 0

    assert run(capsys, "note", "another last word").status == 0
    assert run(capsys, "verify").status == 0


def test_an_export_never_takes_the_place_of_a_book(book: Path, refuse: Refuse) -> None:
    refuse("export", "campaign.db", "--replace", status=2, code="EXPORT_TARGET")
    refuse("export", "campaign.db", status=2, code="EXPORT_TARGET")


def test_any_changed_byte_of_the_founding_command_is_named_by_verify(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the program needs to know before it can check anything stands there, too."""
    connection = sqlite3.connect(book)
    connection.execute("DROP TRIGGER lines_stay")
    rows = connection.execute("SELECT id, state FROM stored_events WHERE id <= 6").fetchall()
    connection.execute(next(sql for sql in lines.SCHEMA if "TRIGGER lines_stay" in sql))
    for number, line in rows:
        for place in range(0, len(line), 37):
            changed = bytearray(line)
            changed[place] ^= 4
            connection.execute("DROP TRIGGER lines_stay")
            connection.execute("UPDATE stored_events SET state = ? WHERE id = ?", (bytes(changed), number))
            connection.execute(next(sql for sql in lines.SCHEMA if "TRIGGER lines_stay" in sql))
            connection.commit()
            told = run(capsys, "verify", "--json")
            assert told.status == 5
            (found,) = told.json["findings"]
            assert found["values"]["line"] in (number, number + 1), (number, place, found)
            connection.execute("DROP TRIGGER lines_stay")
            connection.execute("UPDATE stored_events SET state = ? WHERE id = ?", (line, number))
            connection.execute(next(sql for sql in lines.SCHEMA if "TRIGGER lines_stay" in sql))
            connection.commit()
    connection.close()
    assert run(capsys, "verify").status == 0


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
