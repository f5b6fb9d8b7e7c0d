"""The store: the one module that knows the eventsourcing library. It appends entries, and nothing else writes a book.

One immediate transaction takes the head, looks the commands up, compares the head with the one the decision was made
on, builds the lines, and moves the head. Only the recorder can build lines: it alone knows, under the lock, their
numbers and the root of all before them.
"""

import fcntl
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from eventsourcing.application import Application
from eventsourcing.persistence import InfrastructureFactory, IntegrityError, Mapper, PersistenceError, StoredEvent
from eventsourcing.sqlite import (
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteFactory,
)
from eventsourcing.utils import Environment

from ledger.errors import Damaged, LedgerError, Misused, NotNow, OutcomeUnknown, Refused
from ledger.line import CANON, EntryRecorded, EventLine, FirstLine, Tree
from ledger.lines import (
    APPLICATION,
    SCHEMA,
    SCHEMA_VERSION,
    Head,
    Lines,
    Receipt,
    Row,
    book_path,
    connect,
    discard,
    known_fault,
    read,
    uri,
)
from ledger.settings import BUSY_SECONDS, LINE_BYTES_MAX

FULL = 2
"""SQLite's number for `synchronous = FULL`: a commit answers when it is on disk."""

_encode = msgspec.json.Encoder().encode


class Moved(NotNow):
    """Somebody else appended since the decision was made; nothing was written."""


class Draft(msgspec.Struct, frozen=True):
    """One event to append: its stream (empty for the campaign's own), its tag, its canonical bytes."""

    stream: str
    tag: str
    data: bytes


class EntryDraft(msgspec.Struct, frozen=True):
    """One entry to append: its command, the action as asked, when, by whom, for whom, and its events."""

    command: str
    action: bytes
    at: str
    by: str
    for_: str
    drafts: tuple[Draft, ...]


class _LineMapper(Mapper[str]):
    """Hands a draft to the recorder as it is; lines are read by `ledger.lines`, never through the library."""

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        return StoredEvent(domain_event.stream, 0, domain_event.tag, domain_event.data)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        raise NotImplementedError("lines are read through ledger.lines")


class _FullPool(SQLiteConnectionPool):
    """Connections that reach the disk before they answer, and say so."""

    def _create_connection(self) -> SQLiteConnection:
        connection = super()._create_connection()
        try:
            _be_durable(_sqlite(connection))
        except BaseException:
            connection.close()
            raise
        return connection


def _be_durable(database: sqlite3.Connection) -> None:
    for pragma in ("synchronous = FULL", "trusted_schema = OFF", "cell_size_check = ON"):
        database.execute(f"PRAGMA {pragma}")
    mode, level = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous"))
    if (mode, level) != ("wal", FULL):
        raise NotNow("DB_NOT_DURABLE", journal=str(mode), synchronous=level)


def _sqlite(connection: SQLiteConnection) -> sqlite3.Connection:
    return connection._sqlite_conn  # noqa: SLF001 -- the library has no other way to a PRAGMA


