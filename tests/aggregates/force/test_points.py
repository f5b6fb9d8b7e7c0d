import pytest

from aggregates.campaign.battles import SettleBattle, StartBattle
from aggregates.campaign.founding import SetOption
from aggregates.force.models import AddModel, Figure, NewModel
from aggregates.force.musters import MusterForce
from aggregates.force.points import GrantPoints, PointsGranted, PointsSpent, SpendPoints
from aggregates.kinds import Action, Posting
from aggregates.testing import Story
from tests.aggregates.league import battle, league


def grant(amount: int, **more: str) -> GrantPoints:
    return GrantPoints(force="ba", purse="points", amount=amount, **more)


def spend(amount: int, **more: str) -> SpendPoints:
    return SpendPoints(force="ba", purse="points", amount=amount, **more)


def penniless() -> Story:
    return league().given(spend(5))


def test_points_are_earned_and_spent_on_the_purse_that_is_named() -> None:
    story = league().given(SetOption(option="campaign.purses", value=("points", "gold")))
    story.when(GrantPoints(force="ba", purse="gold", amount=30, because="loot")).then(
        PointsGranted(force="ba", purse="gold", amount=30, because="loot", postings=(Posting("force:ba/gold", 30),))
    )
    story.when(SpendPoints(force="ba", purse="gold", amount=12, because="boots"), by="ana").then(
        PointsSpent(force="ba", purse="gold", amount=12, because="boots", postings=(Posting("force:ba/gold", -12),))
    )
    assert story.world.purse("ba", "gold") == 18
    assert story.world.purse("ba", "points") == 5


@pytest.mark.parametrize("amount", [1, 9, 10])
def test_what_is_there_can_be_spent_to_the_last_point(amount: int) -> None:
    story = penniless().given(grant(10), spend(amount))
    assert story.world.purse("ba", "points") == 10 - amount


def test_one_point_more_than_there_is_cannot_be_spent() -> None:
    story = penniless().given(grant(10))
    story.when(spend(11), by="ana").refused(
        "PURSE_INSUFFICIENT", force="Blood", purse="points", has=10, needed=11, short=1
    )
    assert story.world.purse("ba", "points") == 10


def test_a_campaign_may_let_its_forces_go_into_debt() -> None:
    story = penniless().given(SetOption(option="campaign.overdraft", value="debt"), grant(10), spend(9), spend(2))
    assert story.world.purse("ba", "points") == -1


def test_a_debt_may_shrink_but_not_grow_once_debts_are_refused_again() -> None:
    story = penniless().given(SetOption(option="campaign.overdraft", value="debt"), spend(3))
    story.given(SetOption(option="campaign.overdraft", value="refuse"), grant(1))
    assert story.world.purse("ba", "points") == -2
    story.when(spend(1)).refused("PURSE_INSUFFICIENT", has=-2, needed=1, short=3)
    story.given(grant(3), spend(1))
    assert story.world.purse("ba", "points") == 0


@pytest.mark.parametrize("asked", [grant(0), spend(0)])
def test_a_movement_of_nothing_is_refused(asked: Action) -> None:
    league().when(asked).refused("AMOUNT_ZERO", purse="points")


@pytest.mark.parametrize("asked", [grant(-1), spend(-1)])
def test_an_amount_goes_the_way_its_action_says(asked: Action) -> None:
    league().when(asked).refused("AMOUNT_NEGATIVE", purse="points", amount=-1)


def test_a_movement_has_at_most_a_million_points() -> None:
    league().when(grant(1_000_001)).refused("ACTION_MALFORMED", action="points.grant")
    assert league().given(grant(1_000_000)).world.purse("ba", "points") == 1_000_005


def test_a_purse_the_campaign_does_not_have_is_refused_with_the_nearest() -> None:
    story = league()
    for asked in (GrantPoints(force="ba", purse="point", amount=1), SpendPoints(force="ba", purse="point", amount=1)):
        story.when(asked).refused("PURSE_UNKNOWN", purse="point", nearest="points", known="points")
    model = AddModel(force="ba", model=NewModel(key="kit", name="Kit"), cost=(Figure("gold", 1),))
    story.when(model).refused("PURSE_UNKNOWN", purse="gold")


def test_a_count_of_battles_is_no_purse() -> None:
    league().when(GrantPoints(force="ba", purse="won", amount=1)).refused("PURSE_UNKNOWN", purse="won")


def test_players_write_down_what_they_earned_only_where_the_campaign_says_so() -> None:
    story = league()
    story.when(grant(3), by="ana").refused("GRANTS_BY_ORGANISER", player="Ana", organisers="Paul")
    story.given(SetOption(option="campaign.grants", value="owner")).given(grant(3), by="ana")
    story.when(grant(3), by="tom").refused("NOT_YOUR_FORCE", player="Tom")
    assert story.world.purse("ba", "points") == 8


def test_what_is_earned_in_a_battle_is_written_down_when_it_is_finished() -> None:
    story = league().given(*battle()[:2])
    for asked in (grant(1, battle="battle-1"), spend(1, battle="battle-1")):
        story.when(asked).refused("BATTLE_STAGE", battle=1, stage="started", needed=("finished",))
    story.given(battle()[2], grant(1, battle="battle-1"), spend(1, battle="battle-1"), SettleBattle(battle="battle-1"))
    story.when(grant(1, battle="battle-1")).refused("BATTLE_STAGE", battle=1, stage="settled", needed=("finished",))


def test_only_who_fought_a_battle_earns_in_it() -> None:
    story = league().given(MusterForce(force="iron", name="Iron", player="ana"), *battle())
    story.when(GrantPoints(force="iron", purse="points", amount=1, battle="battle-1")).refused(
        "FORCE_NOT_IN_BATTLE", force="Iron", battle=1
    )
    story.when(grant(1, battle="battle-2")).refused("BATTLE_UNKNOWN", battle="2", known="1")
    story.when(StartBattle(battle="battle-1")).refused("BATTLE_STAGE", stage="finished")
