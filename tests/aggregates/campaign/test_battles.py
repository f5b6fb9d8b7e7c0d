import pytest

from aggregates.campaign.battles import (
    FORCES_MAX,
    BattleCancelled,
    BattleFinished,
    BattleFought,
    BattleScheduled,
    BattleSettled,
    BattleStarted,
    CancelBattle,
    FinishBattle,
    SatOut,
    ScheduleBattle,
    SettleBattle,
    SitOut,
    StartBattle,
)
from aggregates.campaign.rulings import AnnulEntry
from aggregates.force.musters import DissolveForce, MusterForce
from aggregates.kinds import Action, Posting
from aggregates.state import Battle
from tests.aggregates.league import battle, league


def one(account: str) -> Posting:
    return Posting(account, 1)


def crowd(size: int) -> tuple[str, ...]:
    return tuple(f"f-{number}" for number in range(1, size + 1))


def test_a_battle_is_played_from_schedule_to_settlement() -> None:
    story = league()
    both = ("ba", "sw")
    story.when(
        ScheduleBattle(battle="battle-1", forces=both, mission="The bridge", played_on="2026-05-01"), by="ana"
    ).then(BattleScheduled(battle="battle-1", forces=both, mission="The bridge", played_on="2026-05-01"))
    story.when(StartBattle(battle="battle-1"), by="tom").then(BattleStarted(battle="battle-1", forces=both))
    story.when(FinishBattle(battle="battle-1", winners=("ba",)), by="ana").then(
        BattleFinished(battle="battle-1", forces=both, winners=("ba",), played_on="2026-05-01"),
        BattleFought(
            force="ba", battle="battle-1", outcome="won", postings=(one("force:ba/played"), one("force:ba/won"))
        ),
        BattleFought(
            force="sw", battle="battle-1", outcome="lost", postings=(one("force:sw/played"), one("force:sw/lost"))
        ),
    )
    story.when(SettleBattle(battle="battle-1")).then(BattleSettled(battle="battle-1"))
    assert story.world.battle("battle-1") == Battle(
        "battle-1", 1, both, "settled", "The bridge", "2026-05-01", winners=("ba",)
    )


def test_a_battle_without_a_winner_is_drawn_by_all() -> None:
    story = league().given(*battle(winners=()))
    drawn = {force: story.world.balance(f"force:{force}/drawn") for force in ("ba", "sw")}
    assert drawn == {"ba": 1, "sw": 1}
    assert story.world.balance("force:ba/won") == 0


def test_several_forces_win_on_one_side() -> None:
    story = league().given(MusterForce(force="iron", name="Iron", player="ana"))
    story.given(ScheduleBattle(battle="battle-1", forces=("ba", "sw", "iron")), StartBattle(battle="battle-1"))
    story.given(FinishBattle(battle="battle-1", winners=("ba", "iron")))
    won = {force: story.world.balance(f"force:{force}/won") for force in ("ba", "sw", "iron")}
    assert won == {"ba": 1, "sw": 0, "iron": 1}
    assert story.world.balance("force:sw/lost") == 1


@pytest.mark.parametrize("size", [2, FORCES_MAX])
def test_from_two_to_sixteen_forces_meet(size: int) -> None:
    story = league()
    story.given(*(MusterForce(force=key, name=key, player="ana") for key in crowd(size)))
    story.given(ScheduleBattle(battle="battle-1", forces=crowd(size)))
    assert story.world.battle("battle-1").forces == crowd(size)


@pytest.mark.parametrize("forces", [(), ("ba",), ("ba", "ba"), crowd(FORCES_MAX + 1)])
def test_fewer_than_two_or_more_than_sixteen_forces_do_not_meet(forces: tuple[str, ...]) -> None:
    story = league()
    story.given(*(MusterForce(force=key, name=key, player="ana") for key in crowd(FORCES_MAX + 1)))
    story.when(ScheduleBattle(battle="battle-1", forces=forces)).refused(
        "BATTLE_FORCES", given=len(forces), least=2, most=16
    )


def test_a_battle_is_scheduled_once() -> None:
    story = league().given(*battle(1))
    story.when(ScheduleBattle(battle="battle-1", forces=("ba", "sw"))).refused("BATTLE_EXISTS", battle="1")
    story.given(ScheduleBattle(battle="battle-2", forces=("ba", "sw")))


def test_a_battle_keeps_its_number_when_an_earlier_one_is_annulled() -> None:
    """People wrote "battle 2" on their sheets."""
    story = league().given(
        ScheduleBattle(battle="battle-1", forces=("ba", "sw")), ScheduleBattle(battle="battle-2", forces=("ba", "sw"))
    )
    story.given(AnnulEntry(entry=7))
    assert story.world.battle("battle-2").number == 2
    assert [battle.number for battle in story.world.battles.values()] == [2]


@pytest.mark.parametrize("key", ["battle-0", "battle-01", "battle-x", "battle-", "battle", "bridge", "battle-1\n"])
def test_a_battle_is_called_by_a_number(key: str) -> None:
    league().when(ScheduleBattle(battle=key, forces=("ba", "sw"))).refused("ACTION_MALFORMED", action="battle.schedule")


def test_forces_that_take_no_part_do_not_meet() -> None:
    story = league().given(MusterForce(force="iron", name="Iron", player="ana"), DissolveForce(force="iron"))
    story.when(ScheduleBattle(battle="battle-1", forces=("ba", "iron"))).refused("FORCE_DISSOLVED", force="Iron")
    story.when(ScheduleBattle(battle="battle-1", forces=("ba", "swi"))).refused(
        "FORCE_UNKNOWN", force="swi", nearest="sw"
    )


