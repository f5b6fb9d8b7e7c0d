"""An export taken into a book gives the same book, or nothing at all."""

import gzip
import io
import json
import shutil
import sqlite3
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.archive import Header, export, verify
from ledger.errors import Damaged, LedgerError, Refused
from ledger.intake import Received, receive
from ledger.line import CANON, Tree
from ledger.lines import read
from ledger.settings import CHUNK_LINES, LINE_BYTES_MAX, LINE_DEPTH_MAX
from ledger.store import Book, create
from tests.ledger.notebook import (
    ANGELS,
    CAMPAIGN,
    REGISTRY,
    SPEARS,
    Counted,
    Noted,
    append,
    asked,
    beside,
    draft,
    faults,
    opened,
    write_notes,
)

SIZE = 9
"""Lines of the book below; its last entry is the last two of them."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of four entries and nine lines; the second and third entry are one command."""
    path = write_notes(tmp_path_factory.mktemp("intake") / "campaign.db", 1)
    with opened(path) as book:
        append(
            book,
            asked("two", draft(Noted("é"), ANGELS), draft(Counted(10), SPEARS)),
            asked("two", draft(Counted(-8), ANGELS)),
        )
        append(book, asked("last", at="2026-05-02T18:00:00Z"))
    return path


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    """A copy of the book, to do with as one likes."""
    return Path(shutil.copyfile(written, tmp_path / "campaign.db"))


@pytest.fixture(scope="module")
def exported(written: Path) -> bytes:
    return export_of(written)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    """An open book with nothing in it, which stays so."""
    with create(str(tmp_path_factory.mktemp("empty") / "new.db")) as book:
        yield book


def export_of(path: Path) -> bytes:
    target = io.BytesIO()
    with read(str(path)) as lines:
        export(lines, target.write)
    return target.getvalue()


def take(book: Book, content: bytes, **limits: int) -> Received:
    return receive(book, io.BytesIO(content), REGISTRY, **limits)


def taken_into(path: Path, content: bytes) -> Received:
    """Take a history into a book that may not be there yet."""
    if path.exists():
        with opened(path) as book:
            return take(book, content)
    with create(str(path)) as book:
        return take(book, content)


def refused(book: Book, content: bytes, **limits: int) -> LedgerError:
    """Take in what must be refused; nothing of it stays."""
    before = everything(book)
    with pytest.raises(LedgerError) as met:
        take(book, content, **limits)
    book.refresh()
    assert everything(book) == before
    return met.value


def everything(book: Book) -> tuple[Any, ...]:
    return book.head(), list(book.rows()), list(book.commands())


def first_lines(content: bytes, size: int) -> bytes:
    """Return an export of the first lines of another."""
    return sealed(content.split(b"\n")[1 : size + 1])


def sealed(raws: list[bytes], **changed: Any) -> bytes:
    """Return lines as an export whose header fits them."""
    tree = Tree()
    for raw in raws:
        tree.push(raw)
    header = {"campaign": CAMPAIGN, "format": "campaign-ledger", "root": tree.root().hex(), "size": len(raws), "v": 1}
    return b"\n".join([CANON.encode(header | changed), *raws, b""])


def resealed(content: bytes, number: int, **changed: Any) -> bytes:
    """Return an export with fields of one line changed, and all links and the header made to fit."""
    forged, tree = list[bytes](), Tree()
    for seq, raw in enumerate(content.split(b"\n")[1:-1], 1):
        line = json.loads(raw) | {"prev": tree.root().hex()} | (changed if seq == number else {})
        forged.append(CANON.encode(line))
        tree.push(forged[-1])
    return sealed(forged)


def replaced(content: bytes, number: int, was: bytes, becomes: bytes) -> bytes:
    """Return an export with a change in one of its lines, and nothing made to fit."""
    raws = content.split(b"\n")
    assert was in raws[number]
    raws[number] = raws[number].replace(was, becomes, 1)
    return b"\n".join(raws)


