import pytest

from aggregates.force.points import PointsSpent
from aggregates.kinds import Posting
from ledger import wording
from projections.entries import Reading
from projections.moments import View
from projections.sentences import tell_account, tell_entry, tell_event, tell_figure, tell_postings


def test_things_are_called_as_they_are_called_now(book: Reading) -> None:
    seen = View(book)
    told = {entry.number: tell_entry(seen.world, entry) for entry in seen.recorded()}
    assert "Blood Angels" in told[10]
    assert "10 points" in told[10]
    assert "(battle 1)" in told[10]
    assert "(a jump pack)" in told[15]
    assert "xp +2" in told[12]
    assert "+ medal" in told[12]
    assert "(Raid)" in told[7]


def test_what_a_world_does_not_hold_is_called_by_its_key(book: Reading) -> None:
    event = PointsSpent(force="ghosts", purse="points", amount=1, battle="battle-9")
    told = tell_event(View(book).world, event)
    assert "ghosts" in told
    assert "(battle 9)" in told


def test_every_sentence_of_the_season_has_all_its_values(book: Reading) -> None:
    seen = View(book)
    for language in wording.LANGUAGES:
        wording.use(language)
        told = [tell_event(seen.world, event) for entry in seen.recorded() for event in entry.events]
        assert [sentence for sentence in told if "{" in sentence or sentence.startswith("event.")] == []
    wording.use(None)


def test_an_account_is_called_by_its_owner_and_what_it_counts(book: Reading) -> None:
    world = View(book).world
    assert tell_account(world, "force:ba/points") == "Blood Angels points"
    assert tell_account(world, "model:raphael/xp") == "Sergeant Raphael xp"
    assert tell_account(world, "force:ghosts/gc") == "ghosts gc"


@pytest.mark.parametrize(("language", "told"), [("en", "won"), ("fr", "victoires")])
def test_what_the_program_counts_has_a_word_in_either_language(language: wording.Language, told: str) -> None:
    wording.use(language)
    assert tell_figure("won") == told
    assert tell_figure("wyrdstone") == "wyrdstone"
    wording.use(None)


def test_postings_are_listed_with_their_signs() -> None:
    postings = (Posting("force:ba/gc", -37), Posting("model:raphael/xp", 3))
    assert tell_postings(postings) == "gc -37, xp +3"
