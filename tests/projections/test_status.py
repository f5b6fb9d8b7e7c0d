from aggregates.campaign.battles import CancelBattle, FinishBattle, ScheduleBattle, SettleBattle, StartBattle
from aggregates.campaign.founding import EndCampaign, FoundCampaign
from aggregates.campaign.players import ChangeRole, JoinPlayer, LeavePlayer
from aggregates.force.musters import MusterForce
from aggregates.testing import Story
from projections.status import Todo, status


def campaign() -> Story:
    """Return a campaign with two players, one of whom leads a force."""
    return Story().given(
        FoundCampaign(campaign="0" * 32, name="Vardia", organiser="paul", organiser_name="Paul"),
        JoinPlayer(player="ana", name="Ana"),
        JoinPlayer(player="tom", name="Tom"),
        MusterForce(force="ba", name="Blood Angels", player="ana"),
    )


def todo(story: Story) -> list[tuple[tuple[str, ...], str, str]]:
    """Return who has to do what, and the command for it."""
    return [(one.who, one.what, one.command) for one in status(story.world).todo]


def test_who_leads_nothing_is_asked_for_a_force() -> None:
    assert status(campaign().world).todo == (Todo(("tom",), "muster", "", "campaign force muster FILE --player tom"),)


def test_a_battle_is_asked_for_step_by_step_until_it_is_settled() -> None:
    story = campaign().given(MusterForce(force="sw", name="Swift Spears", player="tom"))
    assert todo(story) == [(("paul",), "schedule", "campaign battle schedule FORCE:FORCE")]
    story.given(ScheduleBattle(battle="battle-1", forces=("ba", "sw")))
    assert todo(story) == [(("ana", "tom"), "start", "campaign battle start 1")]
    story.given(StartBattle(battle="battle-1"))
    assert todo(story) == [(("ana", "tom"), "finish", "campaign battle finish 1 --winner FORCE")]
    story.given(FinishBattle(battle="battle-1"))
    asked = [(("paul",), "schedule", "campaign battle schedule FORCE:FORCE")]
    assert todo(story) == [*asked, (("paul",), "settle", "campaign battle settle 1")]
    story.given(SettleBattle(battle="battle-1"))
    assert todo(story) == asked


def test_open_battles_are_those_that_wait_for_somebody() -> None:
    story = campaign().given(MusterForce(force="sw", name="Swift Spears", player="tom"))
    for number in (1, 2, 3):
        story.given(ScheduleBattle(battle=f"battle-{number}", forces=("ba", "sw")))
    story.given(CancelBattle(battle="battle-1"), StartBattle(battle="battle-2"), FinishBattle(battle="battle-2"))
    now = status(story.world)
    assert ([battle.number for battle in now.open_battles], now.finished) == ([2, 3], 1)


def test_people_are_told_by_what_they_are_now() -> None:
    story = campaign().given(ChangeRole(player="ana", role="organiser"), LeavePlayer(player="tom"))
    now = status(story.world)
    assert (now.organisers, now.players, now.gone) == (("paul", "ana"), (), ("tom",))


def test_an_ended_campaign_asks_for_nothing() -> None:
    now = status(campaign().given(EndCampaign()).world)
    assert (now.ended, now.todo) == (True, ())
