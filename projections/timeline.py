"""The timeline: the entries as they were recorded, one sentence each, and which of them no longer count."""

from collections import deque
from collections.abc import Container, Iterable, Iterator

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


class EntryTold(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry told: when, by whom and for whom (their keys), what was asked, what came of it, under which rules."""

    number: int
    at: str
    by: str
    on_behalf_of: str = msgspec.field(name="for")
    action: msgspec.Raw
    sentence: str
    rules: tuple[str, ...]
    lines: tuple[LineTold, ...]
    struck: bool = False


class Filter(msgspec.Struct, frozen=True):
    """Which entries somebody wants to see; what is empty does not limit.

    `player` are the entries by somebody, for somebody or about them; `tag` is the beginning of an event's tag; `since`
    leaves out what is not later; `last` takes only so many from the end.
    """

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
            and (not self.player or self._is_of_player(entry))
            and (not self.tag or any(tag_of(event).startswith(self.tag) for event in entry.events))
            and (not self.force or any(_concerns(event, self.force) for event in entry.events))
            and (not self.battle or any(getattr(event, "battle", "") == self.battle for event in entry.events))
        )

    def _is_of_player(self, entry: Entry) -> bool:
        named = (getattr(event, "player", "") for event in entry.events)
        return self.player in (entry.by, entry.on_behalf_of, *named)


def _concerns(event: Event, force: str) -> bool:
    return getattr(event, "force", "") == force or force in getattr(event, "forces", ())


def timeline(
    world: World, recorded: Iterable[Entry], wanted: Filter, struck: Container[int] = ()
) -> Iterator[EntryTold]:
    """Tell the entries that are wanted, in their order; `struck` are those that no longer count."""
    found: Iterable[Entry] = (entry for entry in recorded if wanted.takes(entry))
    if wanted.last:
        found = deque(found, maxlen=wanted.last)
    for entry in found:
        yield tell(world, entry, struck=entry.number in struck)


def tell(world: World, entry: Entry, *, struck: bool = False) -> EntryTold:
    """Tell one entry."""
    lines = tuple(
        LineTold(f"#{entry.number}.{place}", tag_of(event), tell_event(world, event), event.postings)
        for place, event in enumerate(entry.events, start=1)
    )
    return EntryTold(
        number=entry.number,
        at=entry.at,
        by=entry.by,
        on_behalf_of=entry.on_behalf_of,
        action=msgspec.Raw(entry.asked),
        sentence=tell_entry(world, entry),
        rules=rules_of(entry),
        lines=lines,
        struck=struck,
    )


def rules_of(entry: Entry) -> tuple[str, ...]:
    """Return the rules an entry cites, each once, in the order in which it does."""
    cited = [rule for event in entry.events for rule in (*event.rules, *(posting.rule for posting in event.postings))]
    return tuple(dict.fromkeys(rule for rule in cited if rule))
