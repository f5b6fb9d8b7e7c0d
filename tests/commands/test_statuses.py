"""One command for each way to end: every exit status as a shell sees it, on real books."""

import errno
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from commands import app, invocation, sheet
from ledger import lines, store
from tests.commands.running import (
    PROGRAM,
    Told,
    assert_told_in_one_line,
    be_impatient,
    contents,
    entries,
    environment,
    real,
    run,
)
from tests.projections.season import SEASON


def ended(told: Told, status: int, code: str) -> bool:
    """Tell whether a run ended with this status and this one line, and answered nothing."""
    assert_told_in_one_line(told.err, code)
    return (told.status, told.out) == (status, "")


def test_done_is_0(book: Path) -> None:
    told = real("points", "grant", "ba", "points", "5")
    assert (told.status, told.err) == (0, "")
    assert entries(book) == len(SEASON) + 1


def test_a_fault_of_the_program_is_1_and_no_traceback(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> None:
        raise ZeroDivisionError("Ana's secret")

    monkeypatch.setattr(sheet, "_wanted", broken)
    for language in ("en", "fr"):
        told = run(capsys, "--lang", language, "sheet")
        assert ended(told, 1, "FAULT")
        assert "ZeroDivisionError" in told.err
        assert "secret" not in told.err


def test_misused_is_2(book: Path) -> None:
    before = contents(book)
    assert ended(real("points", "grant", "ba", "points", "1.5"), 2, "NOT_AN_INTEGER")
    assert contents(book) == before


def test_refused_is_3(book: Path) -> None:
    before = contents(book)
    assert ended(real("points", "spend", "ba", "points", "100"), 3, "PURSE_INSUFFICIENT")
    assert contents(book) == before


def test_not_now_is_4_and_tells_the_command_to_repeat(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(book)
    be_impatient(monkeypatch)
    holder = sqlite3.connect(book, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    busy = run(capsys, "note", "two words")
    looked = run(capsys, "history")
    holder.close()
    first, again = busy.err.splitlines(keepends=True)
    assert ended(Told(busy.status, busy.out, first), 4, "BUSY")
    assert looked.status == 0, "reading waits for nobody"
    assert contents(book) == before
    typed = again.partition("campaign ")[2].strip()
    assert typed.startswith("--id ")
    assert typed.endswith(" note 'two words'")


def test_damaged_is_5(book: Path) -> None:
    book.write_bytes(b"no book " * 1000)
    for waiting in book.parent.glob("campaign.db-*"):
        waiting.unlink()
    assert ended(real("verify"), 5, "DB_DAMAGED")


def test_findings_of_verify_are_5(book: Path) -> None:
    connection = sqlite3.connect(book)
    for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(
        "UPDATE stored_events SET state = CAST(replace(state, 'pack', 'pact') AS BLOB) WHERE topic = 'points.spent'"
    )
    connection.commit()
    for statement in lines.SCHEMA:
        if statement.startswith("CREATE TRIGGER"):
            connection.execute(statement)
    connection.commit()
    connection.close()
    told = real("verify")
    assert told.status == 5
    assert "#15" in told.out or "#16" in told.out


def test_an_unknown_outcome_is_6(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*given: object, **more: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(store._Recorder, "insert_events", failing)
    told = run(capsys, "note", "x")
    first, again = told.err.splitlines(keepends=True)
    assert ended(Told(told.status, told.out, first), 6, "OUTCOME_UNKNOWN")
    assert "campaign --id " in again


def test_stopped_is_130_and_nothing_half_recorded(book: Path) -> None:
    """The file of actions is a pipe, so that the program is surely in the middle of it when it is stopped.

    The pipe ends behind the signal: who is told to stop just before it waits for more would notice no sooner.
    """
    before = contents(book)
    actions = book.parent / "actions.jsonl"
    os.mkfifo(actions)
    process = subprocess.Popen(
        [*PROGRAM, "apply", str(actions)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )
    with os.fdopen(opened_when_read(actions, process), "w", encoding="utf-8") as pipe:
        pipe.write('{"by":"paul","action":{"t":"note.add","text":"x"}}\n')
        pipe.flush()
        process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert ended(Told(process.returncode, out, err), 130, "INTERRUPTED")
    assert contents(book) == before


def test_stopped_before_it_could_say_a_word_is_130_too(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(words: object, nouns: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(invocation, "answer", stopped)
    assert app.main(["history"]) == 130


def test_stopped_while_a_class_was_made_is_no_fault_of_the_program(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11 tells of it as a `RuntimeError` with the interruption as its cause."""

    def stopped(*given: object) -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(sheet, "_wanted", stopped)
    assert ended(run(capsys, "sheet"), 130, "INTERRUPTED")


def opened_when_read(pipe: Path, process: subprocess.Popen[str]) -> int:
    """Open a pipe for writing as soon as the process reads from it."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO, "nobody reads yet"  # noqa: PT017 -- the usual case, not the expected one
    raise AssertionError(process.communicate())


def test_a_reader_that_has_seen_enough_ends_a_history_quietly(book: Path) -> None:
    """`campaign history | head -1`."""
    assert real("apply", many_notes(book.parent)).status == 0
    with subprocess.Popen(
        [*PROGRAM, "history"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        head = subprocess.run(
            ["/usr/bin/env", "head", "-1"], stdin=process.stdout, capture_output=True, text=True, check=True
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert head.stdout.startswith(" #1 ") or head.stdout.startswith("  #1 ")
    assert (process.returncode, said) == (0, b"")


def many_notes(folder: Path) -> str:
    """Write a file of so many actions that their history fills any pipe, and return its name."""
    line = '{"by":"paul","actions":[' + ",".join(['{"t":"note.add","text":"' + "x" * 490 + '"}'] * 300) + "]}\n"
    (folder / "notes.jsonl").write_text(line, encoding="utf-8")
    return "notes.jsonl"


def test_a_reader_that_has_seen_enough_ends_an_export_quietly(book: Path) -> None:
    assert real("apply", many_notes(book.parent)).status == 0
    with subprocess.Popen(
        [*PROGRAM, "export", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10) == b'{"campaign'
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


def test_a_book_in_a_synchronised_folder_is_recorded_in_and_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Row by row two computers would overwrite each other there."""
    folder = tmp_path / "Dropbox"
    folder.mkdir()
    told = run(capsys, "new", "Vardia", "--book", str(folder / "campaign.db"))

    assert told.status == 0
    assert "Dropbox" in told.err
    assert run(capsys, "note", "seen", "--book", str(folder / "campaign.db")).err.count("\n") == 1
