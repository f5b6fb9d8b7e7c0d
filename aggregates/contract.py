"""The contract of the rules: what a family of events offers, and what a rule system offers beside its families.

A family is a file: the actions and events of one subject with the one function that decides and the one that evolves.
A system speaks to another only through postings, guards and reactions.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from aggregates.kinds import Action, Event, Posting, Request
from aggregates.rules import Option
from aggregates.state import World

Decide: TypeAlias = Callable[[World, Request], Iterable[Event]]
Evolve: TypeAlias = Callable[[World, Any], None]

FAMILY_EVENTS_MAX = 15
"""Events of one family: more and its `match` costs too much, and nobody reads it."""


class Family(msgspec.Struct, frozen=True):
    """The actions and events of one subject, how they are decided and what they change."""

    actions: tuple[type[Action], ...]
    events: tuple[type[Event], ...]
    decide: Decide
    evolve: Evolve


class DiceDue(msgspec.Struct, frozen=True):
    """A die, or several, that the rules ask for next: what for, and which."""

    what: str
    dice: int
    faces: int


def guard_nothing(world: World, posting: Posting) -> None:
    """Refuse no posting."""


def react_never(world: World, events: tuple[Event, ...]) -> Iterable[Event]:
    """Add nothing to an entry."""
    return ()


def due_never(world: World, action: Action) -> tuple[DiceDue, ...]:
    """Ask for no dice."""
    return ()


def open_nothing(event: Event) -> tuple[str, object] | None:
    """Open no private part."""
    return None


class System(msgspec.Struct, frozen=True, kw_only=True):
    """A rule system as the campaign sees it.

    `editions` are all that the program still plays, the newest last. `guard` may refuse a negative posting; `react`
    adds events to an entry, once, seeing what its action decided; `due` names the next dice an action needs; `opens`
    gives the name and the private part that a revealing event makes public. What a system knows lies in
    `world.sheets[name]` as frozen values under keys.
    """

    name: str
    editions: tuple[str, ...]
    families: tuple[Family, ...]
    options: tuple[Option, ...] = ()
    purses: tuple[str, ...] = ()
    guard: Callable[[World, Posting], None] = guard_nothing
    react: Callable[[World, tuple[Event, ...]], Iterable[Event]] = react_never
    due: Callable[[World, Action], tuple[DiceDue, ...]] = due_never
    opens: Callable[[Event], tuple[str, object] | None] = open_nothing
