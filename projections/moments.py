"""Moments: the book as a reader asks to see it, up to one entry and with the rulings known at another.

What a reader types for an entry is read here and nowhere else.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import takewhile

from aggregates import history, world
from aggregates.campaign.battles import BattleFinished, BattleSettled
from aggregates.campaign.rulings import struck_by
from aggregates.kinds import Entry, Refused
from aggregates.state import World
from ledger.errors import Misused
from projections.entries import Reading

_ENTRY = r"#?([0-9]{1,9})"
_BATTLE = r"battle:#?([0-9]{1,9})"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


class View:
    """The book up to the entry `as_of`, with the rulings known at the entry `known_at`; both are the last by default.

    Where only `known_at` is given, nothing later was known: the view ends there.
    """

    def __init__(self, book: Reading, *, as_of: int | None = None, known_at: int | None = None) -> None:
        self.head = book.head()
        self._book = book
        self._as_of = known_at if as_of is None else as_of
        self._known_at = known_at
        self.struck = strikes(book.rulings(), known_at)
        self.world = book.world(as_of=self._as_of, known_at=known_at)

    def recorded(self) -> Iterator[Entry]:
        """Yield the entries as they were recorded, with the events of those too that no longer count."""
        return takewhile(lambda entry: entry.number <= self.world.number, self._book.entries())

    def effective(self) -> Iterator[Entry]:
        """Yield the entries with the events that count."""
        return self._book.effective(as_of=self._as_of, known_at=self._known_at)


def strikes(rulings: Iterable[Entry], known_at: int | None = None) -> dict[int, int]:
    """Return the numbers of the entries that do not count, each with that of the ruling that says so."""
    known = [entry for entry in rulings if known_at is None or entry.number <= known_at]
    void = history.void(known)
    return {number: entry.number for entry in known if entry.number not in void for number in struck_by(entry.events)}


def view(book: Reading, as_of: str = "", known_at: int | None = None) -> View:
    """Return the book as a reader asks to see it, in the words a reader types.

    Raises what `resolve_as_of` raises, and `Refused` `ENTRY_UNKNOWN` for what nobody knew yet.
    """
    if known_at is not None:
        _check_entry(known_at, last_entry(book))
    return View(book, as_of=resolve_as_of(book, as_of, known_at) if as_of else None, known_at=known_at)


def resolve_as_of(book: Reading, text: str, known_at: int | None = None) -> int:
    """Return the entry that a reader means: `42` or `#42`, `battle:2`, or a day as `2026-02-03`.

    A battle means the entry that settled it, or while nobody has, the one that finished it. A day means its last entry,
    by the calendar where the reader is.

    Raises `Misused` `AS_OF_MALFORMED`, and `Refused`: `ENTRY_UNKNOWN`, `BATTLE_UNKNOWN`, `BATTLE_STAGE`,
    `DAY_BEFORE_FOUNDING`.
    """
    word = text.strip().lower()
    if match := re.fullmatch(_ENTRY, word):
        number = int(match[1])
        _check_entry(number, last_entry(book))
        return number
    if match := re.fullmatch(_BATTLE, word):
        return _end_of_battle(book, int(match[1]), known_at)
    return _end_of_day(book, _day(word, text))


def last_entry(book: Reading) -> int:
    """Return the number of the newest entry."""
    return book.head().entries


def _check_entry(number: int, last: int) -> None:
    if not 1 <= number <= last:
        raise Refused("ENTRY_UNKNOWN", entry=number, last=last)


def _end_of_battle(book: Reading, number: int, known_at: int | None) -> int:
    now = World()
    ended: dict[str, int] = {}
    for entry in book.effective(known_at=known_at):
        world.fold(now, (entry,))
        for event in entry.events:
            if isinstance(event, BattleFinished | BattleSettled):
                ended[event.battle] = entry.number
    battle = next((battle for battle in now.battles.values() if battle.number == number), None)
    if battle is None:
        battle = now.battle(f"battle-{number}")
    if battle.key not in ended:
        raise Refused("BATTLE_STAGE", battle=number, stage=battle.stage, needed=("finished", "settled"))
    return ended[battle.key]


def _day(word: str, typed: str) -> date:
    try:
        if re.fullmatch(_DAY, word):
            return date.fromisoformat(word)
    except ValueError:
        pass
    raise Misused("AS_OF_MALFORMED", text=typed)


def _end_of_day(book: Reading, day: date) -> int:
    number = 0
    for entry in book.entries():
        if datetime.fromisoformat(entry.at).astimezone().date() > day:
            break
        number = entry.number
    if not number:
        raise Refused("DAY_BEFORE_FOUNDING", day=day.isoformat())
    return number
