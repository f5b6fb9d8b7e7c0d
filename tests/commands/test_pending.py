"""A command of unknown outcome: it can be repeated with its id, or typed again, and is never recorded twice."""

import fcntl
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import store
from ledger.settings import state_folder
from ledger.wording import say
from tests.commands.running import contents, entries, run
from tests.projections.season import SEASON

COUNT = len(SEASON)


def pending() -> list[Path]:
    return list((state_folder() / "pending").glob("*.json"))


def report_an_error(monkeypatch: pytest.MonkeyPatch, *, saved: bool) -> None:
    """Let the disk report an error at the commit of an append, after it was saved or before."""
    append: Callable[..., Any] = store._Recorder.insert_events

    def failing(*given: Any, **more: Any) -> None:
        if saved:
            append(*given, **more)
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(store._Recorder, "insert_events", failing)


def interrupted(capsys: pytest.CaptureFixture[str], *words: str, saved: bool) -> list[str]:
    """Record while the disk reports an error; return the words to repeat."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        report_an_error(monkeypatch, saved=saved)
        told = run(capsys, *words)
    assert (told.status, told.out) == (6, "")
    assert len(pending()) == 1
    return shlex.split(told.err.splitlines()[1].partition("campaign ")[2])


SPEND = ("points", "spend", "ba", "points", "2", "--because", "a spare wheel")


@pytest.mark.parametrize("saved", [True, False])
def test_repeating_with_the_id_records_once_whatever_had_become_of_it(
    book: Path, capsys: pytest.CaptureFixture[str], saved: bool
) -> None:
    repeat = interrupted(capsys, *SPEND, saved=saved)
    assert entries(book) == COUNT + saved
    for _ in range(2):
        told = run(capsys, *repeat)
        assert (told.status, told.err) == (0, "")
        assert f"#{COUNT + 1} " in told.out
        assert entries(book) == COUNT + 1
    assert pending() == []
    assert run(capsys, "verify").status == 0


def test_a_command_typed_again_is_found_to_be_recorded_already(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupted(capsys, *SPEND, saved=True)
    before = contents(book)
    told = run(capsys, *SPEND)
    assert told.status == 0
    assert told.out.splitlines()[0] == say("screen.repeated")
    assert len(say("screen.repeated").split()) > 1
    assert f"#{COUNT + 1} " in told.out
    assert contents(book) == before
    assert pending() == []
    again = run(capsys, *SPEND)
    assert (again.status, entries(book)) == (3, COUNT + 1), "only 1 of 3 points is left"


def test_a_command_typed_again_is_recorded_when_it_had_not_been(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupted(capsys, *SPEND, saved=False)
    told = run(capsys, *SPEND, "--json")
    assert told.json["status"] == "recorded"
    assert entries(book) == COUNT + 1
    assert pending() == []


def test_another_command_is_not_taken_for_the_one_that_is_pending(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(capsys, *SPEND, saved=True)
    assert run(capsys, "points", "spend", "ba", "points", "1").status == 0
    assert run(capsys, "--for", "ana", "note", "a spare wheel").status == 0
    assert entries(book) == COUNT + 3
    assert len(pending()) == 1


def test_once_the_outcome_is_known_the_same_words_mean_another_command(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earn = ("points", "grant", "ba", "points", "2")
    repeat = interrupted(capsys, *earn, saved=True)
    assert run(capsys, *repeat).status == 0
    assert run(capsys, *earn, "--json").json["status"] == "recorded"
    assert entries(book) == COUNT + 2


def test_what_got_a_number_of_its_own_is_found_too(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Typed again, the same words would be about battle 4."""
    interrupted(capsys, "battle", "schedule", "ba:sw", saved=True)
    told = run(capsys, "battle", "schedule", "ba:sw", "--json")
    assert told.json["status"] == "repeated"
    assert [entry["action"]["battle"] for entry in told.json["entries"]] == ["battle-3"]
    assert entries(book) == COUNT + 1


def test_what_another_process_is_doing_right_now_is_not_taken_for_ones_own(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two windows, the same words at the same time: both count."""
    earn = ("points", "grant", "ba", "points", "2")
    interrupted(capsys, *earn, saved=True)
    (path,) = pending()
    with path.open("rb") as held_by_the_other:
        fcntl.flock(held_by_the_other, fcntl.LOCK_EX)
        assert run(capsys, *earn, "--json").json["status"] == "recorded"
    assert entries(book) == COUNT + 2
    assert run(capsys, *earn, "--json").json["status"] == "repeated"


def test_what_was_never_recorded_is_forgotten(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    interrupted(capsys, *SPEND, saved=False)
    assert run(capsys, "note", "something else").status == 0
    assert pending() == []


def test_what_is_written_down_of_a_pending_command_is_for_its_owner_alone(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(capsys, *SPEND, saved=True)
    (path,) = pending()
    assert path.stat().st_mode & 0o077 == 0


def test_a_refused_command_leaves_nothing_pending(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "points", "spend", "ba", "points", "50").status == 3
    assert pending() == []


def test_a_founding_of_unknown_outcome_can_be_repeated_with_its_id(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    repeat = interrupted(capsys, "new", "Vardia", "--player", "Ana", saved=True)
    for status in ("recorded", "repeated", "repeated"):
        told = run(capsys, *repeat, "--json")
        assert (told.status, told.json["status"]) == (0, status)
        assert entries(tmp_path / "campaign.db") == 2
    assert pending() == []
    assert run(capsys, "new", "Vardia", "--player", "Ana").status == 3
    other = run(capsys, *repeat, "--player", "Tom", "--json")
    assert (other.status, other.json["code"]) == (3, "ID_TAKEN")


def test_a_file_of_actions_of_unknown_outcome_is_simply_applied_again(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = '{{"by":"paul","action":{{"t":"note.add","text":"{}"}}}}\n'
    Path("notes.jsonl").write_text("".join(map(line.format, "abc")), encoding="utf-8")
    with pytest.MonkeyPatch.context() as monkeypatch:
        report_an_error(monkeypatch, saved=True)
        told = run(capsys, "apply", "notes.jsonl")
    assert told.status == 6
    assert entries(book) == COUNT + 1
    repeat = shlex.split(told.err.splitlines()[1].partition("campaign ")[2])
    assert run(capsys, *repeat).status == 0
    assert entries(book) == COUNT + 3
    assert run(capsys, *repeat).status == 0
    assert entries(book) == COUNT + 3
