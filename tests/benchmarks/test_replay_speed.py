"""Replay: reading a whole book and folding it costs little more than reading and decoding its lines.

The lines are those of the club season, many times over. Both sides run in turn on the same file; the best times count,
so that a busy machine disturbs both alike. The figure is a ratio; times are printed.
"""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aggregates.kinds import Entry
from ledger.line import CANON
from ledger.lines import read
from ledger.settings import CHUNK_LINES
from ledger.store import Draft, EntryDraft, create
from projections.entries import Reading, gather, registry_of

SEASON = Path(__file__).parent.parent / "golden" / "season.clx.jsonl"
SEASONS = 60
ROUNDS = 9
RATIO_MAX = 1.2


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of some fifty thousand lines: the season played over and over."""
    path = tmp_path_factory.mktemp("replay") / "campaign.db"
    decode = registry_of(()).decoder.decode
    raws = SEASON.read_bytes().splitlines()[1:]
    entries = tuple(gather(map(decode, raws)))
    drafts = [_again(entry, season) for season in range(SEASONS) for entry in entries]
    with create(str(path)) as new:
        new.append(drafts, campaign="ab" * 16, head=0)
    return path


def _again(entry: Entry, season: int) -> EntryDraft:
    drafts = tuple(Draft(e.stream, str(e.__struct_config__.tag), CANON.encode(e)) for e in entry.events)
    return EntryDraft(f"{season}:{entry.number}", entry.asked, entry.at, entry.by, entry.on_behalf_of, drafts)


def _raw(path: Path) -> None:
    """Read and decode every line with nothing but sqlite3 and one decoder."""
    decode = registry_of(()).decoder.decode
    connection = sqlite3.connect(path)
    cursor = connection.execute("SELECT state FROM stored_events ORDER BY id")
    while rows := cursor.fetchmany(CHUNK_LINES):
        for (state,) in rows:
            decode(state)
    connection.close()


def _replay(path: Path) -> None:
    with read(str(path)) as lines:
        Reading(lines).world()


def _timed(run: Callable[[Path], None], path: Path) -> float:
    start = time.perf_counter()
    run(path)
    return time.perf_counter() - start


def test_replay_and_fold_stay_near_the_limit_of_reading_and_decoding(book: Path) -> None:
    """At most 1.2 times sqlite3 plus one decoder on the same lines."""
    times = [(_timed(_raw, book), _timed(_replay, book)) for _ in range(ROUNDS)]
    raw, ours = (min(column) for column in zip(*times, strict=True))
    print(f"replay: raw {raw * 1000:.0f} ms, ours {ours * 1000:.0f} ms, ratio {ours / raw:.2f}")

    assert ours <= RATIO_MAX * raw
