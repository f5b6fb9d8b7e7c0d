"""The program as the tests run it: in this process where that is enough, in one of its own where it is not."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from commands.app import main
from ledger import store
from ledger.lines import read

ROOT = Path(__file__).parents[2]

PROGRAM = (sys.executable, "-c", "import sys; from commands.app import main; sys.exit(main())")
"""What the installed program does, without having to be installed."""

NO_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Run what follows without root's right to read and write whatever the permissions say."""


Refuse = Callable[..., str]
"""Runs what must be refused: `refuse(*words, status=3, code="NAME_EMPTY")`; see the fixture."""

GRANT = '{"by":"paul","action":{"t":"points.grant","force":"ba","purse":"points","amount":1}}'
"""A line of a file of actions."""


class Told(NamedTuple):
    """How a run ended, what it answered and what it said beside the answer."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it answered, read as JSON."""
        return json.loads(self.out)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> Told:
    """Run the program in this process."""
    capsys.readouterr()
    status = main(words)
    return Told(status, *capsys.readouterr())


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a process that finds the program."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def real(*words: str | bytes, launcher: Sequence[str] = (), **more: str) -> Told:
    """Run the program in a process of its own."""
    done = subprocess.run(
        [*launcher, *PROGRAM, *words], capture_output=True, encoding="utf-8", env=environment(**more), check=False
    )
    return Told(done.returncode, done.stdout, done.stderr)


def bound_by_permissions() -> Sequence[str]:
    """Return what to put before a command so that permissions bind it: nothing, unless root runs the tests."""
    if os.geteuid() != 0:
        return ()
    if shutil.which(NO_OVERRIDE[0]) is None:
        pytest.skip("root is bound by no permissions, and there is no setpriv to give up that right")
    return NO_OVERRIDE


def be_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let who records in this process wait for nobody who writes."""
    connect = store._FullPool._create_connection

    def impatient(pool: store._FullPool) -> Any:
        connection = connect(pool)
        connection._sqlite_conn.execute("PRAGMA busy_timeout = 0")
        return connection

    monkeypatch.setattr(store._FullPool, "_create_connection", impatient)


def contents(path: Path) -> tuple[bytes, bytes]:
    """Return every byte of a book: its file, and what waits beside it to be moved there."""
    waiting = path.with_name(f"{path.name}-wal")
    return path.read_bytes(), waiting.read_bytes() if waiting.exists() else b""


def entries(path: Path) -> int:
    """Return how many entries a book has."""
    with read(str(path)) as lines:
        head = lines.head()
    return head.entries if head else 0


def assert_told_in_one_line(err: str, code: str) -> None:
    """Check that one sentence with its code was told, and that it is a sentence."""
    assert err.endswith(f" [{code}]\n"), err
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    assert "\x1b" not in err
    sentence = err.removesuffix(f" [{code}]\n")
    assert code not in sentence, f"{code} has no sentence"
    assert len(sentence.split()) > 2
    assert not any(part in sentence for part in ("screen.", "remark.", "{")), sentence
