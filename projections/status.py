"""The status: where the campaign stands and what is to be done next, by whom."""

import msgspec

from aggregates.state import Battle, World


class Todo(msgspec.Struct, frozen=True):
    """Something somebody has to do: the wording key of it, what it is about, and the command for it."""

    who: str
    what: str
    about: str
    command: str


class Status(msgspec.Struct, frozen=True):
    """Where the campaign stands."""

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
    present = [player for player in world.players.values() if not player.left]
    return Status(
        campaign=campaign.name,
        systems=campaign.systems,
        ended=campaign.ended,
        entries=world.number,
        at=world.at,
        organisers=tuple(p.name for p in present if p.role == "organiser"),
        players=tuple(p.name for p in present if p.role == "player"),
        gone=tuple(player.name for player in world.players.values() if player.left),
        open_battles=tuple(b for b in world.battles.values() if b.stage in ("scheduled", "started", "finished")),
        finished=sum(battle.stage in ("finished", "settled") for battle in world.battles.values()),
        todo=() if campaign.ended else tuple(_todo(world)),
    )


def _todo(world: World) -> list[Todo]:
    found: list[Todo] = []
    with_force = {force.player for force in world.forces.values() if not force.dissolved}
    for player in world.players.values():
        if player.role == "player" and not player.left and player.key not in with_force:
            found.append(Todo(player.name, "muster", "", f"campaign force muster FILE --player {player.key}"))
    for battle in world.battles.values():
        names = ", ".join(world.forces[key].name for key in battle.forces)
        players = ", ".join(dict.fromkeys(world.players[world.forces[key].player].name for key in battle.forces))
        match battle.stage:
            case "scheduled":
                found.append(
                    Todo(players, "start", f"{battle.number}: {names}", f"campaign battle start {battle.number}")
                )
            case "started":
                command = f"campaign battle finish {battle.number} --winner FORCE"
                found.append(Todo(players, "finish", f"{battle.number}: {names}", command))
            case "finished":
                found.append(
                    Todo(players, "settle", f"{battle.number}: {names}", f"campaign battle settle {battle.number}")
                )
            case "settled" | "cancelled":
                pass
    return found
