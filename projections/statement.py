"""The statement: what came into a purse and went out of it, line by line, with what was left."""

from collections.abc import Iterable, Mapping

import msgspec

from aggregates.accounts import force_account
from aggregates.kinds import Entry
from aggregates.state import World
from projections.provenance import Step, trace


class Statement(msgspec.Struct, frozen=True):
    """A purse's movements and their sums: `balance` is `came` less `went`, and struck movements are in neither."""

    force: str
    purse: str
    account: str
    steps: tuple[Step, ...]
    came: int
    went: int
    balance: int


def statement(world: World, recorded: Iterable[Entry], force: str, purse: str, struck: Mapping[int, int]) -> Statement:
    """Return a purse's statement; struck movements are listed and not added."""
    account = force_account(force, purse)
    steps = tuple(trace(world, recorded, (account,), struck))
    counted = [step.amount for step in steps if not step.struck]
    came = sum(amount for amount in counted if amount > 0)
    went = -sum(amount for amount in counted if amount < 0)
    return Statement(force, purse, account, steps, came, went, came - went)
