"""The timeline: the entries as they were recorded, one sentence each, and which of them no longer count."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from aggregates.kinds import Entry, Event, Posting
from aggregates.state import World
from projections.sentences import tag_of, tell_entry, tell_event


class LineTold(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event of an entry, with the number people cite it by."""

    number: str
    event: str
    sentence: str
    postings: tuple[Posting, ...] = ()


class EntryTold(msgspec.Struct, frozen=True):
    """One entry told: when, by whom, for whom, what was asked, what came of it, under which rules."""

    number: int
    at: str
    by: str
    on_behalf_of: str = msgspec.field(name="for")
    action: Any
    sentence: str
    rules: tuple[str, ...]
    lines: tuple[LineTold, ...]
    struck: bool = False


class Filter(msgspec.Struct, frozen=True):
    """Which entries somebody wants to see; what is empty does not limit."""

    force: str = ""
    player: str = ""
    battle: str = ""
    tag: str = ""
    since: int = 0
    last: int = 0

    def takes(self, entry: Entry) -> bool:
        """Tell whether the entry is wanted, `last` aside."""
        return (
            entry.number > self.since
            and (not self.player or self.player in (entry.by, entry.on_behalf_of))
            and (not self.tag or any(tag_of(event).startswith(self.tag) for event in entry.events))
            and (not self.force or any(_concerns(event, self.force) for event in entry.events))
            and (not self.battle or any(getattr(event, "battle", "") == self.battle for event in entry.events))
        )


def _concerns(event: Event, force: str) -> bool:
    return getattr(event, "force", "") == force or force in getattr(event, "forces", ())


def timeline(
    world: World, recorded: Iterable[Entry], wanted: Filter, struck: frozenset[int] = frozenset()
) -> Iterator[EntryTold]:
    """Tell the entries that are wanted, in their order."""
    found = (entry for entry in recorded if wanted.takes(entry))
    if wanted.last:
        found = iter(tuple(found)[-wanted.last :])
    for entry in found:
        yield tell(world, entry, struck=entry.number in struck)


def tell(world: World, entry: Entry, *, struck: bool = False) -> EntryTold:
    """Tell one entry."""
    lines = tuple(
        LineTold(f"#{entry.number}.{place}", tag_of(event), tell_event(world, event), event.postings)
        for place, event in enumerate(entry.events, start=1)
    )
    rules = {p.rule for e in entry.events for p in e.postings if p.rule} | {r for e in entry.events for r in e.rules}
    return EntryTold(
        number=entry.number,
        at=entry.at,
        by=_name(world, entry.by),
        on_behalf_of=_name(world, entry.on_behalf_of),
        action=msgspec.Raw(entry.asked),
        sentence=tell_entry(world, entry),
        rules=tuple(sorted(rules)),
        lines=lines,
        struck=struck,
    )


def _name(world: World, key: str) -> str:
    return world.players[key].name if key in world.players else key
