"""Many who record at once, readers beside them, and writers killed in the middle: nothing lost, nothing doubled."""

import secrets
import sqlite3
import subprocess
import threading
import time
from itertools import groupby
from pathlib import Path

import pytest
from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

from ledger.archive import verify
from ledger.lines import read
from ledger.store import Moved, create
from tests.ledger.notebook import (
    ANGELS,
    CAMPAIGN,
    REGISTRY,
    SPEARS,
    Noted,
    append,
    asked,
    draft,
    faults,
    opened,
    start,
    stored,
    write_notes,
)

PROCESSES = 10
APPENDS = 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of three notes."""
    return write_notes(tmp_path / "campaign.db")


# Decided on what others changed meanwhile.

HONOUR = "first to the relic"


def holders(texts: list[str]) -> list[str]:
    """Return who holds the honour that only one force may hold."""
    return [text for text in texts if text.startswith(HONOUR)]


def test_a_condition_on_each_stream_lets_two_forces_win_what_only_one_may(tmp_path: Path) -> None:
    """Why an append is conditional on the whole log: both read both forces, each writes on its own."""
    recorder = SQLiteApplicationRecorder(SQLiteDatastore(str(tmp_path / "streams.db"), originator_id_type="text"))
    recorder.create_table()

    def seen() -> list[str]:
        return [event.state.decode() for force in (ANGELS, SPEARS) for event in recorder.select_events(force)]

    decided_by_both_at_once = seen()
    for force in (ANGELS, SPEARS):
        assert holders(decided_by_both_at_once) == []
        recorder.insert_events([StoredEvent(force, 1, "honour", f"{HONOUR}: {force}".encode())])
    assert len(holders(seen())) == 2
    recorder.datastore.close()


def test_a_condition_on_the_whole_log_refuses_the_second(path: Path) -> None:
    with opened(path) as ours, opened(path) as theirs:
        heads = [head.size for book in (ours, theirs) if (head := book.head())]
        for book, force, size in zip((ours, theirs), (ANGELS, SPEARS), heads, strict=True):
            entry = asked(force, draft(Noted(f"{HONOUR}: {force}"), force))
            if book is ours:
                book.append([entry], campaign=CAMPAIGN, head=size)
            else:
                with pytest.raises(Moved):
                    book.append([entry], campaign=CAMPAIGN, head=size)
    assert len(holders([line["data"].get("text", "") for line in stored(path)])) == 1


# Many at once.

WORKER = f"""
import sys
from pathlib import Path
from ledger.errors import NotNow
from tests.ledger.notebook import Counted, append, asked, draft, opened

worker = sys.argv[2]
with opened(Path(sys.argv[1])) as book:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range({APPENDS}):
        entry = asked(f"{{worker}}:{{number}}", draft(Counted(number), f"force:{{int(worker) % 3}}"))
        while True:
            try:
                (receipt,) = append(book, entry)
            except NotNow:
                continue
            break
        print(receipt.command, receipt.first_entry, receipt.first, receipt.last, flush=True)
