"""Battles between two or more forces: scheduled, started, finished, settled or cancelled; and sitting one out.

What a battle does to a force are events on that force's stream. Whatever rule systems make of a battle they add as
reactions to these events.
"""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, ClassVar, Literal, assert_never

import msgspec

from aggregates.accounts import force_account
from aggregates.authority import require_part
from aggregates.contract import Family
from aggregates.kinds import Action, Because, Event, ForceEvent, Key, Posting, Refused, Request, Role
from aggregates.state import Battle, Stage, World

FORCES_MAX = 16
"""Forces of one battle."""

Mission = Annotated[str, msgspec.Meta(extra={"form": "text"})]
BattleKey = Annotated[str, msgspec.Meta(pattern=r"^battle-[1-9][0-9]{0,5}$(?!\n)")]
Day = Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Outcome = Literal["won", "drawn", "lost"]


class ScheduleBattle(Action, tag="battle.schedule", frozen=True, kw_only=True):
    """Say who meets whom next; two or more forces."""

    may: ClassVar[Role] = "player"
    battle: BattleKey
    forces: tuple[Key, ...]
    mission: Mission = ""
    played_on: Day = ""


class StartBattle(Action, tag="battle.start", frozen=True, kw_only=True):
    """Begin a scheduled battle."""

    may: ClassVar[Role] = "player"
    battle: Key


class FinishBattle(Action, tag="battle.finish", frozen=True, kw_only=True):
    """Say how a battle ended: who won, several on one side, or nobody."""

    may: ClassVar[Role] = "player"
    battle: Key
    winners: tuple[Key, ...] = ()
    played_on: Day = ""


class CancelBattle(Action, tag="battle.cancel", frozen=True, kw_only=True):
    """Strike a battle that will not be played to its end."""

    may: ClassVar[Role] = "player"
    battle: Key
    because: Because = ""


class SettleBattle(Action, tag="battle.settle", frozen=True, kw_only=True):
    """Close a finished battle: all that follows from it is written down."""

    battle: Key


class SitOut(Action, tag="battle.sit-out", frozen=True, kw_only=True):
    """Give a force a bye: it has nobody to meet this time."""

    force: Key
    because: Because = ""


class BattleScheduled(Event, tag="battle.scheduled", frozen=True, kw_only=True, gc=False):
    """These forces are to meet."""

    battle: str
    forces: tuple[str, ...]
    mission: str = ""
    played_on: str = ""


class BattleStarted(Event, tag="battle.started", frozen=True, kw_only=True, gc=False):
    """The battle began."""

    battle: str
    forces: tuple[str, ...]


class BattleFinished(Event, tag="battle.finished", frozen=True, kw_only=True, gc=False):
    """The battle ended; no winners is a draw."""

    battle: str
    forces: tuple[str, ...]
    winners: tuple[str, ...] = ()
    played_on: str = ""


class BattleFought(ForceEvent, tag="battle.fought", frozen=True, kw_only=True, gc=False):
    """A force has fought a battle: its count of battles goes up."""

    battle: str
    outcome: Outcome


class BattleCancelled(Event, tag="battle.cancelled", frozen=True, kw_only=True, gc=False):
    """The battle is not played to its end."""

    battle: str
    because: str = ""


class BattleSettled(Event, tag="battle.settled", frozen=True, kw_only=True, gc=False):
    """All that follows from the battle is written down."""

    battle: str


