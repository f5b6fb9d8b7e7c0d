"""The archive finds whatever was done to a book, names the place, and exports the stored bytes as they are."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ledger.archive import Checker, verify
from ledger.errors import Damaged, LedgerError
from ledger.line import CANON, Tree
from ledger.lines import SCHEMA, Lines, read
from ledger.settings import LINE_BYTES_MAX
from ledger.store import create
from tests.ledger.notebook import (
    ANGELS,
    CAMPAIGN,
    REGISTRY,
)

NAMES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 2, 6: 3, 7: 3, 8: 4, 9: 4}
"""The entry of each line of the book below."""

SIZE = len(NAMES)


def lines_in(path: Path) -> list[bytes]:
    with read(str(path)) as lines:
        return [line for chunk in lines.chunks() for line in chunk]


class Forger:
    """Somebody who writes into the file of a book with SQL of their own; each of their deeds is undone again."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._lines = Lines(self._connection)

    @contextmanager
    def deeds(self, statement: str, values: Sequence[Any] = ()) -> Iterator[list[LedgerError]]:
        """Do something to the book, and say what verifying it finds."""
        self._connection.execute("BEGIN")
        for name in ("lines_stay", "lines_remain", "lines_append"):
            self._connection.execute(f"DROP TRIGGER {name}")
        for single in statement.split(";"):
            self._connection.execute(single, values if "?" in single else ())
        for made in SCHEMA:
            if made.startswith("CREATE TRIGGER"):
                self._connection.execute(made)
        try:
            yield verify(self._lines, REGISTRY)
        finally:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the book."""
        self._connection.close()


@pytest.fixture
def forger(path: Path) -> Iterator[Forger]:
    forger = Forger(path)
    yield forger
    forger.close()


class Scribe:
    """Somebody who changes one line after the other, in a transaction that never ends."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("BEGIN")
        self._connection.execute("DROP TRIGGER lines_stay")
        self._lines = Lines(self._connection)

    def verified_with(self, number: int, line: bytes) -> list[LedgerError]:
        """Verify the book with another line in one place."""
        self._connection.execute("UPDATE stored_events SET state = ? WHERE id = ?", (line, number))
        return verify(self._lines, REGISTRY)

    def close(self) -> None:
        """Let go of the book."""
        self._connection.close()


@pytest.fixture
def scribe(path: Path) -> Iterator[Scribe]:
    scribe = Scribe(path)
    yield scribe
    scribe.close()


def assert_named(findings: list[LedgerError], number: int) -> None:
    """One thing is found: damage, and its place is the changed line or the one whose link shows the change."""
    assert [found.status for found in findings] == [5], findings
    values = findings[0].values
    assert values["line"] in (number, min(number + 1, SIZE)), findings
    assert values["entry"] in (NAMES[number], NAMES[min(number + 1, SIZE)]), findings


def test_a_sound_book_verifies(path: Path) -> None:
    with read(str(path)) as lines:
        assert verify(lines, REGISTRY) == []


def test_a_book_with_nothing_in_it_verifies(tmp_path: Path) -> None:
    with create(str(tmp_path / "new.db")) as book:
        assert verify(book, REGISTRY) == []


def test_every_bit_of_every_line_is_watched(scribe: Scribe, raws: list[bytes]) -> None:
    for number, raw in enumerate(raws, 1):
        for place in range(len(raw)):
            for bit in range(8):
                changed = bytearray(raw)
                changed[place] ^= 1 << bit
                assert_named(scribe.verified_with(number, bytes(changed)), number)
        assert scribe.verified_with(number, raw) == []


def test_any_other_byte_is_found_in_whatever_place(scribe: Scribe, raws: list[bytes]) -> None:
    for number, raw in enumerate(raws, 1):
        for place in range(number, len(raw), 97):
            for byte in set(range(256)) - {raw[place]}:
                assert_named(scribe.verified_with(number, raw[:place] + bytes([byte]) + raw[place + 1 :]), number)
        assert scribe.verified_with(number, raw) == []


