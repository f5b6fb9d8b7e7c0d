"""The archive: a history checked line by line, and exported byte for byte.

One checker has no shortcut and serves all: verifying a book, and taking an export in (`ledger.intake`).
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from ledger.errors import Damaged, LedgerError, Misused, Refused
from ledger.line import CANON, EMPTY_ROOT, EntryRecorded, Line, Registry, Tree
from ledger.lines import Head, Lines, Receipt, Row
from ledger.settings import IMPORT_BYTES_MAX, IMPORT_LINES_MAX, LINE_BYTES_MAX

FORMAT = "campaign-ledger"
FORMAT_VERSION = 1


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of an export: which campaign, in what form, how many lines, and their root."""

    campaign: str
    format: str
    root: str
    size: int
    v: int


class Checker:
    """Checks lines one after the other: spelling, numbers, links, versions, times, and that entries are whole."""

    def __init__(self, registry: Registry) -> None:
        self._strict = registry.strict
        self._versions: dict[str, int] = {}
        self._commands: set[str] = set()
        self._ids: dict[str, int] = {}
        self._tree = Tree()
        self._root = EMPTY_ROOT.hex()
        self._open = 0
        self.campaign = ""
        self.entries = 0
        self.at = ""
        self.receipts: list[Receipt] = []

    @property
    def head(self) -> Head:
        """The head that the lines so far come to."""
        return Head(self.campaign, self._tree.size, self.entries, self.at, self._tree.root(), self._tree.peaks)

    def take(self, raw: bytes) -> Row:
        """Check one line and return it with its columns.

        Raises, with the line and its entry, what `Registry.strict` raises, and `Damaged` `HISTORY_CHANGED`,
        `LOG_MALFORMED`, `IMPORT_DUPLICATE_ID`.
        """
        number = self._tree.size + 1
        try:
            line = self._strict(raw, number)
        except LedgerError as error:
            error.values["entry"] = self.entries + (self._open == 0)
            raise
        if line.prev != self._root:
            raise self._broken_link(line, number)
        kind = type(line.data)
        if kind is EntryRecorded:
            self._begin(line, number)
        elif self._open < 1 or line.entry != self.entries or _begins_entry(line):
            raise self._malformed(number)
        stream, identity = line.stream, line.id
        version = self._versions.get(stream, 0) + 1
        if line.seq != number or line.ver != version or not _is_id(identity):
            raise self._malformed(number)
        if version == 1 and stream != self.campaign and not _is_force(stream):
            raise self._malformed(number)
        if (first := self._ids.setdefault(identity, number)) != number:
            raise Damaged("IMPORT_DUPLICATE_ID", first=first, line=number, entry=line.entry)
        self._versions[stream] = version
        self._open -= 1
        self._tree.push(raw)
        self._root = self._tree.root().hex()
        return number, stream, version, kind.__struct_config__.tag, raw

    def _begin(self, line: Line[Any], number: int) -> None:
        count = line.data.lines
        if self._open or line.entry != self.entries + 1 or count < 1 or not line.action:
            raise self._malformed(number)
        if line.at != self.at and (line.at < self.at or not _is_time(line.at)):
            raise self._malformed(number)
        if not self.campaign and _is_id(line.stream):
            self.campaign = line.stream
        if line.stream != self.campaign or not _is_command(line.command):
            raise self._malformed(number)
        if not _is_key(line.by) or (line.for_ and not _is_key(line.for_)):
            raise self._malformed(number)
        self._receive(line.command, Receipt(line.command, line.entry, line.entry, number, number + count - 1))
        self._open = count
        self.entries += 1
        self.at = line.at

    def _receive(self, command: str, receipt: Receipt) -> None:
        """Note where a command stands; its entries follow each other."""
        before = self.receipts[-1] if self.receipts else None
        if before is not None and before.command == command:
            self.receipts[-1] = Receipt(command, before.first_entry, receipt.last_entry, before.first, receipt.last)
        elif command in self._commands:
            raise self._malformed(receipt.first)
        else:
            self._commands.add(command)
            self.receipts.append(receipt)

    def _broken_link(self, line: Line[Any], number: int) -> Damaged:
        """Return the error for a line that does not follow the one before it: one of the two was changed.

        It names the entry that this line says it is of, since how many lines the last entry has may be what was
        changed. The very first line follows nothing, so it is the changed one.
        """
        if number == 1:
            return self._malformed(number)
        entry = line.entry if line.entry - self.entries in (0, 1) else self.entries + (self._open == 0)
        return Damaged("HISTORY_CHANGED", before=number - 1, line=number, entry=entry, sound=number - 2)

    def _malformed(self, number: int) -> Damaged:
        return Damaged("LOG_MALFORMED", line=number, entry=self.entries + (self._open == 0), sound=number - 1)

    def finish(self) -> None:
        """Check that the last entry is whole.

        Raises `Damaged` `ENTRY_INCOMPLETE`.
        """
        if self._open:
            raise Damaged("ENTRY_INCOMPLETE", line=self._tree.size, entry=self.entries, missing=self._open)


def _begins_entry(line: Line[Any]) -> bool:
    return bool(line.at or line.by or line.for_ or line.command or line.action)


