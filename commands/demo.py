"""`campaign demo`: a whole season in a folder of its own, founded, recorded, replayed, verified and looked at.

Each step has an id made of the season's files. So the demo of a folder can be asked for again: it adds what is
missing, and nothing twice.
"""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from commands import context, screen, season
from commands.arguments import Globals, give, given, writes
from commands.page import Line, Page
from ledger.errors import LedgerError, Misused, Refused
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.state import World
    from commands.record import Command, Recorded, Recorder
    from ledger.lines import Head

EXPORT = "season.clx.jsonl"
"""The history, exported beside the book."""

SHEET = "lantern"
STATEMENT = ("lantern", "gc", "--as-of", "battle:3")
WHY = ("deepwell", "campaign-points")
"""What the demo shows: a sheet, a purse up to a battle, and what a number is made of."""

NEXT = (
    "campaign statement mudfang gc",
    "campaign why corvan experience",
    "campaign history --last 10",
    "campaign points grant lantern gc 5 --because found",
)
"""What to try next, each with the path of the book behind it."""


class Outcome(msgspec.Struct, frozen=True):
    """What reading the book again came to: how many entries were replayed, what is wrong, and where it ends."""

    replayed: int
    findings: tuple[LedgerError, ...]
    head: "Head"


@writes
def run(folder: Annotated[Path, typer.Argument()] = Path("season-demo")) -> int:
    """Record a season that was really played in a folder of its own, and show what a book can tell."""
    book, export = folder / context.BOOK, folder / EXPORT
    with _at(book):
        live, added = _play(folder, book, export)
        outcome = _read_again(live, export)
        if given().json:
            status = "recorded" if added else "repeated"
            screen.show_json({"status": status, **_summary(live, book, export, outcome)})
        else:
            _look(book)
    return 5 if outcome.findings else 0


@contextmanager
def _at(book: Path) -> Iterator[None]:
    """Let everything the demo calls mean its book and no other; nobody is spoken for."""
    before = given()
    give(Globals(book=str(book), lang=before.lang, json=before.json, typed=before.typed))
    try:
        yield
    finally:
        give(before)


def _play(folder: Path, book: Path, export: Path) -> "tuple[World, bool]":
    """Record the season, or what is missing of it; return what is true at its end, and whether anything was missing."""
    mark = f"demo:{season.digest()}"
    is_new = not book.exists()
    if is_new:
        _prepare(folder, export)
        _tell(say("screen.demo", players=len(season.PLAYERS) + 1, folder=str(folder)))
        _found(mark)
    with context.recorder() as recorder:
        missing = _missing(recorder, mark, book)
        if not is_new:
            _tell(say("screen.demo-again", folder=str(folder)))
        told = ""
        for typed, command in missing:
            if typed != told:
                _type(typed)
                told = typed
            (recorded,) = recorder.record(command)
            _tell(*_milestones(recorded))
        return recorder.world, is_new or bool(missing)


def _prepare(folder: Path, export: Path) -> None:
    from ledger.files import not_written

    if folder.exists() and not folder.is_dir():
        raise Misused("DEMO_NO_FOLDER", folder=str(folder))
    if export.exists():
        raise Refused("DEMO_EXISTS", file=str(export))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(folder, error) from error


def _found(mark: str) -> None:
    """Found the campaign under the id that marks the demo's own book."""
    words = ["campaign", "new", season.NAME, "--organiser", season.ORGANISER]
    for option, values in (("--player", season.PLAYERS), ("--option", season.OPTIONS)):
        words += [word for value in values for word in (option, value)]
    _type(shlex.join(words))
    give(msgspec.structs.replace(given(), id=mark))
    _tell(*_milestones(context.found(season.founding())))
    give(msgspec.structs.replace(given(), id=""))


