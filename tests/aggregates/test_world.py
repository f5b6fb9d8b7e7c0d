"""The world decides: systems react, guard and ask for dice. The toy system stands for every rule system."""

import msgspec
import pytest

from aggregates import history, world
from aggregates.campaign.founding import PinContent, SetOption
from aggregates.campaign.rulings import AnnulEntry, UndoCommand
from aggregates.contract import DiceDue, System
from aggregates.force.points import SpendPoints
from aggregates.kinds import Event, Posting, Request
from aggregates.testing import Story
from ledger.dice import Roll
from tests.aggregates.league import battle, league
from tests.aggregates.toy import rules
from tests.aggregates.toy.rules import (
    BuyChest,
    ChestBought,
    ChestOpened,
    OpenChest,
    PrizeWon,
    SealWager,
    TellWager,
    Wager,
    WagerSealed,
    WagerTold,
    commit,
)

pytestmark = pytest.mark.usefixtures("toy")

SEAL = SealWager(force="ba", wager="first")
WAGER = Wager(stake=3, word="heron")
TELL = TellWager(force="ba", wager="first", stake=3, word="heron")


def toys() -> Story:
    """The league with the toy system after a battle that Blood won: two glory."""
    return league("toy").given(*battle())


def sealed() -> Story:
    """Blood has four glory and an open wager of three, entry #13."""
    story = toys().given(*battle(2))
    story.when(SEAL, by="ana", private=WAGER).accepted()
    return story


def glory(story: Story, force: str = "ba") -> int:
    return story.world.purse(force, "glory")


def kinds_of(story: Story) -> dict[int, str]:
    """Return what the audit finds beside agreement, by entry."""
    return {verdict.entry.number: verdict.kind for verdict in story.audit() if verdict.kind != "agrees"}


def buy(chest: str) -> BuyChest:
    return BuyChest(force="ba", chest=chest)


def opening(*rolls: tuple[int, ...]) -> OpenChest:
    return OpenChest(force="ba", rolls=tuple(Roll(dice) for dice in rolls))


def test_a_system_reacts_to_a_battle_in_the_same_entry() -> None:
    story = league("toy").given(*battle()[:2])
    events = story.when(battle()[2], by="tom").accepted()
    assert [event.__struct_config__.tag for event in events] == [
        "battle.finished",
        "battle.fought",
        "battle.fought",
        "toy.prize-won",
    ]
    assert events[-1] == PrizeWon(
        force="ba", battle="battle-1", rules=("TOY-01",), postings=(Posting("force:ba/glory", 2, "TOY-01"),)
    )
    assert glory(story) == 2
    assert glory(story, "sw") == 0


def test_a_system_nobody_adopted_does_not_react() -> None:
    assert glory(league().given(*battle())) == 0


def test_an_option_of_a_system_counts_from_where_it_is_set() -> None:
    story = toys()
    story.when(SetOption(option="toy.prize", value=21)).refused(
        "OPTION_VALUE", rule="TOY-01", option="toy.prize", value="21", accepted="0 … 20"
    )
    story.given(SetOption(option="toy.prize", value=20), *battle(2))
    assert glory(story) == 22
    story.given(SetOption(option="toy.prize", value=0), *battle(3))
    assert glory(story) == 22
    assert kinds_of(story) == {}


def test_a_number_that_is_none_is_no_setting() -> None:
    league("toy").when(SetOption(option="toy.prize", value="--5")).refused(
        "OPTION_VALUE", rule="TOY-01", option="toy.prize", value="--5"
    )
    league("toy").when(SetOption(option="toy.prize", value="5")).refused("OPTION_VALUE", option="toy.prize", value="5")


def test_an_option_of_a_system_is_unknown_where_nobody_adopted_it() -> None:
    league().when(SetOption(option="toy.prize", value=5)).refused("CAMPAIGN_OPTION_UNKNOWN", option="toy.prize")


def test_standings_may_count_a_purse_of_a_system() -> None:
    league("toy").given(SetOption(option="campaign.standings", value=("glory", "won")))
    league().when(SetOption(option="campaign.standings", value=("glory",))).refused("OPTION_VALUE", value="glory")


def test_what_a_row_costs_stands_in_the_event() -> None:
    story = toys()
    story.when(buy("pouch"), by="ana").then(
        ChestBought(
            force="ba",
            chest="pouch",
            price=2,
            rules=("TOY-02",),
            postings=(Posting("force:ba/glory", -2, "TOY-02"),),
        )
    )
    assert glory(story) == 0


