import pytest

from aggregates.campaign.battles import BattleCancelled, ScheduleBattle, StartBattle
from aggregates.campaign.founding import RenameCampaign
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import (
    ChangeRole,
    JoinPlayer,
    LeavePlayer,
    PlayerJoined,
    PlayerLeft,
    PlayerRenamed,
    PlayerReturned,
    RenamePlayer,
    ReturnPlayer,
    RoleChanged,
)
from aggregates.force.models import AddModel, KillModel, NewModel
from aggregates.force.musters import MusterForce, RenameForce
from aggregates.force.points import GrantPoints, SpendPoints
from aggregates.kinds import Role
from aggregates.state import Player
from tests.aggregates.league import battle, league


def test_somebody_joins_as_player_organiser_or_reader() -> None:
    story = league()
    story.when(JoinPlayer(player="eve", name="Eve")).then(PlayerJoined(player="eve", name="Eve", role="player"))
    story.when(JoinPlayer(player="max", name="Max", role="organiser")).then(
        PlayerJoined(player="max", name="Max", role="organiser")
    )
    assert story.world.players["max"] == Player("max", "Max", "organiser")


def test_a_key_is_given_once() -> None:
    story = league()
    story.when(JoinPlayer(player="ana", name="Other Ana")).refused("KEY_TAKEN", key="ana")
    story.given(JoinPlayer(player="ana-2", name="Other Ana"))


def test_a_name_is_given_once_even_when_its_player_left() -> None:
    story = league().given(LeavePlayer(player="tom"))
    story.when(JoinPlayer(player="tom-2", name="TOM")).refused("NAME_TAKEN", name="TOM", other="Tom")
    story.given(JoinPlayer(player="tom-2", name="Tom K."))


def test_a_late_joiner_takes_part_from_then_on() -> None:
    story = league().given(*battle(), JoinPlayer(player="eve", name="Eve"))
    story.given(MusterForce(force="iron", name="Iron", player="eve"), by="eve")
    story.given(ScheduleBattle(battle="battle-2", forces=("ba", "iron")), by="eve")
    assert story.world.battle("battle-2").number == 2
    assert story.world.balance("force:iron/played") == 0


def test_who_leaves_takes_no_further_part_and_their_scheduled_battles_are_cancelled() -> None:
    story = league().given(*battle(1), ScheduleBattle(battle="battle-2", forces=("ba", "sw")))
    story.when(LeavePlayer(player="tom", because="moved away")).then(
        PlayerLeft(player="tom", because="moved away"),
        BattleCancelled(battle="battle-2", because="moved away"),
    )
    assert story.world.battles["battle-1"].stage == "finished"
    assert story.world.battles["battle-2"].stage == "cancelled"
    story.when(AddNote(text="bye"), by="tom").refused("SPEAKER_HAS_LEFT", player="Tom")
    story.when(ScheduleBattle(battle="battle-3", forces=("ba", "sw"))).refused(
        "PLAYER_HAS_LEFT", player="Tom", force="Swift"
    )
    story.when(GrantPoints(force="sw", purse="points", amount=1)).refused("PLAYER_HAS_LEFT", player="Tom")
    story.when(RenameForce(force="sw", name="Slow")).refused("PLAYER_HAS_LEFT", player="Tom")
    story.when(AddModel(force="sw", model=NewModel(key="x", name="X"))).refused("PLAYER_HAS_LEFT", player="Tom")
    story.when(MusterForce(force="sw-2", name="Swifter", player="tom")).refused("PLAYER_HAS_LEFT", player="Tom")


def test_what_who_left_had_stays_on_record() -> None:
    story = league().given(*battle(winners=("sw",)), LeavePlayer(player="tom"))
    assert story.world.balance("force:sw/won") == 1
    assert story.world.purse("sw", "points") == 5


def test_nobody_leaves_in_the_middle_of_a_battle() -> None:
    story = league().given(ScheduleBattle(battle="battle-1", forces=("ba", "sw")))
    story.given(StartBattle(battle="battle-1"))
    story.when(LeavePlayer(player="tom")).refused("PLAYER_IN_BATTLE", player="Tom", battles="1")


def test_who_left_is_gone_until_they_return() -> None:
    story = league().given(LeavePlayer(player="ana"))
    story.when(LeavePlayer(player="ana")).refused("PLAYER_GONE", player="Ana")
    story.when(KillModel(model="raph")).refused("PLAYER_HAS_LEFT", player="Ana", force="Blood")
    story.when(ReturnPlayer(player="ana")).then(PlayerReturned(player="ana"))
    story.given(KillModel(model="raph"), by="ana")
    story.when(ReturnPlayer(player="ana")).refused("PLAYER_TAKES_PART", player="Ana")


def test_a_player_is_called_otherwise() -> None:
    story = league()
    story.when(RenamePlayer(player="ana", name="Ana")).refused("NOTHING_CHANGES", what="Ana")
    story.when(RenamePlayer(player="ana", name="tom")).refused("NAME_TAKEN", name="tom", other="Tom")
    story.when(RenamePlayer(player="ana", name="ANA")).then(PlayerRenamed(player="ana", name="ANA"))
    assert story.world.players["ana"].name == "ANA"


def test_a_role_is_changed_and_what_goes_with_it() -> None:
    story = league()
    story.when(ChangeRole(player="ana", role="player")).refused("NOTHING_CHANGES", what="Ana")
    story.when(ChangeRole(player="ana", role="organiser")).then(RoleChanged(player="ana", role="organiser"))
    story.given(RenameCampaign(name="Ash"), by="ana")
    story.given(ChangeRole(player="ana", role="player"))
    story.when(RenameCampaign(name="Vardia"), by="ana").refused("NOT_ORGANISER", player="Ana", organisers="Paul")


@pytest.mark.parametrize("role", ["player", "reader"])
def test_a_campaign_keeps_an_organiser(role: Role) -> None:
    story = league()
    story.when(ChangeRole(player="paul", role=role)).refused("LAST_ORGANISER", player="Paul")
    story.when(LeavePlayer(player="paul")).refused("LAST_ORGANISER", player="Paul")
    story.given(ChangeRole(player="ana", role="organiser"), ChangeRole(player="paul", role=role))
    assert story.world.players["paul"].role == role


def test_an_organiser_who_left_does_not_count_as_one() -> None:
    story = league().given(ChangeRole(player="ana", role="organiser"), LeavePlayer(player="ana"))
    story.when(LeavePlayer(player="paul")).refused("LAST_ORGANISER", player="Paul")


def test_a_player_nobody_knows_is_refused_with_the_nearest() -> None:
    story = league()
    for asked in (LeavePlayer(player="anna"), ReturnPlayer(player="anna"), RenamePlayer(player="anna", name="B")):
        story.when(asked).refused("PLAYER_UNKNOWN", player="anna", nearest="ana")
    story.when(SpendPoints(force="ba", purse="points", amount=1), by="anna").refused(
        "PLAYER_UNKNOWN", player="anna", nearest="ana"
    )
