"""`campaign points`: what a force earns and spends."""

from typing import TYPE_CHECKING, Annotated

import typer

from commands import answer
from commands.arguments import whole_number, writes

if TYPE_CHECKING:
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
    from commands import who as named

    def build(world: "World") -> list[GrantPoints]:
        key = named.force(world, force)
        _expect(world, key, purse, amount, expect)
        return [GrantPoints(force=key, purse=purse, amount=amount, because=because, battle=_battle(world, battle))]

    answer.send(build, f"campaign statement {force} {purse}", dry_run=dry_run)


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
    from commands import who as named

    def build(world: "World") -> list[SpendPoints]:
        key = named.force(world, force)
        _expect(world, key, purse, -amount, expect)
        return [SpendPoints(force=key, purse=purse, amount=amount, because=because, battle=_battle(world, battle))]

    answer.send(build, f"campaign statement {force} {purse}", dry_run=dry_run)


def _battle(world: "World", typed: str) -> str:
    from commands import who as named

    return named.battle(world, typed) if typed else ""


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