def test_a_purse_of_a_system_is_not_overdrawn_either() -> None:
    story = toys()
    story.when(buy("purse")).refused(
        "PURSE_INSUFFICIENT", rule="TOY-02", force="Blood", purse="glory", has=2, needed=4, short=2
    )
    story.given(SetOption(option="campaign.overdraft", value="debt"), buy("purse"))
    assert glory(story) == -2


def test_a_row_nobody_wrote_is_refused_with_the_nearest() -> None:
    toys().when(buy("puch")).refused("ROW_UNKNOWN", table="chests", row="puch", nearest="pouch")


def test_an_overlay_counts_from_where_it_is_pinned() -> None:
    story = toys().given(buy("rust"))
    story.given(PinContent(kind="overlay", name="chests", content={"rust": {"price": 3}}))
    story.when(buy("rust")).refused("PURSE_INSUFFICIENT", rule="TOY-02", has=1, needed=3, short=2)
    story.given(*battle(2)).when(buy("rust")).then(
        ChestBought(
            force="ba", chest="rust", price=3, rules=("TOY-02",), postings=(Posting("force:ba/glory", -3, "TOY-02"),)
        )
    )
    assert glory(story) == 0
    assert kinds_of(story) == {}


def test_what_was_bought_by_an_overlay_depends_on_it() -> None:
    story = toys().given(PinContent(kind="overlay", name="chests", content={"rust": {"price": 2}}), buy("rust"))
    story.when(AnnulEntry(entry=10)).refused("ENTRIES_DEPEND", entry="#10", dependents=("#11",))
    story.given(AnnulEntry(entry=11), AnnulEntry(entry=10), buy("rust"))
    assert glory(story) == 1


def test_an_overlay_no_table_can_take_is_refused_where_it_is_used() -> None:
    story = toys().given(PinContent(kind="overlay", name="chests", content={"rust": {"price": "three"}}))
    story.when(buy("rust")).refused("OVERLAY_MALFORMED", table="chests", row="rust")


def test_a_price_changed_in_the_program_leaves_the_history_as_it_was_and_the_audit_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = toys().given(*battle(2), buy("pouch"), buy("rust"))
    dearer = msgspec.structs.replace(rules.CHESTS["pouch"], price=5)
    table = msgspec.structs.replace(rules.CHESTS, rows={**rules.CHESTS.rows, "pouch": dearer})
    monkeypatch.setattr(rules, "CHESTS", table)
    replayed = world.fold(world.World(), history.effective(story.entries, story.entries))
    assert replayed.purse("ba", "glory") == 1
    assert kinds_of(story) == {13: "refused"}
    story.when(buy("pouch")).refused("PURSE_INSUFFICIENT", rule="TOY-02", has=1, needed=5, short=4)


def test_an_option_bounded_more_tightly_since_leaves_the_history_as_it_was() -> None:
    story = toys().given(SetOption(option="toy.prize", value=10), *battle(2))
    tighter = msgspec.structs.replace(rules.PRIZE, most=5)
    world.plug(msgspec.structs.replace(rules.SYSTEM, options=(tighter,)))
    assert glory(story) == 12
    assert kinds_of(story) == {10: "refused"}


@pytest.mark.parametrize(
    ("rolls", "chest", "glory_found"),
    [
        (((1,),), "rust", 0),
        (((2,),), "rust", 0),
        (((3,),), "pouch", 1),
        (((5,), (1,)), "purse", 1),
        (((5,), (6,)), "purse", 6),
        (((6,), (1, 6)), "hoard", 12),
    ],
)
def test_a_die_finds_a_chest_and_its_row_asks_for_more_dice(
    rolls: tuple[tuple[int, ...], ...], chest: str, glory_found: int
) -> None:
    story = toys()
    asked = opening(*rolls)
    postings = (Posting("force:ba/glory", glory_found, "TOY-03"),) if glory_found else ()
    story.when(asked, by="ana").then(
        ChestOpened(force="ba", chest=chest, rolls=asked.rolls, rules=("TOY-03",), postings=postings)
    )
    assert glory(story) == 2 + glory_found


