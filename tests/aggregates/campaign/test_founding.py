import pytest

from aggregates.campaign.battles import FinishBattle, ScheduleBattle, StartBattle
from aggregates.campaign.founding import (
    CampaignEnded,
    CampaignFounded,
    CampaignRenamed,
    CampaignReopened,
    ContentPinned,
    EndCampaign,
    FoundCampaign,
    OptionSet,
    PinContent,
    RenameCampaign,
    ReopenCampaign,
    SetOption,
)
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import JoinPlayer
from aggregates.campaign.rulings import AnnulEntry
from aggregates.force.points import GrantPoints
from aggregates.rules import Setting
from aggregates.state import Campaign, Pinned
from aggregates.testing import Story
from tests.aggregates.league import CAMPAIGN, battle, found, league


def test_founding_a_campaign_makes_its_first_organiser() -> None:
    story = Story()
    story.when(found()).then(CampaignFounded(campaign=CAMPAIGN, name="Vardia", organiser="paul", organiser_name="Paul"))
    assert story.world.campaign == Campaign(CAMPAIGN, "Vardia")
    assert story.world.players["paul"].role == "organiser"


def test_only_the_organiser_named_founds() -> None:
    Story().when(found(), by="ana").refused("NOT_ORGANISER", player="ana", organisers="Paul")


def test_nobody_is_founded_for() -> None:
    """The entry would name somebody who takes no part, for ever."""
    Story().when(found(), on_behalf_of="nobody").refused("SPEAKS_FOR_NOBODY")


def test_a_book_holds_one_campaign() -> None:
    league().when(found()).refused("CAMPAIGN_EXISTS", campaign="Vardia")


def test_nothing_happens_before_a_campaign_is_founded() -> None:
    Story().when(JoinPlayer(player="ana", name="Ana")).refused("NO_CAMPAIGN")
    Story().given(found(), JoinPlayer(player="ana", name="Ana"))


@pytest.mark.parametrize("key", ["0" * 31, "0" * 33, "0" * 31 + "A", "0" * 32 + "\n"])
def test_the_key_of_a_campaign_is_thirty_two_hex_digits(key: str) -> None:
    asked = FoundCampaign(campaign=key, name="Vardia", organiser="paul", organiser_name="Paul")
    Story().when(asked).refused("ACTION_MALFORMED", action="campaign.found")


def test_a_rule_system_nobody_knows_is_refused() -> None:
    Story().when(found("no-such")).refused("SYSTEM_UNKNOWN", system="no-such", nearest="-")


@pytest.mark.usefixtures("toy")
def test_a_rule_system_is_adopted_in_an_edition_there_is() -> None:
    def adopt(systems: tuple[str, ...], editions: tuple[str, ...]) -> FoundCampaign:
        return FoundCampaign(
            campaign=CAMPAIGN,
            name="Vardia",
            organiser="paul",
            organiser_name="Paul",
            systems=systems,
            editions=editions,
        )

    Story().when(adopt(("tpy",), ("1",))).refused("SYSTEM_UNKNOWN", system="tpy", nearest="toy")
    Story().when(adopt(("toy",), ("3",))).refused("EDITION_UNKNOWN", system="toy", edition="3", known="1, 2")
    Story().when(adopt(("toy",), ())).refused("SYSTEMS_MALFORMED", systems=("toy",), editions=())
    Story().when(adopt(("toy", "toy"), ("1", "2"))).refused("SYSTEMS_MALFORMED", systems=("toy", "toy"))
    story = Story().given(adopt(("toy",), ("2",)))
    assert story.world.founded().editions == ("2",)
    assert story.world.sheets == {"toy": {}}


def test_the_campaigns_name_is_corrected() -> None:
    story = league()
    story.when(RenameCampaign(name="Vardia")).refused("NOTHING_CHANGES", what="Vardia")
    story.when(RenameCampaign(name="Ash Wastes")).then(CampaignRenamed(name="Ash Wastes"))
    assert story.world.founded().name == "Ash Wastes"


def test_an_option_is_played_another_way_from_then_on() -> None:
    story = league()
    story.when(SetOption(option="campaign.overdraft", value="debt")).then(
        OptionSet(option="campaign.overdraft", value="debt")
    )
    assert story.world.settings == {"campaign.overdraft": "debt"}
    story.when(SetOption(option="campaign.overdraft", value="debt")).refused(
        "NOTHING_CHANGES", what="campaign.overdraft = debt"
    )
    story.given(SetOption(option="campaign.overdraft", value="refuse"))


def test_an_option_set_to_what_it_is_by_default_changes_nothing() -> None:
    league().when(SetOption(option="campaign.purses", value=("points",))).refused("NOTHING_CHANGES")


def test_an_option_nobody_knows_is_refused_with_the_nearest() -> None:
    league().when(SetOption(option="campaign.overdaft", value="debt")).refused(
        "CAMPAIGN_OPTION_UNKNOWN", option="campaign.overdaft", nearest="campaign.overdraft"
    )


