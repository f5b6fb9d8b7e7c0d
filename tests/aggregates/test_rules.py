"""Options and tables as data: what they take, what they answer, and what an overlay may change."""

from pathlib import Path

import msgspec
import pytest

from aggregates.campaign.founding import SetOption
from aggregates.options import OPTIONS
from aggregates.rules import Option, Table, find_option, nearest, overlay, read_table
from ledger import compiled
from tests.aggregates.league import league, trying
from tests.aggregates.toy.rules import CHESTS, PRIZE, Chest

KNOWN = {option.key: option for option in OPTIONS}
FOLDER = compiled.root() / "tests" / "aggregates" / "toy" / "tables"


def test_the_toys_table_is_what_people_wrote() -> None:
    source = FOLDER / "chests.toml"
    assert source.with_suffix(".json").read_bytes() == compiled.compile(source)
    assert CHESTS["hoard"] == Chest(faces=(6,), glory=5, more_dice=2, price=9)
    assert (CHESTS.name, CHESTS.revision) == ("chests", 1)


def test_a_released_table_is_read_strictly(tmp_path: Path) -> None:
    for row in ({"faces": [1], "glory": 0, "more_dice": 0, "price": 1, "colour": 1}, {"faces": [1]}):
        path = tmp_path / "chests.json"
        path.write_bytes(msgspec.json.encode({"name": "chests", "revision": 1, "rows": {"rust": row}}))
        with pytest.raises(msgspec.ValidationError):
            read_table(path, Chest)


def test_a_row_that_is_not_there_is_refused_with_the_nearest() -> None:
    trying(lambda: CHESTS["puch"]).refused("ROW_UNKNOWN", table="chests", row="puch", nearest="pouch")
    trying(lambda: CHESTS["pouch"]).accepted()


def test_an_overlay_names_only_what_differs() -> None:
    changed = overlay(CHESTS, {"pouch": {"price": 3}, "crate": {"faces": [], "glory": 2, "more_dice": 0, "price": 1}})
    assert changed["pouch"] == msgspec.structs.replace(CHESTS["pouch"], price=3)
    assert changed["crate"] == Chest(faces=(), glory=2, more_dice=0, price=1)
    assert changed["hoard"] == CHESTS["hoard"]
    assert CHESTS["pouch"].price == 2


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("pouch", {"price": "three"}),
        ("pouch", {"price": 0}),
        ("pouch", {"colour": 1}),
        ("crate", {"price": 1}),
        ("pouch", 3),
        ("pouch", ["price", 3]),
    ],
)
def test_an_overlay_that_no_row_can_be_is_refused_by_its_row(key: str, change: object) -> None:
    def lay() -> Table[Chest]:
        return overlay(CHESTS, {key: change})  # type: ignore[dict-item]  # content comes as people wrote it

    trying(lay).refused("OVERLAY_MALFORMED", table="chests", row=key)


def test_a_choice_takes_its_words_however_they_are_typed() -> None:
    assert KNOWN["campaign.overdraft"].read(" Debt ") == "debt"
    trying(lambda: KNOWN["campaign.overdraft"].read("never")).refused(
        "OPTION_VALUE", option="campaign.overdraft", value="never", accepted="refuse, debt"
    )


@pytest.mark.parametrize("typed", ["21", "-1", "two", "1.5", "1e1", "٣", "0x10", "1_0", "", "--5", "-", "9" * 5000])
def test_a_number_out_of_bounds_or_shape_is_refused_with_the_bounds(typed: str) -> None:
    outcome = trying(lambda: PRIZE.read(typed))
    outcome.refused("OPTION_VALUE", rule="TOY-01", option="toy.prize", value=typed, accepted="0 … 20")


@pytest.mark.parametrize(("typed", "number"), [("0", 0), ("20", 20), (" 7 ", 7), ("007", 7)])
def test_a_number_inside_its_bounds_is_read(typed: str, number: int) -> None:
    assert PRIZE.read(typed) == number


def test_a_number_may_be_negative_where_the_option_says_so() -> None:
    frost = Option(key="toy.frost", takes="number", default=0, least=-5, most=5)
    assert frost.read("-5") == -5
    trying(lambda: frost.read("-6")).refused("OPTION_VALUE", option="toy.frost", accepted="-5 … 5")


def test_a_list_takes_each_name_once() -> None:
    assert KNOWN["campaign.purses"].read("Gold, prestige_points ,") == ("gold", "prestige-points")


@pytest.mark.parametrize("typed", ["gold, gold", "gold pieces", "or,-x", "a" * 41, "or/ba"])
def test_a_list_with_what_is_no_name_is_refused(typed: str) -> None:
    trying(lambda: KNOWN["campaign.purses"].read(typed)).refused("OPTION_VALUE", value=typed, accepted="a-z 0-9 -")


def test_a_list_may_be_limited_to_words() -> None:
    seasons = Option(key="toy.seasons", takes="list", default=(), values=("spring", "autumn"))
    assert seasons.read("autumn,spring") == ("autumn", "spring")
    trying(lambda: seasons.read("winter")).refused("OPTION_VALUE", value="winter", accepted="spring, autumn")


def test_an_option_is_found_by_its_key_or_the_end_of_it() -> None:
    assert find_option(KNOWN, "campaign.overdraft").key == "campaign.overdraft"
    assert find_option(KNOWN, "OVERDRAFT").key == "campaign.overdraft"
    twins = {**KNOWN, "toy.over-draft": PRIZE, "sky.over-draft": PRIZE}
    assert find_option({**KNOWN, "toy.over-draft": PRIZE}, "over_draft") is PRIZE
    trying(lambda: find_option(twins, "over-draft")).refused("CAMPAIGN_OPTION_UNKNOWN", option="over-draft")
    trying(lambda: find_option(KNOWN, "overdaft")).refused(
        "CAMPAIGN_OPTION_UNKNOWN", option="overdaft", nearest="campaign.overdraft"
    )


def test_the_nearest_word_is_the_one_that_looks_alike_or_the_first_few() -> None:
    assert nearest("goldd", ("gold", "glory")) == "gold"
    assert nearest("xyz", ("gold", "glory")) == "gold, glory"
    assert nearest("xyz", ()) == "-"


def test_every_option_accepts_its_own_default() -> None:
    for option in (*OPTIONS, PRIZE):
        default = option.default
        assert option.read(", ".join(default) if isinstance(default, tuple) else str(default)) == default


def test_what_a_campaign_plays_is_what_it_set_else_the_default() -> None:
    story = league()
    overdraft = KNOWN["campaign.overdraft"]
    assert overdraft.of(story.world.settings) == "refuse"
    story.given(SetOption(option="campaign.overdraft", value="debt"))
    assert overdraft.of(story.world.settings) == "debt"
