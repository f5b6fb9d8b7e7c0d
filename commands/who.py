"""Who and what is meant: a player, force, model or battle named by key, short name, or any unambiguous part."""

from collections.abc import Iterable

import msgspec

from aggregates.rules import nearest
from aggregates.state import World
from aggregates.text import fold
from commands.arguments import entry_number
from ledger.errors import Refused

CANDIDATES_MAX = 6
"""Things a question names when a word fits several."""


class Known(msgspec.Struct, frozen=True):
    """Something that can be named: its key, how people call it, and whose it is."""

    key: str
    names: tuple[str, ...]
    owner: str = ""


def player(world: World, typed: str) -> str:
    """Return the key of the player meant.

    Raises `Refused`: `PLAYER_UNKNOWN`, `WHO_AMBIGUOUS`.
    """
    return _find(typed, [Known(p.key, (p.key, p.name)) for p in world.players.values()], "PLAYER_UNKNOWN", "player")


def force(world: World, typed: str) -> str:
    """Return the key of the force meant: also by its short name, or by its player's where they lead only one.

    Raises `Refused`: `FORCE_UNKNOWN`, `WHO_AMBIGUOUS`.
    """
    living = [one for one in world.forces.values() if not one.dissolved]
    known = [Known(f.key, (f.key, f.short, f.name), _player(world, f.player)) for f in living]
    known += [Known(f.key, (f.player, world.players[f.player].name)) for f in living if _only(world, f.player)]
    gone = [Known(f.key, (f.key, f.name)) for f in world.forces.values() if f.dissolved]
    return _find(typed, known, "FORCE_UNKNOWN", "force", gone)


def own_force(world: World, player_key: str) -> str:
    """Return the one living force of a player.

    Raises `Refused`: `FORCE_MISSING` when there is none, `WHO_AMBIGUOUS` when there are several.
    """
    own = [f for f in world.forces.values() if f.player == player_key and not f.dissolved]
    if not own:
        raise Refused("FORCE_MISSING", player=_player(world, player_key))
    if len(own) > 1:
        raise Refused("WHO_AMBIGUOUS", typed=_player(world, player_key), candidates=tuple(f.name for f in own))
    return own[0].key


def model(world: World, typed: str) -> str:
    """Return the key of the model meant, also as `FORCE/NAME`; the living before the fallen.

    Raises `Refused`: `MODEL_UNKNOWN`, `WHO_AMBIGUOUS`.
    """
    living = [m for m in world.models.values() if world.count(m.key) > 0]
    fallen = [m for m in world.models.values() if world.count(m.key) <= 0]
    owner = {f.key: f"{f.key}/{f.short}/{f.name}" for f in world.forces.values()}
    known = [Known(m.key, (m.key, m.name), owner[m.force]) for m in living]
    return _find(typed, known, "MODEL_UNKNOWN", "model", [Known(m.key, (m.key, m.name)) for m in fallen])


def battle(world: World, typed: str) -> str:
    """Return the key of the battle meant, by its number.

    Raises `Misused` `NOT_A_NUMBER` and `Refused` `BATTLE_UNKNOWN`.
    """
    number = entry_number(typed)
    found = next((b.key for b in world.battles.values() if b.number == number), "")
    return found or world.battle(f"battle-{number}").key


def _only(world: World, player_key: str) -> bool:
    return sum(f.player == player_key and not f.dissolved for f in world.forces.values()) == 1


def _player(world: World, key: str) -> str:
    return world.players[key].name


def _find(typed: str, known: list[Known], code: str, what: str, otherwise: Iterable[Known] = ()) -> str:
    if typed in {one.key for one in known}:
        return typed
    called = {one.key for one in known if typed.strip() and fold(typed).strip() in map(fold, one.names)}
    if len(called) == 1:
        return called.pop()  # A name may have a stroke in it.
    owner, slash, rest = typed.rpartition("/")
    name = fold(rest if slash else typed).strip()
    if slash:
        known = [one for one in known if fold(owner) in fold(one.owner)]
    exact = {one.key for one in known if name and name in map(fold, one.names)}
    partial = {one.key for one in known if any(name and name in fold(part) for part in one.names)}
    found = exact or partial or {one.key for one in otherwise if name in map(fold, one.names)}
    if len(found) == 1:
        return found.pop()
    if found:
        names = sorted(_called(known, key) for key in found)[:CANDIDATES_MAX]
        raise Refused("WHO_AMBIGUOUS", typed=typed, candidates=tuple(names))
    names = [one.names[-1] for one in known]
    raise Refused(code, **{what: typed}, nearest=nearest(typed, names) if names else "-")


def _called(known: list[Known], key: str) -> str:
    return next((f"{one.names[-1]} ({key})" for one in known if one.key == key), key)
