"""What is no sound history of this campaign is told as what it is, and nothing of it stays."""

import gzip
import io
import json
import sqlite3
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.archive import Header, verify
from ledger.errors import Damaged, LedgerError, Refused
from ledger.line import CANON
from ledger.settings import CHUNK_LINES, LINE_BYTES_MAX, LINE_DEPTH_MAX
from ledger.store import Book, create
from tests.ledger.histories import (
    SIZE,
    export_of,
    first_lines,
    refused,
    replaced,
    resealed,
    sealed,
    take,
    taken_into,
)
from tests.ledger.notebook import (
    REGISTRY,
    append,
    asked,
    beside,
    faults,
    opened,
)


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
