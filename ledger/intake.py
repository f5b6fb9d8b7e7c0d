"""The intake: an exported history taken into a book, each line checked on its way, in one transaction."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

import msgspec

from ledger.archive import Checker, Header, lines_of, read_header
from ledger.errors import Damaged, Refused
from ledger.kept import checkpoint_of
from ledger.line import Registry
from ledger.lines import APPEND_GUARD, Head, Receipt, Row
from ledger.settings import CHUNK_LINES, IMPORT_BYTES_MAX, IMPORT_LINES_MAX
from ledger.store import Book, Forge, head_of, recording


class Received(msgspec.Struct, frozen=True):
    """What an import brought: how many lines are new, and how many the file holds."""

    new: int
    size: int


def receive(
    book: Book,
    source: BinaryIO,
    registry: Registry,
    *,
    lines_max: int = IMPORT_LINES_MAX,
    bytes_max: int = IMPORT_BYTES_MAX,
) -> Received:
    """Take a history into a book in one transaction, checking every line on its way in.

    An empty book takes all; one that holds its beginning takes the rest; nothing is ever doubled. Raises `Damaged`
    (`HISTORY_FORK`, `CAMPAIGN_MISMATCH`, `IMPORT_COUNT`, `HEADER_CHANGED` and what the checker raises) and `Refused`
    (`WRONG_CAMPAIGN`, and what stands in the way of reading). Nothing stays of an import that fails.
    """
    header = read_header(source)
    raws = lines_of(source, lines_max=lines_max, bytes_max=bytes_max)
    with recording(book.path), book.recorder.writing() as cursor:
        ours = head_of(cursor)
        if ours is not None and ours.campaign != header.campaign:
            raise Refused("WRONG_CAMPAIGN", theirs=header.campaign, ours=ours.campaign)
        forge = Forge(cursor, header.campaign, ours)
        intake = _Intake(Checker(registry), header, chain.from_iterable(book.chunks()) if ours else iter(()))
        new = 0
        for rows in intake.batches(raws):
            if not new:
                cursor.execute("DROP TRIGGER lines_append")
            forge.write_rows(rows)
            new += len(rows)
        intake.check_end(ours)
        if new:
            # Every line was checked on its way in, and nobody else saw the book without its guard.
            cursor.execute(APPEND_GUARD)
            forge.write([], intake.receipts(behind=ours.size if ours else 0), intake.head)
    return Received(new, header.size)


class _Intake:
    """A history on its way in, beside the lines we have already."""

    def __init__(self, checker: Checker, header: Header, known: Iterator[bytes]) -> None:
        self._checker = checker
        self._header = header
        self._known = known
        self._fork: tuple[int, int] | None = None

    @property
    def head(self) -> Head:
        """The head that the lines so far come to."""
        return self._checker.head

    def batches(self, raws: Iterator[bytes]) -> Iterator[list[Row]]:
        """Yield the checked lines that we do not have yet, some thousand at once."""
        take = self._checker.take
        for raw in raws:
            row = take(raw)
            if self._checker.campaign != self._header.campaign:
                raise Damaged("CAMPAIGN_MISMATCH", header=self._header.campaign, first=self._checker.campaign)
            if self._fork is not None:
                continue
            ours = next(self._known, None)
            if ours is None:
                yield [row, *map(take, islice(raws, CHUNK_LINES - 1))]
            elif ours != raw:
                # Whether it is another history or only a changed copy of ours is known at its end.
                self._fork = (row[0], self._checker.entries)

    def check_end(self, ours: Head | None) -> None:
        """Check that what came is whole, is what the header says, and does not contradict what we have."""
        head = self.head
        if not head.size and not self._header.size:
            raise Refused("IMPORT_EMPTY")
        if head.size != self._header.size:
            raise Damaged("IMPORT_COUNT", promised=self._header.size, found=head.size)
        if head.root.hex() != self._header.root:
            raise Damaged("HEADER_CHANGED", line=head.size, entry=head.entries)
        self._checker.finish()
        if self._fork is not None and ours is not None:
            line, entry = self._fork
            both = {"ours": checkpoint_of(ours).posted, "theirs": checkpoint_of(head).posted}
            raise Damaged("HISTORY_FORK", how="first", line=line, entry=entry, **both)

    def receipts(self, *, behind: int) -> list[Receipt]:
        """Return where the commands stand that begin behind a line of ours.

        Raises `Damaged` `LOG_MALFORMED` for one that goes on where ours ended: a command is recorded at once.
        """
        found = [one for one in self._checker.receipts if one.last > behind]
        if found and found[0].first <= behind:
            raise Damaged("LOG_MALFORMED", line=behind + 1, entry=found[0].last_entry, sound=behind)
        return found
