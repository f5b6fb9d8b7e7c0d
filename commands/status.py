"""`campaign status`: where the campaign stands, and what is to be done next."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from commands import context, screen
from commands.arguments import given
from commands.page import Blank, Column, Line, Page, Part, Table, Title
from commands.told import AsKnownAt, AsOf, where
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.state import Battle, World
    from projections.moments import View
    from projections.status import Status, Todo


def run(as_of: AsOf = "", as_known_at: AsKnownAt = None) -> None:
    """Show where the campaign stands, which battles are open, and what to type next."""
    from projections.moments import view
    from projections.status import status

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
    now = status(seen.world)
    if given().json:
        screen.show_json(now)
    else:
        screen.show(Page(tuple(_parts(seen, now))))


def _parts(seen: "View", now: "Status") -> Iterator[Part]:
    world = seen.world
    yield Title(say("screen.status-title"), where(seen))
    if now.ended:
        yield Line(say("screen.status-ended"))
    if now.systems:
        yield Line(say("screen.status-systems", systems=now.systems))
    yield Line(say("screen.status-organisers", count=len(now.organisers), names=_names(world, now.organisers)), hang=2)
    if now.players:
        yield Line(say("screen.status-players", count=len(now.players), names=_names(world, now.players)), hang=2)
    if now.gone:
        yield Line(say("screen.status-gone", names=_names(world, now.gone)), hang=2)
    yield Line(say("screen.status-finished", count=now.finished))
    if now.open_battles:
        yield Table((Column(), Column(), Column()), tuple(_battle(world, one) for one in now.open_battles), indent=1)
    if now.todo:
        yield Blank()
        heads = (Column(say("column.todo")), Column(), Column(say("column.type")))
        yield Table(heads, tuple(_todo(world, one) for one in now.todo), indent=1)


def _names(world: "World", players: Iterable[str]) -> tuple[str, ...]:
    return tuple(world.players[key].name for key in players)


def _battle(world: "World", battle: "Battle") -> tuple[str, ...]:
    forces = (world.forces[key] for key in battle.forces)
    sides = " - ".join(f"{force.name} ({world.players[force.player].name})" for force in forces)
    return say("screen.battle-number", number=battle.number), sides, say(f"stage.{battle.stage}")


def _todo(world: "World", todo: "Todo") -> tuple[str, ...]:
    number = world.battles[todo.battle].number if todo.battle else 0
    return ", ".join(_names(world, todo.who)), say(f"todo.{todo.what}", battle=number), todo.command
