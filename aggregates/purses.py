"""Purses and figures: which names a campaign counts under, and that no purse is overdrawn."""

from collections.abc import Iterable

from aggregates.accounts import owner, totals
from aggregates.kinds import Posting, Refused
from aggregates.options import FIGURES, OVERDRAFT, PURSES
from aggregates.rules import nearest
from aggregates.state import World


def check_purse(world: World, purse: str) -> None:
    """Check that the campaign has a purse of this name.

    Raises `Refused` `PURSE_UNKNOWN` with the nearest.
    """
    if purse not in (known := PURSES.words_of(world.settings)):
        raise Refused("PURSE_UNKNOWN", purse=purse, nearest=nearest(purse, known), known=", ".join(known))


def check_figure(world: World, figure: str) -> None:
    """Check that the campaign counts a figure of this name on models.

    Raises `Refused` `FIGURE_UNKNOWN` with the nearest.
    """
    if figure not in (known := FIGURES.words_of(world.settings)):
        raise Refused("FIGURE_UNKNOWN", figure=figure, nearest=nearest(figure, known), known=", ".join(known))


def check_funds(world: World, postings: Iterable[Posting], purses: frozenset[str]) -> None:
    """Check that no purse falls below zero by these postings, taken together.

    Raises `Refused` `PURSE_INSUFFICIENT` with what is there, what is needed and what is short. A purse that is below
    zero already may rise; it may not fall further.
    """
    if OVERDRAFT.of(world.settings) == "debt":
        return
    for account, amount in totals(postings).items():
        kind, key, purse = owner(account)
        left = world.balance(account) + amount
        if kind == "force" and purse in purses and amount < 0 and left < 0:
            rule = next((p.rule for p in postings if p.account == account and p.rule), "")
            raise Refused(
                "PURSE_INSUFFICIENT",
                rule=rule,
                force=world.forces[key].name,
                purse=purse,
                has=world.balance(account),
                needed=-amount,
                short=-left,
            )
