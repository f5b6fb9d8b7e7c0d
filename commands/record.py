"""The one way in for writes: decide on what the book says now, append on condition that it still says so, else again.

A command is one person's; its actions become entries in one transaction. Everything that records passes here: the
command line, files of actions, and the tests.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import msgspec

from aggregates import history, world
from aggregates.campaign.rulings import struck_by
from aggregates.kinds import Entry, Request
from aggregates.state import World
from commands import pending
from ledger.errors import NotNow, OutcomeUnknown, Refused
from ledger.line import CANON
from ledger.lines import Receipt
from ledger.settings import RECORD_ATTEMPTS
from ledger.store import Book, Draft, EntryDraft, Moved
from projections.entries import Reading
from projections.sentences import tag_of

Build = Callable[[World], Sequence[Request]]


class Command(msgspec.Struct, frozen=True):
    """What one person sends at once: an id, and what it asks once names are looked up in the world it meets."""

    id: str
    build: Build


class Recorded(msgspec.Struct, frozen=True):
    """What came of a command: its entries, the world before and after; `repeated` says it was there already."""

    command: str
    entries: tuple[Entry, ...]
    before: World
    after: World
    repeated: bool = False


class Recorder:
    """Records commands in a book, and remembers what the book says between them."""

    def __init__(self, book: Book, clock: Callable[[], str]) -> None:
        self.book = book
        self._clock = clock
        self._reading = Reading(book)
        self._world = World()
        self._size = 0
        self._catch_up()

    @property
    def world(self) -> World:
        """What is true at the head of the book, as far as this recorder has read."""
        return self._world

    @property
    def systems(self) -> tuple[str, ...]:
        """The rule systems of the campaign."""
        return self._reading.systems

    def record(self, *commands: Command) -> tuple[Recorded, ...]:
        """Record commands in one transaction: all of them, or none.

        Raises `Refused`, `NotNow` (`CONFLICT` when others kept being first), `OutcomeUnknown`; nothing is recorded by
        the first two.
        """
        commands = tuple(map(self._as_sent_before, commands))
        for attempt in range(RECORD_ATTEMPTS):
            trial = self.try_out(*commands)
            fresh = [one for one in trial if not one.repeated]
            try:
                receipts = self._append(fresh)
            except Moved:
                time.sleep(secrets.randbelow(1 + min(attempt, 20)) / 1000)
                self._catch_up()
                continue
            if all(not receipt.repeated for receipt in receipts):
                self._forget(trial)
                self._went(fresh, receipts)
                return trial
            self._catch_up()
        raise NotNow("CONFLICT", attempts=RECORD_ATTEMPTS)

    def try_out(self, *commands: Command) -> tuple[Recorded, ...]:
        """Decide commands one after the other without recording anything.

        Raises `Refused`; also `ID_TAKEN` for an id under which other actions are recorded.
        """
        now, waiting = self._world, list[Entry]()
        tried = []
        for command in commands:
            known = self.book.find(command.id)
            one = self._repeated(command, known) if known else self._decide(command, now, waiting)
            tried.append(one)
            if not one.repeated:
                now = one.after
                waiting.extend(one.entries)
        return tuple(tried)

    def _as_sent_before(self, command: Command) -> Command:
        """Return the command under the id it was sent with before, where that is in the book and nobody knew."""
        campaign = self._world.campaign
        if campaign is None or self.book.find(command.id) is not None:
            return command
        for earlier in pending.left(campaign.key):
            receipt = self.book.find(earlier)
            sent = Command(earlier, command.build)
            if receipt is None:
                pending.drop(earlier)
            elif self._is_the_same(sent, receipt):
                return sent
        return command

    def _is_the_same(self, command: Command, receipt: Receipt) -> bool:
        try:
            self._repeated(command, receipt)
        except Refused:  # Other actions, or about what was not there at that time.
            return False
        return True

    def _decide(self, command: Command, before: World, waiting: Sequence[Entry]) -> Recorded:
        now, own = before, list[Entry]()
        for request in command.build(before):
            decision = history.decide(now, request, chain(self._reading.entries(), waiting, own))
            entry = Entry(
                number=now.number + 1,
                at=max(now.at, self._clock()),
                by=request.by,
                on_behalf_of=request.on_behalf_of,
                command=command.id,
                asked=CANON.encode(decision.request.action),
                events=decision.events,
            )
            own.append(entry)
            now = self._after(now, entry, (*waiting, *own))
        return Recorded(command.id, tuple(own), before, now)

    def _after(self, now: World, entry: Entry, waiting: Sequence[Entry]) -> World:
        if not struck_by(entry.events):
            return world.fold(now.copy(), (entry,))
        rulings = [*self._reading.rulings(), *(e for e in waiting if struck_by(e.events))]
        return world.fold(World(), history.effective(chain(self._reading.entries(), waiting), rulings))

    def _repeated(self, command: Command, receipt: Receipt) -> Recorded:
        entries = tuple(
            entry
            for entry in self._reading.entries(after=receipt.first - 1, upto=receipt.last)
            if entry.command == command.id
        )
        before = self._reading.world(as_of=receipt.first_entry - 1, known_at=receipt.first_entry - 1)
        asked = [(r.by, r.on_behalf_of, world.tidy(r).action) for r in command.build(before)]
        stored = [(e.by, e.on_behalf_of, history.action_of(e, self._systems(entries))) for e in entries]
        if asked != stored:
            raise Refused("ID_TAKEN", id=command.id, entry=receipt.first_entry)
        after = self._reading.world(as_of=receipt.last_entry, known_at=receipt.last_entry)
        return Recorded(command.id, entries, before, after, repeated=True)

    def _systems(self, entries: Sequence[Entry]) -> tuple[str, ...]:
        return self._reading.systems or history.systems_of(entries)

    def _append(self, fresh: Sequence[Recorded]) -> list[Receipt]:
        entries = [entry for one in fresh for entry in one.entries]
        if not entries:
            return []
        campaign = self._campaign(entries)
        for one in fresh:
            pending.keep(campaign, one)
        try:
            return self.book.append(tuple(map(_draft, entries)), campaign=campaign, head=self._size)
        except (OutcomeUnknown, KeyboardInterrupt):
            for one in fresh:
                pending.leave(one.command)
            raise
        except Exception:
            self._forget(fresh)
            raise

    def _campaign(self, entries: Sequence[Entry]) -> str:
        campaign = self._world.campaign
        return campaign.key if campaign is not None else str(getattr(entries[0].events[0], "campaign", ""))

    def _forget(self, known: Sequence[Recorded]) -> None:
        for one in known:
            pending.drop(one.command)

    def _went(self, fresh: Sequence[Recorded], receipts: Sequence[Receipt]) -> None:
        if fresh:
            self._world = fresh[-1].after
            self._size = receipts[-1].last
            if not self._reading.systems:
                self._reading = Reading(self.book)

    def _catch_up(self) -> None:
        """Fold what others appended since; a ruling among it may reach back, so then everything is folded again.

        Either way up to one head: what is appended meanwhile must not count before the head says so.
        """
        head = self.book.head()
        if head is None:
            return
        if not self._reading.systems:
            self._reading = Reading(self.book)
        tail = tuple(self._reading.entries(after=self._size, upto=head.size))
        if any(struck_by(entry.events) for entry in tail):
            self._world = self._reading.world(as_of=head.entries, known_at=head.entries)
        else:
            self._world = world.fold(self._world.copy(), tail)
        self._size = head.size


def _draft(entry: Entry) -> EntryDraft:
    return EntryDraft(
        command=entry.command,
        action=entry.asked,
        at=entry.at,
        by=entry.by,
        for_=entry.on_behalf_of,
        drafts=tuple(Draft(event.stream, tag_of(event), CANON.encode(event)) for event in entry.events),
    )


def changed_accounts(recorded: Recorded) -> Iterator[tuple[str, int, int]]:
    """Yield each account whose balance a command changed, with what it was and what it is."""
    before, after = recorded.before.balances, recorded.after.balances
    for account in {**before, **after}:
        if before.get(account, 0) != after.get(account, 0):
            yield account, before.get(account, 0), after.get(account, 0)
