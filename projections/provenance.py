"""Provenance: the postings a figure is the sum of, each with its entry, author, rule and running value."""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from aggregates.force.models import ModelJoined
from aggregates.force.musters import ForceTranscribed
from aggregates.kinds import Entry, Event
from aggregates.state import World
from projections.sentences import tell_event


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One posting on an account: the line it stands on, when, by whom, what for, and what it came to.

    `transcribed` says that the amount was stated when the force was opened; `struck` that the ruling `ruling` took its
    effect away, so that it is told and not added.
    """

    line: str
    at: str
    by: str
    on_behalf_of: str = msgspec.field(name="for")
    account: str
    amount: int
    balance: int
    rule: str
    sentence: str
    transcribed: bool = False
    struck: bool = False
    ruling: str = ""

    @property
    def entry(self) -> str:
        """The entry the line is of."""
        return self.line.partition(".")[0]


def trace(
    world: World, recorded: Iterable[Entry], accounts: Iterable[str], struck: Mapping[int, int]
) -> Iterator[Step]:
    """Yield every posting on the accounts in the order of the book, with the running sum of those that count.

    `struck` names the entries that do not, and the ruling that says so.
    """
    wanted = frozenset(accounts)
    balance = 0
    for entry in recorded:
        ruling = struck.get(entry.number)
        for place, event in enumerate(entry.events, start=1):
            for posting in event.postings:
                if posting.account not in wanted:
                    continue
                balance += posting.amount if ruling is None else 0
                yield Step(
                    line=f"#{entry.number}.{place}",
                    at=entry.at,
                    by=entry.by,
                    on_behalf_of=entry.on_behalf_of,
                    account=posting.account,
                    amount=posting.amount,
                    balance=balance,
                    rule=posting.rule,
                    sentence=tell_event(world, event),
                    transcribed=_is_transcribed(event),
                    struck=ruling is not None,
                    ruling="" if ruling is None else f"#{ruling}",
                )


def _is_transcribed(event: Event) -> bool:
    match event:
        case ForceTranscribed():
            return True
        case ModelJoined(transcribed=transcribed):
            return transcribed
        case _:
            return False