@pytest.mark.parametrize(
    ("option", "value", "typed"),
    [
        ("campaign.overdraft", "never", "never"),
        ("campaign.overdraft", "Debt", "Debt"),
        ("campaign.overdraft", 1, "1"),
        ("campaign.overdraft", ("debt",), "debt"),
        ("campaign.purses", "gold", "gold"),
        ("campaign.purses", ("Gold",), "Gold"),
        ("campaign.purses", ("gold, silver",), "gold, silver"),
        ("campaign.purses", ("gold", "gold"), "gold, gold"),
    ],
)
def test_a_setting_that_is_not_as_the_option_reads_it_is_refused(option: str, value: Setting, typed: str) -> None:
    league().when(SetOption(option=option, value=value)).refused("OPTION_VALUE", option=option, value=typed)


def test_a_purse_cannot_be_called_like_a_count() -> None:
    story = league()
    story.when(SetOption(option="campaign.purses", value=("gold", "won"))).refused(
        "OPTION_VALUE", option="campaign.purses", value="won"
    )
    story.when(SetOption(option="campaign.figures", value=("count",))).refused(
        "OPTION_VALUE", option="campaign.figures", value="count"
    )
    story.given(SetOption(option="campaign.purses", value=("gold", "wins")))


def test_standings_count_what_somebody_counts() -> None:
    story = league()
    story.when(SetOption(option="campaign.standings", value=("won", "gold"))).refused(
        "OPTION_VALUE", option="campaign.standings", value="gold", accepted="won, drawn, played, points"
    )
    story.given(SetOption(option="campaign.purses", value=("gold",)))
    story.given(SetOption(option="campaign.standings", value=("won", "gold")))


def test_content_is_pinned_into_the_book_itself() -> None:
    story = league()
    content = {"pouch": {"price": 3, "faces": [3, 4]}}
    story.when(PinContent(kind="overlay", name="chests", content=content)).then(
        ContentPinned(kind="overlay", name="chests", content=content)
    )
    assert story.world.pinned == {"overlay/chests": Pinned("overlay", "chests", content)}


@pytest.mark.parametrize("value", [1.5, None, 2**53, -(2**53), {"a": [None]}, [[0.0]]])
def test_content_that_no_line_can_hold_is_refused_before_it_is_recorded(value: object) -> None:
    """Lines hold whole numbers of at most 2^53 - 1 and no null."""
    pinned = PinContent(kind="overlay", name="chests", content={"row": value})
    league().when(pinned).refused("CONTENT_MALFORMED")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("a\x1bb", "TEXT_CONTROL_CHAR"),
        ("a\u202eb", "TEXT_INVISIBLE_CHAR"),
        ({"\u202e": 1}, "TEXT_INVISIBLE_CHAR"),
        ([{"a": "\x00"}], "TEXT_CONTROL_CHAR"),
    ],
)
def test_hidden_characters_do_not_enter_with_content(value: object, code: str) -> None:
    league().when(PinContent(kind="overlay", name="chests", content={"row": value})).refused(code)


def test_content_is_not_nested_without_end() -> None:
    def nest(depth: int) -> PinContent:
        content: object = 1
        for _ in range(depth):
            content = [content]
        return PinContent(kind="overlay", name="chests", content={"row": content})

    league().given(nest(18))
    league().when(nest(19)).refused("CONTENT_MALFORMED")


@pytest.mark.parametrize("value", [2**53 - 1, -(2**53 - 1), "[red]", [], {}, {"a": [{"b": "=1+1"}]}])
def test_content_that_a_line_can_hold_is_pinned(value: object) -> None:
    league().given(PinContent(kind="overlay", name="chests", content={"row": value}))


def test_a_campaign_ends_when_no_battle_is_open() -> None:
    story = league().given(ScheduleBattle(battle="battle-1", forces=("ba", "sw")))
    story.when(EndCampaign()).refused("BATTLES_OPEN", battles="1")
    story.given(StartBattle(battle="battle-1"))
    story.when(EndCampaign()).refused("BATTLES_OPEN", battles="1")
    story.given(FinishBattle(battle="battle-1"))
    story.when(EndCampaign(because="summer")).then(CampaignEnded(because="summer"))
    assert story.world.founded().ended


def test_an_ended_campaign_takes_rulings_and_notes_until_it_is_reopened() -> None:
    story = league().given(*battle(), GrantPoints(force="ba", purse="points", amount=1), EndCampaign())
    for late in (GrantPoints(force="ba", purse="points", amount=1), RenameCampaign(name="Ash"), EndCampaign()):
        story.when(late).refused("CAMPAIGN_ENDED", campaign="Vardia")
    story.given(AddNote(text="well played"), AnnulEntry(entry=10))
    story.when(ReopenCampaign(because="one more")).then(CampaignReopened(because="one more"))
    story.given(GrantPoints(force="ba", purse="points", amount=1))
    assert story.world.purse("ba", "points") == 6


def test_a_campaign_that_goes_on_is_not_reopened() -> None:
    league().when(ReopenCampaign()).refused("CAMPAIGN_NOT_ENDED", campaign="Vardia")
