"""What commands are tried on: a season in a book, or commands made up for the tests of the program around them.

The made-up ones are a toll house with verbs, and two single commands.
"""

import sys
from pathlib import Path

import pytest

from commands import app
from ledger import wording
from ledger.wording import LANGUAGES
from tests.commands.running import Refuse, assert_told_in_one_line, contents, run
from tests.projections.season import record_season

TOLL = """
from pathlib import Path
from typing import Annotated, Literal

import typer

from commands import screen
from commands.arguments import entry_number, given, whole_number, writes
from ledger.errors import Damaged, NotNow, OutcomeUnknown, Refused

app = typer.Typer()


@app.command()
@writes
def pay(
    who: str,
    amount: Annotated[int, typer.Argument(parser=whole_number)],
    coin: Annotated[Literal["gold", "silver"], typer.Option("--coin")] = "gold",
    because: Annotated[str, typer.Option("--because")] = "",
    gift: Annotated[bool, typer.Option("--gift")] = False,
) -> None:
    screen.tell(f"{who} pays {amount} {coin} {because} gift={gift}")


@app.command()
def show(entry: Annotated[int, typer.Argument(parser=entry_number)]) -> None:
    options = given()
    screen.tell(f"#{entry} book={options.book} me={options.me} behalf={options.behalf} id={options.id}")
    screen.tell(f"json={options.json} follow={options.follow_link}")


@app.command()
@writes
def close(how: str, who: str = "Ana") -> int:
    match how:
        case "refused":
            raise Refused("TOLL_TOO_DEAR", rule="TOLL-01", who=who, amount=3)
        case "unruled":
            raise Refused("TOLL_TOO_DEAR", who=who, amount=3)
        case "unworded":
            raise Refused("TOLL_UNWORDED", who=who)
        case "busy":
            raise NotNow("TOLL_TOO_DEAR", who=who, amount=3, again="abc-1")
        case "unknown":
            raise OutcomeUnknown("TOLL_TOO_DEAR", who=who, amount=3, again="abc-1")
        case "damaged":
            raise Damaged("TOLL_TOO_DEAR", who=who, amount=3)
        case "interrupted":
            raise KeyboardInterrupt
        case "aborted":
            raise typer.Abort
        case "left":
            raise typer.Exit(7)
        case "fault":
            raise ZeroDivisionError("a secret")
        case "pipe":
            raise BrokenPipeError
    return 5


@app.command("look")
def look_without_writing() -> None:
    raise Refused("TOLL_TOO_DEAR", who="Ana", amount=3)


chest = typer.Typer()
app.add_typer(chest, name="chest")


@chest.command("open")
def unlock(key: str) -> None:
    screen.tell(f"opened with {key}")


@chest.command("fill")
def fill() -> None:
    screen.tell("full")
"""

PASSING = """
from typing import Annotated

import typer

from commands import screen


def run(
    who: Annotated[str, typer.Argument()] = "nobody",
    toll_names: Annotated[list[str] | None, typer.Option("--toll")] = None,
) -> None:
    screen.tell(f"{who} passes {toll_names or []}")
"""

BOTH = """
import typer

from commands import screen

app = typer.Typer()


@app.command("ring")
def ring() -> None:
    screen.tell("ring")


def run(who: str = "nobody") -> None:
    screen.tell(f"bell of {who}")
"""

ENGLISH = """
{"help": {"toll": "The toll house.", "toll pay": "Pays the toll.", "toll show": "Shows an entry.",
 "toll close": "Closes the house.", "toll look": "Looks.", "toll chest": "The chest.",
 "toll chest open": "Opens the chest.", "toll chest fill": "Fills the chest.", "pass": "Passes by.",
 "bell": "The bell.", "bell ring": "Rings the bell."},
 "param": {"who": "a traveller", "amount": "coins to pay", "coin": "gold or silver", "because": "the reason",
 "gift": "a present", "entry": "the number of an entry", "how": "the way", "key": "a key", "toll_names": "tolls",
 "bell who": "the ringer"},
 "example": {"toll pay": "campaign toll pay ana 3", "toll show": "campaign toll show 4", "pass": "campaign pass ana",
 "toll close": "campaign toll close now", "toll look": "campaign toll look", "bell": "campaign bell ana",
 "toll chest open": "campaign toll chest open k", "toll chest fill": "campaign toll chest fill",
 "bell ring": "campaign bell ring"},
 "related": {"pass": "toll pay, toll show"},
 "error": {"TOLL_TOO_DEAR": "{who} lacks {amount:one coin|# coins}."}}
"""

FRENCH = """
{"help": {"toll": "Le péage.", "toll pay": "Paie le péage."},
 "param": {"who": "un voyageur", "amount": "pièces à payer"},
 "error": {"TOLL_TOO_DEAR": "Il manque {amount:une pièce|# pièces} à {who}."}}
"""

MODULES = {"toll_house": TOLL, "toll_pass": PASSING, "toll_bell": BOTH}


@pytest.fixture
def toll(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program with the made-up commands `toll …`, `pass` and `bell` in place of its own."""
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name, source in (("en", ENGLISH), ("fr", FRENCH)):
        (tmp_path / f"{name}.json").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    nouns = {"points": {"toll": "toll_house"}, "look": {"pass": "toll_pass", "bell": "toll_bell"}}
    monkeypatch.setattr(app, "NOUNS", nouns)
    monkeypatch.setattr(wording, "_folders", [*wording._folders])
    monkeypatch.setattr(wording, "_catalogues", {})
    monkeypatch.setenv("CAMPAIGN_LANG", "en")
    wording.add_catalogue(tmp_path)
    return tmp_path


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The season as the book of this folder."""
    monkeypatch.chdir(tmp_path)
    return record_season(tmp_path / "campaign.db")


@pytest.fixture
def refuse(book: Path, capsys: pytest.CaptureFixture[str]) -> Refuse:
    """Run what must be refused in each language; check how, and that the book stayed as it was; return the English."""

    def check(*words: str, status: int, code: str, again: str = "") -> str:
        before = contents(book)
        told = {}
        for language in LANGUAGES:
            one = run(capsys, "--lang", language, *words)
            assert (one.status, one.out) == (status, ""), one
            said = one.err
            if again:
                said, repeat = said.splitlines(keepends=True)
                assert again in repeat
            assert_told_in_one_line(said, code)
            told[language] = said
        assert contents(book) == before
        assert told["en"] != told["fr"]
        return told["en"]

    return check