def test_a_line_cut_short_or_made_longer_at_any_place_is_found(scribe: Scribe, raws: list[bytes]) -> None:
    for number, raw in enumerate(raws, 1):
        for place in range(len(raw)):
            assert_named(scribe.verified_with(number, raw[:place]), number)
            assert_named(scribe.verified_with(number, raw[:place] + b"0" + raw[place:]), number)
        assert scribe.verified_with(number, raw) == []


@pytest.mark.parametrize("number", NAMES)
def test_a_line_that_is_gone_is_found(forger: Forger, number: int) -> None:
    with forger.deeds(f"DELETE FROM stored_events WHERE id = {number}") as findings:
        assert {found.status for found in findings} == {5}
        assert findings[0].values["entry"] in (NAMES[number], NAMES[min(number + 1, SIZE)])


@pytest.mark.parametrize("number", NAMES)
def test_a_line_whose_traces_are_removed_with_it_is_found(forger: Forger, number: int) -> None:
    """The lines behind move up, in their columns."""
    with forger.deeds(
        f"DELETE FROM stored_events WHERE id = {number}; "
        f"UPDATE stored_events SET id = -id WHERE id > {number}; "
        "UPDATE stored_events SET id = -id - 1 WHERE id < 0; UPDATE heads SET size = size - 1"
    ) as findings:
        assert findings[0].status == 5
        assert findings[0].values["entry"] in (NAMES[number], NAMES[min(number + 1, SIZE)])


@pytest.mark.parametrize("count", range(1, SIZE + 1))
def test_lines_missing_at_the_end_are_found_by_the_head(forger: Forger, count: int) -> None:
    with forger.deeds(f"DELETE FROM stored_events WHERE id > {SIZE - count}") as findings:
        assert findings[0].status == 5
        assert findings[0].code in ("HEAD_DAMAGED", "ENTRY_INCOMPLETE")


@pytest.mark.parametrize("number", range(1, SIZE))
def test_two_lines_in_each_others_places_are_found(forger: Forger, number: int) -> None:
    with forger.deeds(
        f"UPDATE stored_events SET id = -1 WHERE id = {number}; "
        f"UPDATE stored_events SET id = {number} WHERE id = {number + 1}; "
        f"UPDATE stored_events SET id = {number + 1} WHERE id = -1"
    ) as findings:
        assert [found.status for found in findings] == [5]
        assert findings[0].values["line"] in (number, number + 1)


@pytest.mark.parametrize("number", NAMES)
def test_a_line_written_twice_is_found(forger: Forger, number: int) -> None:
    with forger.deeds(
        "INSERT INTO stored_events SELECT originator_id, originator_version + 99, topic, state, "
        f"{SIZE + 1} FROM stored_events WHERE id = {number}"
    ) as findings:
        assert findings[0].status == 5
        assert findings[0].values["line"] in (SIZE, SIZE + 1)


@pytest.mark.parametrize(
    "change",
    [
        "originator_version = originator_version + 100",
        "originator_version = -1",
        "originator_id = 'force:wolves'",
        "originator_id = originator_id || ' '",
        "topic = 'note.burnt'",
        "topic = ''",
        "topic = 'os:system'",
    ],
)
@pytest.mark.parametrize("number", [1, 2, 4, SIZE])
def test_a_column_that_says_other_than_its_line_is_found(forger: Forger, number: int, change: str) -> None:
    with forger.deeds(f"UPDATE stored_events SET {change} WHERE id = {number}") as findings:
        assert [(found.code, found.status) for found in findings] == [("COLUMNS_CHANGED", 5)]
        assert findings[0].values == {"line": number, "entry": NAMES[number]}


@pytest.mark.parametrize("number", [1, 4, SIZE])
def test_a_number_that_is_not_the_lines_own_is_found(forger: Forger, number: int) -> None:
    with forger.deeds(f"UPDATE stored_events SET id = id + 100 WHERE id >= {number}") as findings:
        assert [(found.code, found.status) for found in findings] == [("COLUMNS_CHANGED", 5)]
        assert findings[0].values["line"] == number


