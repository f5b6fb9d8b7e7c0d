"""A small season with everything a sheet has to tell: a force from paper, a battle, losses, and an entry struck."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from aggregates.campaign.battles import FinishBattle, ScheduleBattle, SettleBattle, StartBattle
from aggregates.campaign.founding import FoundCampaign, SetOption
from aggregates.campaign.players import JoinPlayer
from aggregates.campaign.rulings import AnnulEntry
from aggregates.force.models import ChangeModel, Figure, KillModel, NewModel
from aggregates.force.musters import MusterForce, TranscribeForce
from aggregates.force.points import GrantPoints, SpendPoints
from aggregates.kinds import Action, Request
from commands.record import Command, Recorder
from ledger.lines import read
from ledger.store import create
from projections.entries import Reading

ANGELS = MusterForce(
    force="ba",
    name="Blood Angels",
    player="ana",
    short="ba",
    purses=(Figure("points", 5),),
    models=(
        NewModel(key="raphael", name="Sergeant Raphael", kind="leader", labels=("sword",), figures=(Figure("xp", 3),)),
        NewModel(key="alpha", name="Alpha", count=5),
    ),
)
SPEARS = TranscribeForce(
    force="sw",
    name="Swift Spears",
    player="tom",
    because="their sheet of last year",
    purses=(Figure("points", 12), Figure("played", 2), Figure("won", 2)),
    models=(NewModel(key="autarch", name="Autarch", figures=(Figure("xp", 7),)),),
)

SEASON: tuple[tuple[str, str, Action], ...] = (
    ("paul", "", FoundCampaign(campaign="0" * 32, name="Vardia", organiser="paul", organiser_name="Paul")),
    ("paul", "", JoinPlayer(player="ana", name="Ana")),
    ("paul", "", JoinPlayer(player="tom", name="Tom")),
    ("paul", "", SetOption(option="campaign.figures", value=("xp",))),
    ("ana", "", ANGELS),
    ("paul", "", SPEARS),
    ("ana", "", ScheduleBattle(battle="battle-1", forces=("ba", "sw"), mission="Raid")),
    ("ana", "", StartBattle(battle="battle-1")),
    ("ana", "", FinishBattle(battle="battle-1", winners=("ba",))),
    ("paul", "ana", GrantPoints(force="ba", purse="points", amount=10, battle="battle-1")),
    ("paul", "", GrantPoints(force="sw", purse="points", amount=3, battle="battle-1")),
    ("ana", "", ChangeModel(model="raphael", figures=(Figure("xp", 2),), gains=("medal",))),
    ("ana", "", KillModel(model="alpha", count=2)),
    ("paul", "", SettleBattle(battle="battle-1")),
    ("ana", "", SpendPoints(force="ba", purse="points", amount=12, because="a jump pack")),
    ("paul", "", GrantPoints(force="sw", purse="points", amount=4, because="a slip of the pen")),
    ("paul", "", AnnulEntry(entry=16, because="never played")),
    ("tom", "", KillModel(model="autarch")),
    ("tom", "", ScheduleBattle(battle="battle-2", forces=("sw", "ba"))),
)
"""Who asks, for whom, and what; one entry each, on one day after the other from 1 February 2026 on."""

FIRST_DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)


def record_season(path: Path, *, upto: int = len(SEASON)) -> Path:
    """Record the season, or its first entries, in a new book."""
    with create(str(path)) as book:
        days = count()
        Recorder(book, lambda: _noon(next(days))).record(*map(_command, range(1, upto + 1), SEASON))
    return path


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """Open a book for reading its entries."""
    with read(str(path)) as lines:
        yield Reading(lines)


def _command(number: int, asked: tuple[str, str, Action]) -> Command:
    by, behalf, action = asked
    return Command(f"season-{number}", lambda world: [Request(by, action, behalf)])


def _noon(days: int) -> str:
    return (FIRST_DAY + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
