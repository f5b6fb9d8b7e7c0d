import pytest

from aggregates.state import World
from ledger.errors import Damaged
from projections.entries import Reading
from projections.moments import View
from projections.replay import Change, around, check, replay


def test_a_replay_from_nothing_comes_to_the_live_sheets(book: Reading) -> None:
    live = View(book)
    world = World()
    for step in replay(live.effective()):
        world = step.world
    assert world == live.world
    check(world, live.world)


def test_each_step_tells_what_its_entry_changed(book: Reading) -> None:
    changes = {step.entry.number: step.changes for step in replay(View(book).effective())}
    assert changes[15] == (Change("force:ba/points", 15, 3),)
    assert changes[16] == ()
    assert changes[13] == (Change("model:alpha/count", 5, 3),)


def test_a_replay_that_comes_to_something_else_is_told(book: Reading) -> None:
    live, other = View(book).world, View(book, as_of=14).world
    with pytest.raises(Damaged) as met:
        check(other, live)
    assert met.value.values == {"entry": 19, "accounts": ("force:ba/points", "model:autarch/count")}


def test_two_views_differ_by_what_a_ruling_took_away(book: Reading) -> None:
    before, after = (View(book, as_of=number, known_at=number) for number in (16, 17))
    assert around(before, after) == (Change("force:sw/points", 12 + 3 + 4, 12 + 3),)


def test_two_views_of_one_entry_do_not_differ(book: Reading) -> None:
    assert around(View(book, as_of=9), View(book, as_of=9)) == ()
