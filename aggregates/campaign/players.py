"""Who takes part: players, organisers and readers, how they come, change and go."""

from collections.abc import Iterator
from typing import assert_never

import msgspec

from aggregates.campaign.battles import BattleCancelled
from aggregates.contract import Family
from aggregates.kinds import Action, Because, Event, Key, Name, Refused, Request, Role
from aggregates.state import Player, World
from aggregates.text import fold


class JoinPlayer(Action, tag="player.join", frozen=True, kw_only=True):
    """Let somebody take part, also in the middle of a campaign."""

    player: Key
    name: Name
    role: Role = "player"


class LeavePlayer(Action, tag="player.leave", frozen=True, kw_only=True):
    """Let a player go; what they did stays, their scheduled battles are cancelled."""

    player: Key
    because: Because = ""


class ReturnPlayer(Action, tag="player.return", frozen=True, kw_only=True):
    """Let a player who left take part again."""

    player: Key


class RenamePlayer(Action, tag="player.rename", frozen=True, kw_only=True):
    """Correct how a player is called."""

    player: Key
    name: Name


class ChangeRole(Action, tag="player.change-role", frozen=True, kw_only=True):
    """Make a player an organiser, or an organiser a player or reader."""

    player: Key
    role: Role


class PlayerJoined(Event, tag="player.joined", frozen=True, kw_only=True, gc=False):
    """Somebody takes part."""

    player: str
    name: str
    role: Role = "player"


class PlayerLeft(Event, tag="player.left", frozen=True, kw_only=True, gc=False):
    """A player takes no further part."""

    player: str
    because: str = ""


class PlayerReturned(Event, tag="player.returned", frozen=True, kw_only=True, gc=False):
    """A player who left takes part again."""

    player: str


class PlayerRenamed(Event, tag="player.renamed", frozen=True, kw_only=True, gc=False):
    """A player is called otherwise."""

    player: str
    name: str


class RoleChanged(Event, tag="player.role-changed", frozen=True, kw_only=True, gc=False):
    """A player may do more, or less."""

    player: str
    role: Role


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide who takes part, and as what."""
    match request.action:
        case JoinPlayer(player=key, name=name, role=role):
            if key in world.players:
                raise Refused("KEY_TAKEN", key=key)
            _check_name(world, key, name)
            yield PlayerJoined(player=key, name=name, role=role)
        case LeavePlayer(player=key, because=because):
            yield from _leave(world, key, because)
        case ReturnPlayer(player=key):
            if not world.player(key).left:
                raise Refused("PLAYER_TAKES_PART", player=world.player(key).name)
            yield PlayerReturned(player=key)
        case RenamePlayer(player=key, name=name):
            if world.player(key).name == name:
                raise Refused("NOTHING_CHANGES", what=name)
            _check_name(world, key, name)
            yield PlayerRenamed(player=key, name=name)
        case ChangeRole(player=key, role=role):
            if world.player(key).role == role:
                raise Refused("NOTHING_CHANGES", what=world.player(key).name)
            if role != "organiser":
                _check_not_last_organiser(world, key)
            yield RoleChanged(player=key, role=role)
        case other:
            raise AssertionError(other)


def _leave(world: World, key: str, because: str) -> Iterator[Event]:
    player = world.player(key)
    if player.left:
        raise Refused("PLAYER_GONE", player=player.name)
    _check_not_last_organiser(world, key)
    theirs = {force.key for force in world.forces.values() if force.player == key}
    battles = [b for b in world.battles.values() if theirs.intersection(b.forces)]
    if started := [str(battle.number) for battle in battles if battle.stage == "started"]:
        raise Refused("PLAYER_IN_BATTLE", player=player.name, battles=", ".join(started))
    yield PlayerLeft(player=key, because=because)
    for battle in battles:
        if battle.stage == "scheduled":
            yield BattleCancelled(battle=battle.key, because=because)


def _check_name(world: World, key: str, name: str) -> None:
    for other in world.players.values():
        if other.key != key and fold(other.name) == fold(name):
            raise Refused("NAME_TAKEN", name=name, other=other.name)


def _check_not_last_organiser(world: World, key: str) -> None:
    organisers = [p.key for p in world.players.values() if p.role == "organiser" and not p.left]
    if organisers == [key]:
        raise Refused("LAST_ORGANISER", player=world.players[key].name)


PlayerEvent = PlayerJoined | PlayerLeft | PlayerReturned | PlayerRenamed | RoleChanged


def evolve(world: World, event: PlayerEvent) -> None:
    """Apply who takes part, and as what."""
    players = world.players
    match event:
        case PlayerJoined(player=key, name=name, role=role):
            players[key] = Player(key, name, role)
        case PlayerLeft(player=key):
            players[key] = msgspec.structs.replace(players[key], left=True)
        case PlayerReturned(player=key):
            players[key] = msgspec.structs.replace(players[key], left=False)
        case PlayerRenamed(player=key, name=name):
            players[key] = msgspec.structs.replace(players[key], name=name)
        case RoleChanged(player=key, role=role):
            players[key] = msgspec.structs.replace(players[key], role=role)
        case _:
            assert_never(event)


FAMILY = Family(
    actions=(JoinPlayer, LeavePlayer, ReturnPlayer, RenamePlayer, ChangeRole),
    events=(PlayerJoined, PlayerLeft, PlayerReturned, PlayerRenamed, RoleChanged),
    decide=decide,
    evolve=evolve,
)
