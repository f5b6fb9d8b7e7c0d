"""An export taken into a book gives the same book, or nothing at all."""

import json
from pathlib import Path

import pytest

from ledger.errors import Damaged, LedgerError, Refused
from ledger.intake import Received
from ledger.lines import read
from ledger.settings import CHUNK_LINES
from ledger.store import Book, create
from tests.ledger.histories import SIZE, everything, export_of, first_lines, refused, replaced, sealed, take, taken_into
from tests.ledger.notebook import (
    CAMPAIGN,
    Noted,
    append,
    asked,
    beside,
    draft,
    faults,
    opened,
    write_notes,
)


def test_export_import_export_gives_the_same_bytes_and_the_same_rows(
    path: Path, exported: bytes, tmp_path: Path
) -> None:
    new = tmp_path / "new.db"
    assert taken_into(new, exported) == Received(new=SIZE, size=SIZE)
    assert export_of(new) == exported
    assert faults(new) == []
    with read(str(path)) as ours, read(str(new)) as theirs:
        assert list(theirs.rows()) == list(ours.rows())
        assert (theirs.head(), list(theirs.commands())) == (ours.head(), list(ours.commands()))
    assert beside(new) == ["campaign.db"]


def test_a_long_history_is_taken_in_some_thousand_lines_at_once(tmp_path: Path) -> None:
    path = write_notes(tmp_path / "campaign.db", 1)
    with opened(path) as book:
        append(book, *(asked(f"more-{number}") for number in range(CHUNK_LINES + 1)))
    content = export_of(path)
    for start in (0, 2, 2 * CHUNK_LINES, CHUNK_LINES):
        new = tmp_path / f"{start}.db"
        if start:
            taken_into(new, first_lines(content, start))
        assert taken_into(new, content) == Received(new=2 * CHUNK_LINES + 4 - start, size=2 * CHUNK_LINES + 4)
        assert export_of(new) == content
        assert faults(new) == []


def test_a_book_goes_on_behind_a_history_that_was_taken_in(tmp_path: Path, exported: bytes) -> None:
    new = tmp_path / "new.db"
    taken_into(new, exported)
    with opened(new) as book:
        (receipt,) = append(book, asked("behind"))
        (again,) = append(book, asked("two"))
    assert (receipt.first_entry, receipt.first, receipt.last) == (5, SIZE + 1, SIZE + 2)
    assert (again.repeated, again.first_entry, again.last_entry) == (True, 2, 3)
    assert faults(new) == []


@pytest.mark.parametrize("size", [2, 7])
def test_a_book_that_holds_the_beginning_takes_the_rest(tmp_path: Path, exported: bytes, size: int) -> None:
    """Two lines are one command and seven are two; between them a command would be cut apart."""
    new = tmp_path / "new.db"
    taken_into(new, first_lines(exported, size))
    assert taken_into(new, exported) == Received(new=SIZE - size, size=SIZE)
    assert export_of(new) == exported
    assert faults(new) == []


def test_a_history_taken_in_again_brings_nothing_new_and_changes_nothing(tmp_path: Path, exported: bytes) -> None:
    new = tmp_path / "new.db"
    taken_into(new, exported)
    before = new.read_bytes()
    for _ in range(3):
        assert taken_into(new, exported) == Received(new=0, size=SIZE)
    assert new.read_bytes() == before


@pytest.mark.parametrize("size", [2, 5, 7])
def test_a_history_that_is_behind_ours_brings_nothing_new(path: Path, exported: bytes, size: int) -> None:
    before = path.read_bytes()
    assert taken_into(path, first_lines(exported, size)) == Received(new=0, size=size)
    assert path.read_bytes() == before


def test_a_command_that_goes_on_where_our_book_ends_is_damage(tmp_path: Path, exported: bytes) -> None:
    """A command is recorded at once: a book that ends inside one was not written by this program."""
    new = tmp_path / "new.db"
    taken_into(new, first_lines(exported, 5))
    with opened(new) as book:
        found = refused(book, exported)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["entry"]) == ("LOG_MALFORMED", 6, 3)


def forked(path: Path, size: int, exported: bytes) -> bytes:
    """Return the export of a history that went on otherwise behind some lines."""
    taken_into(path, first_lines(exported, size))
    with opened(path) as book:
        append(book, asked("otherwise"), asked("more"), asked("last", draft(Noted("a")), draft(Noted("b"))))
    return export_of(path)


@pytest.mark.parametrize("size", [2, 7])
def test_a_fork_is_named_with_the_first_line_that_differs_and_both_ends(
    path: Path, exported: bytes, size: int, tmp_path: Path
) -> None:
    theirs = forked(tmp_path / "theirs.db", size, exported)
    with opened(path) as book:
        found = refused(book, theirs)
    assert isinstance(found, Damaged)
    assert (found.code, found.values["how"], found.values["line"]) == ("HISTORY_FORK", "first", size + 1)
    assert found.values["entry"] == json.loads(theirs.split(b"\n")[size + 1])["entry"]
    assert str(found.values["ours"]).startswith(f"{SIZE} ")
    assert str(found.values["theirs"]).startswith(f"{size + 7} ")


