from projections.entries import Reading
from projections.figures import (
    Balance,
    Total,
    accounts_of,
    figures_of,
    force_figures,
    purses_of,
    record_of,
    size_of,
)
from projections.moments import View


def test_a_purse_is_the_sum_of_what_came_and_went(book: Reading) -> None:
    assert purses_of(View(book).world, "ba") == {"points": Balance(5 + 10 - 12, "force:ba/points")}


def test_what_was_stated_on_paper_is_marked_for_ever(book: Reading) -> None:
    record = record_of(View(book).world, "sw")
    assert record["won"] == Balance(2, "force:sw/won", transcribed=True)
    assert record["played"] == Balance(2 + 1, "force:sw/played", transcribed=True)
    assert record["lost"] == Balance(1, "force:sw/lost")


def test_the_size_of_a_force_names_what_it_is_made_of(book: Reading) -> None:
    size = size_of(View(book).world, "ba")
    assert size == Total(1 + (5 - 2), "sum", ("model:raphael/count", "model:alpha/count"))
    assert accounts_of(size) == ("model:raphael/count", "model:alpha/count")


def test_a_force_without_models_has_the_size_of_nothing(book: Reading) -> None:
    assert size_of(View(book, as_of=4).world, "ba") == Total(0, "sum", ())


def test_what_the_campaign_counts_on_a_model_is_told_though_it_is_zero(book: Reading) -> None:
    world = View(book).world
    assert figures_of(world, "alpha") == {"count": Balance(3, "model:alpha/count"), "xp": Balance(0, "model:alpha/xp")}


def test_what_is_left_in_a_purse_that_the_campaign_gave_up_is_still_told(book: Reading) -> None:
    world = View(book).world.copy()
    world.settings["campaign.purses"] = ("gc",)
    world.settings["campaign.figures"] = ()
    assert [*purses_of(world, "ba")] == ["gc", "points"]
    assert [*figures_of(world, "raphael")] == ["count", "xp"]
    assert [*figures_of(world, "alpha")] == ["count"]


def test_every_figure_of_a_force_has_a_name_of_its_own(book: Reading) -> None:
    figures = force_figures(View(book).world, "ba")
    assert [*figures] == ["points", "played", "won", "drawn", "lost", "byes", "models"]
