"""The standings: forces in the order of the criteria the campaign states, with what decided each place."""

import msgspec

from aggregates.accounts import force_account
from aggregates.options import STANDINGS
from aggregates.state import Force, World
from projections.figures import Figure, purses_of, record_of


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A force's place; equal ones share it. `decided_by` is the criterion that put it below the one before.

    A dissolved force and that of a player who left has no place; its `place` is 0 and `left` is set.
    """

    place: int
    force: str
    name: str
    player: str
    record: dict[str, Figure]
    purses: dict[str, Figure]
    decided_by: str = ""
    left: bool = False


def criteria_of(world: World) -> tuple[str, ...]:
    """Return what forces are ranked by, first the most weighty."""
    return STANDINGS.words_of(world.settings)


def standings(world: World) -> tuple[Place, ...]:
    """Rank the forces by the campaign's criteria; those that no longer take part stand at the end."""
    active = [force for force in world.forces.values() if not _is_gone(world, force)]
    gone = [force for force in world.forces.values() if _is_gone(world, force)]
    ranked = sorted(active, key=lambda force: (*(-mark for mark in _marks(world, force)), force.name, force.key))
    places: list[Place] = []
    for index, force in enumerate(ranked):
        decided = _decided_by(world, ranked[index - 1], force) if index else ""
        number = places[-1].place if index and not decided else index + 1
        places.append(_place(world, force, number, decided))
    return (*places, *(_place(world, force, 0, "") for force in gone))


def _is_gone(world: World, force: Force) -> bool:
    return force.dissolved or world.players[force.player].left


def _marks(world: World, force: Force) -> tuple[int, ...]:
    return tuple(world.balance(force_account(force.key, name)) for name in criteria_of(world))


def _decided_by(world: World, better: Force, force: Force) -> str:
    """Return the first criterion in which two forces differ; empty when they stand equal."""
    marks = zip(criteria_of(world), _marks(world, better), _marks(world, force), strict=True)
    return next((name for name, one, other in marks if one != other), "")


def _place(world: World, force: Force, number: int, decided_by: str) -> Place:
    return Place(
        place=number,
        force=force.key,
        name=force.name,
        player=force.player,
        record=record_of(world, force.key),
        purses=purses_of(world, force.key),
        decided_by=decided_by,
        left=_is_gone(world, force),
    )