@pytest.mark.parametrize("kept", [4, 9])
def test_a_fork_is_one_whichever_of_the_two_is_longer(path: Path, exported: bytes, tmp_path: Path, kept: int) -> None:
    theirs = first_lines(forked(tmp_path / "theirs.db", 2, exported), kept)
    with opened(path) as book:
        found = refused(book, theirs)
    assert (found.code, found.values["line"]) == ("HISTORY_FORK", 3)


def test_a_sound_history_of_one_campaign_that_differs_from_its_first_line_is_a_fork(path: Path, tmp_path: Path) -> None:
    other = export_of(write_notes(tmp_path / "other.db", 1))
    with opened(path) as book:
        found = refused(book, other)
    assert (found.code, found.values["line"], found.values["entry"]) == ("HISTORY_FORK", 1, 1)


@pytest.mark.parametrize("number", range(1, SIZE + 1))
def test_a_changed_copy_of_our_own_history_is_damaged_and_no_fork(path: Path, exported: bytes, number: int) -> None:
    theirs = replaced(exported, number, b'"id":"', b'"id":"0')
    with opened(path) as book:
        found = refused(book, theirs)
    assert isinstance(found, Damaged)
    assert found.code in ("HISTORY_CHANGED", "LOG_MALFORMED", "IMPORT_NOT_CANONICAL")
    assert found.values["line"] in (number, number + 1)


def test_a_history_of_another_campaign_does_not_go_into_this_book(path: Path, tmp_path: Path) -> None:
    with create(str(tmp_path / "other.db")) as book:
        append(book, asked("founded"), campaign="f" * 32)
    with opened(path) as book:
        found = refused(book, export_of(tmp_path / "other.db"))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("WRONG_CAMPAIGN", {"theirs": "f" * 32, "ours": CAMPAIGN})


def test_a_header_that_names_another_campaign_than_its_lines_is_damage(empty: Book, exported: bytes) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], campaign="f" * 32))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("CAMPAIGN_MISMATCH", {"header": "f" * 32, "first": CAMPAIGN})


@pytest.mark.parametrize("promised", [0, 1, SIZE - 1, SIZE + 1, -1, 2**60])
def test_a_header_that_promises_another_number_of_lines_is_damage(empty: Book, exported: bytes, promised: int) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], size=promised))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("IMPORT_COUNT", {"promised": promised, "found": SIZE})


@pytest.mark.parametrize("root", ["0" * 64, "", "é"])
def test_a_header_with_another_root_is_damage(empty: Book, exported: bytes, root: str) -> None:
    found = refused(empty, sealed(exported.split(b"\n")[1:-1], root=root))
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["entry"]) == ("HEADER_CHANGED", SIZE, 4)


def test_a_root_in_capitals_is_another_one(empty: Book, exported: bytes) -> None:
    root = json.loads(exported.split(b"\n")[0])["root"]
    assert root != root.upper()
    assert refused(empty, exported.replace(root.encode(), root.upper().encode(), 1)).code == "HEADER_CHANGED"


def test_a_header_without_lines_holds_nothing(empty: Book) -> None:
    found = refused(empty, sealed([]))
    assert isinstance(found, Refused)
    assert found.code == "IMPORT_EMPTY"


def test_a_header_whose_lines_are_gone_is_damage(empty: Book, exported: bytes) -> None:
    assert refused(empty, exported.split(b"\n")[0] + b"\n").code == "IMPORT_COUNT"


def test_a_file_cut_short_at_any_byte_is_never_taken(empty: Book, path: Path, exported: bytes) -> None:
    """A cut inside the header leaves no export; any other cut leaves a damaged one."""
    header = exported.index(b"\n")
    with opened(path) as book:
        for into in (empty, book):
            before = everything(into)
            for size in range(len(exported)):
                with pytest.raises(LedgerError) as met:
                    take(into, exported[:size])
                expected = 3 if size < header else 5
                assert met.value.status == expected, (size, met.value)
            into.refresh()
            assert everything(into) == before
    assert refused(empty, exported[:-1]).code == "IMPORT_TRUNCATED"
    assert refused(empty, b"").code == "IMPORT_EMPTY"


def test_a_file_with_one_bit_changed_is_never_taken(empty: Book, exported: bytes) -> None:
    for place in range(len(exported)):
        changed = bytearray(exported)
        changed[place] ^= 1 << place % 8
        with pytest.raises(LedgerError) as met:
            take(empty, bytes(changed))
        assert met.value.status in (3, 5), (place, met.value)
    empty.refresh()
    assert everything(empty) == (None, [], [])


@pytest.mark.parametrize("number", range(1, SIZE + 1))
def test_a_line_that_is_gone_twice_there_or_in_anothers_place_is_damage(
    empty: Book, exported: bytes, number: int
) -> None:
    raws = exported.split(b"\n")[1:-1]
    before, line, behind = raws[: number - 1], raws[number - 1], raws[number:]
    for changed in ([*before, *behind], [*before, line, line, *behind], [*before, *behind[:1], line, *behind[1:]]):
        if changed == raws:
            continue
        found = refused(empty, sealed(changed))
        assert isinstance(found, Damaged), found
        assert found.values["line"] in (number, number + 1, SIZE - 1), found