def test_export_import_export_gives_the_same_bytes_and_the_same_rows(
    path: Path, exported: bytes, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    assert taken_into(new, exported) == Received(new=SIZE, size=SIZE)
    assert export_of(new) == exported
    assert faults(new) == []
    with read(str(path)) as ours, read(str(new)) as theirs:
        assert list(theirs.rows()) == list(ours.rows())
        assert (theirs.head(), list(theirs.commands())) == (ours.head(), list(ours.commands()))
    assert beside(new) == ["campaign.db"]


def test_a_long_history_is_taken_in_some_thousand_lines_at_once(tmp_path: Path) -> None:
    path = write_notes(tmp_path / "campaign.db", 1)
    with opened(path) as book:
        append(book, *(asked(f"more-{number}") for number in range(CHUNK_LINES + 1)))
    content = export_of(path)
    for start in (0, 2, 2 * CHUNK_LINES, CHUNK_LINES):
        new = tmp_path / f"{start}.db"
        if start:
            taken_into(new, first_lines(content, start))
        assert taken_into(new, content) == Received(new=2 * CHUNK_LINES + 4 - start, size=2 * CHUNK_LINES + 4)
        assert export_of(new) == content
        assert faults(new) == []


def test_a_book_goes_on_behind_a_history_that_was_taken_in(tmp_path: Path, exported: bytes) -> None:
    new = tmp_path / "new.db"
    taken_into(new, exported)
    with opened(new) as book:
        (receipt,) = append(book, asked("behind"))
        (again,) = append(book, asked("two"))
    assert (receipt.first_entry, receipt.first, receipt.last) == (5, SIZE + 1, SIZE + 2)
    assert (again.repeated, again.first_entry, again.last_entry) == (True, 2, 3)
    assert faults(new) == []


@pytest.mark.parametrize("size", [2, 7])
def test_a_book_that_holds_the_beginning_takes_the_rest(tmp_path: Path, exported: bytes, size: int) -> None:
    """Two lines are one command and seven are two; between them a command would be cut apart."""
    new = tmp_path / "new.db"
    taken_into(new, first_lines(exported, size))
    assert taken_into(new, exported) == Received(new=SIZE - size, size=SIZE)
    assert export_of(new) == exported
    assert faults(new) == []


def test_a_history_taken_in_again_brings_nothing_new_and_changes_nothing(tmp_path: Path, exported: bytes) -> None:
    new = tmp_path / "new.db"
    taken_into(new, exported)
    before = new.read_bytes()
    for _ in range(3):
        assert taken_into(new, exported) == Received(new=0, size=SIZE)
    assert new.read_bytes() == before


@pytest.mark.parametrize("size", [2, 5, 7])
def test_a_history_that_is_behind_ours_brings_nothing_new(path: Path, exported: bytes, size: int) -> None:
    before = path.read_bytes()
    assert taken_into(path, first_lines(exported, size)) == Received(new=0, size=size)
    assert path.read_bytes() == before


def test_a_command_that_goes_on_where_our_book_ends_is_damage(tmp_path: Path, exported: bytes) -> None:
    """A command is recorded at once: a book that ends inside one was not written by this program."""
    new = tmp_path / "new.db"
    taken_into(new, first_lines(exported, 5))
    with opened(new) as book:
        found = refused(book, exported)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["entry"]) == ("LOG_MALFORMED", 6, 3)


def forked(path: Path, size: int, exported: bytes) -> bytes:
    """Return the export of a history that went on otherwise behind some lines."""
    taken_into(path, first_lines(exported, size))
    with opened(path) as book:
        append(book, asked("otherwise"), asked("more"), asked("last", draft(Noted("a")), draft(Noted("b"))))
    return export_of(path)


@pytest.mark.parametrize("size", [2, 7])
def test_a_fork_is_named_with_the_first_line_that_differs_and_both_ends(
    path: Path, exported: bytes, size: int, tmp_path: Path
) -> None:
    theirs = forked(tmp_path / "theirs.db", size, exported)
    with opened(path) as book:
        found = refused(book, theirs)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["how"], found.values["line"]) == ("HISTORY_FORK", "first", size + 1)
    assert found.values["entry"] == json.loads(theirs.split(b"\n")[size + 1])["entry"]
    assert str(found.values["ours"]).startswith(f"{SIZE} ")
    assert str(found.values["theirs"]).startswith(f"{size + 7} ")


@pytest.mark.parametrize("kept", [4, 9])
def test_a_fork_is_one_whichever_of_the_two_is_longer(path: Path, exported: bytes, tmp_path: Path, kept: int) -> None:
    theirs = first_lines(forked(tmp_path / "theirs.db", 2, exported), kept)
    with opened(path) as book:
        found = refused(book, theirs)
    assert (found.code, found.values["line"]) == ("HISTORY_FORK", 3)


