"""Accounts: the names under which postings are summed, and the sums.

`force:ba/rp` is a purse or a count of a force, `model:raphael/attacks` a figure of a model. A balance is never set; it
is what its postings add up to.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from aggregates.kinds import Posting

Balances: TypeAlias = dict[str, int]

RECORD = ("played", "won", "drawn", "lost", "byes")
"""Counts that battles keep for every force."""

COUNT = "count"
"""How many figures stand under one model's name: 1 for a single model, more for a group."""

RESERVED = frozenset((*RECORD, COUNT, "models"))
"""Names a purse or a figure cannot have."""


def force_account(force: str, purse: str) -> str:
    """Name a force's account."""
    return f"force:{force}/{purse}"


def model_account(model: str, figure: str) -> str:
    """Name a model's account."""
    return f"model:{model}/{figure}"


def owner(account: str) -> tuple[str, str, str]:
    """Take an account's name apart: what owns it (`force`, `model`, …), the owner's key, what is counted."""
    kind, _, rest = account.partition(":")
    key, _, counted = rest.rpartition("/")
    return kind, key, counted


def totals(postings: Iterable[Posting]) -> Balances:
    """Add up postings by account."""
    sums: Balances = defaultdict(int)
    for posting in postings:
        sums[posting.account] += posting.amount
    return sums
