"""The standings: forces in the order of the criteria the campaign states, with what decided each place."""

import msgspec

from aggregates.accounts import force_account
from aggregates.options import STANDINGS
from aggregates.state import World
from projections.figures import Figure, balance, purses_of, record_of


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A force's place; equal ones share it. `decided_by` is the criterion that put it below the one before."""

    place: int
    force: str
    name: str
    player: str
    record: dict[str, Figure]
    purses: dict[str, Figure]
    decided_by: str = ""
    left: bool = False


def standings(world: World) -> tuple[Place, ...]:
    """Rank the forces by the campaign's criteria; dissolved ones and those of players who left come last, unranked."""
    criteria = STANDINGS.words_of(world.settings)
    active = [f for f in world.forces.values() if not f.dissolved and not world.players[f.player].left]
    gone = [f for f in world.forces.values() if f not in active]

    def marks(force: str) -> tuple[int, ...]:
        return tuple(balance(world, force_account(force, name)).value for name in criteria)

    ranked = sorted(active, key=lambda force: (*(-mark for mark in marks(force.key)), force.name))
    places: list[Place] = []
    for index, force in enumerate(ranked):
        before = marks(ranked[index - 1].key) if index else None
        own = marks(force.key)
        number = places[-1].place if before == own else index + 1
        decided = "" if before is None else _first_difference(criteria, before, own)
        places.append(_place(world, force.key, number, decided))
    return (*places, *(_place(world, force.key, 0, "") for force in gone))


def _first_difference(criteria: tuple[str, ...], before: tuple[int, ...], own: tuple[int, ...]) -> str:
    return next((name for name, a, b in zip(criteria, before, own, strict=True) if a != b), "")


def _place(world: World, key: str, number: int, decided_by: str) -> Place:
    force = world.forces[key]
    player = world.players[force.player]
    return Place(
        place=number,
        force=key,
        name=force.name,
        player=player.name,
        record=record_of(world, key),
        purses=purses_of(world, key),
        decided_by=decided_by,
        left=force.dissolved or player.left,
    )
