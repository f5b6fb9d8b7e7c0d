"""The history: which recorded events count, and what deciding them again would give.

`void` is the only place that knows what rulings do; `effective` and the fold of a whole book follow it. `redecide` is
the one traversal behind the audit, what-if questions and the list of what depends on an entry.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import msgspec

from aggregates import world as worlds
from aggregates.campaign import rulings
from aggregates.campaign.rulings import struck_by
from aggregates.kinds import Action, Decision, Entry, Event, Past, Refused, Request, Verdict
from aggregates.state import World

_ORPHANS = ("PLAYER_UNKNOWN", "FORCE_UNKNOWN", "MODEL_UNKNOWN", "BATTLE_UNKNOWN", "ENTRY_UNKNOWN", "NO_CAMPAIGN")
"""Refusals that say: what the action names is not there."""


def void(ruled: Iterable[Entry], known_at: int | None = None) -> frozenset[int]:
    """Return the numbers of the entries that do not count, as the rulings up to `known_at` say.

    Rulings are read newest first: one that is itself struck counts for nothing.
    """
    struck: set[int] = set()
    known = [entry for entry in ruled if known_at is None or entry.number <= known_at]
    for entry in sorted(known, key=lambda ruling: ruling.number, reverse=True):
        if entry.number not in struck:
            struck.update(struck_by(entry.events))
    return frozenset(struck)


def effective(
    entries: Iterable[Entry], ruled: Iterable[Entry], *, as_of: int | None = None, known_at: int | None = None
) -> Iterator[Entry]:
    """Yield the entries up to `as_of` with the events that count, as the rulings up to `known_at` say."""
    struck = void(ruled, known_at)
    for entry in entries:
        if as_of is not None and entry.number > as_of:
            return
        yield msgspec.structs.replace(entry, events=()) if entry.number in struck else entry


def action_of(entry: Entry, systems: tuple[str, ...]) -> Action:
    """Return the action an entry was asked as."""
    return worlds.action_decoder(systems).decode(entry.asked)


def decide(world: World, request: Request, entries: Iterable[Entry]) -> Decision:
    """Decide a request; `entries` is read only where the action speaks about recorded entries.

    Raises `Refused`.
    """
    if request.action.rules_on_entries:
        request = msgspec.structs.replace(request, past=past(tuple(entries), request.action))
    return worlds.decide(world, request)


def own_last(entries: Sequence[Entry], by: str) -> tuple[int, ...]:
    """Return the entries of somebody's newest command that still counts; empty when there is none."""
    return rulings.own_last({entry.number: entry for entry in entries}, void(entries), by)


def past(entries: Sequence[Entry], action: Action) -> Past:
    """Return what a ruling has to know of the entries it names."""
    struck = void(entries)
    named = frozenset(_named(action))
    living = named - struck
    return Past(
        entries={entry.number: entry for entry in entries},
        void=struck,
        fallen=consequences(entries, living) if living and 1 not in living else (),
    )


def _named(action: Action) -> tuple[int, ...]:
    entries = getattr(action, "entries", None)
    return entries if isinstance(entries, tuple) else (getattr(action, "entry", 0),)


def consequences(entries: Sequence[Entry], without: frozenset[int]) -> tuple[Verdict, ...]:
    """Return the entries that would not stand as they do, were the given ones struck as well.

    Striking a ruling brings back what it struck; what comes back is decided again like the rest. An entry that today's
    rules would not give in any case hangs on nothing.
    """
    now = void(entries)
    struck = void([entry for entry in entries if entry.number not in without]) | without
    changed = min(without | (struck ^ now))
    fallen = _fallen(redecide(entries, struck=struck, changed=changed, excused={}))
    if not fallen:
        return ()
    anyway = _fallen(redecide(entries, struck=now, changed=changed))
    excused = {verdict.entry.number: verdict for verdict in anyway}
    return _fallen(redecide(entries, struck=struck, changed=changed, excused=excused)) if excused else fallen


def _fallen(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    return tuple(verdict for verdict in verdicts if verdict.kind not in ("agrees", "sealed"))


def audit(entries: Sequence[Entry]) -> Iterator[Verdict]:
    """Decide every entry again on what was known when it was recorded, and yield each verdict."""
    return redecide(entries)


def redecide(
    entries: Sequence[Entry],
    *,
    struck: frozenset[int] | None = None,
    changed: int = 0,
    excused: Mapping[int, Verdict] | None = None,
) -> Iterator[Verdict]:
    """Decide entries again in their order and yield a verdict for each that counts.

    As it was known then (`struck` is None), rulings count from where they stand. As it would be known, `struck` names
    what does not count, from entry `changed` on otherwise than now, and rulings are not decided again. What was
    recorded stands for what comes after it, whatever the verdict; where `excused` is given, only where the verdict is
    that one.
    """
    systems = systems_of(entries)
    openings = _openings(entries, systems)
    world = World()
    for index, entry in enumerate(entries):
        if struck is not None and entry.number in struck:
            _apply(world, entry, ())
            continue
        ruling = bool(struck_by(entry.events))
        if struck is not None and (ruling or entry.number < changed):
            verdict = Verdict(entry, "agrees", entry.events)
        else:
            verdict = _again(world, entry, systems, openings, entries, index)
            if excused and _says_the_same(verdict, excused.get(entry.number)):
                verdict = Verdict(entry, "agrees", entry.events)
        yield verdict
        if ruling and struck is None:
            known = entries[: index + 1]
            world = worlds.fold(World(), effective(known, known))
        else:
            stands = excused is None or verdict.kind == "sealed"
            _apply(world, entry, entry.events if stands else verdict.events)


def _says_the_same(verdict: Verdict, other: Verdict | None) -> bool:
    """Tell whether two verdicts on an entry are one, the reason of a refusal included."""
    if other is None or (verdict.kind, verdict.events) != (other.kind, other.events):
        return False
    return (verdict.refusal and verdict.refusal.args) == (other.refusal and other.refusal.args)


def _apply(world: World, entry: Entry, events: tuple[Event, ...]) -> None:
    """Let these events follow from an entry; what speaks of things that are not there changes nothing more."""
    with suppress(LookupError, ValueError):
        worlds.fold(world, (msgspec.structs.replace(entry, events=events),))


def systems_of(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the rule systems of the campaign that these entries are of."""
    founding = entries[0].events[0] if entries and entries[0].events else None
    return tuple(getattr(founding, "systems", ()))


def _openings(entries: Iterable[Entry], systems: tuple[str, ...]) -> Mapping[str, object]:
    return worlds.opened(systems, (event for entry in entries for event in entry.events)) if systems else {}


def _again(
    world: World,
    entry: Entry,
    systems: tuple[str, ...],
    openings: Mapping[str, object],
    entries: Sequence[Entry],
    index: int,
) -> Verdict:
    action = action_of(entry, systems)
    private = openings.get(action.sealed_as)
    if action.sealed_as and private is None:
        return Verdict(entry, "sealed")
    ruled = past(entries[:index], action) if action.rules_on_entries else None
    request = Request(entry.by, action, entry.on_behalf_of, private, ruled)
    try:
        events = worlds.decide_again(world, request)
    except Refused as refusal:
        return Verdict(entry, "orphaned" if refusal.code in _ORPHANS else "refused", refusal=refusal)
    return Verdict(entry, "agrees" if events == entry.events else "differs", events)
