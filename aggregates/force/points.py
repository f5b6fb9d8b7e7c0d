"""Points: what a force earns and spends, on purses that the campaign names."""

from collections.abc import Iterator
from typing import ClassVar

from aggregates.accounts import force_account
from aggregates.authority import organisers, require_part
from aggregates.contract import Family
from aggregates.force.models import check_amount
from aggregates.kinds import Action, Amount, Because, Event, ForceEvent, Key, Posting, Refused, Request, Role
from aggregates.options import GRANTS
from aggregates.purses import check_purse
from aggregates.state import World


class Movement(Action, frozen=True, kw_only=True):
    """An amount of points that a force gets or gives, for a battle or otherwise."""

    may: ClassVar[Role] = "player"
    force: Key
    purse: str
    amount: Amount
    because: Because = ""
    battle: str = ""


class GrantPoints(Movement, tag="points.grant", frozen=True, kw_only=True):
    """Write down what a force earned, in a battle or otherwise."""


class SpendPoints(Movement, tag="points.spend", frozen=True, kw_only=True):
    """Write down what a force spent."""


class PointsMoved(ForceEvent, frozen=True, kw_only=True, gc=False):
    """An amount of points that a force got or gave."""

    purse: str
    amount: int
    because: str = ""
    battle: str = ""


class PointsGranted(PointsMoved, tag="points.granted", frozen=True, kw_only=True, gc=False):
    """A force earned points."""


class PointsSpent(PointsMoved, tag="points.spent", frozen=True, kw_only=True, gc=False):
    """A force spent points."""


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide what a force earned or spent."""
    match request.action:
        case GrantPoints() as asked:
            _check_granter(world, request, asked.force)
            yield _moved(world, asked, PointsGranted, asked.amount)
        case SpendPoints() as asked:
            require_part(world, request, asked.force)
            yield _moved(world, asked, PointsSpent, -asked.amount)
        case other:
            raise AssertionError(other)


def _moved(world: World, asked: Movement, kind: type[PointsMoved], amount: int) -> PointsMoved:
    _check(world, asked)
    return kind(
        force=asked.force,
        purse=asked.purse,
        amount=asked.amount,
        because=asked.because,
        battle=asked.battle,
        postings=(Posting(force_account(asked.force, asked.purse), amount),),
    )


def _check_granter(world: World, request: Request, force: str) -> None:
    require_part(world, request, force)
    speaker = world.player(request.by)
    if speaker.role != "organiser" and GRANTS.of(world.settings) == "organiser":
        raise Refused("GRANTS_BY_ORGANISER", player=speaker.name, organisers=organisers(world))


def _check(world: World, asked: Movement) -> None:
    force = world.force(asked.force)
    check_purse(world, asked.purse)
    check_amount(asked.amount, asked.purse)
    if not asked.battle:
        return
    battle = world.battle(asked.battle)
    if asked.force not in battle.forces:
        raise Refused("FORCE_NOT_IN_BATTLE", force=force.name, battle=battle.number)
    if battle.stage != "finished":
        raise Refused("BATTLE_STAGE", battle=battle.number, stage=battle.stage, needed=("finished",))


def evolve(world: World, event: PointsGranted | PointsSpent) -> None:
    """Change nothing beside the postings."""


FAMILY = Family(actions=(GrantPoints, SpendPoints), events=(PointsGranted, PointsSpent), decide=decide, evolve=evolve)
