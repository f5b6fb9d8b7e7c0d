import json

import msgspec
import pytest

from projections.entries import Reading
from projections.moments import View
from projections.timeline import Filter, rules_of, timeline


def shown(book: Reading, wanted: Filter) -> list[int]:
    """Return the numbers of the entries that a filter lets through."""
    seen = View(book)
    return [told.number for told in timeline(seen.world, seen.recorded(), wanted, seen.struck)]


@pytest.mark.parametrize(
    ("wanted", "entries"),
    [
        (Filter(), list(range(1, 20))),
        (Filter(since=17), [18, 19]),
        (Filter(last=2), [18, 19]),
        (Filter(last=50, since=18), [19]),
        (Filter(player="tom"), [3, 6, 18, 19]),
        (Filter(player="ana"), [2, 5, 7, 8, 9, 10, 12, 13, 15]),
        (Filter(battle="battle-1"), [7, 8, 9, 10, 11, 14]),
        (Filter(tag="points.granted"), [10, 11, 16]),
        (Filter(tag="points."), [10, 11, 15, 16]),
        (Filter(force="ba"), [5, 7, 8, 9, 10, 12, 13, 15, 19]),
        (Filter(force="ba", player="ana", tag="model.", last=1), [13]),
        (Filter(player="nobody"), []),
    ],
)
def test_a_filter_shows_what_is_wanted_and_nothing_else(book: Reading, wanted: Filter, entries: list[int]) -> None:
    assert shown(book, wanted) == entries


def test_an_entry_is_told_with_what_was_asked_and_what_came_of_it(book: Reading) -> None:
    seen = View(book)
    told = json.loads(msgspec.json.encode(tuple(timeline(seen.world, seen.recorded(), Filter(), seen.struck))))
    members = {"number", "at", "by", "for", "action", "sentence", "rules", "lines"}
    assert [set(entry) - members for entry in told if entry["number"] != 16] == [set()] * 18
    assert all(members <= set(entry) for entry in told)
    assert (told[9]["by"], told[9]["for"], told[9]["at"]) == ("paul", "ana", "2026-02-10T12:00:00Z")
    assert told[9]["action"] == {
        "t": "points.grant",
        "force": "ba",
        "purse": "points",
        "amount": 10,
        "battle": "battle-1",
    }
    assert [line["number"] for line in told[8]["lines"]] == ["#9.1", "#9.2", "#9.3"]
    assert told[14]["lines"][0]["postings"] == [{"account": "force:ba/points", "amount": -12}]


def test_only_a_struck_entry_says_so(book: Reading) -> None:
    seen = View(book)
    told = tuple(timeline(seen.world, seen.recorded(), Filter(), seen.struck))
    assert [entry.number for entry in told if entry.struck] == [16]


def test_rules_are_cited_once_each(book: Reading) -> None:
    assert [rules_of(entry) for entry in View(book).recorded()] == [()] * 19
