"""What surrounds a command: which book, who speaks and for whom, the clock, and ids and keys of new things.

The only module that reads the clock. What rules decide never sees any of it but through the action.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commands import screen
from commands.arguments import given
from ledger.errors import Damaged, NotNow, OutcomeUnknown, Refused
from ledger.settings import config_folder
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.kinds import Action, Request
    from aggregates.state import World
    from commands.record import Recorded, Recorder
    from ledger.lines import Lines
    from projections.entries import Reading

BOOK = "campaign.db"
"""The book of a folder, where nobody names another."""

CLOCK_FIRST, CLOCK_LAST = "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
"""A clock outside these is wrong."""

KEY_LETTERS_MAX = 32
"""Letters of a key made from a name, before a number that tells it from another."""


def now() -> str:
    """Return the time, in UTC, as the book writes it.

    Raises `Refused` `CLOCK_IMPLAUSIBLE`.
    """
    time = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if not CLOCK_FIRST <= time < CLOCK_LAST:
        raise Refused("CLOCK_IMPLAUSIBLE", time=time)
    return time


def book_address() -> str:
    """Return the book meant: `--book`, else `CAMPAIGN_BOOK`, else the one of this folder."""
    return given().book or os.environ.get("CAMPAIGN_BOOK") or BOOK


@contextmanager
def lines() -> Iterator[Lines]:
    """Open the book for reading its lines; what has to be said about how it was opened goes to the reader."""
    from ledger.lines import read

    with read(book_address(), follow_link=given().follow_link) as source:
        if source.remark:
            screen.remark(say(f"remark.{source.remark}"))
        yield source


@contextmanager
def reading() -> Iterator[Reading]:
    """Open the book for reading its entries, and say so where it is not what this machine has seen of it."""
    from projections.entries import Reading

    with lines() as source:
        remark_what_is_missing(source)
        yield Reading(source)


def remark_what_is_missing(source: Lines) -> None:
    """Say so where a book is shorter than what this machine has seen, or another one; it can be read all the same."""
    from commands import failure
    from ledger import kept

    try:
        kept.check(source)
    except Damaged as error:
        screen.remark(f"{failure.sentence(error)} [{error.code}]")


@contextmanager
def recorder() -> Iterator[Recorder]:
    """Open the book for recording."""
    from commands.record import Recorder
    from ledger import kept
    from ledger.store import open_book

    with open_book(book_address(), follow_link=given().follow_link) as book:
        kept.check(book)
        _remark_place(book.path)
        yield Recorder(book, now)
        kept.keep(book)


def _remark_place(path: Path) -> None:
    from ledger import places

    if places.unsafe(path):
        screen.remark(say("remark.BOOK_SYNCHRONISED", folder=str(path.parent)))


def speaker(world: World) -> str:
    """Return who speaks: `--me`, else `CAMPAIGN_ME`, else who `campaign me` named here, else the first organiser."""
    from commands.who import player

    named = given().me or os.environ.get("CAMPAIGN_ME") or remembered_speaker()
    if named:
        return player(world, named)
    return next(p.key for p in world.players.values() if p.role == "organiser" and not p.left)


def spoken_for(world: World) -> str:
    """Return on whose behalf the speaker acts; empty when for themselves."""
    from commands.who import player

    behalf = player(world, given().behalf) if given().behalf else ""
    return "" if behalf == speaker(world) else behalf


def remembered_speaker() -> str:
    """Return the name that `campaign me` left on this machine, or nothing."""
    try:
        return _speaker_file().read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def remember_speaker(name: str) -> None:
    """Keep who speaks on this machine."""
    from ledger.files import not_written, write_atomically

    try:
        _speaker_file().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise not_written(_speaker_file(), error) from error
    write_atomically(_speaker_file(), f"{name}\n".encode(), 0o600)


def _speaker_file() -> Path:
    return config_folder() / "me"


def new_id() -> str:
    """Return the command's id: `--id`, else a new one."""
    return given().id or _random_key()


def new_campaign_key() -> str:
    """Return a key that no other campaign has."""
    return _random_key()


def _random_key() -> str:
    import secrets

    return secrets.token_hex(16)


def new_key(name: str, taken: Collection[str]) -> str:
    """Return a key made from a name that is not taken yet: `sergeant-raphael`, then `sergeant-raphael-2`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:KEY_LETTERS_MAX].strip("-") or "x"
    number, key = 1, stem
    while key in taken:
        number += 1
        key = f"{stem}-{number}"
    return key


def send(build: Callable[[World], Sequence[Action]], *, dry_run: bool = False) -> Recorded:
    """Record what the speaker asks, in one command.

    `build` looks names up in the world that the command meets; a dry run decides and records nothing. Raises whatever
    `Recorder.record` raises, with the command to repeat where repeating is the way out.
    """
    from aggregates.kinds import Request
    from commands.record import Command

    def requests(world: World) -> Sequence[Request]:
        by, behalf = speaker(world), spoken_for(world)
        return [Request(by, action, behalf) for action in build(world)]

    command = Command(new_id(), requests)
    try:
        with recorder() as records:
            _remark_clock(records.world)
            (recorded,) = records.try_out(command) if dry_run else records.record(command)
    except (NotNow, OutcomeUnknown) as error:
        error.values["again"] = command.id
        raise
    return recorded


def found(actions: Sequence[Action]) -> Recorded:
    """Record what founds a campaign, asked by its organiser, in a new book; refused, it leaves no book behind.

    Asked for again with its id, it answers the first result. Raises `Refused` `BOOK_EXISTS` and whatever stands in the
    way of the actions.
    """
    from aggregates.kinds import Request
    from commands.record import Command, Recorder
    from ledger import kept
    from ledger.store import create, open_book

    founder, id_ = str(getattr(actions[0], "organiser", "")), new_id()
    place = open_book if _was_founded_as(given().id) else create
    try:
        with place(book_address()) as book:
            _remark_place(book.path)
            asked = [Request(founder, _of_campaign(action, book)) for action in actions]
            (recorded,) = Recorder(book, now).record(Command(id_, lambda world: asked))
            kept.keep(book)
    except (NotNow, OutcomeUnknown) as error:
        error.values["again"] = id_
        raise
    return recorded


def _was_founded_as(command: str) -> bool:
    """Tell whether the book is there and holds this command: then its founding is only asked for again."""
    from ledger.lines import book_path, read

    if not command or not book_path(book_address()).exists():
        return False
    with read(book_address()) as source:
        return source.find(command) is not None


def _of_campaign(action: Action, book: Lines) -> Action:
    """Return a founding of the campaign that a book holds already; another action, or a new book, as it is."""
    import msgspec

    head = book.head()
    if head is None or not hasattr(action, "campaign"):
        return action
    return msgspec.structs.replace(action, campaign=head.campaign)


def _remark_clock(world: World) -> None:
    if now() < world.at:
        screen.remark(say("remark.CLOCK_BEHIND", last=world.at))
