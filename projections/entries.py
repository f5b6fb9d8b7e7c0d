"""The book as entries: stored lines read, decoded and put together, and the world they fold to.

Every projection reads the book through here; which events count is `aggregates.history`'s to say.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import msgspec

from aggregates import history, world
from aggregates.kinds import Entry, Event
from aggregates.state import World
from ledger.errors import Damaged
from ledger.line import Line, Registry

if TYPE_CHECKING:
    from ledger.lines import Head


class Source(Protocol):
    """What a book offers to somebody who reads its lines."""

    def head(self) -> "Head":
        """Return how far the book goes, and its root."""

    def chunks(self, after: int = 0, upto: int | None = None) -> Iterator[list[bytes]]:
        """Yield the stored lines in their order, some thousand at once."""

    def entry(self, number: int) -> list[bytes]:
        """Return the lines of one entry."""

    def tagged(self, prefix: str) -> list[bytes]:
        """Return the lines whose tag begins so."""


class Reading:
    """A book as its entries; `systems` are those the campaign adopted at its founding."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.systems = self._founded_systems()
        self.registry = Registry(world.events_of(self.systems))

    def _founded_systems(self) -> tuple[str, ...]:
        first = self._source.entry(1)
        if len(first) < 2:
            return ()
        founding = msgspec.json.decode(first[1], type=_Founding)
        return founding.data.systems

    def head(self) -> "Head":
        """Return how far the book goes, and its root."""
        return self._source.head()

    def entries(self, *, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        """Yield the recorded entries whose lines lie between two positions, in their order, as they were recorded."""
        return gather(line for chunk in self._source.chunks(after, upto) for line in self._decoded(chunk))

    def rulings(self) -> tuple[Entry, ...]:
        """Return the entries that take others' effect away."""
        numbers = {line.entry for line in self._decoded(self._source.tagged("ruling."))}
        return tuple(entry for n in sorted(numbers) for entry in gather(self._decoded(self._source.entry(n))))

    def _decoded(self, lines: Iterable[bytes]) -> Iterator[Line[Event]]:
        try:
            yield from map(self.registry.decoder.decode, lines)
        except msgspec.MsgspecError as error:
            raise Damaged("LINE_UNREADABLE", detail=str(error)) from error

    def effective(self, *, as_of: int | None = None, known_at: int | None = None) -> Iterator[Entry]:
        """Yield the entries with the events that count."""
        return history.effective(self.entries(), self.rulings(), as_of=as_of, known_at=known_at)

    def world(self, *, as_of: int | None = None, known_at: int | None = None) -> World:
        """Return what is true at an entry, or now."""
        return world.fold(World(), self.effective(as_of=as_of, known_at=known_at))


class _Systems(msgspec.Struct, frozen=True):
    systems: tuple[str, ...] = ()


class _Founding(msgspec.Struct, frozen=True):
    data: _Systems


def gather(lines: Iterable[Line[Event]]) -> Iterator[Entry]:
    """Put lines together to the entries they are of."""
    first: Line[Event] | None = None
    events: list[Event] = []
    for line in lines:
        if line.at:
            if first is not None:
                yield _entry(first, events)
            first, events = line, []
        else:
            events.append(line.data)
    if first is not None:
        yield _entry(first, events)


def _entry(first: Line[Event], events: list[Event]) -> Entry:
    return Entry(first.entry, first.at, first.by, first.for_, first.command, bytes(first.action), tuple(events))
