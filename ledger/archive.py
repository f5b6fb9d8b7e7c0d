"""The archive: a history checked line by line, and exported byte for byte.

One checker has no shortcut and serves all: verifying a book, and taking an export in (`ledger.intake`).
"""

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec

from ledger.errors import Damaged, LedgerError, Refused
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
        self._registry = registry
        self._versions: dict[str, int] = {}
        self._commands: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._tree = Tree()
        self._root = EMPTY_ROOT.hex()
        self._open = 0
        self.campaign = ""
        self.entries = 0
        self.at = ""
        self.command = ""
        self.receipts: list[Receipt] = []

    @property
    def head(self) -> Head:
        """The head that the lines so far come to."""
        return Head(self.campaign, self._tree.size, self.entries, self.at, self._tree.root(), self._tree.peaks)

    @property
    def between_entries(self) -> bool:
        """Whether the last entry is whole and the next line begins another."""
        return self._open == 0

    def take(self, raw: bytes) -> Row:
        """Check one line and return it with its columns.

        Raises what `Registry.strict` raises, and `Damaged` `HISTORY_CHANGED`, `LOG_MALFORMED`, `IMPORT_DUPLICATE_ID`.
        """
        number = self._tree.size + 1
        line = self._registry.strict(raw, number)
        if line.prev != self._root or line.seq != number:
            raise self._fault("HISTORY_CHANGED", number)
        if isinstance(line.data, EntryRecorded):
            self._begin(line, number)
        elif self._open < 1 or line.at or line.entry != self.entries:
            raise self._fault("LOG_MALFORMED", number)
        self._check_place(line, number)
        self._open -= 1
        self._tree.push(raw)
        self._root = self._tree.root().hex()
        tag = _tag(line.data)
        return Row(number, line.stream, line.ver, tag, raw)

    def _begin(self, line: Line[Any], number: int) -> None:
        whole = self._open == 0 and line.entry == self.entries + 1 and line.data.lines >= 1
        said = line.at and line.by and line.command and line.action
        if not whole or not said or line.at < self.at or _is_no_time(line.at):
            raise self._fault("LOG_MALFORMED", number)
        if not self.campaign:
            self.campaign = line.stream
        if line.stream != self.campaign:
            raise self._fault("LOG_MALFORMED", number)
        self._open = line.data.lines
        self.entries += 1
        self.at = line.at
        self._receive(line, number)

    def _receive(self, line: Line[Any], number: int) -> None:
        last = number + line.data.lines - 1
        before = self.receipts[-1] if self.receipts else None
        if before is not None and before.command == line.command:
            self.receipts[-1] = Receipt(line.command, before.first_entry, line.entry, before.first, last)
            return
        if line.command in self._commands:
            raise self._fault("LOG_MALFORMED", number)
        self._commands[line.command] = number
        self.receipts.append(Receipt(line.command, line.entry, line.entry, number, last))

    def _check_place(self, line: Line[Any], number: int) -> None:
        version = self._versions.get(line.stream, 0) + 1
        if line.ver != version or not (line.stream == self.campaign or line.stream.startswith("force:")):
            raise self._fault("LOG_MALFORMED", number)
        if line.id in self._ids:
            raise Damaged("IMPORT_DUPLICATE_ID", first=self._ids[line.id], line=number, entry=self.entries)
        if len(line.id) != 32:
            raise self._fault("LOG_MALFORMED", number)
        self._versions[line.stream] = version
        self._ids[line.id] = number

    def _fault(self, code: str, number: int) -> Damaged:
        return Damaged(code, line=number, entry=self.entries + (self._open == 0), sound=number - 1)

    def finish(self) -> None:
        """Check that the last entry is whole.

        Raises `Damaged` `LOG_MALFORMED`.
        """
        if self._open:
            raise self._fault("LOG_MALFORMED", self._tree.size + 1)


def _tag(data: Any) -> str:
    return str(data.__struct_config__.tag)


def _is_no_time(text: str) -> bool:
    digits = text.translate(_NO_DIGITS)
    return digits != "####-##-##T##:##:##Z" or "#" in text


_NO_DIGITS = str.maketrans("0123456789", "##########")


def verify(lines: Lines, registry: Registry) -> list[LedgerError]:
    """Check a whole book and return what is wrong with it: its lines, and what stands beside them.

    The first wrong line ends the check of the lines, since every later one hangs on it.
    """
    checker = Checker(registry)
    try:
        for row in lines.rows():
            found = checker.take(row[4])
            if (found.seq, found.stream, found.version, found.tag) != row[:4]:
                raise Damaged("COLUMNS_CHANGED", line=found.seq, entry=checker.entries)
        checker.finish()
    except LedgerError as error:
        return [_located(error, checker)]
    findings: list[LedgerError] = []
    if (lines.head() or Head("", 0, 0, "", EMPTY_ROOT, b"")) != checker.head:
        findings.append(Damaged("HEAD_DAMAGED"))
    if list(lines.commands()) != checker.receipts:
        findings.append(Damaged("COMMANDS_CHANGED"))
    return findings


def _located(error: LedgerError, checker: Checker) -> LedgerError:
    """Return a line's fault with the entry it stands in; a spelling that is not ours is damage in a book."""
    if "line" not in error.values:
        return error
    found = Damaged(error.code)
    found.values = {"entry": checker.entries + checker.between_entries, **error.values}
    return found


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

    Raises `Refused` (`IMPORT_EMPTY`, `IMPORT_NOT_LEDGER`) and `Damaged` `IMPORT_NOT_CANONICAL`.
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
        raise Damaged("IMPORT_NOT_CANONICAL", line=0)
    return header


def founding_line(source: BinaryIO) -> bytes:
    """Return the line of an export that tells how the campaign was founded, and go back to the beginning of the file."""
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
        if len(raw) > LINE_BYTES_MAX + 1:
            raise Refused("IMPORT_TOO_BIG", line=number, size=len(raw), most=LINE_BYTES_MAX)
        if number > lines_max or size > bytes_max:
            raise Refused("IMPORT_TOO_BIG", line=number, size=size, most=bytes_max)
        if not raw.endswith(b"\n"):
            raise Damaged("IMPORT_TRUNCATED", line=number)
        yield raw[:-1]
