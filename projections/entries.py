"""The book as entries: stored lines read, decoded and put together, and the world they fold to.

Every projection reads the book through here; which events count is `aggregates.history`'s to say.
"""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from aggregates import history, world
from aggregates.kinds import Entry, Event
from aggregates.state import World
from ledger.errors import Damaged, Refused
from ledger.line import Fact, Line, Registry

if TYPE_CHECKING:
    from ledger.lines import Head


class Source(Protocol):
    """What a book offers to somebody who reads its lines."""

    def head(self) -> "Head | None":
        """Return how far the book goes, and its root; None while nothing is recorded."""

    def chunks(self, after: int = 0, upto: int | None = None) -> Iterator[list[bytes]]:
        """Yield the stored lines in their order, some thousand at once."""

    def events(self) -> Iterator[list[bytes]]:
        """Yield the lines that are events, some thousand at once."""

    def entry(self, number: int) -> list[bytes]:
        """Return the lines of one entry."""

    def rulings(self) -> list[int]:
        """Return the numbers of the entries that hold a ruling."""


class Reading:
    """A book as its entries; `systems` are those the campaign adopted at its founding."""

    def __init__(self, source: Source) -> None:
        self._source = source
        founding = source.entry(1)[1:2]
        self.systems = systems_founded(founding[0]) if founding else ()
        self.registry = registry_of(self.systems)

    def head(self) -> "Head":
        """Return how far the book goes, and its root.

        Raises `Refused` `NO_CAMPAIGN` while nothing is recorded.
        """
        if (head := self._source.head()) is None:
            raise Refused("NO_CAMPAIGN")
        return head

    def entries(self, *, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
        """Yield the recorded entries whose lines lie between two positions, in their order, as they were recorded."""
        return gather(line for chunk in self._source.chunks(after, upto) for line in self._decoded(chunk))

    def rulings(self) -> tuple[Entry, ...]:
        """Return the entries that take others' effect away."""
        return tuple(e for n in self._source.rulings() for e in gather(self._decoded(self._source.entry(n))))

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
        struck = history.void(self.rulings(), known_at)
        try:
            found = world.fold_facts(World(), self._facts(as_of), struck)
        except msgspec.MsgspecError as error:
            raise Damaged("LINE_UNREADABLE", detail=str(error)) from error
        except (KeyError, ValueError) as error:  # Lines that no decision of ours ever made.
            raise Damaged("FOLD_FAILED", detail=str(error)) from error
        found.at = next((entry.at for entry in gather(self._decoded(self._source.entry(found.number)))), "")
        return found

    def _facts(self, as_of: int | None) -> Iterator[Iterable[Fact[Any]]]:
        for chunk in self._source.events():
            facts = map(self.registry.facts.decode, chunk)
            yield facts if as_of is None else takewhile(lambda fact: fact.entry <= as_of, facts)


class _Systems(msgspec.Struct, frozen=True):
    systems: tuple[str, ...] = ()


class _Founding(msgspec.Struct, frozen=True):
    data: _Systems


def systems_founded(founding: bytes) -> tuple[str, ...]:
    """Return the rule systems that a campaign's founding names; none where the line is no founding."""
    try:
        return msgspec.json.decode(founding, type=_Founding).data.systems
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ()


def registry_of(systems: tuple[str, ...]) -> Registry:
    """Return the events that a book of a campaign with these systems may hold.

    Raises `Refused` `SYSTEM_UNKNOWN`.
    """
    return Registry(world.events_of(systems))


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
