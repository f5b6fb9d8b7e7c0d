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


class GrantPoints(Action, tag="points.grant", frozen=True, kw_only=True):
    """Write down what a force earned, in a battle or otherwise."""

    may: ClassVar[Role] = "player"
    force: Key
    purse: str
    amount: Amount
    because: Because = ""
    battle: str = ""


class SpendPoints(Action, tag="points.spend", frozen=True, kw_only=True):
    """Write down what a force spent."""

    may: ClassVar[Role] = "player"
    force: Key
    purse: str
    amount: Amount
    because: Because = ""
    battle: str = ""


class PointsGranted(ForceEvent, tag="points.granted", frozen=True, kw_only=True, gc=False):
    """A force earned points."""

    purse: str
    amount: int
    because: str = ""
    battle: str = ""


class PointsSpent(ForceEvent, tag="points.spent", frozen=True, kw_only=True, gc=False):
    """A force spent points."""

    purse: str
    amount: int
    because: str = ""
    battle: str = ""


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide what a force earned or spent."""
    match request.action:
        case GrantPoints() as asked:
            _check_granter(world, request, asked.force)
            _check(world, asked)
            posting = Posting(force_account(asked.force, asked.purse), asked.amount)
            yield PointsGranted(
                force=asked.force,
                purse=asked.purse,
                amount=asked.amount,
                because=asked.because,
                battle=asked.battle,
                postings=(posting,),
            )
        case SpendPoints() as asked:
            require_part(world, request, asked.force)
            _check(world, asked)
            posting = Posting(force_account(asked.force, asked.purse), -asked.amount)
            yield PointsSpent(
                force=asked.force,
                purse=asked.purse,
                amount=asked.amount,
                because=asked.because,
                battle=asked.battle,
                postings=(posting,),
            )
        case other:
            raise AssertionError(other)


def _check_granter(world: World, request: Request, force: str) -> None:
    require_part(world, request, force)
    speaker = world.player(request.by)
    if speaker.role != "organiser" and GRANTS.of(world.settings) == "organiser":
        raise Refused("GRANTS_BY_ORGANISER", player=speaker.name, organisers=organisers(world))


def _check(world: World, asked: GrantPoints | SpendPoints) -> None:
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
