"""Who may ask what: the role an action needs, speaking for others, and acting for a force."""

from aggregates.kinds import Refused, Request
from aggregates.state import World

_RANK = {"reader": 0, "player": 1, "organiser": 2}


def check_speaker(world: World, request: Request) -> None:
    """Check that the speaker takes part, has the role the action needs, and may speak for somebody else.

    Raises `Refused`: `PLAYER_UNKNOWN`, `SPEAKER_HAS_LEFT`, `NOT_ORGANISER`, `READER_ONLY_READS`, `SPEAKS_FOR_NOBODY`.
    """
    speaker = world.player(request.by)
    if speaker.left:
        raise Refused("SPEAKER_HAS_LEFT", player=speaker.name)
    if _RANK[speaker.role] < _RANK[request.action.may]:
        code = "NOT_ORGANISER" if request.action.may == "organiser" else "READER_ONLY_READS"
        raise Refused(code, player=speaker.name, organisers=organisers(world))
    if request.on_behalf_of:
        world.player(request.on_behalf_of)
        if speaker.role != "organiser":
            raise Refused("SPEAKS_FOR_NOBODY", player=speaker.name, organisers=organisers(world))


def require_part(world: World, request: Request, *forces: str) -> None:
    """Check that the forces take part, and that an organiser asks, or the player of one of them.

    Raises `Refused`: `NOT_YOUR_FORCE`, or what `World.force` raises.
    """
    speaker = world.player(request.by)
    parts = [world.force(key) for key in forces]
    if speaker.role == "organiser" or any(force.player == speaker.key for force in parts):
        return
    named = ", ".join(f"{force.name} ({world.player(force.player).name})" for force in parts)
    raise Refused("NOT_YOUR_FORCE", player=speaker.name, force=named, organisers=organisers(world))


def organisers(world: World) -> str:
    """Return the names of those who may decide."""
    return ", ".join(p.name for p in world.players.values() if p.role == "organiser" and not p.left)
