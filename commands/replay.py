"""`campaign replay`: the campaign told entry by entry, with what each one changed."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from commands import context, screen
from commands.arguments import entry_number, given
from commands.page import Line, Page
from commands.told import AsKnownAt
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.kinds import Entry
    from projections.moments import View
    from projections.replay import Step

    Told: TypeAlias = Iterable[tuple[Entry, Step]]

First = Annotated[int | None, typer.Option("--from", parser=entry_number)]
Last = Annotated[str, typer.Option("--to", metavar="N|battle:N|DAY")]


def run(first: First = None, last: Last = "", as_known_at: AsKnownAt = None) -> None:
    """Fold the book from nothing, tell what each entry changed, and compare the end with the live sheets."""
    from projections.moments import view

    with context.reading() as book:
        seen = view(book, last, as_known_at)
        if given().json:
            _tell_json(seen, _steps(seen, first or 1))
        else:
            _tell(seen, _steps(seen, first or 1))
            screen.tell(say("screen.replayed", count=seen.world.number))


def _steps(seen: "View", first: int) -> "Iterator[tuple[Entry, Step]]":
    """Yield the entries as recorded, each with its step, and check the end when all of them are told."""
    from aggregates.state import World
    from projections.replay import check, replay

    replayed = World()
    for entry, step in zip(seen.recorded(), replay(seen.effective()), strict=True):
        replayed = step.world
        if entry.number >= first:
            yield entry, step
    check(replayed, seen.world)


def _tell(seen: "View", steps: "Told") -> None:
    from projections.sentences import tell_account, tell_entry

    for entry, step in steps:
        told = tell_entry(seen.world, entry)
        if entry.number in seen.struck:
            told = say("screen.struck", told=told, ruling=f"#{seen.struck[entry.number]}")
        changes = (f"{tell_account(seen.world, c.account)} {c.before} -> {c.after}" for c in step.changes)
        lines = (Line(change, indent=5, hang=2) for change in changes)
        screen.show(Page((Line(f"#{entry.number}  {told}", hang=5), *lines)))


def _tell_json(seen: "View", steps: "Told") -> None:
    """Print an array an element a line, each as soon as it is known."""
    from projections.sentences import tell_entry

    before = "["
    for entry, step in steps:
        screen.put(before)
        told = {"number": entry.number, "at": entry.at, "by": entry.by, "for": entry.on_behalf_of}
        struck = {"struck": True} if entry.number in seen.struck else {}
        sentence = tell_entry(seen.world, entry)
        screen.show_json({**told, "sentence": sentence, "changes": step.changes, **struck})
        before = ","
    screen.put("]\n" if before == "," else "[]\n")
