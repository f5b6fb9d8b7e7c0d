"""What text may enter the book, as names are typed; amounts and numbers are tried where they are asked for."""

import pytest

from aggregates.campaign.founding import RenameCampaign
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import JoinPlayer
from aggregates.force.models import AddModel, NewModel
from aggregates.testing import Outcome
from aggregates.text import clean, fold
from ledger.errors import Misused
from tests.aggregates.league import league


def called(name: str) -> Outcome:
    """Let a player of this name join the league."""
    return league().when(JoinPlayer(player="new", name=name))


def name_of_new(name: str) -> str:
    story = league()
    story.given(JoinPlayer(player="new", name=name))
    return story.world.players["new"].name


@pytest.mark.parametrize("name", ["", " ", " \u00a0\u2003\u2028 "])
def test_a_name_needs_something_that_can_be_seen(name: str) -> None:
    called(name).refused("NAME_EMPTY")


def test_a_name_may_be_a_single_character() -> None:
    assert name_of_new("A") == "A"


@pytest.mark.parametrize(
    "name",
    [
        "[red]Bob[/nope]",
        "=1+1",
        "<script>",
        "../x",
        "../../etc/passwd",
        "'); DROP TABLE stored_events;--",
        "{player}",
        "CON",
        'O\'Brien & "Söhne"',
        "Ελένη",
        "光",
        "-x",
    ],
)
def test_markup_formulas_and_paths_are_names_like_any_other(name: str) -> None:
    assert name_of_new(name) == name


@pytest.mark.parametrize("name", ["Bob!\ufe0f", "Bob.\ufe0f", "Bob+\ufe0f", "Bob?\ufe0e"])
def test_a_selector_behind_a_sign_of_writing_does_not_make_another_name(name: str) -> None:
    called(name).refused("NAME_INVISIBLE_CHAR", position=5)


@pytest.mark.parametrize("name", ["👩‍🚀 Ada", "👨‍👩‍👧", "👩🏽‍🚀", "🏳️‍🌈", "❤️‍🔥", "🏃‍♂️", "1️⃣", "‼️", "↔️"])
def test_pictures_joined_to_one_are_accepted(name: str) -> None:
    assert name_of_new(name) == name


@pytest.mark.parametrize(("name", "position"), [("a\u200db", 2), ("\u200d👩", 1), ("👩\u200d", 2), ("👩\u200da", 2)])
def test_a_joiner_that_joins_no_two_pictures_is_refused(name: str, position: int) -> None:
    called(name).refused("NAME_INVISIBLE_CHAR", point="U+200D", position=position)


@pytest.mark.parametrize(
    ("character", "point"),
    [
        ("\x1b", "U+001B"),
        ("\x07", "U+0007"),
        ("\r", "U+000D"),
        ("\n", "U+000A"),
        ("\0", "U+0000"),
        ("\t", "U+0009"),
        ("\x7f", "U+007F"),
        ("\x9b", "U+009B"),
    ],
)
def test_a_control_character_is_named_with_its_place(character: str, point: str) -> None:
    called(f"Ana{character}B").refused("NAME_CONTROL_CHAR", point=point, position=4)


def test_a_place_is_counted_in_what_was_typed() -> None:
    called("  Ana\x1b").refused("NAME_CONTROL_CHAR", point="U+001B", position=6)


@pytest.mark.parametrize(
    ("character", "point"),
    [
        ("\u202e", "U+202E"),
        ("\u2066", "U+2066"),
        ("\u200b", "U+200B"),
        ("\u200e", "U+200E"),
        ("\ufeff", "U+FEFF"),
        ("\u00ad", "U+00AD"),
        ("\U000e0041", "U+E0041"),
        ("\u3164", "U+3164"),
        ("\u2800", "U+2800"),
    ],
)
def test_an_invisible_character_is_named_with_its_place(character: str, point: str) -> None:
    called(f"Bo{character}b").refused("NAME_INVISIBLE_CHAR", point=point, position=3)


@pytest.mark.parametrize("selector", ["\ufe0e", "\ufe0f", "\ufe00", "\u180b", "\U000e0100"])
def test_a_selector_that_nobody_sees_does_not_make_another_name(selector: str) -> None:
    """A variation selector changes how a picture is drawn; behind a letter it changes nothing."""
    called(f"Ana{selector}").refused("NAME_INVISIBLE_CHAR", position=4)


def test_bytes_that_were_no_text_are_misuse() -> None:
    with pytest.raises(Misused) as misused:
        called("Bob\udcff")
    assert misused.value.code == "TEXT_NOT_UTF8"
    assert misused.value.status == 2


