import pytest

from aggregates.campaign.battles import FinishBattle, ScheduleBattle, StartBattle
from aggregates.campaign.founding import FoundCampaign, SetOption
from aggregates.campaign.players import JoinPlayer, LeavePlayer
from aggregates.force.models import Figure
from aggregates.force.musters import DissolveForce, MusterForce
from aggregates.testing import Story
from projections.standings import criteria_of, standings


@pytest.fixture
def league() -> Story:
    """Four forces: the wolves beat the bears, the crows have more points than the boars."""
    story = Story().given(
        FoundCampaign(campaign="0" * 32, name="Vardia", organiser="paul", organiser_name="Paul"),
        SetOption(option="campaign.standings", value=("won", "points")),
    )
    for name, points in (("wolves", 1), ("bears", 9), ("boars", 4), ("crows", 7)):
        story.given(
            JoinPlayer(player=f"of-{name}", name=f"Of {name}"),
            MusterForce(force=name, name=name.title(), player=f"of-{name}", purses=(Figure("points", points),)),
        )
    return story.given(
        ScheduleBattle(battle="battle-1", forces=("wolves", "bears")),
        StartBattle(battle="battle-1"),
        FinishBattle(battle="battle-1", winners=("wolves",)),
    )


def test_forces_are_ranked_by_the_first_criterion_in_which_they_differ(league: Story) -> None:
    assert criteria_of(league.world) == ("won", "points")
    assert [(one.place, one.force, one.decided_by) for one in standings(league.world)] == [
        (1, "wolves", ""),
        (2, "bears", "won"),
        (3, "crows", "points"),
        (4, "boars", "points"),
    ]


def test_equal_forces_share_a_place_and_the_next_is_counted_on(league: Story) -> None:
    league.given(SetOption(option="campaign.standings", value=("won",)))
    assert [(one.place, one.force, one.decided_by) for one in standings(league.world)] == [
        (1, "wolves", ""),
        (2, "bears", "won"),
        (2, "boars", ""),
        (2, "crows", ""),
    ]


def test_who_no_longer_takes_part_stands_at_the_end_without_a_place(league: Story) -> None:
    league.given(LeavePlayer(player="of-wolves"), DissolveForce(force="crows"))
    told = standings(league.world)
    assert [(one.place, one.force, one.left) for one in told] == [
        (1, "bears", False),
        (2, "boars", False),
        (0, "wolves", True),
        (0, "crows", True),
    ]
    assert told[2].record["won"].value == 1


def test_a_campaign_without_forces_has_no_places() -> None:
    founding = FoundCampaign(campaign="0" * 32, name="Vardia", organiser="paul", organiser_name="Paul")
    assert standings(Story().given(founding).world) == ()
