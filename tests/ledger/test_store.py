"""The store: entries appended on condition of a head, durably, once, and into the book that was named and no other."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from eventsourcing.sqlite import SQLiteConnection

from ledger import store
from ledger.errors import Damaged, LedgerError, NotNow, OutcomeUnknown, Refused
from ledger.line import CANON
from ledger.lines import Receipt
from ledger.settings import BUSY_SECONDS, LINE_BYTES_MAX
from ledger.store import Book, Draft, Moved
from tests.ledger.notebook import (
    ANGELS,
    CAMPAIGN,
    Noted,
    append,
    asked,
    beside,
    draft,
    faults,
    opened,
    start,
    stored,
    write_notes,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of three notes."""
    return write_notes(tmp_path / "campaign.db")


def refused(act: Callable[[], object]) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        act()
    return met.value


# What is appended.


def test_an_entry_is_its_first_line_and_its_events(path: Path) -> None:
    with opened(path) as book:
        receipts = append(book, asked("a", draft(Noted("one")), draft(Noted("two"), ANGELS), by="ana"))
    assert receipts == [Receipt("a", 4, 4, 7, 9)]
    first, one, two = stored(path)[6:]
    assert first["action"] == {"t": "note.add"}
    assert (first["by"], first["command"], first["entry"]) == ("ana", "a", 4)
    assert first["data"] == {"lines": 3, "t": "entry.recorded"}
    assert (one["data"], one["stream"]) == ({"t": "note.added", "text": "one"}, CAMPAIGN)
    assert (two["data"], two["stream"]) == ({"t": "note.added", "text": "two"}, ANGELS)
    assert "for" not in first
    assert set(one) == {"data", "entry", "id", "prev", "seq", "stream", "ver"}


def test_who_is_spoken_for_stands_in_the_entry(path: Path) -> None:
    with opened(path) as book:
        plain = asked("a")
        append(book, store.EntryDraft("a", plain.action, plain.at, "paul", "ana", plain.drafts))
    assert stored(path)[-2]["for"] == "ana"
    assert faults(path) == []


def test_an_entry_without_events_is_one_line(path: Path) -> None:
    plain = asked("a")
    with opened(path) as book:
        append(book, store.EntryDraft("a", plain.action, plain.at, "paul", "", ()))
    assert stored(path)[-1]["data"] == {"lines": 1, "t": "entry.recorded"}
    assert faults(path) == []


def test_what_is_stored_is_in_its_one_spelling(path: Path) -> None:
    with opened(path) as book:
        append(book, asked("é:1.a_b", draft(Noted('Éric "le\nRoux" 👩‍👩‍👧'))))
        lines = [line for chunk in book.chunks() for line in chunk]
    assert [CANON.encode(line) for line in stored(path)] == lines


def test_several_commands_are_appended_in_one_transaction_each_with_its_receipt(path: Path) -> None:
    with opened(path) as book:
        receipts = append(book, asked("a"), asked("b"), asked("b"), asked("c"))
    assert receipts == [Receipt("a", 4, 4, 7, 8), Receipt("b", 5, 6, 9, 12), Receipt("c", 7, 7, 13, 14)]
    assert faults(path) == []


def test_the_clock_of_the_log_never_goes_back(path: Path) -> None:
    with opened(path) as book:
        append(book, asked("a", at="2026-06-01T00:00:00Z"), asked("b", at="2025-01-01T00:00:00Z"))
        append(book, asked("c", at="2026-05-31T23:59:59Z"))
    assert [line["at"] for line in stored(path)[6::2]] == ["2026-06-01T00:00:00Z"] * 3
    assert faults(path) == []


# On condition of a head, and once.


@pytest.mark.parametrize("head", [0, 5, 7, 99])
def test_an_append_on_another_head_than_the_books_writes_nothing(path: Path, head: int) -> None:
    before = path.read_bytes()
    with opened(path) as book:
        found = refused(lambda: book.append([asked("a")], campaign=CAMPAIGN, head=head))
    assert isinstance(found, Moved)
    assert (found.code, found.status) == ("CONFLICT", 4)
    assert path.read_bytes() == before