def test_a_sound_history_of_one_campaign_that_differs_from_its_first_line_is_a_fork(path: Path, tmp_path: Path) -> None:
    other = export_of(write_notes(tmp_path / "other.db", 1))
    with opened(path) as book:
        found = refused(book, other)
    assert (found.code, found.values["line"], found.values["entry"]) == ("HISTORY_FORK", 1, 1)


@pytest.mark.parametrize("number", range(1, SIZE + 1))
def test_a_changed_copy_of_our_own_history_is_damaged_and_no_fork(path: Path, exported: bytes, number: int) -> None:
    theirs = replaced(exported, number, b'"id":"', b'"id":"0')
    with opened(path) as book:
        found = refused(book, theirs)
    assert isinstance(found, Damaged)
    assert found.code in ("HISTORY_CHANGED", "LOG_MALFORMED", "IMPORT_NOT_CANONICAL")
    assert found.values["line"] in (number, number + 1)


def test_a_history_of_another_campaign_does_not_go_into_this_book(path: Path, tmp_path: Path) -> None:
    with create(str(tmp_path / "other.db")) as book:
        append(book, asked("founded"), campaign="f" * 32)
    with opened(path) as book:
        found = refused(book, export_of(tmp_path / "other.db"))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("WRONG_CAMPAIGN", {"theirs": "f" * 32, "ours": CAMPAIGN})


def test_a_header_that_names_another_campaign_than_its_lines_is_damage(empty: Book, exported: bytes) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], campaign="f" * 32))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("CAMPAIGN_MISMATCH", {"header": "f" * 32, "first": CAMPAIGN})


@pytest.mark.parametrize("promised", [0, 1, SIZE - 1, SIZE + 1, -1, 2**60])
def test_a_header_that_promises_another_number_of_lines_is_damage(empty: Book, exported: bytes, promised: int) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], size=promised))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("IMPORT_COUNT", {"promised": promised, "found": SIZE})


@pytest.mark.parametrize("root", ["0" * 64, "", "é"])
def test_a_header_with_another_root_is_damage(empty: Book, exported: bytes, root: str) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], root=root))
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["entry"]) == ("HEADER_CHANGED", SIZE, 4)


def test_a_root_in_capitals_is_another_one(empty: Book, exported: bytes) -> None:
    root = json.loads(exported.split(b"\n")[0])["root"]
    assert root != root.upper()
    assert refused(empty, exported.replace(root.encode(), root.upper().encode(), 1)).code == "HEADER_CHANGED"


def test_a_header_without_lines_holds_nothing(empty: Book) -> None:
    found = refused(empty, sealed([]))
    assert isinstance(found, Refused)
    assert found.code == "IMPORT_EMPTY"


def test_a_header_whose_lines_are_gone_is_damage(empty: Book, exported: bytes) -> None:
    assert refused(empty, exported.split(b"\n")[0] + b"\n").code == "IMPORT_COUNT"


def test_a_file_cut_short_at_any_byte_is_never_taken(empty: Book, path: Path, exported: bytes) -> None:
    """A cut inside the header leaves no export; any other cut leaves a damaged one."""
    header = exported.index(b"\n")
    with opened(path) as book:
        for into in (empty, book):
            before = everything(into)
            for size in range(len(exported)):
                with pytest.raises(LedgerError) as met:
                    take(into, exported[:size])
                expected = 3 if size < header else 5
                assert met.value.status == expected, (size, met.value)
            into.refresh()
            assert everything(into) == before
    assert refused(empty, exported[:-1]).code == "IMPORT_TRUNCATED"
    assert refused(empty, b"").code == "IMPORT_EMPTY"


def test_a_file_with_one_bit_changed_is_never_taken(empty: Book, exported: bytes) -> None:
    for place in range(len(exported)):
        changed = bytearray(exported)
        changed[place] ^= 1 << place % 8
        with pytest.raises(LedgerError) as met:
            take(empty, bytes(changed))
        assert met.value.status in (3, 5), (place, met.value)
    empty.refresh()
    assert everything(empty) == (None, [], [])