def test_two_hundred_marks_on_three_letters_are_too_many() -> None:
    called("abc" + "\u0348" * 200).refused("NAME_TOO_MANY_MARKS", most=4, position=8)


def test_four_marks_on_a_letter_are_enough() -> None:
    assert name_of_new("q" + "\u0348" * 4) == "q" + "\u0348" * 4
    called("q" + "\u0348" * 5).refused("NAME_TOO_MANY_MARKS", most=4, position=6)


def test_a_name_has_at_most_sixty_four_characters() -> None:
    called("é" * 65).refused("NAME_TOO_LONG", length=65, most=64, size=130, most_bytes=256)
    assert name_of_new("é" * 64) == "é" * 64


def test_a_name_has_at_most_two_hundred_and_fifty_six_bytes() -> None:
    """Sixty-four characters of four bytes are as many bytes as there may be."""
    assert name_of_new("🎲" * 64) == "🎲" * 64
    called("🎲" * 64 + "a").refused("NAME_TOO_LONG", length=65, most=64, size=257, most_bytes=256)


def test_a_name_of_ten_thousand_characters_is_refused_with_its_length() -> None:
    called("a" * 10_000).refused("NAME_TOO_LONG", length=10_000, most=64, size=10_000)


def test_names_are_kept_in_one_spelling() -> None:
    assert name_of_new("A\u0301nna") == "Ánna"
    assert name_of_new("  Bob\u00a0Smith\u2028Jr ") == "Bob Smith Jr"


@pytest.mark.parametrize("name", ["ánna", "ÁNNA", "A\u0301nna", "\uff21\u0301nna", " Ánna "])
def test_a_name_people_would_take_for_another_is_taken(name: str) -> None:
    story = league().given(JoinPlayer(player="anna", name="Ánna"))
    story.when(JoinPlayer(player="new", name=name)).refused("NAME_TAKEN", name=clean(name, "name"), other="Ánna")


def test_a_name_that_differs_by_a_letter_is_another() -> None:
    league().given(JoinPlayer(player="anna", name="Ánna")).given(JoinPlayer(player="new", name="Anna"))


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ﬁne", "FINE"), ("Ⅳ", "iv"), ("K", "k")])
def test_spellings_of_one_name_have_the_same_fold(one: str, other: str) -> None:
    assert one != other
    assert fold(one) == fold(other)


def test_a_remark_is_one_line_of_at_most_five_hundred_characters() -> None:
    story = league()
    story.when(AddNote(text="a" * 501)).refused("TEXT_TOO_LONG", length=501, most=500, size=501, most_bytes=2000)
    story.when(AddNote(text="a\x1bb")).refused("TEXT_CONTROL_CHAR", point="U+001B", position=2)
    story.when(AddNote(text="a\u202eb")).refused("TEXT_INVISIBLE_CHAR", point="U+202E", position=2)
    story.when(AddNote(text="a" + "\u0348" * 5)).refused("TEXT_TOO_MANY_MARKS", most=4, position=6)
    story.given(AddNote(text="a" * 500), AddNote(text=" = 2 points,\u2029said Tom "))
    assert story.entries[-1].asked == b'{"t":"note.add","text":"= 2 points, said Tom"}'


def test_a_name_inside_a_new_model_is_tidied_too() -> None:
    story = league().given(
        AddModel(force="ba", model=NewModel(key="leo", name=" Le\u0301o ", labels=(" big\u00a0axe",)))
    )
    assert story.world.models["leo"].name == "Léo"
    assert story.world.models["leo"].labels == ("big axe",)
    bad = NewModel(key="max", name="Max", labels=("axe\x1b",))
    story.when(AddModel(force="ba", model=bad)).refused("NAME_CONTROL_CHAR", point="U+001B", position=4)


@pytest.mark.parametrize("key", ["", "Ana", "ana b", "-ana", "ána", "a" * 41, "ana\n", "../x"])
def test_a_key_that_is_none_is_out_of_the_actions_form(key: str) -> None:
    league().when(JoinPlayer(player=key, name="New")).refused("ACTION_MALFORMED", action="player.join")


def test_a_key_has_at_most_forty_characters() -> None:
    league().given(JoinPlayer(player="a" * 40, name="New"))


def test_a_campaign_is_renamed_as_it_is_kept() -> None:
    league().when(RenameCampaign(name=" Vardia ")).refused("NOTHING_CHANGES", what="Vardia")