def test_a_command_sent_again_is_answered_with_its_first_receipt(path: Path) -> None:
    with opened(path) as book:
        first = append(book, asked("a"), asked("a"))
        append(book, asked("b"))
        again = [append(book, asked("a")), book.append([asked("a")], campaign=CAMPAIGN, head=0)]
    assert first == [Receipt("a", 4, 5, 7, 10)]
    assert again == [[Receipt("a", 4, 5, 7, 10, repeated=True)]] * 2
    assert len(stored(path)) == 12


def test_a_command_sent_again_together_with_a_new_one_writes_neither(path: Path) -> None:
    """Somebody else recorded one of them meanwhile; what was decided together is decided again."""
    before = stored(path)
    with opened(path) as book:
        assert append(book, asked("new"), asked("note-2")) == [Receipt("note-2", 2, 2, 3, 4, repeated=True)]
        assert book.find("new") is None
    assert stored(path) == before


def test_the_entries_of_two_commands_are_never_mixed(path: Path) -> None:
    before = stored(path)
    with opened(path) as book, pytest.raises(AssertionError, match="at once"):
        append(book, asked("a"), asked("b"), asked("a"))
    assert stored(path) == before


def test_nothing_to_append_is_a_mistake_of_ours(path: Path) -> None:
    with opened(path) as book, pytest.raises(AssertionError, match="asks"):
        append(book)


def test_an_entry_of_another_campaign_is_refused(path: Path) -> None:
    before = stored(path)
    with opened(path) as book:
        found = refused(lambda: append(book, asked("a"), campaign="f" * 32))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("WRONG_CAMPAIGN", {"theirs": "f" * 32, "ours": CAMPAIGN})
    assert stored(path) == before


def test_a_line_as_long_as_the_bound_is_stored_and_a_longer_one_undoes_its_whole_transaction(path: Path) -> None:
    room = LINE_BYTES_MAX - 2 * 10**5
    with opened(path) as book:
        append(book, asked("a", draft(Noted("x" * room))))
        found = refused(lambda: append(book, asked("b"), asked("c", draft(Noted("x" * LINE_BYTES_MAX)))))
        assert isinstance(found, Refused)
        assert (found.code, found.values["most"]) == ("LINE_TOO_LONG", LINE_BYTES_MAX)
        assert append(book, asked("d")) == [Receipt("d", 5, 5, 9, 10)]
    assert faults(path) == []