class _Recorder(SQLiteApplicationRecorder):
    """Appends entries under one lock; the library's table with a number of ours as its key."""

    def construct_create_table_statements(self) -> list[str]:
        pragmas = (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {SCHEMA_VERSION}")
        return [*SCHEMA, *pragmas]

    def create_table(self) -> None:
        """Make the tables in a database that holds nothing; where there are some, nobody who writes is waited for."""
        with self.datastore.transaction(commit=False) as cursor:
            if _holds_something(cursor):
                return
        with self.writing() as cursor:
            if not _holds_something(cursor):
                self._create_table(cursor)

    @contextmanager
    def writing(self) -> Iterator[SQLiteCursor]:
        """Hold the one write transaction; the library's own begins deferred and would fail when others write too."""
        with self.datastore.transaction(commit=True) as cursor:
            cursor.execute("COMMIT")
            cursor.execute("BEGIN IMMEDIATE")
            yield cursor

    def insert_events(
        self,
        stored_events: Sequence[StoredEvent],  # noqa: ARG002 -- the entries hold the same drafts, put together
        **given: Any,
    ) -> Sequence[int]:
        """Append the entries whose drafts these events are; `answer` is filled with their receipts after the commit."""
        entries: Sequence[EntryDraft] = given["entries"]
        answer: list[Receipt] = given["answer"]
        with self.writing() as cursor:
            known = _known(cursor, entries)
            if known:
                answer[:] = known
                return []
            head = head_of(cursor)
            size = head.size if head else 0
            if size != given["head"]:
                raise Moved("CONFLICT", attempts=1)
            campaign = str(given["campaign"])
            if head and head.campaign != campaign:
                raise Refused("WRONG_CAMPAIGN", theirs=campaign, ours=head.campaign)
            forge = Forge(cursor, campaign, head)
            receipts = forge.append(entries)
        answer[:] = receipts
        return []


class _Factory(SQLiteFactory):
    """The library's SQLite parts with our recorder and our connections."""

    application_recorder_class = _Recorder

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        plain = self.datastore.pool
        self.datastore.pool = _FullPool(db_name=plain.db_name, lock_timeout=plain.lock_timeout)
        plain.close()


class _Application(Application[str]):
    """The library's application: events are put into its store, one campaign a database."""

    name = "book"

    def construct_env(self, name: str, env: Any = None) -> Environment:
        """Return what was given and nothing of the process's environment, which could name another database."""
        return Environment(name, env)

    def construct_factory(self, env: Environment) -> InfrastructureFactory[Any]:
        """Return our own factory; the library's is found by a name that is imported."""
        return _Factory(env)

    def construct_mapper(self) -> Mapper[str]:
        """Return the mapper that leaves lines to the recorder."""
        return _LineMapper(transcoder=None)  # type: ignore[arg-type]  # nothing is transcoded


class Forge:
    """Makes lines at the end of a log and writes them with its head, inside somebody's transaction."""

    def __init__(self, cursor: Any, campaign: str, head: Head | None) -> None:
        self._cursor = cursor
        self._campaign = campaign
        self._is_new = head is None
        self._tree = Tree(head.size, head.peaks) if head else Tree()
        if head and (self._tree.root() != head.root or _last_of(cursor) != head.size):
            raise Damaged("HEAD_DAMAGED", line=head.size, entry=head.entries)
        self._entries = head.entries if head else 0
        self._at = head.at if head else ""
        self._versions: dict[str, int] = {}

    def append(self, entries: Sequence[EntryDraft]) -> list[Receipt]:
        """Append entries and return where each command stands."""
        receipts: dict[str, Receipt] = {}
        rows: list[Row] = []
        for entry in entries:
            first = self._tree.size + 1
            rows += self._entry(entry)
            before = receipts.get(entry.command)
            start = (before.first_entry, before.first) if before else (self._entries, first)
            receipts[entry.command] = Receipt(entry.command, start[0], self._entries, start[1], self._tree.size)
        self.write(
            rows,
            receipts.values(),
            Head(self._campaign, self._tree.size, self._entries, self._at, self._tree.root(), self._tree.peaks),
        )
        return list(receipts.values())

    def write(self, rows: Iterable[Row], receipts: Iterable[Receipt], head: Head) -> None:
        """Write finished lines, commands and the head."""
        self.write_rows(rows)
        self._cursor.executemany(
            "INSERT INTO commands (command, first_entry, last_entry, first, last) VALUES (?,?,?,?,?)",
            [(one.command, one.first_entry, one.last_entry, one.first, one.last) for one in receipts],
        )
        values = (head.campaign, head.size, head.entries, head.at, head.root, head.peaks)
        if self._is_new:
            self._cursor.execute("INSERT INTO heads VALUES (1,?,?,?,?,?,?)", values)
        else:
            self._cursor.execute("UPDATE heads SET campaign=?, size=?, entries=?, at=?, root=?, peaks=?", values)

    def write_rows(self, rows: Iterable[Row]) -> None:
        """Write finished lines."""
        self._cursor.executemany(
            "INSERT INTO stored_events (id, originator_id, originator_version, topic, state) VALUES (?,?,?,?,?)",
            rows,
        )

    def _entry(self, entry: EntryDraft) -> Iterator[Row]:
        self._entries += 1
        self._at = max(self._at, entry.at)
        stream = self._campaign
        data = CANON.encode(EntryRecorded(1 + len(entry.drafts)))
        yield self._row(
            "entry.recorded",
            FirstLine(
                action=msgspec.Raw(entry.action),
                at=self._at,
                by=entry.by,
                command=entry.command,
                data=msgspec.Raw(data),
                entry=self._entries,
                for_=entry.for_,
                id=secrets.token_hex(16),
                prev=self._tree.root().hex(),
                seq=self._tree.size + 1,
                stream=stream,
                ver=self._version(stream),
            ),
        )
        for draft in entry.drafts:
            stream = draft.stream or self._campaign
            yield self._row(
                draft.tag,
                EventLine(
                    data=msgspec.Raw(draft.data),
                    entry=self._entries,
                    id=secrets.token_hex(16),
                    prev=self._tree.root().hex(),
                    seq=self._tree.size + 1,
                    stream=stream,
                    ver=self._version(stream),
                ),
            )

    def _row(self, tag: str, line: FirstLine | EventLine) -> Row:
        raw = _encode(line)
        if len(raw) > LINE_BYTES_MAX:
            raise Refused("LINE_TOO_LONG", size=len(raw), most=LINE_BYTES_MAX)
        self._tree.push(raw)
        return line.seq, line.stream, line.ver, tag, raw

    def _version(self, stream: str) -> int:
        if stream not in self._versions:
            self._cursor.execute("SELECT max(originator_version) FROM stored_events WHERE originator_id=?", (stream,))
            self._versions[stream] = self._cursor.fetchone()[0] or 0
        self._versions[stream] += 1
        return self._versions[stream]


def _holds_something(cursor: Any) -> bool:
    cursor.execute("SELECT count(*) FROM sqlite_schema")
    return bool(cursor.fetchone()[0])


def head_of(cursor: Any) -> Head | None:
    """Return the head as it is inside a transaction."""
    cursor.execute("SELECT campaign, size, entries, at, root, peaks FROM heads")
    row = cursor.fetchone()
    return None if row is None else Head(*row)


def _last_of(cursor: Any) -> int:
    cursor.execute("SELECT max(id) FROM stored_events")
    return cursor.fetchone()[0] or 0


def _known(cursor: Any, entries: Sequence[EntryDraft]) -> list[Receipt]:
    found = []
    for command in dict.fromkeys(entry.command for entry in entries):
        cursor.execute("SELECT command, first_entry, last_entry, first, last FROM commands WHERE command=?", (command,))
        if (row := cursor.fetchone()) is not None:
            found.append(Receipt(row[0], row[1], row[2], row[3], row[4], repeated=True))
    return found


class Book(Lines):
    """A book open for recording; reading it goes over a connection of its own."""

    def __init__(self, path: Path) -> None:
        # The application is kept: the library closes its connections when it is no longer referred to.
        self._application = _Application(
            env={
                "SQLITE_DBNAME": uri(path),
                "SQLITE_LOCK_TIMEOUT": str(BUSY_SECONDS),
                "ORIGINATOR_ID_TYPE": "text",
            }
        )
        self.path = path
        super().__init__(connect(uri(path)))

    @property
    def recorder(self) -> _Recorder:
        """The recorder that holds the write transaction."""
        recorder = self._application.recorder
        assert isinstance(recorder, _Recorder)
        return recorder

    def append(self, entries: Sequence[EntryDraft], *, campaign: str, head: int) -> list[Receipt]:
        """Append entries in one transaction, on condition that the log still has `head` lines.

        The entries of one command follow each other. When any of the commands is in the book already, the answer holds
        the receipts of those that are, and nothing is written. Raises `Moved`, `NotNow`, `OutcomeUnknown`, `Damaged`.
        """
        commands = [entry.command for entry in entries]
        assert commands, "somebody asks something"
        assert len(list(groupby(commands))) == len(set(commands)), "a command is recorded at once"
        answer: list[Receipt] = []
        drafts: Any = [Draft("", "entry.recorded", b""), *(draft for entry in entries for draft in entry.drafts)]
        with recording(self.path):
            self._application.events.put(drafts, entries=entries, answer=answer, campaign=campaign, head=head)
        return answer

    def close(self) -> None:
        """Let go of the book and leave nothing in its write-ahead log that could be lost with it."""
        super().close()
        try:
            with self.recorder.datastore.get_connection(commit=True) as connection:
                _sqlite(connection).execute("PRAGMA busy_timeout = 0")
                _sqlite(connection).execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except (sqlite3.Error, PersistenceError):
            pass  # Somebody else reads or writes; the last to leave empties it.
        self._application.close()


@contextmanager
def recording(path: Path) -> Iterator[None]:
    """Turn what the library and SQLite report into what a person is told: nothing saved, damaged, or nobody knows."""
    try:
        yield
    except LedgerError:
        raise
    except (sqlite3.IntegrityError, IntegrityError) as error:
        # Numbers that are taken already: the head is behind the lines. The transaction is undone.
        raise Damaged("DB_INCONSISTENT", detail=str(error)) from error
    except (sqlite3.Error, PersistenceError) as error:
        raise known_fault(error, path) or OutcomeUnknown("OUTCOME_UNKNOWN", detail=str(error)) from error


@contextmanager
def open_book(address: str, *, follow_link: bool = False) -> Iterator[Book]:
    """Open a book for recording.

    Raises `Misused` (`DB_PATH`, `BOOK_MISSING`), `NotNow` (`DB_READ_ONLY`, `DB_NOT_DURABLE`, `BUSY`), and what
    `ledger.lines.read` raises.
    """
    # Looked at first: opening for writing already changes a file, and it may be somebody else's.
    read(address, follow_link=follow_link).close()
    path = book_path(address, follow_link=follow_link)
    with recording(path):
        book = Book(path)
    try:
        yield book
    finally:
        book.close()


@contextmanager
def create(address: str) -> Iterator[Book]:
    """Make a new book for recording. It stands in its place when it is closed with something in it, or never does.

    Raises `Refused` `BOOK_EXISTS`, `Misused` `DB_PATH`, `NotNow` (`DB_READ_ONLY`, `DB_NOT_DURABLE`).
    """
    path = book_path(address)
    if not path.parent.is_dir():
        raise Misused("DB_PATH", path=address, reason="no-folder")
    _check_is_free(path, address)
    making = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}")
    try:
        _make_private(making, path)
        with recording(path):
            book = Book(making)
        try:
            yield book
        finally:
            is_empty = book.head() is None
            book.close()
        if not is_empty:
            _put_in_place(making, path, address)
    finally:
        discard(making)


def _check_is_free(path: Path, address: str) -> None:
    """Check that nothing is in a new book's place, nor beside it what SQLite would take for the new book's."""
    for suffix in ("", "-wal", "-journal"):
        try:
            path.with_name(f"{path.name}{suffix}").lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise Misused("DB_PATH", path=address, reason="name") from error
        raise Refused("BOOK_EXISTS", path=f"{address}{suffix}")


def _make_private(making: Path, path: Path) -> None:
    """Make the empty file of a new book, which nobody else may read; SQLite makes the others like it."""
    try:
        os.close(os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise NotNow("DB_READ_ONLY", path=path.name) from error


def _put_in_place(made: Path, path: Path, address: str) -> None:
    """Give a closed new book its name, unless somebody else made one of that name meanwhile."""
    try:
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise NotNow("DB_READ_ONLY", path=path.name) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        _check_is_free(path, address)
        made.rename(path)
        os.fsync(folder)
    except OSError as error:
        raise OutcomeUnknown("OUTCOME_UNKNOWN", detail=str(error)) from error
    finally:
        os.close(folder)