"""
"""Appends entries on three streams that others write on too, again and again until it is first."""


def test_ten_processes_lose_nothing_and_double_nothing_and_leave_no_gap(path: Path) -> None:
    workers = [start(WORKER, path, str(worker)) for worker in range(PROCESSES)]
    for process in workers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    told: list[tuple[str, int, int, int]] = []
    for process in workers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in workers:
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        told += [
            (one, int(entry), int(first), int(last)) for one, entry, first, last in map(str.split, out.splitlines())
        ]

    sent = {f"{worker}:{number}" for worker in range(PROCESSES) for number in range(APPENDS)}
    assert sorted(command for command, *_ in told) == sorted(sent)
    lines = stored(path)
    assert [line["seq"] for line in lines] == list(range(1, 6 + 2 * len(sent) + 1))
    assert [number for number, _ in groupby(line["entry"] for line in lines)] == list(range(1, 3 + len(sent) + 1))
    assert len({line["id"] for line in lines}) == len(lines)
    found = [(first["command"], first["entry"], first["seq"], first["seq"] + 1) for first in lines[6::2]]
    assert sorted(found) == sorted(told)
    for worker in range(PROCESSES):
        own = [command for command, *_ in found if command.startswith(f"{worker}:")]
        assert own == [f"{worker}:{number}" for number in range(APPENDS)], "each one's own stay in their order"
    assert faults(path) == []
    assert not path.with_name("campaign.db-wal").exists()


def test_two_who_send_one_command_at_once_record_it_once(path: Path) -> None:
    receipts = []

    def send() -> None:
        with opened(path) as book:
            while True:
                try:
                    receipts.extend(append(book, asked("once")))
                except Moved:
                    continue
                break

    senders = [threading.Thread(target=send) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert sorted(receipt.repeated for receipt in receipts) == [False, True, True, True]
    assert {(receipt.first_entry, receipt.first, receipt.last) for receipt in receipts} == {(4, 7, 8)}
    assert len(stored(path)) == 8


def test_who_reads_while_others_record_sees_whole_entries_only(path: Path) -> None:
    process = start(WORKER, path, "1")
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    process.stdin.write("go\n")
    process.stdin.flush()
    sizes = set()
    while process.poll() is None:
        with read(str(path)) as lines:
            assert verify(lines, REGISTRY) == []
            head = lines.head()
            assert head is not None
            sizes.add(head.size)
    out, err = process.communicate()
    assert (len(out.splitlines()), err) == (APPENDS, "")
    assert {size % 2 for size in sizes} == {0}
    assert len(stored(path)) == 6 + 2 * APPENDS


# Killed.

ENDLESS = """
import sys
from itertools import count
from pathlib import Path
from tests.ledger.notebook import Noted, append, asked, draft, opened

for number in count():
    with opened(Path(sys.argv[1])) as book:
        for part in range(5):
            command = f"{sys.argv[2]}:{number}:{part}"
            append(book, asked(command, draft(Noted("x" * 3000)), draft(Noted("y"))), asked(command))
            print(command, flush=True)
"""
"""Records until it is killed, in commands of two entries, and opens the book anew after every fifth."""


def kill_after(process: "subprocess.Popen[str]", seconds: float) -> list[str]:
    """Kill a process some time after its first word, and return all it had said by then."""
    assert process.stdout is not None
    said = process.stdout.readline()
    killer = threading.Timer(seconds, process.kill)
    killer.start()
    said += process.stdout.read()
    killer.join()
    process.communicate()
    return [line for line in said.splitlines(keepends=True) if line.endswith("\n")]


def test_what_was_acknowledged_before_a_writer_was_killed_is_in_the_book(path: Path) -> None:
    acknowledged: list[str] = []
    for run in range(8):
        seconds = secrets.randbelow(120) / 1000
        process = start(ENDLESS, path, str(run))
        acknowledged += [line.strip() for line in kill_after(process, seconds)]
        assert process.returncode == -9
        assert faults(path) == [], f"killed after {seconds} s, run {run}"
        found = [line["command"] for line in stored(path)[6:] if "command" in line]
        recorded = [command for command, _ in groupby(found)]
        assert len(found) == 2 * len(recorded), "a command is recorded with all its entries or not at all"
        assert [command for command in recorded if command in acknowledged] == acknowledged
        assert len(recorded) - len(acknowledged) <= run + 1, "at most one a run was recorded and not acknowledged"
    with opened(path) as book:
        append(book, asked("afterwards"))
    assert faults(path) == []
    assert [one.name for one in path.parent.iterdir()] == ["campaign.db"]


MAKING = """
import sys, time
from ledger.store import create
from tests.ledger.notebook import append, asked

with create(sys.argv[1]) as book:
    append(book, asked("a"))
    print("made", flush=True)
    sys.stdin.read()
"""


def test_a_writer_killed_while_it_makes_a_book_leaves_the_place_free(tmp_path: Path) -> None:
    path = tmp_path / "campaign.db"
    process = start(MAKING, path)
    assert process.stdout is not None
    assert process.stdout.readline() == "made\n"
    process.kill()
    process.communicate()
    assert not path.exists()
    with create(str(path)) as book:
        append(book, asked("b"))
    assert faults(path) == []


def test_a_writer_that_lets_go_in_time_is_waited_for(path: Path) -> None:
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with opened(path) as book:
        holder.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        release = threading.Timer(0.1, holder.execute, ("COMMIT",))
        release.start()
        append(book, asked("a"))
        assert time.monotonic() - started >= 0.09
        release.join()
    holder.close()
    assert faults(path) == []
