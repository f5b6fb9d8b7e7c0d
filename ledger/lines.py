"""The lines of a book, read without the library that writes them: a head, the lines in their order, and commands."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import msgspec

from ledger.errors import Damaged, LedgerError, Misused, NotNow, Refused
from ledger.settings import BUSY_SECONDS, CHUNK_LINES, INTEGER_MAX

APPLICATION = 0x43414D50
"""What SQLite's header says of our books: `CAMP`."""

SCHEMA_VERSION = 1

_RULINGS = "topic >= 'ruling.' AND topic < 'ruling/'"

APPEND_GUARD = (
    "CREATE TRIGGER lines_append BEFORE INSERT ON stored_events WHEN NEW.id <= (SELECT size FROM heads) "
    "OR EXISTS (SELECT 1 FROM stored_events "
    "WHERE originator_id = NEW.originator_id AND originator_version = NEW.originator_version) "
    "BEGIN SELECT RAISE(ABORT, 'a line is only appended'); END"
)
"""What stops an insertion that would replace a line."""

SCHEMA: tuple[str, ...] = (
    (
        "CREATE TABLE stored_events (originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, "
        "topic TEXT NOT NULL, state BLOB NOT NULL, id INTEGER PRIMARY KEY, UNIQUE (originator_id, originator_version)) "
        "STRICT"
    ),
    (
        "CREATE TABLE heads (id INTEGER PRIMARY KEY CHECK (id = 1), campaign TEXT NOT NULL, size INTEGER NOT NULL, "
        "entries INTEGER NOT NULL, at TEXT NOT NULL, root BLOB NOT NULL, peaks BLOB NOT NULL) STRICT"
    ),
    (
        "CREATE TABLE commands (first_entry INTEGER PRIMARY KEY, last_entry INTEGER NOT NULL, first INTEGER NOT NULL, "
        "last INTEGER NOT NULL, command TEXT NOT NULL UNIQUE) STRICT"
    ),
    f"CREATE INDEX rulings ON stored_events (topic) WHERE {_RULINGS}",
    (
        "CREATE TRIGGER lines_stay BEFORE UPDATE ON stored_events "
        "BEGIN SELECT RAISE(ABORT, 'a line is never changed'); END"
    ),
    (
        "CREATE TRIGGER lines_remain BEFORE DELETE ON stored_events "
        "BEGIN SELECT RAISE(ABORT, 'a line is never deleted'); END"
    ),
    APPEND_GUARD,
)
"""Everything a book's database holds. The triggers catch accidents; the tree catches the rest.

Replacing a row deletes it without the trigger for deletions, so what an insertion would replace is looked for by both
of the table's keys.
"""


class Head(msgspec.Struct, frozen=True):
    """The end of the log: lines, entries, the time of the last entry, and the tree over the lines."""

    campaign: str
    size: int
    entries: int
    at: str
    root: bytes
    peaks: bytes


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """Where a command stands in the book; `repeated` says that it stood there before."""

    command: str
    first_entry: int
    last_entry: int
    first: int
    last: int
    repeated: bool = False


Row = tuple[int, str, int, str, bytes]
"""A stored row: the number, the stream, the version in it and the tag, all of which the line says too, and the line."""