def test_the_dice_that_are_due_are_asked_for_one_after_the_other() -> None:
    now = toys().world
    first = DiceDue("toy.chest", 1, 6)
    assert world.due(now, opening()) == (first,)
    assert world.due(now, opening((3,))) == ()
    assert world.due(now, opening((5,))) == (DiceDue("toy.contents", 1, 6),)
    assert world.due(now, opening((6,))) == (DiceDue("toy.contents", 2, 6),)
    assert world.due(now, opening((6,), (1, 6))) == ()
    assert world.due(now, buy("rust")) == ()
    assert world.due(league().world, opening()) == ()


@pytest.mark.parametrize(
    ("rolls", "given", "needed"),
    [
        ((), "", "1"),
        (((3, 3),), "2", "1"),
        (((3,), (3,)), "1, 1", "1"),
        (((5,),), "1", "1, 1"),
        (((5,), (1, 2)), "1, 2", "1, 1"),
        (((6,), (1,)), "1, 1", "1, 2"),
        (((6,), (1, 2), (3,)), "1, 2, 1", "1, 2"),
    ],
)
def test_too_few_or_too_many_dice_are_refused(rolls: tuple[tuple[int, ...], ...], given: str, needed: str) -> None:
    toys().when(opening(*rolls)).refused("DICE_PATH_INVALID", rule="TOY-03", given=given, needed=needed)


@pytest.mark.parametrize(("rolls", "face"), [(((0,),), 0), (((7,),), 7), (((6,), (1, 7)), 7), (((-1,),), -1)])
def test_a_face_that_no_die_shows_is_refused(rolls: tuple[tuple[int, ...], ...], face: int) -> None:
    toys().when(opening(*rolls)).refused("DICE_OUT_OF_RANGE", rule="TOY-03", face=face, faces=6)
    assert world.due(toys().world, opening((7,))) == ()


def test_a_die_of_another_kind_is_refused() -> None:
    asked = OpenChest(force="ba", rolls=(Roll((3,), faces=8),))
    toys().when(asked).refused("DICE_PATH_INVALID", rule="TOY-03")


def test_where_dice_came_from_stands_in_the_event() -> None:
    asked = OpenChest(force="ba", rolls=(Roll((5,), source="house"), Roll((4,), source="table")))
    (event,) = toys().when(asked).accepted()
    assert b'"rolls":[{"dice":[5],"source":"house"},{"dice":[4]}]' in msgspec.json.encode(event)


def test_what_is_sealed_stands_in_no_line_until_it_is_told() -> None:
    story = sealed()
    entry = story.entries[-1]
    assert entry.events == (
        WagerSealed(force="ba", wager="first", commitment=commit("ba", "first", WAGER), rules=("TOY-04",)),
    )
    lines = b"".join([entry.asked, *(msgspec.json.encode(event) for event in entry.events)])
    assert b"heron" not in lines
    assert b"stake" not in lines
    assert glory(story) == 4


def test_a_wager_without_its_private_part_is_no_wager() -> None:
    toys().when(SEAL).refused("TOY_NOTHING_STAKED", rule="TOY-04", wager="first")


def test_a_force_has_one_open_wager() -> None:
    story = sealed()
    again = SealWager(force="ba", wager="second")
    story.when(again, private=WAGER).refused("TOY_WAGER_OPEN", rule="TOY-04", wager="first")
    story.given(TELL)
    story.when(again, private=WAGER).accepted()


def test_a_force_with_an_open_wager_spends_nothing_else() -> None:
    story = sealed()
    spend = SpendPoints(force="ba", purse="points", amount=1)
    for asked in (spend, buy("rust")):
        story.when(asked, by="ana").refused("TOY_SPENDING_FROZEN", rule="TOY-05", force="Blood", wager="first")
    story.given(SpendPoints(force="sw", purse="points", amount=1), opening((3,)), TELL, spend, buy("rust"))
    assert glory(story) == 4 + 1 - 3 - 1


def test_only_what_was_sealed_can_be_told() -> None:
    story = sealed()
    for asked in (
        TellWager(force="ba", wager="first", stake=2, word="heron"),
        TellWager(force="ba", wager="first", stake=3, word="crane"),
        TellWager(force="ba", wager="second", stake=3, word="heron"),
        TellWager(force="sw", wager="first", stake=3, word="heron"),
    ):
        story.when(asked).refused("TOY_WAGER_DIFFERS", rule="TOY-04", wager=asked.wager)
    story.when(TELL, by="ana").then(
        WagerTold(
            force="ba",
            wager="first",
            stake=3,
            word="heron",
            rules=("TOY-04",),
            postings=(Posting("force:ba/glory", -3, "TOY-04"),),
        )
    )
    story.when(TELL).refused("TOY_WAGER_DIFFERS", rule="TOY-04")


