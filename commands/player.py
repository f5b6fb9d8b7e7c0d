"""`campaign player`: who takes part, and as what."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from commands import answer, context
from commands.arguments import writes

if TYPE_CHECKING:
    from aggregates.kinds import Role

app = typer.Typer(add_completion=False)


@app.command("add")
@writes
def add(name: str, role: str = "player") -> None:
    """Let somebody take part."""
    from aggregates.campaign.players import JoinPlayer
    from commands.words import role_named

    wanted: Role = role_named(role)
    answer.send(
        lambda world: [JoinPlayer(player=context.new_key(name, world.players), name=name, role=wanted)],
        "campaign force muster FILE --player NAME",
    )


@app.command("withdraw")
@writes
def withdraw(who: str, because: Annotated[str, typer.Option()] = "") -> None:
    """Let a player go."""
    from aggregates.campaign.players import LeavePlayer
    from commands import who as named

    answer.send(
        lambda world: [LeavePlayer(player=named.player(world, who), because=because)],
        shlex.join(("campaign", "player", "return", who)),
    )


@app.command("return")
@writes
def come_back(who: str) -> None:
    """Let a player who left take part again."""
    from aggregates.campaign.players import ReturnPlayer
    from commands import who as named

    answer.send(lambda world: [ReturnPlayer(player=named.player(world, who))])


@app.command("rename")
@writes
def rename(who: str, name: str) -> None:
    """Correct how a player is called."""
    from aggregates.campaign.players import RenamePlayer
    from commands import who as named

    answer.send(lambda world: [RenamePlayer(player=named.player(world, who), name=name)])


@app.command("role")
@writes
def role(who: str, role: str) -> None:
    """Make a player an organiser, a player or a reader."""
    from aggregates.campaign.players import ChangeRole
    from commands import who as named
    from commands.words import role_named

    wanted: Role = role_named(role)
    answer.send(lambda world: [ChangeRole(player=named.player(world, who), role=wanted)])
