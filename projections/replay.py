"""The replay: a campaign told entry by entry, with what each entry changed."""

from collections.abc import Iterable, Iterator

import msgspec

from aggregates import world as worlds
from aggregates.accounts import totals
from aggregates.kinds import Entry
from aggregates.state import World


class Change(msgspec.Struct, frozen=True):
    """What an entry did to one account."""

    account: str
    before: int
    after: int


class Step(msgspec.Struct, frozen=True):
    """One entry with the balances it moved; `world` is the state after it, and changes with the next step."""

    entry: Entry
    changes: tuple[Change, ...]
    world: World


def replay(entries: Iterable[Entry]) -> Iterator[Step]:
    """Fold entries one by one and yield what each changed."""
    world = World()
    for entry in entries:
        moved = totals(posting for event in entry.events for posting in event.postings)
        before = {account: world.balance(account) for account in moved}
        worlds.fold(world, (entry,))
        changes = (Change(account, before[account], world.balance(account)) for account in moved)
        yield Step(entry, tuple(change for change in changes if change.before != change.after), world)


def around(entries: Iterable[Entry], number: int) -> Step | None:
    """Return the step of one entry, or None where there is no such entry."""
    return next((step for step in replay(entries) if step.entry.number == number), None)