@pytest.mark.parametrize("number", range(1, SIZE + 1))
def test_a_line_that_is_gone_twice_there_or_in_anothers_place_is_damage(
    empty: Book, exported: bytes, number: int
) -> None:
    raws = exported.split(b"\n")[1:-1]
    before, line, behind = raws[: number - 1], raws[number - 1], raws[number:]
    for changed in ([*before, *behind], [*before, line, line, *behind], [*before, *behind[:1], line, *behind[1:]]):
        if changed == raws:
            continue
        found = refused(empty, sealed(changed))
        assert isinstance(found, Damaged), found
        assert found.values["line"] in (number, number + 1, SIZE - 1), found


def zipped(content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("history.jsonl", content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda content: b"no history\n" + content, "-"),
        (lambda content: b"\n" + content, "-"),
        (lambda content: content.split(b"\n", 1)[1], "-"),
        (lambda content: content.decode().encode("utf-16"), "UTF-16"),
        (lambda content: content.decode().encode("utf-16-be"), "-"),
        (lambda content: b"\xef\xbb\xbf" + content, "UTF-8 BOM"),
        (gzip.compress, "gzip"),
        (zipped, "zip"),
        (lambda content: b"\x89PNG\r\n\x1a\n" + content, "PNG"),
        (lambda content: b"\0" * 5000, "-"),
        (lambda content: b"\xff" * 5000, "-"),
        (lambda content: bytes(range(128, 144)) + b"\n" + content, "-"),
    ],
)
def test_what_is_no_export_is_named_for_what_it_is(
    empty: Book, exported: bytes, change: Callable[[bytes], bytes], what: str
) -> None:
    found = refused(empty, change(exported))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("IMPORT_NOT_LEDGER", {"what": what})


def test_the_file_of_a_book_is_no_export(empty: Book, path: Path) -> None:
    assert refused(empty, path.read_bytes()).values == {"what": "SQLite"}


SPELLINGS = [
    (1, b'"entry":1', b'"entry":NaN'),
    (1, b'"entry":1', b'"entry":1e999'),
    (1, b'"entry":1', b'"entry":-0'),
    (1, b'"entry":1', b'"entry":1.0'),
    (1, b'"entry":1', b'"entry":01'),
    (1, b'"entry":1', b'"entry": 1'),
    (1, b'"entry":1', b'"entry":1,"entry":1'),
    (1, b'"entry":1', b'"entry":2,"entry":1'),
    (1, b'"entry":1,"id"', b'"id"'),
    (1, b"paul", b"p\\u0061ul"),
    (1, b'{"t":"note.add"}', b'{"t":"note.add" }'),
    (1, b'{"t":"note.add"}', b'{"t":"note.\\u0061dd"}'),
    (1, b'{"t":"note.add"}', b'{"t":"note.add","b":1}'),
    (1, b'{"t":"note.add"}', b'{"a":null,"t":"note.add"}'),
    (1, b'{"t":"note.add"}', b'{"a":1.5,"t":"note.add"}'),
    (1, b'{"t":"note.add"}', b'{"a":NaN,"t":"note.add"}'),
    (1, b'{"t":"note.add"}', b'{"a":9007199254740992,"t":"note.add"}'),
    (1, b'{"t":"note.add"}', b'{"t":"note.add","t":"note.add"}'),
    (4, "é".encode(), b"\\u00e9"),
    (4, "é".encode(), "é".encode("latin-1")),
    (5, b'"number":10', b'"number":10.0'),
    (5, b'"number":10', b'"number":1e1'),
    (5, b'"number":10', b'"number":"10"'),
    (5, b'"number":10', b'"number":9007199254740992'),
    (5, b'"number":10', b'"number":' + b"9" * 400),
    (5, b'{"number":10,"t":"count.made"}', b'{"t":"count.made","number":10}'),
    (5, b'{"number":10,"t":"count.made"}', b"[]"),
    (5, b"}", b"} "),
    (5, b"{", b"\t{"),
    (5, b'"count.made"}', b'"count.made"},"at":""'),
    (5, b'"count.made"}', b'"count.made"},"for":""'),
]


@pytest.mark.parametrize(("number", "was", "becomes"), SPELLINGS)
def test_a_line_has_one_spelling(empty: Book, exported: bytes, number: int, was: bytes, becomes: bytes) -> None:
    found = refused(empty, replaced(exported, number, was, becomes))
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"]) == ("IMPORT_NOT_CANONICAL", number)


