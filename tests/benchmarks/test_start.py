"""Starting: a cold command costs little more than Python itself, and does not grow with what it does not use.

Times are those of runs side by side, told as what a command takes beyond `python -c pass`: the shortest of each, since
what else runs on a machine only ever adds to a time. Byte code is written, as on any machine of a user.
"""

import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

PIPED_MS = 110
DRAWN_MS = 140
RUNS = 8
ROUNDS = 12

PROGRAM = "import sys; from commands.app import main; sys.exit(main())"

CROWD = """
import sys, types
import commands.app
from aggregates import world
commands.app.NOUNS["set-up"].update({f"dummy-{n}": f"no.such.module{n}" for n in range(60)})
world.SYSTEMS.update({f"dummy-{n}": f"no.such.system{n}" for n in range(10)})
from commands.app import main
sys.exit(main())
"""
"""The program with sixty more commands and ten more rule systems registered; none of their modules can be imported."""

DUMMY_EVENTS = """
import sys
from aggregates import world
from aggregates.contract import Family, System
from aggregates.kinds import Event
import msgspec
kinds = [
    msgspec.defstruct(f"Dummy{n}", [("force", str), ("name", str, ""), ("amount", int, 0)], bases=(Event,),
                      tag=f"dummy.happened-{n}", frozen=True, kw_only=True, gc=False)
    for n in range(150)
]
families = tuple(
    Family((), tuple(kinds[start : start + 15]), lambda world, request: (), lambda world, event: None)
    for start in range(0, 150, 15)
)
world.CORE = (*world.CORE, *families)
world._enter(families)
from commands.app import main
sys.exit(main())
"""
"""The program with a hundred and fifty more events in every decoder, as if the campaign had adopted them."""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's book."""
    folder = tmp_path_factory.mktemp("start")
    subprocess.run(
        [sys.executable, "-c", PROGRAM, "demo", str(folder / "demo")],
        check=True,
        stdout=subprocess.DEVNULL,
        env=_environment(folder),
    )
    return folder / "demo" / "campaign.db"


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}


def _piped(code: str, *words: str) -> Callable[[Mapping[str, str]], None]:
    def run(environment: Mapping[str, str]) -> None:
        subprocess.run([sys.executable, "-c", code, *words], check=True, stdout=subprocess.DEVNULL, env=environment)

    return run


def _drawn(code: str, *words: str) -> Callable[[Mapping[str, str]], None]:
    def run(environment: Mapping[str, str]) -> None:
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=theirs, env=environment)
            os.close(theirs)
            for _ in _read(ours):
                pass
            assert process.wait() == 0
        finally:
            os.close(ours)

    return run


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            return
        if not part:
            return
        yield part


def _beyond_python(folder: Path, command: Callable[[Mapping[str, str]], None]) -> float:
    """Return how many milliseconds a command takes beyond a bare Python, run in turn with it."""
    environment = _environment(folder)
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(RUNS):
        for run, times in ((_piped("pass"), bare), (command, ours)):
            start = time.perf_counter()
            run(environment)
            times.append(1000 * (time.perf_counter() - start))
    return min(ours) - min(bare)


def _best(folder: Path, command: Callable[[Mapping[str, str]], None], limit: float) -> float:
    best = 1000.0
    for _ in range(ROUNDS):
        best = min(best, _beyond_python(folder, command))
        if best <= limit:
            break
    print(f"beyond python: {best:.0f} ms of {limit:.0f}")
    return best


@pytest.mark.parametrize("code", [PROGRAM, CROWD, DUMMY_EVENTS], ids=["as-it-is", "60-commands", "150-events"])
def test_a_cold_sheet_in_json_costs_little_more_than_python(code: str, book: Path, tmp_path: Path) -> None:
    """At most 110 ms, also with sixty more commands and a hundred and fifty more events."""
    command = _piped(code, "sheet", "--json", "--book", str(book))

    assert _best(tmp_path, command, PIPED_MS) <= PIPED_MS


def test_a_cold_sheet_on_a_terminal_costs_little_more_than_python(book: Path, tmp_path: Path) -> None:
    """At most 140 ms where rich draws."""
    command = _drawn(PROGRAM, "sheet", "--book", str(book))

    assert _best(tmp_path, command, DRAWN_MS) <= DRAWN_MS


IMPORTED = """
import sys
from commands.app import main
status = main(sys.argv[1:])
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
"""

HEAVY = ("eventsourcing", "rich", "pydantic", "tomllib", "jinja2", "psycopg", "asyncio", "http", "email", "hypothesis")


@pytest.mark.parametrize(
    "words",
    [("sheet", "--json"), ("status",), ("statement", "--json"), ("standings",), ("history",), ("verify",), ("--help",)],
    ids=" ".join,
)
def test_a_reading_command_imports_nothing_heavy(words: tuple[str, ...], book: Path, tmp_path: Path) -> None:
    """Piped, no reading command loads the store's library, the drawing one, or a reader of TOML."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words, "--book", str(book)],
        check=True,
        capture_output=True,
        text=True,
        env=_environment(tmp_path),
    )
    loaded = {name.partition(".")[0] for name in done.stderr.splitlines()}

    assert loaded.isdisjoint(HEAVY), loaded.intersection(HEAVY)


def test_only_the_module_of_the_command_that_runs_is_imported(book: Path, tmp_path: Path) -> None:
    """A sheet does not load what records, nor any other command."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, "sheet", "--json", "--book", str(book)],
        check=True,
        capture_output=True,
        text=True,
        env=_environment(tmp_path),
    )
    loaded = set(done.stderr.splitlines())

    assert "commands.sheet" in loaded
    assert loaded.isdisjoint({"commands.record", "commands.battle", "commands.statement", "ledger.store"})