_is_id = re.compile(r"[0-9a-f]{32}").fullmatch
_is_key = re.compile(r"[a-z0-9][a-z0-9:/-]{0,95}").fullmatch
_is_force = re.compile(r"force:[a-z0-9][a-z0-9:/-]{0,95}").fullmatch
_is_command = re.compile(r"[A-Za-z0-9._:-]{1,64}").fullmatch
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def _is_time(text: str) -> bool:
    """Tell whether a text is a moment in the one spelling of the log."""
    if not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def verify(lines: Lines, registry: Registry) -> list[LedgerError]:
    """Check a whole book and return what is wrong with it: its lines, what stands beside them, and the file itself.

    The first wrong line ends the check of the lines, since every later one hangs on it.
    """
    findings = _wrong_lines(lines, registry)
    try:
        findings += [Damaged("DB_INCONSISTENT", detail=detail) for detail in lines.inconsistencies()]
    except LedgerError as error:
        findings += [] if findings else [error]
    return findings


def _wrong_lines(lines: Lines, registry: Registry) -> list[LedgerError]:
    checker = Checker(registry)
    try:
        for row in lines.rows():
            if (found := checker.take(row[4])) != row:
                raise Damaged("COLUMNS_CHANGED", line=found[0], entry=checker.entries)
        checker.finish()
        return _wrong_beside(lines, checker)
    except LedgerError as error:
        return [_as_damage(error)]


def _wrong_beside(lines: Lines, checker: Checker) -> list[LedgerError]:
    findings: list[LedgerError] = []
    last = checker.head
    if (lines.head() or Head("", 0, 0, "", EMPTY_ROOT, b"")) != last:
        findings.append(Damaged("HEAD_DAMAGED", line=last.size, entry=last.entries))
    right, there = checker.receipts, list(lines.commands())
    if right != there:
        both = set(right).intersection(there)
        wrong = next(one for one in (*right, *there) if one not in both)
        findings.append(Damaged("COMMANDS_CHANGED", command=wrong.command, entry=wrong.first_entry))
    return findings


def _as_damage(error: LedgerError) -> LedgerError:
    """Return the fault of a line as what it is in a book: damage, also where a file would only be refused."""
    if error.code not in ("IMPORT_TOO_BIG", "IMPORT_UNKNOWN_TYPE", "IMPORT_NOT_CANONICAL"):
        return error
    return Damaged("LINE_DAMAGED", line=error.values["line"], entry=error.values["entry"], why=error.code)


def export(lines: Lines, write: Callable[[bytes], object]) -> Head:
    """Write a history: one header line, then the stored lines as they are.

    Raises `Refused` `NO_CAMPAIGN` for an empty book.
    """
    head = lines.head()
    if head is None:
        raise Refused("NO_CAMPAIGN")
    header = Header(head.campaign, FORMAT, head.root.hex(), head.size, FORMAT_VERSION)
    write(CANON.encode(header) + b"\n")
    for chunk in lines.chunks(0, head.size):
        write(b"\n".join(chunk) + b"\n")
    return head


def read_header(source: BinaryIO) -> Header:
    """Read the first line of an export.

    Raises `Refused` (`IMPORT_EMPTY`, `IMPORT_NOT_LEDGER`) and `Damaged` `HEADER_MALFORMED`.
    """
    raw = source.readline(LINE_BYTES_MAX)
    if not raw:
        raise Refused("IMPORT_EMPTY")
    try:
        header = msgspec.json.decode(raw, type=Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("IMPORT_NOT_LEDGER", what=_kind_of(raw)) from error
    if header.format != FORMAT or header.v != FORMAT_VERSION:
        raise Refused("IMPORT_NOT_LEDGER", what=f"{header.format} {header.v}"[:40])
    if CANON.encode(header) + b"\n" != raw:
        raise Damaged("HEADER_MALFORMED")
    return header


def founding_line(source: BinaryIO) -> bytes:
    """Return the line of an export that tells how the campaign was founded, and go back to the beginning of the file.

    Raises `Misused` `FILE_NOT_SEEKABLE` for a pipe.
    """
    if not source.seekable():
        raise Misused("FILE_NOT_SEEKABLE")
    for _ in range(2):
        source.readline(LINE_BYTES_MAX)
    line = source.readline(LINE_BYTES_MAX)
    source.seek(0)
    return line


_KINDS = {
    b"\x1f\x8b": "gzip",
    b"PK": "zip",
    b"SQLite": "SQLite",
    b"\x89PNG": "PNG",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\xef\xbb\xbf": "UTF-8 BOM",
}


def _kind_of(raw: bytes) -> str:
    return next((name for start, name in _KINDS.items() if raw.startswith(start)), "-")


def lines_of(
    source: BinaryIO, *, lines_max: int = IMPORT_LINES_MAX, bytes_max: int = IMPORT_BYTES_MAX
) -> Iterator[bytes]:
    """Yield the lines behind the header, without their ends.

    Raises `Refused` `IMPORT_TOO_BIG` and `Damaged` `IMPORT_TRUNCATED`.
    """
    size = number = 0
    while raw := source.readline(LINE_BYTES_MAX + 2):
        number += 1
        size += len(raw)
        if number > lines_max:
            raise Refused("IMPORT_TOO_BIG", what="lines", line=number, size=number, most=lines_max)
        if size > bytes_max:
            raise Refused("IMPORT_TOO_BIG", what="file", line=number, size=size, most=bytes_max)
        if raw.endswith(b"\n"):
            yield raw[:-1]
        elif len(raw) > LINE_BYTES_MAX:
            yield raw  # Longer than any line may be, which whoever takes it says.
        else:
            raise Damaged("IMPORT_TRUNCATED", line=number)