def test_the_audit_says_sealed_until_the_wager_is_told_and_decides_it_then() -> None:
    story = sealed()
    assert kinds_of(story) == {13: "sealed"}
    story.given(TELL)
    assert kinds_of(story) == {}


def test_a_commitment_to_something_else_is_found_when_the_wager_is_told() -> None:
    story = sealed().given(TELL)
    other = WagerSealed(force="ba", wager="first", commitment=commit("ba", "first", Wager(1, "x")), rules=("TOY-04",))
    story.entries[12] = msgspec.structs.replace(story.entries[12], events=(other,))
    assert kinds_of(story) == {13: "differs", 14: "refused"}


def test_a_seal_is_undone_and_the_force_spends_again() -> None:
    story = sealed()
    story.given(UndoCommand(entries=(13,)), by="ana").given(buy("rust"))
    assert story.world.sheets == {"toy": {}}
    assert kinds_of(story) == {13: "sealed"}


def test_what_a_seal_is_told_as_depends_on_the_seal() -> None:
    story = sealed().given(TELL)
    story.when(AnnulEntry(entry=13)).refused("ENTRIES_DEPEND", entry="#13", dependents=("#14",))
    story.given(AnnulEntry(entry=14))
    story.when(buy("rust")).refused("TOY_SPENDING_FROZEN", rule="TOY-05")


def test_a_prize_spent_since_depends_on_the_battle() -> None:
    story = toys().given(buy("pouch"))
    story.when(AnnulEntry(entry=9)).refused("ENTRIES_DEPEND", entry="#9", dependents=("#10",))
    story.given(AnnulEntry(entry=10), AnnulEntry(entry=9))
    assert glory(story) == 0


def test_systems_react_in_the_order_in_which_the_campaign_adopted_them() -> None:
    """The second sees what the first added; the first does not see what the second added."""
    seen: dict[str, list[str]] = {}

    def watcher(name: str) -> System:
        def react(now: world.World, events: tuple[Event, ...]) -> tuple[Event, ...]:
            seen[name] = [str(event.__struct_config__.tag) for event in events]
            return ()

        return System(name=name, editions=("1",), families=(), react=react)

    world.plug(watcher("first"))
    world.plug(watcher("last"))
    league("first", "toy", "last").given(*battle())
    assert seen["first"] == ["battle.finished", "battle.fought", "battle.fought"]
    assert seen["last"] == [*seen["first"], "toy.prize-won"]


def test_a_decision_changes_nothing_in_the_world_it_was_made_on() -> None:
    story = toys()
    before = story.world.copy()
    world.decide(story.world, Request("paul", buy("rust")))
    assert story.world == before
    assert story.world.balances == before.balances


def test_deciding_again_gives_the_same_events() -> None:
    story = toys()
    decided = [world.decide(story.world, Request("paul", opening((6,), (2, 2)))) for _ in range(2)]
    assert decided[0] == decided[1]


def test_the_copy_of_a_world_goes_its_own_way() -> None:
    story = sealed()
    before = story.world
    twin = before.copy()
    for event in story.given(TELL).entries[-1].events:
        world.evolve(twin, event)
    assert twin == story.world
    assert (twin.sheets, glory(story)) == ({"toy": {}}, 1)
    assert list(before.sheets["toy"]) == ["ba"]
    assert before.purse("ba", "glory") == 4


def test_a_world_is_equal_to_a_world_only() -> None:
    assert toys().world == toys().world
    assert toys().world != sealed().world
    assert toys().world != "a world"


def test_a_campaign_knows_the_actions_and_events_of_its_systems_only() -> None:
    assert {tag for tag in world.actions_of(("toy",)) if tag not in world.actions_of(())} == {
        "toy.buy-chest",
        "toy.open-chest",
        "toy.seal-wager",
        "toy.tell-wager",
    }
    assert set(world.events_of(("toy",))) - set(world.events_of(())) == {
        f"toy.{what}" for what in ("prize-won", "chest-bought", "chest-opened", "wager-sealed", "wager-told")
    }
    with pytest.raises(msgspec.ValidationError):
        world.action_decoder(()).decode(b'{"t":"toy.buy-chest","force":"ba","chest":"rust"}')
    decoded = world.action_decoder(("toy",)).decode(b'{"t":"toy.buy-chest","force":"ba","chest":"rust"}')
    assert decoded == buy("rust")
