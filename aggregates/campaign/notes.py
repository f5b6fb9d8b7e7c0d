"""Notes: what somebody wants on record and no rule speaks of."""

from collections.abc import Iterator
from typing import ClassVar

from aggregates.contract import Family
from aggregates.kinds import Action, Because, Event, Refused, Request, Role
from aggregates.state import World


class AddNote(Action, tag="note.add", frozen=True, kw_only=True):
    """Put a remark on record, about an earlier entry or about nothing in particular (`about` 0)."""

    may: ClassVar[Role] = "player"
    after_end: ClassVar[bool] = True
    text: Because
    about: int = 0


class NoteAdded(Event, tag="note.added", frozen=True, kw_only=True, gc=False):
    """A remark is on record."""

    text: str
    about: int = 0


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide whether a note may stand."""
    match request.action:
        case AddNote(text=""):
            raise Refused("NOTE_EMPTY")
        case AddNote(about=about) if not 0 <= about <= world.number:
            raise Refused("ENTRY_UNKNOWN", entry=about, last=world.number)
        case AddNote(text=text, about=about):
            yield NoteAdded(text=text, about=about)
        case other:
            raise AssertionError(other)


def evolve(world: World, event: NoteAdded) -> None:
    """Change nothing: a note is only read."""


FAMILY = Family(actions=(AddNote,), events=(NoteAdded,), decide=decide, evolve=evolve)