def test_who_has_no_part_in_a_battle_does_not_move_it() -> None:
    story = league().given(MusterForce(force="iron", name="Iron", player="paul"))
    story.when(ScheduleBattle(battle="battle-1", forces=("iron", "sw")), by="ana").refused(
        "NOT_YOUR_FORCE", player="Ana", force="Iron (Paul), Swift (Tom)", organisers="Paul"
    )
    story.given(ScheduleBattle(battle="battle-1", forces=("iron", "sw")), by="tom")
    begin, finish = StartBattle(battle="battle-1"), FinishBattle(battle="battle-1")
    cancel = CancelBattle(battle="battle-1")
    story.when(begin, by="ana").refused("NOT_YOUR_FORCE", player="Ana")
    story.when(cancel, by="ana").refused("NOT_YOUR_FORCE", player="Ana")
    story.given(begin, by="tom").when(finish, by="ana").refused("NOT_YOUR_FORCE", player="Ana")
    story.given(finish, by="tom")
    story.when(SettleBattle(battle="battle-1"), by="tom").refused("NOT_ORGANISER", player="Tom")


MOVES: dict[str, tuple[Action, ...]] = {
    "scheduled": battle()[:1],
    "started": battle()[:2],
    "finished": battle(),
    "settled": (*battle(), SettleBattle(battle="battle-1")),
    "cancelled": (*battle()[:1], CancelBattle(battle="battle-1")),
}
NEEDED: list[tuple[Action, tuple[str, ...]]] = [
    (StartBattle(battle="battle-1"), ("scheduled",)),
    (FinishBattle(battle="battle-1"), ("started",)),
    (CancelBattle(battle="battle-1"), ("scheduled", "started")),
    (SettleBattle(battle="battle-1"), ("finished",)),
]


@pytest.mark.parametrize("stage", MOVES)
@pytest.mark.parametrize(("move", "needed"), NEEDED)
def test_a_battle_moves_only_from_the_stage_before(stage: str, move: Action, needed: tuple[str, ...]) -> None:
    outcome = league().given(*MOVES[stage]).when(move)
    if stage in needed:
        outcome.accepted()
    else:
        outcome.refused("BATTLE_STAGE", battle=1, stage=stage, needed=needed)


def test_a_battle_nobody_scheduled_is_refused_with_those_there_are() -> None:
    story = league()
    story.when(StartBattle(battle="battle-1")).refused("BATTLE_UNKNOWN", battle="1", known="-")
    story.given(*battle(1))
    story.when(StartBattle(battle="battle-7")).refused("BATTLE_UNKNOWN", battle="7", known="1")


@pytest.mark.parametrize("winners", [("iron",), ("ba", "iron"), ("ba", "ba"), ("ba", "sw")])
def test_winners_fought_and_left_somebody_to_lose(winners: tuple[str, ...]) -> None:
    story = league().given(MusterForce(force="iron", name="Iron", player="ana"), *battle()[:2])
    story.when(FinishBattle(battle="battle-1", winners=winners)).refused(
        "WINNER_DID_NOT_FIGHT", winners=", ".join(winners), battle=1, forces="Blood, Swift"
    )


@pytest.mark.parametrize("day", ["2026-02-30", "2026-13-01", "0000-01-01", "2026-05-01\n", "٢٠٢٦-٠٥-٠١"])
def test_a_day_that_is_in_no_calendar_is_refused(day: str) -> None:
    story = league()
    story.when(ScheduleBattle(battle="battle-1", forces=("ba", "sw"), played_on=day)).refused("DAY_UNKNOWN", day=day)
    story.given(*battle()[:2])
    story.when(FinishBattle(battle="battle-1", played_on=day)).refused("DAY_UNKNOWN", day=day)


@pytest.mark.parametrize("day", ["1 May", "2026-5-1", "20260501", "2026-05-01T18:00"])
def test_a_day_is_written_year_month_day(day: str) -> None:
    asked = ScheduleBattle(battle="battle-1", forces=("ba", "sw"), played_on=day)
    league().when(asked).refused("ACTION_MALFORMED", action="battle.schedule")


def test_the_day_said_at_the_end_is_the_day_it_was_played() -> None:
    planned = ScheduleBattle(battle="battle-1", forces=("ba", "sw"), played_on="2024-02-29")
    story = league().given(planned, StartBattle(battle="battle-1"))
    story.given(FinishBattle(battle="battle-1", played_on="2024-03-01"))
    assert story.world.battle("battle-1").played_on == "2024-03-01"


def test_a_battle_is_struck_with_a_reason() -> None:
    story = league().given(*battle()[:2])
    story.when(CancelBattle(battle="battle-1", because="fire alarm"), by="tom").then(
        BattleCancelled(battle="battle-1", because="fire alarm")
    )
    assert story.world.balance("force:ba/played") == 0


def test_a_force_without_an_opponent_sits_out() -> None:
    story = league()
    story.when(SitOut(force="ba", because="odd number")).then(
        SatOut(force="ba", because="odd number", postings=(one("force:ba/byes"),))
    )
    assert story.world.balance("force:ba/byes") == 1
    assert story.world.balance("force:ba/played") == 0


def test_a_force_with_an_open_battle_does_not_sit_out() -> None:
    story = league().given(*battle()[:1])
    story.when(SitOut(force="ba")).refused("FORCE_IN_BATTLE", force="Blood", battles="1")
    story.given(CancelBattle(battle="battle-1"), SitOut(force="ba"))


def test_only_an_organiser_gives_a_bye() -> None:
    league().when(SitOut(force="ba"), by="ana").refused("NOT_ORGANISER", player="Ana", organisers="Paul")