@pytest.mark.parametrize(
    "change",
    [
        "campaign = 'ffffffffffffffffffffffffffffffff'",
        "campaign = ''",
        "size = size + 1",
        "size = size - 1",
        "size = 0",
        "entries = entries + 1",
        "entries = -1",
        "at = '2026-05-03T18:00:00Z'",
        "at = ''",
        "root = zeroblob(32)",
        "root = x''",
        "peaks = x''",
        "peaks = CAST(peaks || peaks AS BLOB)",
        "peaks = CAST(substr(peaks, 33) || substr(peaks, 1, 32) AS BLOB)",
    ],
)
def test_a_changed_head_is_found(forger: Forger, change: str) -> None:
    with forger.deeds(f"UPDATE heads SET {change}") as findings:
        assert [(found.code, found.status) for found in findings] == [("HEAD_DAMAGED", 5)]


def test_a_head_that_is_gone_is_found(forger: Forger) -> None:
    with forger.deeds("DELETE FROM heads") as findings:
        assert [found.code for found in findings] == ["HEAD_DAMAGED"]


def test_every_bit_of_the_root_and_of_the_peaks_is_watched(forger: Forger, path: Path) -> None:
    with read(str(path)) as lines:
        head = lines.head()
    assert head is not None
    for column, sound in (("root", head.root), ("peaks", head.peaks)):
        for place in range(0, 8 * len(sound), 5):
            changed = (int.from_bytes(sound, "big") ^ 1 << place).to_bytes(len(sound), "big")
            with forger.deeds(f"UPDATE heads SET {column} = ?", (changed,)) as findings:
                assert [found.code for found in findings] == ["HEAD_DAMAGED"]


@pytest.mark.parametrize(
    ("statement", "command", "entry"),
    [
        ("DELETE FROM commands WHERE command = 'two'", "two", 2),
        ("DELETE FROM commands", "note-1", 1),
        ("UPDATE commands SET command = 'three' WHERE command = 'two'", "two", 2),
        ("UPDATE commands SET last = last + 1 WHERE command = 'last'", "last", 4),
        ("UPDATE commands SET first = first + 1 WHERE command = 'two'", "two", 2),
        ("UPDATE commands SET last_entry = 2 WHERE command = 'two'", "two", 2),
        ("UPDATE commands SET first_entry = 3 WHERE command = 'two'", "two", 2),
        ("INSERT INTO commands VALUES (3, 3, 6, 7, 'more')", "more", 3),
        ("INSERT INTO commands VALUES (9, 9, 99, 100, 'more')", "more", 9),
    ],
)
def test_a_changed_command_is_found(forger: Forger, statement: str, command: str, entry: int) -> None:
    with forger.deeds(statement) as findings:
        assert [(found.code, found.status) for found in findings] == [("COMMANDS_CHANGED", 5)]
        assert findings[0].values["command"] == command
        assert findings[0].values["entry"] == entry


def test_head_and_commands_are_both_told_when_both_are_wrong(forger: Forger) -> None:
    with forger.deeds("DELETE FROM commands; DELETE FROM heads") as findings:
        assert [found.code for found in findings] == ["HEAD_DAMAGED", "COMMANDS_CHANGED"]


def test_a_line_that_would_be_refused_in_a_file_is_damage_in_a_book(scribe: Scribe, raws: list[bytes]) -> None:
    for changed, why in [
        (raws[3].replace(b"note.added", b"note.burnt"), "IMPORT_UNKNOWN_TYPE"),
        (raws[3] + b" " * LINE_BYTES_MAX, "IMPORT_TOO_BIG"),
        (b"[" * 1000, "IMPORT_TOO_BIG"),
        (b"", "IMPORT_NOT_CANONICAL"),
    ]:
        (found,) = scribe.verified_with(4, changed)
        assert (found.code, found.status) == ("LINE_DAMAGED", 5)
        assert found.values == {"line": 4, "entry": 2, "why": why}


