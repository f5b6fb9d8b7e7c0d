"""The file of a book: made whole or not at all, never over another, and never led elsewhere."""

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import Damaged, LedgerError, Misused, NotNow, Refused
from ledger.store import create, open_book
from tests.ledger.notebook import append, asked, beside, faults, opened, stored, write_notes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of three notes."""
    return write_notes(tmp_path / "campaign.db")


def refused(act: Callable[[], object]) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        act()
    return met.value


def test_a_new_book_is_its_makers_alone_whatever_others_may_do_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    mask = os.umask(0)
    try:
        with create(str(path)) as book:
            append(book, asked("a"))
            made = [stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()]
    finally:
        os.umask(mask)
    assert made == [0o600] * 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_book_is_in_its_place_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    with create(str(path)) as book:
        append(book, asked("a"))
        assert not path.exists()
    assert [one.name for one in tmp_path.iterdir()] == ["campaign.db"]
    assert faults(path) == []


def test_a_new_book_that_came_to_hold_nothing_leaves_nothing_behind(tmp_path: Path) -> None:
    with create(str(tmp_path / "campaign.db")) as book:
        assert book.head() is None
        assert book.find("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_new_book_whose_making_failed_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> None:
        with create(str(tmp_path / "campaign.db")) as book:
            append(book, asked("a"))
            raise NotNow("CONFLICT")

    assert refused(fail).code == "CONFLICT"
    assert list(tmp_path.iterdir()) == []


def test_a_book_is_never_made_over_another_and_is_named_as_it_was_typed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    before = path.read_bytes()
    found = refused(lambda: create("campaign.db").__enter__())
    assert isinstance(found, Refused)
    assert (found.code, found.values["path"]) == ("BOOK_EXISTS", "campaign.db")
    assert path.read_bytes() == before
    assert beside(path) == []


def test_of_two_who_make_a_book_of_one_name_at_once_the_second_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def both() -> None:
        with create("campaign.db") as slow:
            append(slow, asked("slow"))
            write_notes(tmp_path / "campaign.db")

    found = refused(both)
    assert isinstance(found, Refused)
    assert (found.code, found.values["path"]) == ("BOOK_EXISTS", "campaign.db")
    assert len(stored(tmp_path / "campaign.db")) == 6
    assert beside(tmp_path / "campaign.db") == []


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_what_is_left_of_another_book_never_gets_into_a_new_one(tmp_path: Path, suffix: str) -> None:
    """SQLite would move into the new book whatever waits under that name, whichever book it was written for."""
    path = tmp_path / "campaign.db"
    left = path.with_name(f"campaign.db{suffix}")
    left.write_bytes(b"of a book that is gone")
    found = refused(lambda: create(str(path)).__enter__())
    assert (found.code, found.values["path"]) == ("BOOK_EXISTS", str(left))
    assert left.read_bytes() == b"of a book that is gone"
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "reason"), [("none/x.db", "no-folder"), ("x" * 300, "name"), ("x" * 250, "name"), ("", "folder")]
)
def test_a_book_is_made_only_where_it_can_be_recorded_in(tmp_path: Path, name: str, reason: str) -> None:
    found = refused(lambda: create(f"{tmp_path}/{name}").__enter__())
    assert isinstance(found, Misused)
    assert (found.code, found.values["reason"]) == ("DB_PATH", reason)
    assert list(tmp_path.iterdir()) == []


def test_a_book_that_is_not_there_is_not_made_by_opening_it(tmp_path: Path) -> None:
    found = refused(lambda: open_book(str(tmp_path / "none.db")).__enter__())
    assert (found.code, found.status) == ("BOOK_MISSING", 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\0" * 500, b"{}"])
def test_a_file_that_is_no_book_is_not_opened_for_recording_nor_changed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "campaign.db"
    path.write_bytes(content)
    assert isinstance(refused(lambda: open_book(str(path)).__enter__()), Damaged)
    assert path.read_bytes() == content
    assert beside(path) == []


def test_somebody_elses_database_is_not_opened_for_recording_nor_changed(tmp_path: Path) -> None:
    path = tmp_path / "songs.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE stored_events (state)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    assert refused(lambda: open_book(str(path)).__enter__()).code == "DB_FOREIGN"
    assert path.read_bytes() == before
    assert beside(path) == []


REDIRECTS = {
    "SQLITE_DBNAME": "elsewhere.db",
    "BOOK_SQLITE_DBNAME": "elsewhere.db",
    "PERSISTENCE_MODULE": "eventsourcing.popo",
    "BOOK_PERSISTENCE_MODULE": "eventsourcing.popo",
    "FACTORY_TOPIC": "eventsourcing.popo:Factory",
    "BOOK_FACTORY_TOPIC": "eventsourcing.popo:Factory",
    "APPLICATION_RECORDER_TOPIC": "eventsourcing.sqlite:SQLiteApplicationRecorder",
    "MAPPER_TOPIC": "eventsourcing.persistence:Mapper",
    "COMPRESSOR_TOPIC": "zlib",
    "CIPHER_TOPIC": "eventsourcing.cipher:AESCipher",
    "CREATE_TABLE": "no",
    "IS_SNAPSHOTTING_ENABLED": "yes",
    "ORIGINATOR_ID_TYPE": "uuid",
    "SQLITE_LOCK_TIMEOUT": "nonsense",
}


@pytest.mark.parametrize("name", REDIRECTS)
def test_no_variable_of_the_environment_leads_what_is_recorded_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, REDIRECTS[name])
    path = write_notes(tmp_path / "campaign.db")
    with opened(path) as book:
        append(book, asked("a"))
    assert len(stored(path)) == 8
    assert faults(path) == []
    assert [one.name for one in tmp_path.iterdir()] == ["campaign.db"]
