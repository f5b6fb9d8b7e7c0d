"""Figures: every number a sheet shows, with where it comes from.

A figure is the balance of one account, or a formula over several. Nothing else counts anything.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from aggregates import world as worlds
from aggregates.accounts import COUNT, RECORD, force_account, model_account, owner
from aggregates.options import FIGURES, PURSES
from aggregates.state import World

MODELS = "models"
"""How many figures of a force still stand: the one formula of a force."""


class Balance(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number that is the balance of an account.

    `transcribed` says that a part of it was stated when the force was opened, not earned in this book.
    """

    value: int
    account: str
    transcribed: bool = False


class Total(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number that is made of the balances of several accounts."""

    value: int
    formula: Literal["sum"]
    made_of: tuple[str, ...] = msgspec.field(name="from")
    transcribed: bool = False


Figure: TypeAlias = Balance | Total


def accounts_of(figure: Figure) -> tuple[str, ...]:
    """Return the accounts whose postings a figure is made of."""
    match figure:
        case Balance(account=account):
            return (account,)
        case Total(made_of=made_of):
            return made_of


def purses_of(world: World, force: str) -> dict[str, Figure]:
    """Return what a force has in each purse of the campaign, and in any other where something is left."""
    named = [*PURSES.words_of(world.settings), *_system_purses(world)]
    others = [name for name in _counted(world, "force", force) if name not in (*named, *RECORD)]
    return {name: _balance(world, force_account(force, name)) for name in (*named, *others)}


def record_of(world: World, force: str) -> dict[str, Figure]:
    """Return how many battles a force played, won, drew and lost, and its byes."""
    return {name: _balance(world, force_account(force, name)) for name in RECORD}


def size_of(world: World, force: str) -> Total:
    """Return how many figures of a force still stand."""
    return _sum(world, (model_account(model.key, COUNT) for model in world.models_of(force)))


def figures_of(world: World, model: str) -> dict[str, Figure]:
    """Return what is counted on a model: how many it are, what the campaign counts, and what else is left of it."""
    named = [COUNT, *FIGURES.words_of(world.settings)]
    others = [name for name in _counted(world, "model", model) if name not in named]
    return {name: _balance(world, model_account(model, name)) for name in (*named, *others)}


def force_figures(world: World, force: str) -> dict[str, Figure]:
    """Return every figure of a force by its name."""
    return {**purses_of(world, force), **record_of(world, force), MODELS: size_of(world, force)}


def _balance(world: World, account: str) -> Balance:
    return Balance(world.balance(account), account, account in world.transcribed)


def _sum(world: World, accounts: Iterable[str]) -> Total:
    made_of = tuple(accounts)
    return Total(sum(map(world.balance, made_of)), "sum", made_of, not world.transcribed.isdisjoint(made_of))


def _system_purses(world: World) -> Iterator[str]:
    for name in world.founded().systems:
        yield from worlds.system(name).purses


def _counted(world: World, kind: str, key: str) -> Iterator[str]:
    """Yield what is counted on somebody's accounts, where it is not zero."""
    start = f"{kind}:{key}/"
    for account, amount in world.balances.items():
        if amount and account.startswith(start):
            yield owner(account)[2]
