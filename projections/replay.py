"""The replay: a campaign told entry by entry, with what each entry changed."""

from collections.abc import Iterable, Iterator

import msgspec

from aggregates import world as worlds
from aggregates.accounts import Balances, totals
from aggregates.kinds import Entry
from aggregates.state import World
from ledger.errors import Damaged
from projections.moments import View


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
        yield Step(entry, tuple(changes(before, {account: world.balance(account) for account in moved})), world)


def around(before: View, after: View) -> tuple[Change, ...]:
    """Return the balances that differ between two views of a book, such as the ones before and after an entry."""
    return tuple(changes(before.world.balances, after.world.balances))


def changes(before: Balances, after: Balances) -> Iterator[Change]:
    """Yield the accounts that do not come to the same."""
    for account in {**before, **after}:
        was, is_now = before.get(account, 0), after.get(account, 0)
        if was != is_now:
            yield Change(account, was, is_now)


def check(replayed: World, live: World) -> None:
    """Check that a replay ends where the live sheets stand.

    Raises `Damaged` `REPLAY_DIFFERS` with the accounts that do not come to the same.
    """
    if replayed != live:
        accounts = tuple(change.account for change in changes(replayed.balances, live.balances))
        raise Damaged("REPLAY_DIFFERS", entry=live.number, accounts=accounts or ("-",))