def test_a_note_of_the_heads_tree_that_does_not_fit_stops_every_append(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE heads SET root = zeroblob(32)")
    connection.commit()
    connection.close()
    with opened(path) as book:
        found = refused(lambda: append(book, asked("a")))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("HEAD_DAMAGED", {"line": 6, "entry": 3})


def test_a_head_behind_its_lines_stops_every_append_and_writes_nothing(path: Path) -> None:
    older = write_notes(path.with_name("older.db"), 2)
    with sqlite3.connect(older) as other:
        row = other.execute("SELECT size, entries, root, peaks FROM heads").fetchone()
    other.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE heads SET size = ?, entries = ?, root = ?, peaks = ?", row)
    connection.commit()
    connection.close()
    with opened(path) as book:
        found = refused(lambda: append(book, asked("a")))
    assert isinstance(found, Damaged)
    assert found.code == "HEAD_DAMAGED"
    assert len(stored(path)) == 6


# Durably.


def connection_of(book: Book) -> Iterator[sqlite3.Connection]:
    with book.recorder.datastore.get_connection(commit=True) as connection:
        yield connection._sqlite_conn


def test_what_is_answered_is_on_disk(path: Path) -> None:
    with opened(path) as book:
        for connection in connection_of(book):
            assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
            assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            assert connection.execute("PRAGMA trusted_schema").fetchone()[0] == 0


def test_a_disk_without_a_write_ahead_log_is_not_recorded_on(tmp_path: Path) -> None:
    """SQLite keeps no write-ahead log where it may not lock."""
    pool = store._FullPool(db_name=f"file://{tmp_path}/unlockable.db?nolock=1")
    found = refused(lambda: pool.get_connection(is_writer=True))
    pool.close()
    assert isinstance(found, NotNow)
    assert found.code == "DB_NOT_DURABLE"
    assert found.values["journal"] != "wal"


def test_a_book_that_is_let_go_lies_there_alone_and_is_whole(path: Path) -> None:
    with opened(path) as book:
        append(book, asked("a"))
        assert path.with_name("campaign.db-wal").stat().st_size
    assert beside(path) == []
    moved = path.rename(path.with_name("moved.db"))
    assert len(stored(moved)) == 8
    assert faults(moved) == []


def test_a_book_that_somebody_reads_is_let_go_without_waiting_for_them(path: Path) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM heads").fetchall()
    with opened(path) as book:
        append(book, asked("a"))
        leaving = time.monotonic()
    assert time.monotonic() - leaving < BUSY_SECONDS / 5
    assert len(stored(path)) == 8
    reader.close()
    assert len(stored(path)) == 8


def test_what_was_recorded_is_in_the_books_own_file_even_while_others_have_it_open(path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("SELECT * FROM heads").fetchall()
    with opened(path) as book:
        append(book, asked("a"))
    alone = path.with_name("copied.db")
    alone.write_bytes(path.read_bytes())
    other.close()
    assert len(stored(alone)) == 8


def test_a_failed_append_leaves_the_book_open_for_the_next(path: Path) -> None:
    with opened(path) as book:
        refused(lambda: book.append([asked("a")], campaign=CAMPAIGN, head=1))
        assert append(book, asked("a")) == [Receipt("a", 4, 4, 7, 8)]


# Accidents.


def by_hand(path: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(statement, values)
    finally:
        connection.close()


INSERT = "INTO stored_events (id, originator_id, originator_version, topic, state) VALUES (?,?,?,'note.added',x'7b7d')"


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE stored_events SET topic = 'x' WHERE id = 2", ()),
        ("UPDATE OR REPLACE stored_events SET id = 1 WHERE id = 2", ()),
        ("DELETE FROM stored_events WHERE id = 6", ()),
        ("DELETE FROM stored_events", ()),
        (f"INSERT OR REPLACE {INSERT}", (2, CAMPAIGN, 99)),
        (f"INSERT OR REPLACE {INSERT}", (7, CAMPAIGN, 2)),
        (f"REPLACE {INSERT}", (7, CAMPAIGN, 6)),
        (f"INSERT {INSERT} ON CONFLICT DO UPDATE SET topic = 'x'", (3, CAMPAIGN, 3)),
        (f"INSERT OR IGNORE {INSERT}", (6, ANGELS, 1)),
        (f"INSERT {INSERT}", (0, ANGELS, 1)),
        (f"INSERT {INSERT}", (-5, ANGELS, 1)),
    ],
)
def test_a_line_that_is_there_is_neither_changed_nor_deleted_nor_replaced_by_accident(
    path: Path, statement: str, values: tuple[object, ...]
) -> None:
    before = stored(path)
    with pytest.raises(sqlite3.IntegrityError, match="a line is"):
        by_hand(path, statement, values)
    assert stored(path) == before
    assert faults(path) == []


def test_a_line_added_by_hand_at_the_end_is_found(path: Path) -> None:
    by_hand(path, f"INSERT {INSERT}", (7, ANGELS, 1))
    assert faults(path) != []


# Others who write, and disks that do not.


def test_opening_a_book_waits_for_nobody_who_writes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with opened(path) as book:
        head = book.head()
        assert head is not None
        holder.execute("COMMIT")
    holder.close()


def impatient(monkeypatch: pytest.MonkeyPatch, *pragmas: str) -> None:
    """Let the connections that record be opened with settings of the test's own."""
    connect = store._FullPool._create_connection

    def changed(pool: store._FullPool) -> SQLiteConnection:
        connection = connect(pool)
        for pragma in pragmas:
            connection._sqlite_conn.execute(f"PRAGMA {pragma}")
        return connection

    monkeypatch.setattr(store._FullPool, "_create_connection", changed)


def test_a_book_that_somebody_else_writes_in_is_busy_and_nothing_is_recorded(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient(monkeypatch, "busy_timeout = 0")
    holder = sqlite3.connect(path, isolation_level=None)
    with opened(path) as book:
        holder.execute("BEGIN IMMEDIATE")
        found = refused(lambda: append(book, asked("a")))
        holder.execute("COMMIT")
        assert isinstance(found, NotNow)
        assert (found.code, found.status) == ("BUSY", 4)
        assert append(book, asked("a")) == [Receipt("a", 4, 4, 7, 8)]
    holder.close()


def test_a_full_disk_records_nothing_and_goes_on_when_there_is_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = path.stat().st_size // 4096
    impatient(monkeypatch, f"max_page_count = {pages}")
    with opened(path) as book:
        found = refused(lambda: append(book, asked("a", *(draft(Noted("x" * 5000)) for _ in range(9)))))
        assert isinstance(found, NotNow)
        assert (found.code, found.status) == ("DISK_FULL", 4)
        assert book.find("a") is None
        for connection in connection_of(book):
            connection.execute("PRAGMA max_page_count = 100000")
        assert append(book, asked("a")) == [Receipt("a", 4, 4, 7, 8)]
    assert faults(path) == []


BOUND = """
import resource, sys
from pathlib import Path
from ledger.errors import LedgerError
from tests.ledger.notebook import Noted, append, asked, draft, opened

with opened(Path(sys.argv[1])) as book:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    try:
        for number in range(100):
            append(book, asked(f"long-{number}", draft(Noted("x" * 10_000))))
            print(number, flush=True)
    except LedgerError as error:
        print(error.code, error.status)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print("recorded" if append(book, asked("afterwards")) else "")
"""
"""Records where no file may have more than 200,000 bytes, and again where it may."""


def test_a_disk_that_reports_an_error_loses_nothing_that_was_acknowledged(path: Path) -> None:
    process = start(BOUND, path)
    out, err = process.communicate()
    *numbers, code, afterwards = out.splitlines()
    assert (err, process.returncode) == ("", 0)
    assert code in ("OUTCOME_UNKNOWN 6", "DISK_FULL 4")
    assert afterwards == "recorded"
    assert 3 < len(numbers) < 100
    found = {line["command"] for line in stored(path) if "command" in line}
    assert found >= {f"long-{number}" for number in numbers}
    assert len(found) - 3 - 1 - len(numbers) in (0, 1), "at most the one nobody knows of"
    assert faults(path) == []


def test_an_error_whose_outcome_nobody_knows_is_told_as_one(path: Path) -> None:
    def storage() -> None:
        with store.recording(path):
            raise sqlite3.OperationalError("disk I/O error")

    found = refused(storage)
    assert isinstance(found, OutcomeUnknown)
    assert (found.code, found.status, found.values["detail"]) == ("OUTCOME_UNKNOWN", 6, "disk I/O error")


def test_a_draft_is_all_that_the_library_is_handed() -> None:
    mapper = store._LineMapper(transcoder=None)  # type: ignore[arg-type]  # nothing is transcoded
    event = mapper.to_stored_event(Draft(ANGELS, "note.added", b"{}"))
    assert (event.originator_id, event.topic, event.state) == (ANGELS, "note.added", b"{}")
    with pytest.raises(NotImplementedError):
        mapper.to_domain_event(event)