class Lines:
    """A book's lines on an open connection; `remark` names what has to be said about how it was opened."""

    def __init__(self, connection: sqlite3.Connection, remark: str = "") -> None:
        self._connection = connection
        self.remark = remark

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the book."""
        self._connection.close()

    def refresh(self) -> None:
        """Look at the book as it is by now, with what others have appended since it was opened."""
        if self._connection.in_transaction:
            with translated():
                self._connection.execute("COMMIT")
                self._connection.execute("BEGIN")

    def head(self) -> Head | None:
        """Return the end of the log, or None while nothing is recorded."""
        with translated():
            row = self._connection.execute("SELECT campaign, size, entries, at, root, peaks FROM heads").fetchone()
        return None if row is None else Head(*row)

    def chunks(self, after: int = 0, upto: int | None = None) -> Iterator[list[bytes]]:
        """Yield the lines behind one position up to another, in lists of some thousand."""
        last = INTEGER_MAX if upto is None else upto
        with translated():
            cursor = self._connection.execute(
                "SELECT state FROM stored_events WHERE id > ? AND id <= ? ORDER BY id", (after, last)
            )
            while rows := cursor.fetchmany(CHUNK_LINES):
                yield list(map(_state, rows))

    def events(self) -> Iterator[list[bytes]]:
        """Yield the lines that are events, without the first lines of entries, in lists of some thousand."""
        with translated():
            cursor = self._connection.execute(
                "SELECT state FROM stored_events WHERE topic <> 'entry.recorded' ORDER BY id"
            )
            while rows := cursor.fetchmany(CHUNK_LINES):
                yield list(map(_state, rows))

    def rows(self) -> Iterator[Row]:
        """Yield every stored row with the columns beside its line."""
        with translated():
            yield from self._connection.execute(
                "SELECT id, originator_id, originator_version, topic, state FROM stored_events ORDER BY id"
            )

    def inconsistencies(self) -> list[str]:
        """Return what SQLite finds wrong with the file's own tables and indexes, the first few things."""
        with translated():
            found = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check(3)")]
        return [one for one in found if one != "ok"]

    def commands(self) -> Iterator[Receipt]:
        """Yield where each command stands, in the order of the book."""
        with translated():
            for row in self._connection.execute(f"{_COMMANDS} ORDER BY first"):
                yield Receipt(*row)

    def find(self, command: str) -> Receipt | None:
        """Return where a command stands, or None when it is not in the book."""
        with translated():
            row = self._connection.execute(f"{_COMMANDS} WHERE command = ?", (command,)).fetchone()
        return None if row is None else Receipt(row[0], row[1], row[2], row[3], row[4], repeated=True)

    def entry(self, number: int) -> list[bytes]:
        """Return the lines of one entry; none when there is no such entry."""
        with translated():
            span = self._connection.execute(
                "SELECT first, last FROM commands WHERE first_entry <= ? ORDER BY first_entry DESC LIMIT 1", (number,)
            ).fetchone()
        if span is None:
            return []
        found = [line for chunk in self.chunks(span[0] - 1, span[1]) for line in chunk]
        return [line for line in found if _entry_of(line) == number]

    def rulings(self) -> list[int]:
        """Return the numbers of the entries that hold a ruling."""
        with translated():
            rows = self._connection.execute(f"SELECT state {_FROM_RULINGS} ORDER BY id").fetchall()
        return sorted({_entry_of(row[0]) for row in rows})


_state = itemgetter(0)

_FROM_RULINGS = f"FROM stored_events WHERE {_RULINGS}"

_COMMANDS = "SELECT command, first_entry, last_entry, first, last FROM commands"


class _Numbered(msgspec.Struct, frozen=True):
    entry: int


def _entry_of(line: bytes) -> int:
    try:
        return msgspec.json.decode(line, type=_Numbered).entry
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged("LINE_UNREADABLE", detail=str(error)) from error


def read(address: str, *, follow_link: bool = False) -> Lines:
    """Open a book for reading, on one unchanging view of it.

    Raises `Misused` (`DB_PATH`, `BOOK_MISSING`), `Damaged` (`DB_DAMAGED`, `DB_FOREIGN`) and `Refused` (`DB_TOO_NEW`).
    """
    path = book_path(address, follow_link=follow_link)
    if not path.exists():
        raise Misused("BOOK_MISSING", path=address)
    if not os.access(path, os.R_OK):
        raise Misused("DB_PATH", path=address, reason="unreadable")
    with translated(path):
        connection, remark = _open(path)
        try:
            check_schema(connection, path)
            connection.execute("BEGIN")
            connection.execute("SELECT size FROM heads").fetchone()
        except BaseException:
            connection.close()
            raise
    return Lines(connection, remark)


def _open(path: Path) -> tuple[sqlite3.Connection, str]:
    """Open a file for reading; a folder that takes no files needs another way than the usual one."""
    if not _says_it_is_ours(path):
        # Who looks at its schema refuses it; nothing is made beside somebody else's file until then.
        return connect(uri(path, "mode=ro&immutable=1")), ""
    try:
        # Writable, although nothing is written: only so does the last one to leave take away the two files that SQLite
        # makes beside a book. Where the book itself cannot be written they stay, empty.
        return connect(uri(path)), ""
    except sqlite3.OperationalError as error:
        if _fault(error) != "DB_READ_ONLY":
            raise
    beside = path.with_name(f"{path.name}-wal")
    if not beside.exists() or not beside.stat().st_size:
        return connect(uri(path, "mode=ro&immutable=1")), ""
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="campaign-"))
    try:
        for one in (path, beside):
            shutil.copyfile(one, folder / one.name)
        connection = connect(uri(folder / path.name))
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # An open file stays readable without its name.
    return connection, "BOOK_COPIED"


