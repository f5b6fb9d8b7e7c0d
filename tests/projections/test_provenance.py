from projections.entries import Reading
from projections.figures import accounts_of, figures_of, force_figures
from projections.moments import View
from projections.provenance import trace


def test_every_posting_is_told_with_its_line_author_and_running_value(book: Reading) -> None:
    seen = View(book)
    steps = list(trace(seen.world, seen.recorded(), ("force:ba/points",), seen.struck))
    assert [(step.line, step.by, step.on_behalf_of, step.amount, step.balance) for step in steps] == [
        ("#5.1", "ana", "", 5, 5),
        ("#10.1", "paul", "ana", 10, 5 + 10),
        ("#15.1", "ana", "", -12, 5 + 10 - 12),
    ]
    assert [step.entry for step in steps] == ["#5", "#10", "#15"]


def test_a_struck_posting_is_told_and_not_added(book: Reading) -> None:
    seen = View(book)
    steps = list(trace(seen.world, seen.recorded(), ("force:sw/points",), seen.struck))
    assert [(step.amount, step.balance, step.struck, step.ruling) for step in steps] == [
        (12, 12, False, ""),
        (3, 12 + 3, False, ""),
        (4, 12 + 3, True, "#17"),
    ]


def test_what_was_stated_is_told_apart_from_what_was_earned(book: Reading) -> None:
    seen = View(book)
    steps = list(trace(seen.world, seen.recorded(), ("force:sw/points", "model:autarch/xp"), {}))
    assert [(step.line, step.transcribed) for step in steps] == [
        ("#6.1", True),
        ("#6.2", True),
        ("#11.1", False),
        ("#16.1", False),
    ]


def test_every_figure_is_the_sum_of_the_postings_it_cites(book: Reading) -> None:
    for as_of, known_at in ((None, None), (16, None), (None, 16), (12, 12), (5, None)):
        seen = View(book, as_of=as_of, known_at=known_at)
        world = seen.world
        figures = [figure for key in world.forces for figure in force_figures(world, key).values()]
        figures += [figure for key in world.models for figure in figures_of(world, key).values()]
        assert len(figures) >= len(world.forces) * 7
        for figure in figures:
            steps = trace(world, seen.recorded(), accounts_of(figure), seen.struck)
            assert sum(step.amount for step in steps if not step.struck) == figure.value
