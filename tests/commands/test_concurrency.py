"""Ten processes record in one campaign at once: nothing lost, nothing doubled, nothing decided on what had moved on."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aggregates.kinds import Entry
from ledger import kept
from ledger.lines import read
from projections.entries import Reading
from tests.commands.running import Told, environment, real, run
from tests.projections.season import SEASON, record_season

PROCESSES = 10
ROUNDS = 4

WORKER = """
import io, json, sys
from contextlib import redirect_stdout
from commands.app import main

sys.stdin.readline()
for number, words in enumerate(json.loads(sys.argv[1])):
    status, id_ = 4, f"{sys.argv[2]}:{number}"
    while status == 4:
        answer = io.StringIO()
        with redirect_stdout(answer):
            status = main(["--json", "--id", id_, *words])
    print(json.dumps([status, json.loads(answer.getvalue())]), flush=True)
"""
"""Records commands one after the other; busy means again, with the same id."""


Done = list[tuple[list[str], int, dict[str, Any]]]
"""Each order that was given, how it ended, and what was answered."""


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Done]]:
    """The season as a book in which ten processes have recorded at once, and what came of each command."""
    folder = tmp_path_factory.mktemp("ten")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / ".state"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
        monkeypatch.setenv("CAMPAIGN_BOOK", str(record_season(folder / "campaign.db")))
        yield folder / "campaign.db", record_all_at_once()


def orders(worker: int) -> list[list[str]]:
    """What one process records: every process earns 2 and tries to spend 6 each round, some in the very same words."""
    name = str(worker) if worker % 2 else "the same words"
    return [
        [verb, force, amount, name]
        for _ in range(ROUNDS)
        for verb, force, amount in (("grant", "ba", "2"), ("spend", "ba", "6"))
    ]


def words(order: list[str]) -> list[str]:
    verb, force, amount, name = order
    return ["points", verb, force, "points", amount, "--because", name]


def record_all_at_once() -> Done:
    """Start the processes, let them go together, and return each order with its status and its answer."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, json.dumps(list(map(words, orders(worker)))), f"worker-{worker}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(),
        )
        for worker in range(PROCESSES)
    ]
    for process in workers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    done: Done = []
    for worker, process in enumerate(workers):
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        answers = [json.loads(line) for line in out.splitlines()]
        assert len(answers) == len(orders(worker))
        done += [(order, status, answer) for order, (status, answer) in zip(orders(worker), answers, strict=True)]
    return done


def test_ten_processes_lose_nothing_and_double_nothing(
    done: tuple[Path, Done], capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = [(order, answer) for order, status, answer in done[1] if status == 0]
    refused = [answer for _, status, answer in done[1] if status == 3]
    assert [answer for _, status, answer in done[1] if status not in (0, 3)] == [], "nothing else may come of it"
    assert len(recorded) + len(refused) == PROCESSES * ROUNDS * 2
    assert {answer["code"] for answer in refused} == {"PURSE_INSUFFICIENT"}, "they would spend thrice what they earn"

    numbers = [entry["number"] for _, answer in recorded for entry in answer["entries"]]
    history = run(capsys, "--book", str(done[0]), "history", "--json").json
    assert sorted(numbers) == list(range(len(SEASON) + 1, len(SEASON) + 1 + len(recorded)))
    assert [entry["number"] for entry in history] == list(range(1, len(SEASON) + 1 + len(recorded)))

    asked = Counter(tuple(order) for order, _ in recorded)
    assert asked == Counter(told(entry) for entry in history[len(SEASON) :])
    assert sum(number for (verb, *_), number in asked.items() if verb == "grant") == PROCESSES * ROUNDS


def told(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return an entry as the order it came from."""
    action = entry["action"]
    return action["t"].removeprefix("points."), action["force"], str(action["amount"]), action["because"]


def test_no_purse_of_ten_processes_is_ever_overdrawn(
    done: tuple[Path, Done], capsys: pytest.CaptureFixture[str]
) -> None:
    """The Blood Angels had 3 points at the season's end."""
    spent = sum(int(order[2]) for order, status, _ in done[1] if status == 0 and order[0] == "spend")
    earned = PROCESSES * ROUNDS * 2
    (statement,) = run(capsys, "--book", str(done[0]), "statement", "ba", "points", "--json").json["statements"]
    assert statement["balance"] == 3 + earned - spent
    assert min(step["balance"] for step in statement["steps"]) >= 0


@pytest.mark.parametrize("words", [("verify",), ("audit",), ("replay",)])
def test_what_ten_processes_recorded_is_as_sound_as_what_one_did(
    done: tuple[Path, Done], capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    told = run(capsys, "--book", str(done[0]), *words)
    assert (told.status, told.err) == (0, "")


def test_the_numbers_of_lines_have_no_gaps_either(done: tuple[Path, Done]) -> None:
    with read(str(done[0])) as lines:
        found = [msgspec.json.decode(line) for chunk in lines.chunks() for line in chunk]
        head = lines.head()
        commands = list(lines.commands())
    assert head is not None
    assert [line["seq"] for line in found] == list(range(1, head.size + 1))
    for stream in {line["stream"] for line in found}:
        versions = [line["ver"] for line in found if line["stream"] == stream]
        assert versions == list(range(1, len(versions) + 1))
    assert len({line["id"] for line in found}) == head.size
    assert [one.first for one in commands] == [1, *(one.last + 1 for one in commands[:-1])]


def test_what_others_record_while_a_book_is_read_counts_once(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Blood Angels have 3 points. An annulled entry lets the whole book be folded, and twice somebody is first."""
    entries: Callable[..., Iterator[Entry]] = Reading.entries
    others = [("grant", "2"), ("spend", "4")]
    told: list[Told] = []

    def growing(reading: Reading, **bounds: int) -> Iterator[Entry]:
        if others:
            verb, amount = others.pop(0)
            told.append(real("points", verb, "ba", "points", amount))
        return entries(reading, **bounds)

    monkeypatch.setattr(Reading, "entries", growing)
    own = run(capsys, "points", "spend", "ba", "points", "3", "--json")
    assert [one.status for one in told] == [0, 0]
    assert (own.status, own.json["values"]["has"]) == (3, 3 + 2 - 4)
    assert run(capsys, "points", "spend", "ba", "points", "1").status == 0
    assert run(capsys, "audit").status == 0


@pytest.mark.parametrize("words", [("status",), ("note", "x"), ("export", "-"), ("checkpoint",)])
def test_a_book_that_grows_while_it_is_opened_has_not_lost_its_end(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Somebody records, and remembers the new head, just before it is compared with what was read."""
    newest = kept.newest
    others: list[Told] = []

    def later(campaign: str) -> kept.Checkpoint | None:
        if not others:
            others.append(real("note", "meanwhile"))
        return newest(campaign)

    monkeypatch.setattr(kept, "newest", later)
    told = run(capsys, *words)
    assert [one.status for one in others] == [0]
    assert (told.status, told.err) == (0, "")
