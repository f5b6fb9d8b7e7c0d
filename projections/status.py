"""The status: where the campaign stands and what is to be done next, by whom."""

from collections.abc import Iterator
from typing import Literal, assert_never

import msgspec

from aggregates.kinds import Role
from aggregates.state import Battle, World

Task = Literal["muster", "schedule", "start", "finish", "settle"]


class Todo(msgspec.Struct, frozen=True):
    """Something to be done: the players who can (their keys), what, of which battle, and the command to type."""

    who: tuple[str, ...]
    what: Task
    battle: str
    command: str


class Status(msgspec.Struct, frozen=True):
    """Where the campaign stands; people are named by their keys."""

    campaign: str
    systems: tuple[str, ...]
    ended: bool
    entries: int
    at: str
    organisers: tuple[str, ...]
    players: tuple[str, ...]
    gone: tuple[str, ...]
    open_battles: tuple[Battle, ...]
    finished: int
    todo: tuple[Todo, ...]


def status(world: World) -> Status:
    """Return where the campaign stands."""
    campaign = world.founded()
    return Status(
        campaign=campaign.name,
        systems=campaign.systems,
        ended=campaign.ended,
        entries=world.number,
        at=world.at,
        organisers=_present(world, "organiser"),
        players=_present(world, "player"),
        gone=tuple(player.key for player in world.players.values() if player.left),
        open_battles=tuple(b for b in world.battles.values() if b.stage in ("scheduled", "started", "finished")),
        finished=sum(battle.stage in ("finished", "settled") for battle in world.battles.values()),
        todo=() if campaign.ended else (*_musters(world), *_schedule(world), *_battles(world)),
    )


def _present(world: World, role: Role) -> tuple[str, ...]:
    return tuple(player.key for player in world.players.values() if player.role == role and not player.left)


def _musters(world: World) -> Iterator[Todo]:
    leading = {force.player for force in world.forces.values() if not force.dissolved}
    for player in world.players.values():
        if player.role == "player" and not player.left and player.key not in leading:
            yield Todo((player.key,), "muster", "", f"campaign force muster FILE --player {player.key}")


def _schedule(world: World) -> Iterator[Todo]:
    """Ask for the next battle where nobody waits for one."""
    waiting = [battle for battle in world.battles.values() if battle.stage in ("scheduled", "started")]
    there = [force for force in world.forces.values() if not force.dissolved and not world.players[force.player].left]
    if len(there) > 1 and not waiting:
        yield Todo(_present(world, "organiser"), "schedule", "", "campaign battle schedule FORCE:FORCE")


def _battles(world: World) -> Iterator[Todo]:
    for battle in world.battles.values():
        players = tuple(dict.fromkeys(world.forces[key].player for key in battle.forces))
        match battle.stage:
            case "scheduled":
                yield Todo(players, "start", battle.key, f"campaign battle start {battle.number}")
            case "started":
                yield Todo(players, "finish", battle.key, f"campaign battle finish {battle.number} --winner FORCE")
            case "finished":
                yield Todo(
                    _present(world, "organiser"), "settle", battle.key, f"campaign battle settle {battle.number}"
                )
            case "settled" | "cancelled":
                pass
            case _:
                assert_never(battle.stage)