def resealed(raws: list[bytes], number: int, **changed: Any) -> list[bytes]:
    """Return lines with fields of one changed and all links made to fit again, as somebody who knows how would."""
    forged, tree = list[bytes](), Tree()
    for seq, raw in enumerate(raws, 1):
        line = json.loads(raw)
        line["prev"] = tree.root().hex()
        line |= changed if seq == number else {}
        forged.append(CANON.encode({name: value for name, value in line.items() if value is not None}))
        tree.push(forged[-1])
    return forged


def refused(raws: list[bytes]) -> LedgerError:
    def check() -> None:
        checker = Checker(REGISTRY)
        for raw in raws:
            checker.take(raw)
        checker.finish()

    with pytest.raises(LedgerError) as met:
        check()
    return met.value


def test_lines_whose_links_were_made_to_fit_again_are_another_history_and_a_sound_one(raws: list[bytes]) -> None:
    """Why checkpoints are kept: only somebody else's can tell."""
    checker = Checker(REGISTRY)
    for raw in resealed(raws, 4, data={"t": "note.added", "text": "forged"}):
        checker.take(raw)
    checker.finish()
    assert (checker.head.size, checker.head.entries) == (SIZE, 4)


@pytest.mark.parametrize(
    ("number", "changed"),
    [
        (1, {"seq": 0}),
        (1, {"seq": 2}),
        (4, {"seq": 5}),
        (4, {"ver": 2}),
        (4, {"ver": 0}),
        (5, {"ver": 2}),
        (7, {"ver": 1}),
        (4, {"entry": 1}),
        (4, {"entry": 3}),
        (3, {"entry": 3}),
        (8, {"entry": 3}),
        (1, {"entry": 0}),
        (4, {"id": "A" * 32}),
        (4, {"id": "a" * 31}),
        (4, {"id": ""}),
        (1, {"stream": ANGELS}),
        (1, {"stream": "f" * 31}),
        (1, {"stream": CAMPAIGN.upper()}),
        (3, {"stream": "f" * 32}),
        (3, {"stream": ANGELS}),
        (4, {"stream": "f" * 32}),
        (4, {"stream": "model:angels"}),
        (4, {"stream": "force:"}),
        (4, {"stream": "force:../x"}),
        (4, {"stream": "force:" + "x" * 97}),
        (3, {"command": "last one"}),
        (3, {"command": "x" * 65}),
        (3, {"command": None}),
        (8, {"command": "note-1"}),
        (6, {"command": "note-1"}),
        (3, {"by": "Paul"}),
        (3, {"by": None}),
        (3, {"for": "a b"}),
        (3, {"action": None}),
        (3, {"at": None}),
        (3, {"at": "2026-05-01T17:59:59Z"}),
        (8, {"at": "2026-05-01T17:59:59Z"}),
        (3, {"at": "2026-13-01T18:00:00Z"}),
        (3, {"at": "2026-05-01T24:00:01Z"}),
        (3, {"at": "2026-05-01T18:00:00+00:00"}),
        (3, {"at": "2026-05-01 18:00:00Z"}),
        (3, {"at": "2026-05-01T18:00:00.5Z"}),
        (3, {"at": "２026-05-01T18:00:00Z"}),
        (4, {"by": "paul"}),
        (4, {"for": "tom"}),
        (4, {"command": "two"}),
        (4, {"at": "2026-05-01T18:00:00Z"}),
        (4, {"action": {"t": "note.add"}}),
        (3, {"data": {"lines": 0, "t": "entry.recorded"}}),
        (3, {"data": {"lines": -3, "t": "entry.recorded"}}),
    ],
)
def test_a_line_that_does_not_fit_its_place_is_found_also_when_all_links_fit(
    raws: list[bytes], number: int, changed: dict[str, Any]
) -> None:
    found = refused(resealed(raws, number, **changed))
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["sound"]) == ("LOG_MALFORMED", number, number - 1)
    assert found.values["entry"] == NAMES[number]