@pytest.mark.parametrize(
    "changed", [{"number": 10.5, "t": "count.made"}, {"number": 2**53, "t": "count.made"}, {"t": "count.made"}]
)
def test_a_value_of_another_kind_is_damage_also_when_all_links_fit(
    empty: Book, exported: bytes, changed: dict[str, Any]
) -> None:
    found = refused(empty, resealed(exported, 5, data=changed))
    assert (found.code, found.status, found.values["line"]) == ("IMPORT_NOT_CANONICAL", 5, 5)


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n"])
def test_lines_that_end_otherwise_are_damage(empty: Book, exported: bytes, ending: bytes) -> None:
    header, rest = exported.split(b"\n", 1)
    found = refused(empty, header + b"\n" + rest.replace(b"\n", ending))
    assert (found.code, found.status) == ("IMPORT_NOT_CANONICAL", 5)


@pytest.mark.parametrize(
    "data",
    [
        {"t": "note.burnt", "text": "a"},
        {"t": "os:system", "text": "rm"},
        {"t": "antigravity"},
        {"t": "antigravity:fly", "text": "a"},
        {"t": "ledger.store:Book"},
    ],
)
def test_what_this_version_does_not_know_is_refused_and_nothing_is_imported_by_its_name(
    empty: Book, exported: bytes, data: dict[str, Any]
) -> None:
    before = set(sys.modules)
    found = refused(empty, resealed(exported, 5, data=data))
    assert isinstance(found, Refused)
    assert (found.code, found.values["line"]) == ("IMPORT_UNKNOWN_TYPE", 5)
    assert not {name for name in set(sys.modules) - before if name.startswith("antigravity")}


def test_an_unknown_field_beside_the_event_is_refused(empty: Book, exported: bytes) -> None:
    assert refused(empty, resealed(exported, 5, topic="os:system")).code == "IMPORT_UNKNOWN_TYPE"


def test_one_id_twice_is_damage_also_when_all_links_fit(empty: Book, exported: bytes) -> None:
    first = json.loads(exported.split(b"\n")[2])["id"]
    found = refused(empty, resealed(exported, 8, id=first))
    assert (found.code, found.status, found.values["first"], found.values["line"]) == ("IMPORT_DUPLICATE_ID", 5, 2, 8)


def test_one_command_twice_is_damage_also_when_all_links_fit(empty: Book, exported: bytes) -> None:
    found = refused(empty, resealed(exported, 8, command="note-1"))
    assert (found.code, found.status, found.values["line"]) == ("LOG_MALFORMED", 5, 8)


@pytest.mark.parametrize("length", [LINE_BYTES_MAX + 1, LINE_BYTES_MAX + 2, LINE_BYTES_MAX + 3, 3 * LINE_BYTES_MAX])
@pytest.mark.parametrize("ending", [b"\n", b""])
def test_a_line_too_long_is_refused_and_never_read_whole(
    empty: Book, exported: bytes, length: int, ending: bytes
) -> None:
    found = refused(empty, b"\n".join(exported.split(b"\n")[:4]) + b"\n" + b"a" * length + ending)
    assert isinstance(found, Refused)
    assert (found.code, found.values["what"], found.values["line"]) == ("IMPORT_TOO_BIG", "line", 4)


def test_a_line_as_long_as_may_be_is_taken(tmp_path: Path, exported: bytes) -> None:
    empty = len(CANON.encode(json.loads(exported.split(b"\n")[4]))) - len("é".encode())
    longest = resealed(exported, 4, data={"t": "note.added", "text": "a" * (LINE_BYTES_MAX - empty)})
    assert max(map(len, longest.split(b"\n"))) == LINE_BYTES_MAX
    assert taken_into(tmp_path / "new.db", longest).new == SIZE
    assert export_of(tmp_path / "new.db") == longest


@pytest.mark.parametrize("depth", [LINE_DEPTH_MAX, 1000, 100_000])
def test_a_line_too_deep_is_refused(empty: Book, exported: bytes, depth: int) -> None:
    found = refused(empty, replaced(exported, 1, b'{"t":"note.add"}', b"[" * depth + b"]" * depth))
    assert isinstance(found, Refused)
    assert (found.code, found.values["what"], found.values["line"]) == ("IMPORT_TOO_BIG", "depth", 1)