class SatOut(ForceEvent, tag="battle.sat-out", frozen=True, kw_only=True, gc=False):
    """A force had nobody to meet."""

    because: str = ""


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide the course of a battle."""
    match request.action:
        case ScheduleBattle() as asked:
            yield _schedule(world, request, asked)
        case StartBattle(battle=key):
            battle = _at_stage(world, key, "scheduled")
            require_part(world, request, *battle.forces)
            yield BattleStarted(battle=key, forces=battle.forces)
        case FinishBattle() as asked:
            yield from _finish(world, request, asked)
        case CancelBattle(battle=key, because=because):
            battle = _at_stage(world, key, "scheduled", "started")
            require_part(world, request, *battle.forces)
            yield BattleCancelled(battle=key, because=because)
        case SettleBattle(battle=key):
            _at_stage(world, key, "finished")
            yield BattleSettled(battle=key)
        case SitOut(force=key, because=because):
            force = world.force(key)
            if busy := world.battles_of(key, "scheduled", "started"):
                raise Refused("FORCE_IN_BATTLE", force=force.name, battles=_numbers(busy))
            yield SatOut(force=key, because=because, postings=(Posting(force_account(key, "byes"), 1),))
        case other:
            raise AssertionError(other)


def _schedule(world: World, request: Request, asked: ScheduleBattle) -> BattleScheduled:
    if asked.battle in world.battles:
        raise Refused("BATTLE_EXISTS", battle=asked.battle.removeprefix("battle-"))
    if not 2 <= len(set(asked.forces)) == len(asked.forces) <= FORCES_MAX:
        raise Refused("BATTLE_FORCES", given=len(asked.forces), least=2, most=FORCES_MAX)
    for key in asked.forces:
        world.force(key)
    require_part(world, request, *asked.forces)
    _check_day(asked.played_on)
    return BattleScheduled(battle=asked.battle, forces=asked.forces, mission=asked.mission, played_on=asked.played_on)


def _finish(world: World, request: Request, asked: FinishBattle) -> Iterator[Event]:
    battle = _at_stage(world, asked.battle, "started")
    require_part(world, request, *battle.forces)
    _check_day(asked.played_on)
    strangers = [key for key in asked.winners if key not in battle.forces]
    if strangers or not len(set(asked.winners)) == len(asked.winners) < len(battle.forces):
        fought = ", ".join(world.forces[key].name for key in battle.forces)
        raise Refused("WINNER_DID_NOT_FIGHT", winners=", ".join(asked.winners), battle=battle.number, forces=fought)
    yield BattleFinished(
        battle=battle.key, forces=battle.forces, winners=asked.winners, played_on=asked.played_on or battle.played_on
    )
    for key in battle.forces:
        outcome: Outcome = "drawn" if not asked.winners else "won" if key in asked.winners else "lost"
        counts = (Posting(force_account(key, "played"), 1), Posting(force_account(key, outcome), 1))
        yield BattleFought(force=key, battle=battle.key, outcome=outcome, postings=counts)


def _at_stage(world: World, key: str, *stages: Stage) -> Battle:
    battle = world.battle(key)
    if battle.stage not in stages:
        raise Refused("BATTLE_STAGE", battle=battle.number, stage=battle.stage, needed=stages)
    return battle


def _numbers(battles: tuple[Battle, ...]) -> str:
    return ", ".join(str(battle.number) for battle in battles)


def _check_day(day: str) -> None:
    try:
        if day:
            date.fromisoformat(day)
    except ValueError:
        raise Refused("DAY_UNKNOWN", day=day) from None


BattleEvent = BattleScheduled | BattleStarted | BattleFinished | BattleFought | BattleCancelled | BattleSettled | SatOut


def evolve(world: World, event: BattleEvent) -> None:
    """Apply the course of a battle."""
    battles = world.battles
    match event:
        case BattleFought():
            pass  # Its postings are all it changes.
        case BattleScheduled(battle=key):
            battles[key] = Battle(key, number_of(key), event.forces, "scheduled", event.mission, event.played_on)
        case BattleStarted(battle=key):
            battles[key] = _moved(battles[key], "started")
        case BattleFinished(battle=key, winners=winners):
            before = battles[key]
            battles[key] = Battle(
                key, before.number, before.forces, "finished", before.mission, event.played_on, winners
            )
        case BattleCancelled(battle=key):
            battles[key] = _moved(battles[key], "cancelled")
        case BattleSettled(battle=key):
            battles[key] = _moved(battles[key], "settled")
        case SatOut():
            pass  # Its postings are all it changes.
        case _:
            assert_never(event)


def number_of(key: str) -> int:
    """Return the number people call a battle by: that of its key, so that it stays when an earlier one is struck."""
    return int(key.rpartition("-")[2])


def _moved(battle: Battle, stage: Stage) -> Battle:
    """Return the battle at another stage; written out, since a replay does it for every battle several times."""
    return Battle(battle.key, battle.number, battle.forces, stage, battle.mission, battle.played_on, battle.winners)


FAMILY = Family(
    actions=(ScheduleBattle, StartBattle, FinishBattle, CancelBattle, SettleBattle, SitOut),
    events=(BattleScheduled, BattleStarted, BattleFinished, BattleFought, BattleCancelled, BattleSettled, SatOut),
    decide=decide,
    evolve=evolve,
)
