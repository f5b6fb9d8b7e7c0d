"""`campaign points`: what a force earns and spends."""

import shlex
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from commands import answer
from commands.arguments import whole_number, writes

if TYPE_CHECKING:
    from aggregates.force.points import Movement
    from aggregates.state import World

app = typer.Typer(add_completion=False)

Text = Annotated[str, typer.Option()]
Amount = Annotated[int, typer.Argument(parser=whole_number)]
Dry = Annotated[bool, typer.Option("--dry-run")]


@app.command("grant")
@writes
def grant(
    force: str,
    purse: str,
    amount: Amount,
    because: Text = "",
    battle: Text = "",
    expect: Text = "",
    dry_run: Dry = False,
) -> None:
    """Write down what a force earned."""
    from aggregates.force.points import GrantPoints

    movement = Typed(force, purse, amount, because, battle, expect)
    _send(GrantPoints, movement, amount, dry_run=dry_run)


@app.command("spend")
@writes
def spend(
    force: str,
    purse: str,
    amount: Amount,
    because: Text = "",
    battle: Text = "",
    expect: Text = "",
    dry_run: Dry = False,
) -> None:
    """Write down what a force spent."""
    from aggregates.force.points import SpendPoints

    movement = Typed(force, purse, amount, because, battle, expect)
    _send(SpendPoints, movement, -amount, dry_run=dry_run)


class Typed(NamedTuple):
    """A movement of points as typed: names still to be looked up."""

    force: str
    purse: str
    amount: int
    because: str
    battle: str
    expect: str


def _send(kind: "type[Movement]", typed: Typed, movement: int, *, dry_run: bool) -> None:
    from commands import who as named

    def build(world: "World") -> "list[Movement]":
        key = named.force(world, typed.force)
        _expect(world, key, typed.purse, movement, typed.expect)
        battle = named.battle(world, typed.battle) if typed.battle else ""
        return [kind(force=key, purse=typed.purse, amount=typed.amount, because=typed.because, battle=battle)]

    answer.send(build, f"campaign statement {shlex.quote(typed.force)} {shlex.quote(typed.purse)}", dry_run=dry_run)


def _expect(world: "World", force: str, purse: str, movement: int, expected: str) -> None:
    """Refuse a movement that would not leave what the speaker says it leaves."""
    from ledger.errors import Refused

    after = world.purse(force, purse) + movement
    if expected and whole_number(expected) != after:
        raise Refused(
            "EXPECTATION_FAILED",
            force=world.forces[force].name,
            purse=purse,
            has=after - movement,
            after=after,
            expected=whole_number(expected),
        )
