"""The example in the help of every command works as printed, on the book of a small league."""

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import dispatch, screen
from commands import help as pages
from commands.app import NOUNS, main
from ledger import wording

SWIFT = '[force]\nname = "Swift Spears"\nshort = "swift"\n[[model]]\nname = "Autarch"\n'
PAPER = '[force]\nname = "Old Guard"\nbecause = "two rounds on paper"\n[purses]\npoints = 4\n[record]\nplayed = 2\n'
BLOOD = '[force]\nname = "Blood Angels"\nshort = "ba"\n[purses]\npoints = 15\n[[model]]\nname = "Raphael"\n'
ORKS = '[force]\nname = "Gitz of Grog"\nshort = "orks"\n'
IDLE = '[force]\nname = "Idle Hands"\nshort = "idle"\n'
ACTIONS = '{"by": "paul", "actions": [{"t": "points.grant", "force": "ba", "purse": "points", "amount": 2}]}\n'

LEAGUE = (
    "new Vardia --organiser Paul --player Ana --player Julie --player Tom --player Gone",
    "force muster ba.toml --player ana",
    "force muster orks.toml --player julie",
    "force muster idle.toml --player paul",
    "note 'an entry that may be struck'",
    "player withdraw gone",
    "battle schedule ba:orks",
    "battle finish 1 --winner ba",
    "battle schedule ba:orks",
    "battle schedule ba:orks",
    "battle start 3",
    "export season.jsonl",
)
"""What is recorded before an example is tried; entry 9 is the note that may be struck."""


def commands() -> Iterator[tuple[str, Any]]:
    """Yield every command there is, with its parser."""
    for nouns in NOUNS.values():
        for name, module in nouns.items():
            noun = dispatch.noun(name, module)
            if noun.alone is not None:
                yield name, noun.alone
            for verb, parser in noun.verbs.items():
                yield f"{name} {verb}", parser


PATHS = [path for path, _ in commands()]


@pytest.fixture(scope="session")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as an organiser's after the first evening, with two more books beside it."""
    return tmp_path_factory.mktemp("league")


@pytest.fixture
def folder(league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A copy of the league's folder, with nobody's machine around it."""
    if not (league / "campaign.db").exists():
        _found(league, monkeypatch)
    own = tmp_path / "league"
    shutil.copytree(league, own)
    monkeypatch.chdir(own)
    capsys.readouterr()
    return own


def _found(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"swift": SWIFT, "paper": PAPER, "ba": BLOOD, "orks": ORKS, "idle": IDLE}
    for name, text in files.items():
        (league / f"{name}.toml").write_text(text, encoding="utf-8")
    (league / "actions.jsonl").write_text(ACTIONS, encoding="utf-8")
    monkeypatch.chdir(league)
    for line in LEAGUE:
        assert main(shlex.split(line)) == 0, line
    for line in ("new Quiet --book quiet.db", "new Ended --book ended.db", "end --book ended.db"):
        assert main(shlex.split(line)) == 0, line


@pytest.mark.parametrize("path", PATHS)
def test_the_example_of_a_command_works_as_printed(path: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example = wording.say(f"example.{path}")
    program, *words = shlex.split(example)
    assert program == "campaign"
    assert example.startswith(f"campaign {path}")

    status = main(words)

    told = capsys.readouterr()
    assert status == 0, told.err
    assert told.err == ""


@pytest.mark.parametrize("language", wording.LANGUAGES)
@pytest.mark.parametrize(("path", "parser"), list(commands()), ids=PATHS)
def test_the_help_of_a_command_fits_and_names_every_word(path: str, parser: Any, language: wording.Language) -> None:
    wording.use(language)
    told = screen.plain(pages.command(dispatch.Command(path, parser), {}))

    assert all(screen.width(line) <= 80 for line in told.splitlines()), told
    for parameter in parser.params:
        assert dispatch.label(parameter) in told
    assert [
        line for line in told.splitlines() if line.startswith(f" campaign {path} ") or line == f" campaign {path}"
    ] == [f" {wording.say(f'example.{path}')}"]
