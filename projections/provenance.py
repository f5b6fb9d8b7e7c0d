"""Provenance: the postings a figure is the sum of, each with its entry, author, rule and running value."""

from collections.abc import Iterable, Iterator

import msgspec

from aggregates.kinds import Entry
from aggregates.state import World
from projections.sentences import tell_event


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One posting on an account: the line it stands on, when, by whom, what for, and what it came to.

    `struck` says that a ruling took the posting's effect away: it is told and not added.
    """

    line: str
    entry: int
    at: str
    by: str
    sentence: str
    amount: int
    balance: int
    on_behalf_of: str = ""
    rule: str = ""
    transcribed: bool = False
    struck: bool = False


def trace(
    world: World, recorded: Iterable[Entry], accounts: Iterable[str], struck: frozenset[int] = frozenset()
) -> Iterator[Step]:
    """Yield every posting on the accounts in the order of the book, with the running sum of those that count."""
    wanted = frozenset(accounts)
    balance = 0
    for entry in recorded:
        void = entry.number in struck
        for place, event in enumerate(entry.events, start=1):
            for posting in event.postings:
                if posting.account not in wanted:
                    continue
                balance += 0 if void else posting.amount
                yield Step(
                    line=f"#{entry.number}.{place}",
                    entry=entry.number,
                    at=entry.at,
                    by=_name(world, entry.by),
                    on_behalf_of=_name(world, entry.on_behalf_of),
                    sentence=tell_event(world, event),
                    amount=posting.amount,
                    balance=balance,
                    rule=posting.rule,
                    transcribed=_is_transcribed(event),
                    struck=void,
                )


def _is_transcribed(event: object) -> bool:
    return bool(getattr(event, "transcribed", False)) or str(event.__struct_config__.tag) == (
        "force.transcribed"
    )


def _name(world: World, key: str) -> str:
    return world.players[key].name if key in world.players else key
