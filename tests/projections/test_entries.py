import sqlite3
from pathlib import Path

import pytest

from ledger.errors import Damaged, Refused
from ledger.lines import SCHEMA
from ledger.store import create
from projections.entries import Reading
from projections.moments import View
from tests.projections.season import SEASON, reading, record_season


def test_a_book_reads_back_as_the_entries_that_were_asked(book: Reading) -> None:
    entries = list(book.entries())
    assert [entry.number for entry in entries] == list(range(1, len(SEASON) + 1))
    assert [(entry.by, entry.on_behalf_of) for entry in entries] == [(by, behalf) for by, behalf, _ in SEASON]
    assert [type(event).__name__ for event in entries[8].events] == ["BattleFinished", "BattleFought", "BattleFought"]


def test_entries_can_be_read_from_a_position_on(book: Reading) -> None:
    first_lines = 1 + len(next(iter(book.entries())).events)
    assert [entry.number for entry in book.entries(after=first_lines)] == list(range(2, 20))


def test_a_book_without_a_line_holds_no_campaign(tmp_path: Path) -> None:
    with create(str(tmp_path / "empty.db")) as empty, pytest.raises(Refused) as met:
        View(Reading(empty))
    assert met.value.code == "NO_CAMPAIGN"


def test_a_line_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = record_season(tmp_path / "vardia.db")
    (guard,) = (statement for statement in SCHEMA if "lines_stay" in statement)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER lines_stay")
        connection.execute("UPDATE stored_events SET state = CAST('{}' AS BLOB) WHERE id = 20")
        connection.execute(guard)
    connection.close()
    with reading(path) as book, pytest.raises(Damaged) as met:
        list(book.entries())
    assert met.value.code == "LINE_UNREADABLE"
