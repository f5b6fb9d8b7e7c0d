"""`campaign battle`: who meets whom, how it ended, and who sat out."""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands import answer, screen
from commands.arguments import given, writes

if TYPE_CHECKING:
    from aggregates.kinds import Action
    from aggregates.state import World

app = typer.Typer(add_completion=False)

Text = Annotated[str, typer.Option()]
Texts = Annotated[list[str], typer.Option()]


@app.command("schedule")
@writes
def schedule(forces: str, mission: Text = "", day: Text = "") -> None:
    """Say who meets whom: `ba:orks`, or three and more."""
    from aggregates.campaign.battles import ScheduleBattle
    from commands import who as named

    def build(world: "World") -> list[ScheduleBattle]:
        keys = tuple(named.force(world, word) for word in forces.split(":"))
        number = max((battle.number for battle in world.battles.values()), default=0) + 1
        return [ScheduleBattle(battle=f"battle-{number}", forces=keys, mission=mission, played_on=day)]

    answer.send(build, "campaign battle start NUMBER")


@app.command("start")
@writes
def start(battle: str) -> None:
    """Begin a scheduled battle."""
    from aggregates.campaign.battles import StartBattle
    from commands import who as named

    answer.send(
        lambda world: [StartBattle(battle=named.battle(world, battle))],
        f"campaign battle finish {shlex.quote(battle)} --winner FORCE",
    )


@app.command("finish")
@writes
def finish(
    battle: str, winner: Texts = [], draw: Annotated[bool, typer.Option("--draw")] = False, day: Text = ""
) -> None:
    """Say how a battle ended; it is started first where nobody did."""
    from aggregates.campaign.battles import FinishBattle, StartBattle
    from commands import who as named
    from ledger.errors import Misused

    if draw == bool(winner):
        raise Misused("WINNER_OR_DRAW", battle=battle)

    def build(world: "World") -> "list[Action]":
        key = named.battle(world, battle)
        winners = tuple(named.force(world, word) for word in winner)
        begin = [StartBattle(battle=key)] if world.battles[key].stage == "scheduled" else []
        return [*begin, FinishBattle(battle=key, winners=winners, played_on=day)]

    answer.send(build, f"campaign points grant FORCE PURSE AMOUNT --battle {shlex.quote(battle)}")


@app.command("cancel")
@writes
def cancel(battle: str, because: Text = "") -> None:
    """Strike a battle that will not be played to its end."""
    from aggregates.campaign.battles import CancelBattle
    from commands import who as named

    answer.send(lambda world: [CancelBattle(battle=named.battle(world, battle), because=because)])


@app.command("settle")
@writes
def settle(battle: str) -> None:
    """Close a finished battle: all that follows from it is written down."""
    from aggregates.campaign.battles import SettleBattle
    from commands import who as named

    answer.send(lambda world: [SettleBattle(battle=named.battle(world, battle))], "campaign standings")


@app.command("bye")
@writes
def bye(force: str, because: Text = "") -> None:
    """Let a force sit out: it has nobody to meet this time."""
    from aggregates.campaign.battles import SitOut
    from commands import who as named

    answer.send(lambda world: [SitOut(force=named.force(world, force), because=because)])


@app.command("show")
def show(battle: str) -> None:
    """Show a battle: who met, how far it got, who won, and what was recorded for it."""
    from commands import context
    from commands import who as named
    from projections.timeline import Filter, timeline

    with context.reading() as book:
        world = book.world()
        one = world.battles[named.battle(world, battle)]
        told = tuple(timeline(world, book.effective(), Filter(battle=one.key)))
    if given().json:
        shown: dict[str, Any] = {"battle": one, "entries": told}
        screen.show_json(shown)
        return
    from ledger.wording import say

    names = ", ".join(world.forces[key].name for key in one.forces)
    winners = ", ".join(world.forces[key].name for key in one.winners) or "-"
    screen.tell(
        say("screen.battle-shown", number=one.number, forces=names, stage=one.stage, winners=winners),
        *(f"#{entry.number}  {entry.sentence}" for entry in told),
    )
