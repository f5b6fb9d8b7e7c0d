"""Rulings: what takes an entry's effect away. The entry itself stays, and the ruling is an entry like any other.

What a ruling means for the fold is known in one place only, `history.effective`.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from aggregates.authority import organisers
from aggregates.contract import Family
from aggregates.kinds import Action, Because, Entry, Event, Past, Refused, Request, Role
from aggregates.state import World


class AnnulEntry(Action, tag="ruling.annul", frozen=True, kw_only=True):
    """Take an entry's effect away, while nothing later depends on it."""

    after_end: ClassVar[bool] = True
    rules_on_entries: ClassVar[bool] = True
    entry: int
    because: Because = ""


class UndoCommand(Action, tag="ruling.undo", frozen=True, kw_only=True):
    """Take back one's own last command, all its entries, while nothing later depends on them."""

    may: ClassVar[Role] = "player"
    after_end: ClassVar[bool] = True
    rules_on_entries: ClassVar[bool] = True
    entries: tuple[int, ...]


class EntryAnnulled(Event, tag="ruling.annulled", frozen=True, kw_only=True, gc=False):
    """An organiser took an entry's effect away."""

    entry: int
    because: str = ""

    @property
    def struck(self) -> tuple[int, ...]:
        """The numbers of the entries that no longer count."""
        return (self.entry,)


class CommandUndone(Event, tag="ruling.undone", frozen=True, kw_only=True, gc=False):
    """Somebody took back their own last command."""

    entries: tuple[int, ...]

    @property
    def struck(self) -> tuple[int, ...]:
        """The numbers of the entries that no longer count."""
        return self.entries


RulingEvent = EntryAnnulled | CommandUndone


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide a ruling with what the past says of the entries it names."""
    past = request.past
    assert past is not None
    match request.action:
        case AnnulEntry(entry=number, because=because):
            _check_annullable(past, number)
            _check_nothing_depends(past, f"#{number}")
            yield EntryAnnulled(entry=number, because=because)
        case UndoCommand(entries=numbers):
            _check_own_last(world, past, request, numbers)
            _check_nothing_depends(past, ", ".join(f"#{number}" for number in numbers))
            yield CommandUndone(entries=numbers)
        case other:
            raise AssertionError(other)


def _check_annullable(past: Past, number: int) -> None:
    entry = past.entries.get(number)
    if entry is None:
        raise Refused("ENTRY_UNKNOWN", entry=number, last=max(past.entries, default=0))
    if number == 1:
        raise Refused("NOT_ANNULLABLE", entry=number)
    if number in past.void:
        by = max(e.number for e in past.entries.values() if number in struck_by(e.events) and e.number not in past.void)
        raise Refused("ALREADY_ANNULLED", entry=number, ruling=by)


def _check_nothing_depends(past: Past, numbers: str) -> None:
    if not past.fallen:
        return
    dependents = tuple(f"#{verdict.entry.number}" for verdict in past.fallen)
    raise Refused("ENTRIES_DEPEND", entry=numbers, count=len(dependents), dependents=dependents)


def own_last(entries: Mapping[int, Entry], void: frozenset[int], by: str) -> tuple[int, ...]:
    """Return the entries of somebody's newest command that still counts and is no undoing; the founding is none."""
    own = [e for e in entries.values() if e.by == by and e.number not in void and not _is_undoing(e)]
    if not own:
        return ()
    last = max(own, key=lambda entry: entry.number)
    command = tuple(entry.number for entry in own if entry.command == last.command)
    return () if 1 in command else command


def _is_undoing(entry: Entry) -> bool:
    return any(isinstance(event, CommandUndone) for event in entry.events)


def _check_own_last(world: World, past: Past, request: Request, numbers: tuple[int, ...]) -> None:
    own = own_last(past.entries, past.void, request.by)
    if not own:
        raise Refused("NOTHING_TO_UNDO", player=world.player(request.by).name)
    if numbers != own:
        asked, last = (", ".join(f"#{number}" for number in group) for group in (numbers, own))
        raise Refused("NOT_YOUR_LAST", entries=asked, last=last, organisers=organisers(world))


def struck_by(events: tuple[Event, ...]) -> tuple[int, ...]:
    """Return the numbers of the entries that these events take the effect away from."""
    return tuple(n for event in events if isinstance(event, EntryAnnulled | CommandUndone) for n in event.struck)


def evolve(world: World, event: RulingEvent) -> None:
    """Change nothing here: which entries count is decided before they are folded."""


FAMILY = Family(actions=(AnnulEntry, UndoCommand), events=(EntryAnnulled, CommandUndone), decide=decide, evolve=evolve)