def _says_it_is_ours(path: Path) -> bool:
    """Tell what SQLite's header says of a file, without SQLite: the marks of our form."""
    with path.open("rb") as file:
        header = file.read(100)
    marks = (SCHEMA_VERSION.to_bytes(4, "big"), APPLICATION.to_bytes(4, "big"))
    return header.startswith(b"SQLite format 3\0") and (header[60:64], header[68:72]) == marks


def connect(address: str) -> sqlite3.Connection:
    """Return a connection that reads and never writes; the address is one of `uri`."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def uri(path: Path, how: str = "mode=rw") -> str:
    """Return a path as the address that SQLite takes literally; by itself it opens a file and never makes one."""
    return f"file://{quote(os.fsencode(path))}?{how}"


def book_path(address: str, *, follow_link: bool = False) -> Path:
    """Return the path of a book, which must be an ordinary file of its own or not be there yet.

    Raises `Misused` `DB_PATH` with the reason.
    """
    if not address or "\0" in address or ":memory:" in address or "mode=memory" in address:
        raise Misused("DB_PATH", path=address.replace("\0", "\\0"), reason="name")
    path = Path(address).absolute()
    try:
        found = path.stat() if follow_link and path.exists() else path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except OSError as error:
        reason = "unreadable" if isinstance(error, PermissionError) else "name"
        raise Misused("DB_PATH", path=address, reason=reason) from error
    reasons = {
        "link": stat.S_ISLNK(found.st_mode),
        "folder": stat.S_ISDIR(found.st_mode),
        "special": not stat.S_ISREG(found.st_mode),
        "hard-link": found.st_nlink > 1 and not follow_link,
    }
    for reason, holds in reasons.items():
        if holds:
            raise Misused("DB_PATH", path=address, reason=reason)
    return path.resolve()


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the database is a book of ours and holds nothing else.

    Raises `Refused` `DB_TOO_NEW` and `Damaged` `DB_FOREIGN` with what does not belong.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == APPLICATION and version > SCHEMA_VERSION:
        raise Refused("DB_TOO_NEW", path=path.name, version=version, known=SCHEMA_VERSION)
    found = connection.execute("SELECT sql, name FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    foreign = [str(name) for sql, name in found if sql not in SCHEMA]
    lacking = [sql.split()[2] for sql in set(SCHEMA).difference(sql for sql, _ in found)]
    if application != APPLICATION or version != SCHEMA_VERSION or foreign or lacking:
        raise Damaged("DB_FOREIGN", path=path.name, what=", ".join(sorted(foreign or lacking)[:3]) or "-")


@contextmanager
def translated(path: Path | None = None) -> Iterator[None]:
    """Turn what SQLite reports into what a person is told."""
    try:
        yield
    except LedgerError:
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # The latter is a damaged page that holds a statement's text.
        raise told(error, path) from error


def told(error: BaseException, path: Path | None = None) -> LedgerError:
    """Return an error met in reading as one that is told: try again, or the file is damaged."""
    known = known_fault(error, path)
    return known or Damaged("DB_DAMAGED", path=path.name if path else "", detail=str(error))


def known_fault(error: BaseException, path: Path | None) -> LedgerError | None:
    """Return a storage error that says by itself that nothing was saved; None for any other."""
    name = path.name if path else ""
    match _fault(error):
        case "BUSY":
            return NotNow("BUSY", seconds=BUSY_SECONDS)
        case "DISK_FULL":
            return NotNow("DISK_FULL")
        case "DB_READ_ONLY":
            return NotNow("DB_READ_ONLY", path=name)
        case "DB_DAMAGED":
            return Damaged("DB_DAMAGED", path=name, detail=str(error))
        case _:
            return None


_FAULTS = {
    sqlite3.SQLITE_BUSY: "BUSY",
    sqlite3.SQLITE_LOCKED: "BUSY",
    sqlite3.SQLITE_PROTOCOL: "BUSY",
    sqlite3.SQLITE_FULL: "DISK_FULL",
    sqlite3.SQLITE_READONLY: "DB_READ_ONLY",
    sqlite3.SQLITE_CANTOPEN: "DB_READ_ONLY",
    sqlite3.SQLITE_CORRUPT: "DB_DAMAGED",
    sqlite3.SQLITE_NOTADB: "DB_DAMAGED",
}


def _fault(error: BaseException) -> str:
    """Return the code of what SQLite reported, also where the library has wrapped it; nothing for what has no code."""
    reported = error if isinstance(error, sqlite3.Error) else error.__cause__
    return _FAULTS.get(getattr(reported, "sqlite_errorcode", 0) & 0xFF, "")


def discard(path: Path) -> None:
    """Remove a book that never came to hold anything."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):
            path.with_name(name).unlink()
