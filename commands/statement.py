"""`campaign statement`: what came into a purse and went out of it, with what was left."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from commands import context, screen
from commands.arguments import given
from commands.page import Blank, Column, Line, Page, Part, Table, Title
from commands.told import MARK, AsKnownAt, AsOf, counted, where
from ledger.errors import Refused
from ledger.wording import day, say

if TYPE_CHECKING:
    from aggregates.state import World
    from projections.moments import View
    from projections.provenance import Step
    from projections.statement import Statement


def run(
    force: Annotated[str, typer.Argument()] = "",
    purse: Annotated[str, typer.Argument()] = "",
    as_of: AsOf = "",
    as_known_at: AsKnownAt = None,
) -> None:
    """Show the movements of a purse, or of every purse of a force; alone, of the speaker's own force."""
    from projections.moments import view
    from projections.statement import statement

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
        key, purses = _wanted(seen.world, force, purse)
        recorded = tuple(seen.recorded())
    told = [statement(seen.world, recorded, key, name, seen.struck) for name in purses]
    if given().json:
        entry = f"#{seen.world.number}"
        screen.show_json({"campaign": seen.world.founded().name, "entry": entry, "statements": told})
    else:
        screen.show(Page(tuple(_parts(seen, told))))


def _wanted(world: "World", force: str, purse: str) -> tuple[str, list[str]]:
    """Return the force and the purses meant; one word alone that is a purse's name means that of the own force."""
    from aggregates.accounts import RECORD
    from commands import who as named
    from projections.figures import purses_of

    own = not force or (not purse and _is_purse(world, force))
    key = named.own_force(world, context.speaker(world)) if own else named.force(world, force)
    purses = list(purses_of(world, key))
    word = force if own else purse
    return key, [counted(world.forces[key].name, word, (*purses, *RECORD))] if word else purses


def _is_purse(world: "World", word: str) -> bool:
    from aggregates.options import PURSES

    try:
        return bool(counted("", word, PURSES.words_of(world.settings)))
    except Refused:
        return False


def _parts(seen: "View", told: "list[Statement]") -> Iterator[Part]:
    for number, one in enumerate(told):
        if number:
            yield Blank()
        yield from _statement(seen, one)
    steps = [step for one in told for step in one.steps]
    if any(step.transcribed for step in steps):
        yield Line(say("screen.legend-transcribed"), hang=2)
    if any(step.struck for step in steps):
        yield Line(say("screen.legend-struck"), hang=2)


def _statement(seen: "View", one: "Statement") -> Iterator[Part]:
    from projections.sentences import tell_figure

    force = seen.world.forces[one.force]
    player = seen.world.players[force.player].name
    head = say("screen.statement-of", force=force.name, player=player, purse=tell_figure(one.purse))
    yield Title(head, where(seen))
    if not one.steps:
        yield Line(say("screen.statement-empty"), indent=1)
        return
    heads = [Column(say(f"column.{name}")) for name in ("entry", "date", "what")]
    heads += [Column(say(f"column.{name}"), "right") for name in ("came", "went", "left")]
    rows = [_row(seen, step) for step in one.steps]
    sums = ("", "", "", str(one.came), str(one.went), str(one.balance))
    yield Table(tuple(heads), (*rows, sums), indent=1)


def _row(seen: "View", step: "Step") -> tuple[str, ...]:
    amount = f"({abs(step.amount)})" if step.struck else str(abs(step.amount))
    came, went = (amount, "") if step.amount > 0 else ("", amount)
    what = step.sentence + (f" {MARK}" if step.transcribed else "")
    if step.struck:
        what = say("screen.struck", told=what, ruling=step.ruling)
    left = "" if step.struck else str(step.balance)
    return step.entry, day(step.at, seen.world.at), what, came, went, left
