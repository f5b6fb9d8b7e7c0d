"""The lines of a book as they are read: in order, by entry, by command; and files that are no book."""

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import Damaged, LedgerError, Misused, NotNow, Refused
from ledger.line import CANON, Tree
from ledger.lines import APPLICATION, SCHEMA, Receipt, book_path, read
from ledger.settings import CHUNK_LINES
from tests.ledger.notebook import (
    ANGELS,
    CAMPAIGN,
    SPEARS,
    Counted,
    Noted,
    Ruled,
    append,
    asked,
    beside,
    draft,
    opened,
    stored,
    write_notes,
)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of five entries and eleven lines; the second and third are one command, the fourth holds a ruling."""
    path = write_notes(tmp_path / "campaign.db", 1)
    with opened(path) as book:
        append(
            book,
            asked("two", draft(Noted("a"), ANGELS), draft(Counted(7), SPEARS)),
            asked("two", draft(Counted(8), ANGELS)),
        )
        append(book, asked("ruled", draft(Ruled(2))))
        append(book, asked("last", at="2026-05-02T18:00:00Z"))
    return path


def refused(path: Path | str) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        read(str(path))
    return met.value


def test_the_head_is_the_end_of_the_log_and_the_tree_over_it(book: Path) -> None:
    tree = Tree()
    with read(str(book)) as lines:
        for chunk in lines.chunks():
            for line in chunk:
                tree.push(line)
        head = lines.head()
    assert head is not None
    assert (head.campaign, head.size, head.entries, head.at) == (CAMPAIGN, 11, 5, "2026-05-02T18:00:00Z")
    assert (head.root, head.peaks) == (tree.root(), tree.peaks)


def test_lines_come_in_their_order_with_numbers_without_gaps(book: Path) -> None:
    found = stored(book)
    assert [line["seq"] for line in found] == list(range(1, 12))
    assert [line["entry"] for line in found] == [1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5]
    assert [line["ver"] for line in found if line["stream"] == CAMPAIGN] == list(range(1, 9))
    assert [(line["ver"], line["data"]["t"]) for line in found if line["stream"] == ANGELS] == [
        (1, "note.added"),
        (2, "count.made"),
    ]


def test_each_line_carries_the_root_of_all_before_it_and_an_id_of_its_own(book: Path) -> None:
    tree = Tree()
    for line in stored(book):
        assert line["prev"] == tree.root().hex()
        tree.push(CANON.encode(line))
    assert len({line["id"] for line in stored(book)}) == 11


def test_the_columns_beside_a_line_say_what_it_says(book: Path) -> None:
    with read(str(book)) as lines:
        rows = list(lines.rows())
    assert [row[:4] for row in rows] == [
        (line["seq"], line["stream"], line["ver"], line["data"]["t"]) for line in stored(book)
    ]


@pytest.mark.parametrize(
    ("after", "upto", "numbers"),
    [(0, None, range(1, 12)), (3, 5, range(4, 6)), (10, None, [11]), (11, None, []), (0, 0, []), (5, 99, range(6, 12))],
)
def test_the_lines_between_two_positions_are_those_behind_the_first(
    book: Path, after: int, upto: int | None, numbers: range | list[int]
) -> None:
    with read(str(book)) as lines:
        found = [line for chunk in lines.chunks(after, upto) for line in chunk]
        everything = [line for chunk in lines.chunks() for line in chunk]
    assert found == [everything[number - 1] for number in numbers]


def test_many_lines_come_in_lists_of_bounded_length(tmp_path: Path) -> None:
    path = write_notes(tmp_path / "campaign.db", 1)
    with opened(path) as book:
        append(book, asked("many", *(draft(Counted(number)) for number in range(2 * CHUNK_LINES))))
    with read(str(path)) as lines:
        assert [len(chunk) for chunk in lines.chunks()] == [CHUNK_LINES, CHUNK_LINES, 3]
        assert [len(chunk) for chunk in lines.events()] == [CHUNK_LINES, CHUNK_LINES, 1]


def test_events_are_the_lines_that_are_no_first_lines(book: Path) -> None:
    with read(str(book)) as lines:
        found = [line for chunk in lines.events() for line in chunk]
        everything = [line for chunk in lines.chunks() for line in chunk]
    assert found == [line for line in everything if b'"t":"entry.recorded"' not in line]
    assert len(found) == 6


@pytest.mark.parametrize(("number", "numbers"), [(1, [1, 2]), (2, [3, 4, 5]), (3, [6, 7]), (5, [10, 11])])
def test_an_entry_is_its_own_lines_also_when_its_command_has_more(book: Path, number: int, numbers: list[int]) -> None:
    with read(str(book)) as lines:
        everything = [line for chunk in lines.chunks() for line in chunk]
        assert lines.entry(number) == [everything[one - 1] for one in numbers]


@pytest.mark.parametrize("number", [0, -1, 6, 2**53])
def test_an_entry_that_is_not_there_has_no_lines(book: Path, number: int) -> None:
    with read(str(book)) as lines:
        assert lines.entry(number) == []


def test_a_command_is_found_with_all_its_entries(book: Path) -> None:
    with read(str(book)) as lines:
        assert lines.find("two") == Receipt("two", 2, 3, 3, 7, repeated=True)
        assert lines.find("last") == Receipt("last", 5, 5, 10, 11, repeated=True)
        assert lines.find("tw") is None
        assert lines.find("two' OR '1'='1") is None
        assert list(lines.commands()) == [
            Receipt("note-1", 1, 1, 1, 2),
            Receipt("two", 2, 3, 3, 7),
            Receipt("ruled", 4, 4, 8, 9),
            Receipt("last", 5, 5, 10, 11),
        ]


def test_rulings_are_found_without_reading_the_rest(book: Path) -> None:
    with read(str(book)) as lines:
        assert lines.rulings() == [4]
        plan = lines._connection.execute(
            "EXPLAIN QUERY PLAN SELECT state FROM stored_events WHERE topic >= 'ruling.' AND topic < 'ruling/'"
        ).fetchall()
    assert "rulings" in plan[0][3]


def test_a_sound_file_has_no_inconsistencies(book: Path) -> None:
    with read(str(book)) as lines:
        assert lines.inconsistencies() == []
        assert lines.remark == ""


def test_who_reads_sees_one_view_until_they_look_again(book: Path) -> None:
    with read(str(book)) as lines:
        before = lines.head()
        with opened(book) as writer:
            append(writer, asked("later"))
        assert lines.head() == before
        assert sum(map(len, lines.chunks())) == 11
        lines.refresh()
        after = lines.head()
        assert after is not None
        assert (after.size, sum(map(len, lines.chunks()))) == (13, 13)


@pytest.mark.parametrize("statement", ["DELETE FROM heads", "CREATE TABLE loot (gold)", "PRAGMA user_version = 9"])
def test_who_reads_cannot_write(book: Path, statement: str) -> None:
    before = book.read_bytes()
    with read(str(book)) as lines, pytest.raises(sqlite3.OperationalError, match="readonly"):
        lines._connection.execute(statement)
    assert book.read_bytes() == before


def damaged_line(book: Path, topic: str) -> None:
    (guard,) = (statement for statement in SCHEMA if "lines_stay" in statement)
    update = f"UPDATE stored_events SET state = x'7bff' WHERE topic = '{topic}'"
    altered(book, "DROP TRIGGER lines_stay", update, guard)


def test_a_damaged_line_is_told_and_not_passed_over_when_its_entry_is_looked_for(book: Path) -> None:
    damaged_line(book, "ruling.made")
    with read(str(book)) as lines:
        for look in (lambda: lines.entry(4), lines.rulings):
            with pytest.raises(Damaged) as met:
                look()
            assert met.value.code == "LINE_UNREADABLE"
        assert len(lines.entry(1)) == 2


def test_reading_leaves_nothing_beside_a_book(book: Path) -> None:
    with read(str(book)) as lines:
        assert lines.head() is not None
    assert beside(book) == []


def test_reading_a_book_that_somebody_was_killed_over_finds_all_and_tidies_up(book: Path, tmp_path: Path) -> None:
    """What waits beside a book is moved into it when the last one leaves, and only then taken away."""
    killed = tmp_path / "killed"
    killed.mkdir()
    with opened(book) as writer:
        append(writer, asked("acknowledged"))
        for name in ("campaign.db", "campaign.db-wal"):
            (killed / name).write_bytes((tmp_path / name).read_bytes())
    assert (killed / "campaign.db-wal").stat().st_size
    with read(str(killed / "campaign.db")) as lines:
        assert lines.find("acknowledged") is not None
    assert beside(killed / "campaign.db") == []
    with read(str(killed / "campaign.db")) as lines:
        assert lines.find("acknowledged") is not None


def test_a_book_that_is_not_there_is_missing_and_stays_so(tmp_path: Path) -> None:
    found = refused(tmp_path / "none.db")
    assert isinstance(found, Misused)
    assert (found.code, found.values["path"]) == ("BOOK_MISSING", str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["", ":memory:", "file:x?mode=memory", "a:memory:b", "nul\0byte", "x" * 300])
def test_an_address_that_names_no_file_is_no_book(address: str) -> None:
    found = refused(address)
    assert isinstance(found, Misused)
    assert (found.code, found.values["reason"]) == ("DB_PATH", "name")


def linked(path: Path, book: Path) -> None:
    path.symlink_to(book)


def hard_linked(path: Path, book: Path) -> None:
    path.hardlink_to(book)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (linked, "link"),
        (hard_linked, "hard-link"),
        (lambda path, book: path.mkdir(), "folder"),
        (lambda path, book: os.mkfifo(path), "special"),
    ],
)
def test_a_book_is_an_ordinary_file_of_its_own(book: Path, make: Callable[[Path, Path], None], reason: str) -> None:
    other = book.with_name("other.db")
    make(other, book)
    found = refused(other)
    assert (found.code, found.values["reason"]) == ("DB_PATH", reason)
    if make in (linked, hard_linked):
        with read(str(other), follow_link=True) as lines:
            assert lines.head() is not None
    if make is linked:
        assert book_path(str(other), follow_link=True) == book


@pytest.mark.parametrize("name", ["a b", "100% ?x=1&mode=ro#y", "été", "'; DROP TABLE heads", "a\\b", "-", "%41"])
def test_a_book_may_have_any_name_that_a_file_may_have(tmp_path: Path, name: str) -> None:
    path = write_notes(tmp_path / name)
    assert len(stored(path)) == 6
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_an_empty_file_is_no_book_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    path.touch()
    found = refused(path)
    assert isinstance(found, Damaged)
    assert found.code == "DB_FOREIGN"
    assert path.read_bytes() == b""
    assert beside(path) == []


def everything_in(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


@pytest.mark.parametrize("journal", ["wal", "delete"])
@pytest.mark.parametrize("is_open", [True, False])
def test_somebody_elses_database_is_refused_and_nothing_in_it_or_beside_it_changes(
    tmp_path: Path, journal: str, is_open: bool
) -> None:
    path = tmp_path / "songs.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("CREATE TABLE stored_events (state)")
    connection.execute("INSERT INTO stored_events VALUES ('a song')")
    connection.commit()
    if not is_open:
        connection.close()
    before = everything_in(tmp_path)
    found = refused(path)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["path"]) == ("DB_FOREIGN", "songs.db")
    after = everything_in(tmp_path)
    connection.close()
    assert after == before


def altered(book: Path, *statements: str) -> None:
    connection = sqlite3.connect(book, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TABLE loot (gold)", "loot"),
        ("CREATE VIEW everything AS SELECT * FROM stored_events", "everything"),
        ("CREATE TRIGGER spy AFTER INSERT ON heads BEGIN SELECT 1; END", "spy"),
        ("CREATE INDEX more ON stored_events (state)", "more"),
        ("CREATE VIRTUAL TABLE words USING fts5(word)", "words"),
        ("DROP TRIGGER lines_stay", "lines_stay"),
        ("DROP INDEX rulings", "rulings"),
        ("DROP TABLE commands", "commands"),
        ("ALTER TABLE heads ADD COLUMN more TEXT", "heads"),
        ("ALTER TABLE heads RENAME TO tails", "tails"),
        ("PRAGMA application_id = 7", ""),
        ("PRAGMA user_version = 0", ""),
    ],
)
def test_a_database_with_something_foreign_in_it_or_something_lacking_is_no_book(
    book: Path, statement: str, named: str
) -> None:
    altered(book, statement)
    before = everything_in(book.parent)
    found = refused(book)
    assert isinstance(found, Damaged)
    assert found.code == "DB_FOREIGN"
    assert named in str(found.values["what"])
    assert everything_in(book.parent) == before


def test_a_trigger_of_ours_with_another_body_is_a_foreign_one(book: Path) -> None:
    altered(
        book, "DROP TRIGGER lines_stay", "CREATE TRIGGER lines_stay BEFORE UPDATE ON stored_events BEGIN SELECT 1; END"
    )
    assert refused(book).values["what"] == "lines_stay"


def test_a_book_of_a_newer_program_is_refused_and_not_touched(book: Path) -> None:
    altered(book, "PRAGMA user_version = 2", "CREATE TABLE of_the_future (x)")
    before = everything_in(book.parent)
    found = refused(book)
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("DB_TOO_NEW", {"path": "campaign.db", "version": 2, "known": 1})
    assert everything_in(book.parent) == before


@pytest.mark.parametrize(
    "content",
    [b"no database at all", b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000, b"\0" * 4096, b"{}\n" * 2000],
)
def test_a_file_of_another_kind_is_no_book_and_is_not_touched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "campaign.db"
    path.write_bytes(content)
    assert isinstance(refused(path), Damaged)
    assert everything_in(tmp_path) == {"campaign.db": content}


@pytest.mark.parametrize("kept", [100, 4096, 10_000])
def test_a_book_cut_short_is_damaged(book: Path, kept: int) -> None:
    book.write_bytes(book.read_bytes()[:kept])
    found = refused(book)
    assert isinstance(found, Damaged)
    assert found.code == "DB_DAMAGED"


def test_a_book_says_what_it_is_to_whoever_looks_at_the_file(book: Path) -> None:
    header = book.read_bytes()[:100]
    assert header[68:72] == b"CAMP" == APPLICATION.to_bytes(4, "big")


def test_who_writes_for_long_does_not_keep_others_from_reading(book: Path) -> None:
    holder = sqlite3.connect(book, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with read(str(book)) as lines:
        assert lines.head() is not None
    holder.close()


def test_a_book_that_somebody_locked_away_is_busy(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.lines.BUSY_SECONDS", 0)
    holder = sqlite3.connect(book, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    found = refused(book)
    holder.close()
    assert isinstance(found, NotNow)
    assert found.code == "BUSY"


def test_a_book_that_cannot_be_written_is_read_all_the_same(book: Path) -> None:
    before = book.read_bytes()
    book.chmod(stat.S_IRUSR)
    with read(str(book)) as lines:
        assert lines.find("last") is not None
    assert book.read_bytes() == before