def test_a_file_has_bounds_that_the_reader_can_raise(empty: Book, tmp_path: Path, exported: bytes) -> None:
    lines = len(exported) - exported.index(b"\n") - 1
    for limits, what in (({"lines_max": SIZE - 1}, "lines"), ({"bytes_max": lines - 1}, "file")):
        found = refused(empty, exported, **limits)
        assert (found.code, found.values["what"]) == ("IMPORT_TOO_BIG", what)
    with create(str(tmp_path / "new.db")) as book:
        assert take(book, exported, lines_max=SIZE, bytes_max=lines).new == SIZE


def test_nothing_stays_of_a_failed_import_into_a_new_book(tmp_path: Path, exported: bytes) -> None:
    before = beside(tmp_path / "new.db")
    with pytest.raises(Damaged):
        taken_into(tmp_path / "new.db", exported[:-1])
    assert not (tmp_path / "new.db").exists()
    assert beside(tmp_path / "new.db") == before


@pytest.mark.parametrize("fault", ["cut", "count", "root", "late"])
def test_nothing_stays_of_a_failed_import_into_a_book_however_late_it_fails(
    path: Path, tmp_path: Path, fault: str
) -> None:
    """Most of the lines are written by then; the transaction takes all of them back."""
    with opened(path) as book:
        append(book, *(asked(f"more-{number}") for number in range(CHUNK_LINES)))
    content = export_of(path)
    new = tmp_path / "new.db"
    taken_into(new, first_lines(content, SIZE))
    before = new.read_bytes()
    changed = {
        "cut": content[:-1],
        "count": content[: content.rindex(b"\n", 0, -1) + 1],
        "root": sealed(content.split(b"\n")[1:-1], root="0" * 64),
        "late": replaced(content, SIZE + 2 * CHUNK_LINES, b'"ver":', b'"ver":1'),
    }
    with opened(new) as book:
        found = refused(book, changed[fault])
    assert isinstance(found, Damaged)
    assert new.read_bytes() == before
    assert beside(new) == ["campaign.db"]


def test_a_book_that_was_refused_an_import_takes_the_right_one(tmp_path: Path, exported: bytes) -> None:
    with create(str(tmp_path / "new.db")) as book:
        refused(book, exported[:-1])
        append(book, asked("ours"))
    assert faults(tmp_path / "new.db") == []
    with create(str(tmp_path / "other.db")) as book:
        refused(book, exported[:-1])
        assert take(book, exported).new == SIZE
    assert export_of(tmp_path / "other.db") == exported


def test_a_book_that_somebody_else_writes_in_takes_nothing_until_they_are_done(path: Path, exported: bytes) -> None:
    holder = sqlite3.connect(path, isolation_level=None)
    with opened(path) as book:
        with book.recorder.datastore.get_connection(commit=False) as connection:
            connection._sqlite_conn.execute("PRAGMA busy_timeout = 0")
        holder.execute("BEGIN IMMEDIATE")
        found = refused(book, exported)
        holder.execute("ROLLBACK")
        assert take(book, exported).new == 0
    holder.close()
    assert (found.code, found.status) == ("BUSY", 4)


def test_a_damaged_book_takes_nothing_in(path: Path, exported: bytes) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE heads SET root = zeroblob(32)")
    connection.close()
    with opened(path) as book:
        found = refused(book, exported)
    assert (found.code, found.status) == ("HEAD_DAMAGED", 5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 40), st.binary(max_size=6) | st.sampled_from(["{", "[", '"'])),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_a_file_is_changed_into_is_refused_in_words(
    empty: Book, exported: bytes, changes: list[tuple[int, int, bytes | str]]
) -> None:
    content = exported
    for place, length, becomes in changes:
        start = place % (len(content) + 1)
        middle = becomes.encode() if isinstance(becomes, str) else becomes
        content = content[:start] + middle + content[start + length :]
    if content == exported:
        return
    with pytest.raises(LedgerError) as met:
        take(empty, content)
    assert met.value.status in (3, 5)
    empty.refresh()
    assert empty.head() is None
    assert verify(empty, REGISTRY) == []


def test_a_header_says_what_the_lines_come_to(exported: bytes) -> None:
    header = json.loads(exported.split(b"\n")[0])
    assert Header(**header).size == exported.count(b"\n") - 1