@pytest.mark.parametrize("lines", [2, 4, 1000])
def test_an_entry_has_as_many_lines_as_it_says(raws: list[bytes], lines: int) -> None:
    found = refused(resealed(raws, 3, data={"lines": lines, "t": "entry.recorded"}))
    assert isinstance(found, Damaged)
    assert found.code == "LOG_MALFORMED"
    assert found.values["line"] == (5 if lines == 2 else 6)


@pytest.mark.parametrize("kept", [1, 3, 4, 6, 8])
def test_a_log_cut_inside_an_entry_is_found(raws: list[bytes], kept: int) -> None:
    found = refused(raws[:kept])
    assert isinstance(found, Damaged)
    assert (found.code, found.values["line"], found.values["entry"]) == ("ENTRY_INCOMPLETE", kept, NAMES[kept])
    assert found.values["missing"] == sum(entry == NAMES[kept] for entry in NAMES.values()) - [
        NAMES[number] for number in range(1, kept + 1)
    ].count(NAMES[kept])


def test_a_log_that_begins_with_an_event_is_found(raws: list[bytes]) -> None:
    forged = resealed(raws[1:], 1, seq=1, ver=1)
    assert (refused(forged).code, refused(forged).values["line"]) == ("LOG_MALFORMED", 1)


def test_the_same_id_twice_is_found_and_both_lines_are_named(raws: list[bytes]) -> None:
    found = refused(resealed(raws, 7, id=json.loads(raws[1])["id"]))
    assert isinstance(found, Damaged)
    assert (found.code, found.values) == ("IMPORT_DUPLICATE_ID", {"first": 2, "line": 7, "entry": 3})


VALUE = re.compile(rb'(?<=[:\[,])(?:-?[0-9]+|"[^"]*")')
"""A number or a text in a line, where it is a value."""

VALUES = [
    *(b"0", b"-1", b"-0", b"1.0", b"1e5", b"9007199254740991", b"9007199254740992", b"-9007199254740992", b"9" * 20),
    *(b"null", b"true", b'""', b'"a"', b'"\\u0061"', b"[]", b"{}", b"[1,2]", b'{"a":1}', b'{"b":1,"a":2}', b"1,2"),
    *(b"[" * 9 + b"1" + b"]" * 9, b"[" * 9 + b"null" + b"]" * 9, b"[" * 33 + b"]" * 33),
]


def judged(look: Callable[[bytes, int], object], raw: bytes) -> str:
    try:
        look(raw, 1)
    except LedgerError as error:
        return error.code
    return "sound"


def test_a_quick_look_at_a_line_never_judges_otherwise_than_a_close_one(raws: list[bytes]) -> None:
    """Any value in any place; some of what comes of it is as sound as the line was."""
    judgements = set()
    for raw in raws:
        for place in VALUE.finditer(raw):
            for value in VALUES:
                changed = raw[: place.start()] + value + raw[place.end() :]
                judgement = judged(REGISTRY.strict, changed)
                assert judgement == judged(REGISTRY._strict_slowly, changed), changed
                judgements.add(judgement)
    assert judgements == {"sound", "IMPORT_NOT_CANONICAL", "IMPORT_TOO_BIG", "IMPORT_UNKNOWN_TYPE"}


@pytest.mark.parametrize("name", ["entry", "seq", "ver"])
def test_a_number_of_a_line_that_other_readers_would_round_is_found(raws: list[bytes], name: str) -> None:
    found = refused(resealed(raws, 4, **{name: 2**53}))
    assert (found.code, found.status, found.values["line"]) == ("IMPORT_NOT_CANONICAL", 5, 4)


def test_pages_damaged_below_the_tables_are_told_as_damage(path: Path) -> None:
    """Whatever byte of the file changes, reading it tells of damage or finds nothing changed; it never falls over."""
    sound = path.read_bytes()
    before = lines_in(path)
    for place in range(0, len(sound), 61):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0xFF]) + sound[place + 1 :])
        try:
            with read(str(path)) as lines:
                findings = verify(lines, REGISTRY)
        except LedgerError as error:
            findings = [error]
        if findings:
            assert {found.status for found in findings} <= {3, 4, 5}, (place, findings)
        else:
            assert lines_in(path) == before
