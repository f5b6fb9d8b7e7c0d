"""The intake: an exported history taken into a book, each line checked on its way, in one transaction."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO

import msgspec

from ledger.archive import Checker, Header, lines_of, read_header
from ledger.errors import Damaged, LedgerError, Refused
from ledger.line import Registry
from ledger.lines import Row
from ledger.settings import CHUNK_LINES
from ledger.store import Book, Forge, head_of, recording


class Received(msgspec.Struct, frozen=True):
    """What an import brought: how many lines are new, and how many the file holds."""

    new: int
    size: int


def receive(book: Book, source: BinaryIO, registry: Registry) -> Received:
    """Take a history into a book in one transaction, checking every line on its way in.

    An empty book takes all; one that holds its beginning takes the rest; nothing is ever doubled. Raises `Damaged`
    (`HISTORY_FORK`, `CAMPAIGN_MISMATCH`, `IMPORT_COUNT` and what the checker raises) and `Refused` (`WRONG_CAMPAIGN`,
    and what stands in the way of reading). Nothing stays of an import that fails.
    """
    header = read_header(source)
    checker = Checker(registry)
    with recording(book.path), book.recorder.writing() as cursor:
        ours = head_of(cursor)
        if ours is not None and ours.campaign != header.campaign:
            raise Refused("WRONG_CAMPAIGN", theirs=header.campaign, ours=ours.campaign)
        forge = Forge(cursor, header.campaign, ours)
        known = chain.from_iterable(book.chunks(0, ours.size if ours else 0))
        new = 0
        for rows in _batches(_unknown(checker, lines_of(source), header, known)):
            forge.write_rows(rows)
            new += len(rows)
        _check_end(checker, header)
        if new:
            size = ours.size if ours else 0
            forge.write([], [one for one in checker.receipts if one.first > size], checker.head)
    return Received(new, header.size)


def _unknown(checker: Checker, raws: Iterable[bytes], header: Header, known: Iterator[bytes]) -> Iterator[Row]:
    """Yield the checked lines that we do not have yet; those that we have must be the same."""
    for raw in raws:
        row = _take(checker, raw)
        if row.seq == 1 and checker.campaign != header.campaign:
            raise Damaged("CAMPAIGN_MISMATCH", header=header.campaign, first=checker.campaign)
        ours = next(known, None)
        if ours is None:
            yield row
        elif ours != raw:
            raise Damaged("HISTORY_FORK", line=row.seq, entry=checker.entries)


def _take(checker: Checker, raw: bytes) -> Row:
    try:
        return checker.take(raw)
    except LedgerError as error:
        error.values.setdefault("entry", checker.entries + checker.between_entries)
        raise


def _check_end(checker: Checker, header: Header) -> None:
    checker.finish()
    head = checker.head
    if head.size != header.size:
        raise Damaged("IMPORT_COUNT", promised=header.size, found=head.size)
    if head.root.hex() != header.root:
        raise Damaged("HISTORY_CHANGED", line=head.size, entry=head.entries, sound=head.size - 1)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == CHUNK_LINES:
            yield batch
            batch = []
    yield batch
