"""Books that are no ordinary file, are damaged, foreign, too new, full, busy or must not be written."""

import gzip
import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger import store
from ledger.wording import LANGUAGES
from tests.commands.running import (
    GRANT,
    Refuse,
    assert_told_in_one_line,
    be_impatient,
    bound_by_permissions,
    contents,
    entries,
    real,
    run,
)
from tests.projections.season import SEASON


def as_folder(path: Path, book: Path) -> None:
    path.mkdir()


def as_fifo(path: Path, book: Path) -> None:
    os.mkfifo(path)


def as_link(path: Path, book: Path) -> None:
    path.symlink_to(book)


def as_broken_link(path: Path, book: Path) -> None:
    path.symlink_to("nowhere")


def as_hard_link(path: Path, book: Path) -> None:
    path.hardlink_to(book)


@pytest.mark.parametrize("make", [as_folder, as_fifo, as_link, as_broken_link, as_hard_link])
def test_a_book_is_an_ordinary_file_of_its_own(book: Path, refuse: Refuse, make: Callable[[Path, Path], None]) -> None:
    make(book.parent / "odd.db", book)
    for words in (("sheet",), ("note", "x"), ("verify",), ("export", "x.jsonl"), ("new", "Vardia")):
        refuse("--book", "odd.db", *words, status=2, code="DB_PATH")


@pytest.mark.parametrize("address", [":memory:", "file:x?mode=memory", "nul\0byte", "/dev/null", "none/x.db"])
def test_an_address_that_names_no_file_is_no_book(book: Path, refuse: Refuse, address: str) -> None:
    refuse("--book", address, "new", "Vardia", status=2, code="DB_PATH")
    if address != "none/x.db":
        refuse("--book", address, "sheet", status=2, code="DB_PATH")


def test_a_link_to_a_book_may_be_followed_when_asked(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book.parent / "link.db").symlink_to(book)
    assert run(capsys, "--book", "link.db", "--follow-link", "note", "through a link").status == 0
    assert entries(book) == len(SEASON) + 1


def test_a_book_that_is_not_there_is_said_to_be_missing(refuse: Refuse, book: Path) -> None:
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert "none.db" in refuse("--book", "none.db", *words, status=2, code="BOOK_MISSING")
    assert not (book.parent / "none.db").exists()


def test_a_book_is_never_founded_over_another(refuse: Refuse) -> None:
    assert "campaign.db" in refuse("new", "Vardia", status=3, code="BOOK_EXISTS")


def overwritten(book: Path, change: Callable[[bytes], bytes]) -> None:
    content = book.read_bytes()
    for waiting in book.parent.glob("campaign.db-*"):
        waiting.unlink()
    book.write_bytes(change(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"no database at all, but long enough to have a header of one " * 20,
        lambda content: content[:100],
        lambda content: content[: len(content) // 2],
        lambda content: content[:4096] + b"\xff" * (len(content) - 4096),
        gzip.compress,
    ],
)
@pytest.mark.parametrize("words", [("sheet",), ("note", "x"), ("verify",), ("export", "x.jsonl")])
def test_a_file_that_is_no_book_or_a_damaged_one_is_said_to_be(
    book: Path, refuse: Refuse, change: Callable[[bytes], bytes], words: tuple[str, ...]
) -> None:
    overwritten(book, change)
    refuse(*words, status=5, code="DB_DAMAGED")


def altered(book: Path, *statements: str) -> None:
    connection = sqlite3.connect(book)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TRIGGER spy AFTER INSERT ON stored_events BEGIN SELECT 1; END", "spy"),
        ("CREATE VIEW everything AS SELECT * FROM stored_events", "everything"),
        ("CREATE TABLE loot (gold)", "loot"),
        ("DROP TRIGGER lines_stay", ""),
        ("PRAGMA application_id = 1", ""),
    ],
)
def test_a_database_with_something_foreign_in_it_is_no_book(
    book: Path, refuse: Refuse, statement: str, named: str
) -> None:
    altered(book, statement)
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert named in refuse(*words, status=5, code="DB_FOREIGN")


def test_a_book_of_a_newer_program_is_not_touched(book: Path, refuse: Refuse) -> None:
    altered(book, "PRAGMA user_version = 2")
    for words in (("sheet",), ("note", "x"), ("verify",)):
        assert "2" in refuse(*words, status=3, code="DB_TOO_NEW")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_book_that_cannot_be_written_can_still_be_read(book: Path, what: str, language: str) -> None:
    launcher = bound_by_permissions()
    shelf = book.parent / "shelf"
    shelf.mkdir()
    kept = shelf / "campaign.db"
    kept.write_bytes(book.read_bytes())
    before = contents(kept)
    kept.chmod(stat.S_IRUSR if what != "folder" else stat.S_IRUSR | stat.S_IWUSR)
    shelf.chmod(stat.S_IRUSR | stat.S_IXUSR if what != "file" else stat.S_IRWXU)
    try:
        told = real("--lang", language, "--book", str(kept), "note", "x", launcher=launcher)
        looked = [
            real("--book", str(kept), *words, launcher=launcher)
            for words in (("history",), ("verify",), ("export", str(book.parent / f"{what}.jsonl")))
        ]
    finally:
        shelf.chmod(stat.S_IRWXU)
    assert (told.status, told.out) == (4, "")
    first, again = told.err.splitlines(keepends=True)
    assert_told_in_one_line(first, "DB_READ_ONLY")
    assert "--id" in again
    assert [one.status for one in looked] == [0, 0, 0], looked
    assert contents(kept) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_book_in_a_folder_that_cannot_be_written_is_refused(book: Path, language: str) -> None:
    launcher = bound_by_permissions()
    shelf = book.parent / "shelf"
    shelf.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    told = real("--lang", language, "--book", str(shelf / "new.db"), "new", "Vardia", launcher=launcher)
    shelf.chmod(stat.S_IRWXU)
    assert (told.status, told.out) == (4, "")
    assert_told_in_one_line(told.err.splitlines(keepends=True)[0], "DB_READ_ONLY")
    assert list(shelf.iterdir()) == []


def test_a_full_disk_records_nothing(book: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite is told that the file may not grow any more: it reports what it reports when the disk is full."""
    make = store._FullPool._create_connection

    def full(pool: store._FullPool) -> object:
        connection = make(pool)
        database = connection._sqlite_conn
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    (book.parent / "long.jsonl").write_text(
        "".join(GRANT.replace("amount", f'because":"{number:x<500}","amount') + "\n" for number in range(40)),
        encoding="utf-8",
    )
    monkeypatch.setattr(store._FullPool, "_create_connection", full)
    refuse("apply", "long.jsonl", "--atomic", status=4, code="DISK_FULL", again=" apply long.jsonl --atomic")


def test_a_book_somebody_else_writes_in_is_busy(book: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch) -> None:
    be_impatient(monkeypatch)
    holder = sqlite3.connect(book, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        refuse("note", "x", status=4, code="BUSY", again=" campaign --id ")
    finally:
        holder.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_book_in_a_folder_that_is_synchronised_is_remarked_and_recorded_in(
    book: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    shelf = book.parent / "Dropbox"
    shelf.mkdir()
    (shelf / "campaign.db").write_bytes(book.read_bytes())
    told = run(capsys, "--lang", language, "--book", "Dropbox/campaign.db", "note", "x")
    assert (told.status, told.err.count("\n")) == (0, 1)
    assert "Dropbox" in told.err
    assert "remark." not in told.err
    assert entries(shelf / "campaign.db") == len(SEASON) + 1
