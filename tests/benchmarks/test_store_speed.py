"""The store: an append and an import cost a known multiple of what SQLite alone takes for the same lines.

Both sides run in turn, on files beside each other and equally durable. Of single commits, which vary more than anything
here, the medians are compared; of whole imports one round after the other is looked at, since what else runs on a
machine disturbs most of them. The figures are ratios; times are printed.
"""

import io
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

import pytest

from ledger.archive import export
from ledger.intake import receive
from ledger.line import CANON
from ledger.lines import Row, read
from ledger.store import Draft, EntryDraft, create
from projections.entries import gather, registry_of

SEASON = Path(__file__).parent.parent / "golden" / "season.clx.jsonl"
SEASONS = 25
CAMPAIGN = "ab" * 16

APPENDS = 150
APPEND_RATIO_MAX = 2.6
APPEND_ROUNDS = 4

IMPORTS = 12
IMPORTED = 40_000
"""Lines a second that an import takes in, where bare insertions reach `INSERTED`."""

INSERTED = 150_000

TABLE = (
    "CREATE TABLE lines (originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, topic TEXT NOT NULL, "
    "state BLOB NOT NULL, id INTEGER PRIMARY KEY, UNIQUE (originator_id, originator_version)) STRICT"
)

INSERT = "INSERT INTO lines (id, originator_id, originator_version, topic, state) VALUES (?,?,?,?,?)"


@contextmanager
def bare(path: Path) -> Iterator[sqlite3.Connection]:
    """Open SQLite alone: a table of the same columns, as durable as a book."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(TABLE)
    try:
        yield connection
    finally:
        connection.close()


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of some ten thousand entries: the season recorded over and over."""
    path = tmp_path_factory.mktemp("store") / "campaign.db"
    entries = tuple(gather(map(registry_of(()).decoder.decode, SEASON.read_bytes().splitlines()[1:])))
    drafts = []
    for number, entry in ((number, entry) for number in range(SEASONS) for entry in entries):
        events = tuple(Draft(e.stream, str(e.__struct_config__.tag), CANON.encode(e)) for e in entry.events)
        command = f"{number}:{entry.number}"
        drafts.append(EntryDraft(command, entry.asked, entry.at, entry.by, entry.on_behalf_of, events))
    with create(str(path)) as book:
        book.append(drafts, campaign=CAMPAIGN, head=0)
    return path


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def test_an_append_stays_near_what_the_disk_takes(tmp_path: Path) -> None:
    """An entry of two lines, at most 2.6 times a bare transaction that inserts two rows."""
    numbers, line = count(), b"x" * 360
    action, data = b'{"force":"ba","t":"note.add","text":"late"}', b'{"t":"note.added","text":"late"}'
    with bare(tmp_path / "bare.db") as connection, create(str(tmp_path / "campaign.db")) as book:

        def insert() -> None:
            connection.execute("BEGIN IMMEDIATE")
            for number in (next(numbers), next(numbers)):
                connection.execute(INSERT, (number, CAMPAIGN, number, "note.added", line))
            connection.execute("COMMIT")

        def append() -> None:
            head = book.head()
            size = head.size if head else 0
            draft = EntryDraft(
                f"command-{size}", action, "2026-05-01T18:00:00Z", "paul", "", (Draft("", "note.added", data),)
            )
            book.append([draft], campaign=CAMPAIGN, head=size)

        told = []
        for _ in range(APPEND_ROUNDS):
            times = [(timed(insert), timed(append)) for _ in range(APPENDS)]
            bared, ours = (median(column) for column in zip(*times, strict=True))
            told.append(f"bare {bared * 1e6:.0f} us, ours {ours * 1e6:.0f} us, ratio {ours / bared:.2f}")
            print(f"append: {told[-1]}")
            if ours <= APPEND_RATIO_MAX * bared:
                return

    raise AssertionError(f"never near enough: {told}")


def insert_all(path: Path, rows: list[Row]) -> None:
    with bare(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")


def take_in(path: Path, exported: bytes) -> None:
    with create(str(path)) as book:
        receive(book, io.BytesIO(exported), registry_of(()))


def test_an_import_that_checks_every_line_stays_near_what_inserting_takes(season: Path, tmp_path: Path) -> None:
    """At least 40,000 lines a second where inserting the same rows reaches 150,000; as many fewer where it is less."""
    target = io.BytesIO()
    with read(str(season)) as lines:
        rows = list(lines.rows())
        export(lines, target.write)
    told = []
    for number in range(IMPORTS):
        bare_rate = len(rows) / timed(partial(insert_all, tmp_path / f"bare-{number}.db", rows))
        our_rate = len(rows) / timed(partial(take_in, tmp_path / f"{number}.db", target.getvalue()))
        told.append(f"bare {bare_rate:,.0f} lines/s, ours {our_rate:,.0f} lines/s, ratio {bare_rate / our_rate:.2f}")
        print(f"import: {told[-1]}")
        if our_rate >= IMPORTED * min(1, bare_rate / INSERTED):
            return

    raise AssertionError(f"never near enough: {told}")