def _missing(recorder: "Recorder", mark: str, book: Path) -> "list[tuple[str, Command]]":
    """Return the steps that the book does not have yet.

    Raises `Refused`: `DEMO_EXISTS` for a book that is not the demo's, `DEMO_PLAYED_ON` for a demo that was stopped and
    recorded in since: its later steps name entries by number, which would be other ones there.
    """
    founding = recorder.book.find(mark)
    if founding is None:
        raise Refused("DEMO_EXISTS", file=str(book))
    last, missing = founding.last_entry, []
    for typed, command in _steps(recorder, mark):
        if receipt := recorder.book.find(command.id):
            last = receipt.last_entry
        else:
            missing.append((typed, command))
    if missing and last != recorder.world.number:
        raise Refused("DEMO_PLAYED_ON", file=str(book), entry=last + 1)
    return missing


def _steps(recorder: "Recorder", mark: str) -> "Iterator[tuple[str, Command]]":
    """Yield what follows the founding, each command with how a person would type it."""
    from commands import apply

    for entrance in season.ENTRANCES:
        typed = f"campaign force {entrance.verb} {entrance.file} --player {entrance.player}"
        yield typed, entrance.command(f"{mark}:{entrance.file}")
    for line in apply.read_lines(season.ACTIONS, recorder.systems):
        yield f"campaign apply {season.ACTIONS.name}", apply.command(line)


def _milestones(recorded: "Recorded") -> Iterator[str]:
    """Yield what is told of a command: how forces enter, how battles end, and what is struck."""
    from projections.sentences import tag_of, tell_event

    first, last = recorded.entries[0].number, recorded.entries[-1].number
    numbers = f"#{first}" if first == last else f"#{first}-#{last}"
    for event in (event for entry in recorded.entries for event in entry.events):
        if tag_of(event) in season.MILESTONES:
            yield f"{numbers}  {tell_event(recorded.after, event)}"


def _read_again(live: "World", export: Path) -> Outcome:
    """Fold the book from nothing, compare that with what recording it came to, check every line, and export it."""
    from aggregates.state import World
    from commands import export as exporting
    from commands import verify
    from ledger import archive, kept
    from projections.entries import Reading
    from projections.moments import View
    from projections.replay import check, replay

    with context.lines() as lines:
        book = Reading(lines)
        replayed = World()
        for step in replay(View(book).effective()):
            replayed = step.world
        check(replayed, live)
        _type("campaign replay")
        _tell(say("screen.replayed", count=replayed.number))
        findings = archive.verify(lines, book.registry)
        _type("campaign verify")
        if not given().json:
            verify.tell(findings, book.head())
        _type(f"campaign export {EXPORT}")
        head = exporting.write(lines, export, replace=True)
        if not given().json:
            exporting.tell(str(export), head)
        kept.keep(lines)
    return Outcome(replayed.number, tuple(findings), head)


def _look(book: Path) -> None:
    """Show a sheet, a statement, a number and the standings, as a person would ask for them."""
    from commands import sheet, standings, statement, why

    force, purse, _, moment = STATEMENT
    _type(f"campaign sheet {SHEET}")
    sheet.run(SHEET)
    _type(f"campaign statement {shlex.join(STATEMENT)}")
    statement.run(force, purse, as_of=moment)
    _type(f"campaign why {shlex.join(WHY)}")
    why.run(*WHY)
    _type("campaign standings")
    standings.run()
    screen.tell("", say("screen.demo-next"), *(f"  {command}" for command in _next(book)))


def _next(book: Path) -> list[str]:
    return [f"{command} --book {shlex.quote(str(book))}" for command in NEXT]


def _summary(live: "World", book: Path, export: Path, outcome: Outcome) -> dict[str, Any]:
    from commands import failure
    from projections.standings import standings

    return {
        "campaign": live.founded().name,
        "book": str(book),
        "export": str(export),
        "entries": outcome.head.entries,
        "lines": outcome.head.size,
        "root": outcome.head.root.hex(),
        "replayed": outcome.replayed,
        "findings": [failure.as_json(one) for one in outcome.findings],
        "standings": standings(live),
        "next": _next(book),
    }


def _tell(*lines: str) -> None:
    """Tell a person; a program gets the summary alone."""
    if not given().json:
        screen.show(Page(tuple(Line(line, hang=2) for line in lines)))


def _type(command: str) -> None:
    """Show a command as it would be typed, on one line however long."""
    if not given().json:
        screen.tell("", f"$ {command}")
