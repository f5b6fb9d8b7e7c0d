import os
import time
from pathlib import Path

import pytest

from aggregates.campaign.founding import FoundCampaign
from aggregates.campaign.notes import AddNote
from aggregates.campaign.rulings import AnnulEntry
from aggregates.testing import Story
from ledger.errors import LedgerError, Misused, Refused
from projections.entries import Reading
from projections.moments import View, resolve_as_of, strikes, view
from tests.projections.season import reading, record_season


@pytest.mark.parametrize(
    ("typed", "entry"),
    [
        ("7", 7),
        ("#7", 7),
        (" 19 ", 19),
        ("battle:1", 14),
        ("BATTLE:1", 14),
        ("2026-02-03", 3),
        ("2030-01-01", 19),
    ],
)
def test_a_reader_names_an_entry_by_its_number_a_battle_or_a_day(book: Reading, typed: str, entry: int) -> None:
    assert resolve_as_of(book, typed) == entry


def test_a_battle_that_nobody_settled_ends_with_its_result(tmp_path: Path) -> None:
    with reading(record_season(tmp_path / "unsettled.db", upto=13)) as book:
        assert resolve_as_of(book, "battle:1") == 9


@pytest.mark.parametrize(
    ("typed", "kind", "code"),
    [
        ("0", Refused, "ENTRY_UNKNOWN"),
        ("20", Refused, "ENTRY_UNKNOWN"),
        ("battle:2", Refused, "BATTLE_STAGE"),
        ("battle:3", Refused, "BATTLE_UNKNOWN"),
        ("2026-01-31", Refused, "DAY_BEFORE_FOUNDING"),
        ("2026-02-30", Misused, "AS_OF_MALFORMED"),
        ("yesterday", Misused, "AS_OF_MALFORMED"),
        ("battle:", Misused, "AS_OF_MALFORMED"),
        ("-1", Misused, "AS_OF_MALFORMED"),
        ("", Misused, "AS_OF_MALFORMED"),
    ],
)
def test_what_names_no_entry_is_told(book: Reading, typed: str, kind: type[LedgerError], code: str) -> None:
    with pytest.raises(kind) as met:
        resolve_as_of(book, typed)
    assert met.value.code == code


def test_a_day_ends_at_midnight_where_the_reader_is(book: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry 3 was recorded on 3 February at noon in UTC; fourteen hours further east the next day had begun."""
    monkeypatch.setitem(os.environ, "TZ", "EAST-14")
    time.tzset()
    assert resolve_as_of(book, "2026-02-03") == 2


def test_a_view_of_today_leaves_out_what_a_ruling_struck(book: Reading) -> None:
    seen = View(book)
    assert seen.world.number == 19
    assert seen.world.purse("sw", "points") == 12 + 3
    assert seen.struck == {16: 17}


def test_a_view_of_the_past_knows_the_rulings_of_today(book: Reading) -> None:
    assert View(book, as_of=16).world.purse("sw", "points") == 12 + 3


def test_a_view_as_it_was_known_then_does_not(book: Reading) -> None:
    seen = View(book, known_at=16)
    assert (seen.world.number, seen.world.purse("sw", "points")) == (16, 12 + 3 + 4)
    assert seen.struck == {}


def test_a_view_tells_struck_entries_as_they_were_recorded(book: Reading) -> None:
    seen = View(book, as_of=17)
    recorded, effective = tuple(seen.recorded()), tuple(seen.effective())
    assert [entry.number for entry in recorded] == [entry.number for entry in effective] == list(range(1, 18))
    assert [len(entries[15].events) for entries in (recorded, effective)] == [1, 0]


def test_nobody_knew_what_was_not_recorded_yet(book: Reading) -> None:
    with pytest.raises(Refused) as met:
        view(book, "3", 20)
    assert (met.value.code, met.value.values) == ("ENTRY_UNKNOWN", {"entry": 20, "last": 19})


def test_a_ruling_counts_from_where_it_stands(book: Reading) -> None:
    rulings = book.rulings()
    assert [entry.number for entry in rulings] == [17]
    assert strikes(rulings) == {16: 17}
    assert strikes(rulings, known_at=16) == {}


def test_a_ruling_that_is_struck_itself_strikes_nothing() -> None:
    story = Story().given(
        FoundCampaign(campaign="0" * 32, name="Vardia", organiser="paul", organiser_name="Paul"),
        AddNote(text="a note"),
        AnnulEntry(entry=2),
        AnnulEntry(entry=3),
    )
    assert strikes(story.entries) == {3: 4}
    assert strikes(story.entries, known_at=3) == {2: 3}
