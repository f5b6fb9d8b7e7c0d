"""The league in which the tests play: who takes part, and the stories they begin with."""

from collections.abc import Callable

from aggregates.campaign.battles import FinishBattle, ScheduleBattle, StartBattle
from aggregates.campaign.founding import FoundCampaign
from aggregates.campaign.players import JoinPlayer
from aggregates.force.models import Figure, NewModel
from aggregates.force.musters import MusterForce
from aggregates.kinds import Action, Refused
from aggregates.testing import Outcome, Story

CAMPAIGN = "0" * 32


def found(*systems: str) -> FoundCampaign:
    """Paul founds Vardia, with the first edition of each system."""
    return FoundCampaign(
        campaign=CAMPAIGN,
        name="Vardia",
        organiser="paul",
        organiser_name="Paul",
        systems=systems,
        editions=("1",) * len(systems),
    )


RAPH = NewModel(key="raph", name="Raph", kind="captain", labels=("sword",), figures=(Figure("experience", 3),))
CREW = NewModel(key="crew", name="Crew", count=5)

BLOOD = MusterForce(
    force="ba", name="Blood", short="b", player="ana", purses=(Figure("points", 5),), models=(RAPH, CREW)
)
SWIFT = MusterForce(force="sw", name="Swift", short="s", player="tom", purses=(Figure("points", 5),))


def league(*systems: str) -> Story:
    """Paul organises; Ana leads Blood with Raph and five of a crew, Tom leads Swift, Ren only reads. Six entries."""
    return Story().given(
        found(*systems),
        JoinPlayer(player="ana", name="Ana"),
        JoinPlayer(player="tom", name="Tom"),
        JoinPlayer(player="ren", name="Ren", role="reader"),
        BLOOD,
        SWIFT,
    )


def battle(number: int = 1, *, winners: tuple[str, ...] = ("ba",)) -> tuple[Action, ...]:
    """Blood and Swift meet, and it is known who won."""
    key = f"battle-{number}"
    return (
        ScheduleBattle(battle=key, forces=("ba", "sw")),
        StartBattle(battle=key),
        FinishBattle(battle=key, winners=winners),
    )


def trying(ask: Callable[[], object]) -> Outcome:
    """Return what came of asking the rules something that is not an action: the refusal, or nothing."""
    try:
        ask()
    except Refused as refusal:
        return Outcome((), refusal)
    return Outcome((), None)
