"""Random campaigns in real books: what the commands read there is what the rules decided, and it travels whole."""

import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from aggregates import history
from aggregates.kinds import Entry, Refused, Request
from aggregates.state import World
from commands.app import main
from commands.record import Command, Recorder
from ledger import archive, intake
from ledger.lines import read
from ledger.store import create, open_book
from projections.entries import Reading
from tests.generator import propose

REQUESTS = 45
"""Requests of one campaign: enough for battles, deaths and rulings, few enough to shrink."""

Ask = Callable[[Sequence[str]], Any]


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    """Numbers for the books of one run."""
    return itertools.count()


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a reading command with --json and return what it answers."""

    def run(words: Sequence[str]) -> Any:
        assert main([*words, "--json"]) == 0, words
        return msgspec.json.decode(capsys.readouterr().out)

    return run


def play(path: Path, chance: Random) -> tuple[World, list[Entry]]:
    """Record a random campaign in a new book and return what is true at its end."""
    entries: list[Entry] = []
    with create(str(path)) as book:
        recorder = Recorder(book, lambda: "2026-03-01T20:00:00Z")
        for number in range(REQUESTS):
            request = propose(recorder.world, entries, chance)
            try:
                (recorded,) = recorder.record(Command(f"command-{number}", _only(request)))
            except Refused:
                continue
            entries.extend(recorded.entries)
        return recorder.world.copy(), entries


def _only(request: Request) -> Callable[[World], Sequence[Request]]:
    return lambda world: [request]


@settings(
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),  # A campaign that fails takes minutes to shrink; add it to look for why.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(chance=st.randoms(use_true_random=False, note_method_calls=False))
def test_a_random_book_says_what_was_decided_and_travels_whole(
    chance: Random, tmp_path: Path, numbers: Iterator[int], ask: Ask
) -> None:
    """Replay equals live, the audit agrees, the export comes back byte for byte, and `why` adds up to every figure."""
    path = tmp_path / f"{next(numbers)}.db"
    live, entries = play(path, chance)
    if not entries:
        return

    with read(str(path)) as lines:
        reading = Reading(lines)
        assert reading.world() == live
        assert list(reading.entries()) == entries
        assert archive.verify(lines, reading.registry) == []
        assert {verdict.kind for verdict in history.audit(entries)} == {"agrees"}
        exported = export(lines)
        taken_in = tmp_path / f"{path.stem}-again.db"
        with create(str(taken_in)) as book:
            intake.receive(book, io.BytesIO(exported), reading.registry)
    with read(str(taken_in)) as lines:
        assert export(lines) == exported

    sheets = ask(["sheet", "--book", str(path)]) if live.forces else {"forces": []}
    for key, name, figure in figures_of(sheets):
        told = ask(["why", key, name, "--book", str(path)])
        assert told["value"] == figure["value"]
        cited = [step["amount"] for step in told["postings"] if not step.get("struck")]
        assert sum(cited) == figure["value"], (key, name)


def export(lines: Any) -> bytes:
    """Return a book's export."""
    written: list[bytes] = []
    archive.export(lines, written.append)
    return b"".join(written)


def figures_of(sheets: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every figure of every sheet with the force or model it is of, and refuse an integer that is none."""
    for force in sheets["forces"]:
        for group in ("purses", "record"):
            for name, figure in force.pop(group).items():
                yield force["key"], name, figure
        yield force["key"], "models", force.pop("size")
        for model in (*force.pop("models"), *force.pop("fallen", ())):
            for name, figure in model.pop("figures").items():
                yield f"{force['key']}/{model['key']}", name, figure
            assert_no_integer(model)
    assert_no_integer(sheets)


def assert_no_integer(value: Any) -> None:
    """Expect no number that does not say where it comes from."""
    match value:
        case dict():
            for part in value.values():
                assert_no_integer(part)
        case list():
            for part in value:
                assert_no_integer(part)
        case bool() | str():
            pass
        case _:
            raise AssertionError(f"a number without provenance: {value!r}")


def test_a_repeated_command_is_answered_and_recorded_once(tmp_path: Path) -> None:
    """Every command of a random campaign is sent again by another recorder: the same entries, and no more lines."""
    path = tmp_path / "campaign.db"
    asked: list[tuple[str, Request]] = []
    chance = Random(7)  # noqa: S311 -- the same game in every run, no secret
    with create(str(path)) as book:
        recorder = Recorder(book, lambda: "2026-03-01T20:00:00Z")
        entries: list[Entry] = []
        for number in range(60):
            request = propose(recorder.world, entries, chance)
            try:
                (recorded,) = recorder.record(Command(f"command-{number}", _only(request)))
            except Refused:
                continue
            asked.append((recorded.command, request))
            entries.extend(recorded.entries)
    assert len(asked) > 20

    with open_book(str(path)) as book:
        size = len(list(itertools.chain.from_iterable(book.chunks())))
        for command, request in asked:
            (again,) = Recorder(book, lambda: "2026-03-02T20:00:00Z").record(Command(command, _only(request)))
            assert again.repeated
            assert again.entries == tuple(entry for entry in entries if entry.command == command)
        assert len(list(itertools.chain.from_iterable(book.chunks()))) == size
