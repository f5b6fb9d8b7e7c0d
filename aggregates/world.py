"""The world: the only module that knows every family and rule system. It decides actions and folds events.

One decision is: the owner of the action decides; guards of the adopted systems may refuse what it takes away; each
adopted system reacts once, in the order in which the campaign adopted them; purses are checked; all is one entry.
"""

import functools
import importlib
import operator
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from aggregates import options, text
from aggregates.authority import check_speaker
from aggregates.campaign import battles, founding, notes, players, rulings
from aggregates.contract import Decide, DiceDue, Evolve, Family, System
from aggregates.force import models, musters, points
from aggregates.kinds import Action, Decision, Entry, Event, Fact, Refused, Request
from aggregates.purses import check_funds
from aggregates.rules import Option, nearest
from aggregates.state import World

__all__ = ["World", "decide", "due", "events_of", "evolve", "fold", "fold_facts", "options_of", "plug", "system"]

CORE: tuple[Family, ...] = (
    founding.FAMILY,
    players.FAMILY,
    battles.FAMILY,
    notes.FAMILY,
    rulings.FAMILY,
    musters.FAMILY,
    models.FAMILY,
    points.FAMILY,
)

SYSTEMS: dict[str, str] = {}
"""The rule systems there are, and the module of each; a module is imported when a campaign adopts it."""

_plugged: dict[str, System] = {}
_decide: dict[type[Action], Decide] = {}
_evolve: dict[type[Event], Evolve] = {}


def _enter(families: Iterable[Family]) -> None:
    for family in families:
        _decide.update(dict.fromkeys(family.actions, family.decide))
        _evolve.update(dict.fromkeys(family.events, family.evolve))


_enter(CORE)


def plug(adopted: System) -> None:
    """Make a rule system known: its actions can be decided and its events folded."""
    _plugged[adopted.name] = adopted
    _enter(adopted.families)


def system(name: str) -> System:
    """Return a rule system, importing it when it is first asked for.

    Raises `Refused` `SYSTEM_UNKNOWN` with the nearest.
    """
    if name not in _plugged:
        if name not in SYSTEMS:
            known = (*SYSTEMS, *_plugged)
            raise Refused("SYSTEM_UNKNOWN", system=name, nearest=nearest(name, known) if known else "-")
        plug(importlib.import_module(SYSTEMS[name]).SYSTEM)
    return _plugged[name]


def families_of(systems: Iterable[str]) -> tuple[Family, ...]:
    """Return the core's families and those of the named systems."""
    return (*CORE, *(family for name in systems for family in system(name).families))


def events_of(systems: Iterable[str]) -> dict[str, type[Event]]:
    """Return every event a campaign with these systems can hold, by its tag."""
    return {_tag(event): event for family in families_of(systems) for event in family.events}


def actions_of(systems: Iterable[str]) -> dict[str, type[Action]]:
    """Return every action a campaign with these systems takes, by its tag."""
    return {_tag(action): action for family in families_of(systems) for action in family.actions}


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


@functools.cache
def action_decoder(systems: tuple[str, ...]) -> msgspec.json.Decoder[Action]:
    """Return the decoder of every action a campaign with these systems takes."""
    union: Any = functools.reduce(operator.or_, actions_of(systems).values())
    return msgspec.json.Decoder(union)


def options_of(systems: Iterable[str]) -> dict[str, Option]:
    """Return every option of a campaign with these systems, by its key."""
    own = (option for name in systems for option in system(name).options)
    return {option.key: option for option in (*options.OPTIONS, *own)}


def decide(world: World, request: Request) -> Decision:
    """Decide a request: the tidied request and the events that follow, none of them applied yet.

    Raises `Refused`; nothing has changed then.
    """
    tidied = tidy(request)
    return Decision(tidied, decide_again(world, tidied))


def tidy(request: Request) -> Request:
    """Return the request as it is recorded: names and remarks in their one spelling.

    Raises `Refused` for a text or a value that may not enter.
    """
    return msgspec.structs.replace(request, action=text.admit(request.action))


def decide_again(world: World, request: Request) -> tuple[Event, ...]:
    """Decide a request whose texts are tidy already, as every recorded one is.

    Raises `Refused`.
    """
    action = request.action
    if isinstance(action, founding.FoundCampaign):
        _check_systems(action)
    else:
        _check_open(world, action)
        check_speaker(world, request)
    if isinstance(action, founding.SetOption):
        _check_option(world, action)
    events = tuple(_decide[type(action)](world, request))
    adopted = _adopted(world)
    for posting in (p for event in events for p in event.postings if p.amount < 0):
        for one in adopted:
            one.guard(world, posting)
    for one in adopted:
        events = (*events, *one.react(world, events))
    check_funds(world, [p for event in events for p in event.postings], _purses(world, adopted))
    return events


def _check_systems(asked: founding.FoundCampaign) -> None:
    if len(asked.systems) != len(asked.editions) or len(set(asked.systems)) != len(asked.systems):
        raise Refused("SYSTEMS_MALFORMED", systems=asked.systems, editions=asked.editions)
    for name, edition in zip(asked.systems, asked.editions, strict=True):
        if edition not in (known := system(name).editions):
            raise Refused("EDITION_UNKNOWN", system=name, edition=edition, known=", ".join(known))


def _check_open(world: World, action: Action) -> None:
    campaign = world.founded()
    if campaign.ended and not action.after_end:
        raise Refused("CAMPAIGN_ENDED", campaign=campaign.name)


def _check_option(world: World, asked: founding.SetOption) -> None:
    systems = world.founded().systems
    known = options_of(systems)
    if asked.option not in known:
        raise Refused("CAMPAIGN_OPTION_UNKNOWN", option=asked.option, nearest=nearest(asked.option, known))
    option = known[asked.option]
    typed = ", ".join(asked.value) if isinstance(asked.value, tuple) else str(asked.value)
    value = option.read(typed)
    if value != asked.value:
        raise Refused("OPTION_VALUE", option=option.key, value=typed, accepted=option.accepted)
    if option.of(world.settings) == value:
        raise Refused("NOTHING_CHANGES", what=f"{option.key} = {typed}")
    own = tuple(purse for name in systems for purse in system(name).purses)
    options.check(option, value, world.settings, own)


def _adopted(world: World) -> tuple[System, ...]:
    if world.campaign is None:
        return ()
    return tuple(system(name) for name in world.campaign.systems)


def _purses(world: World, adopted: tuple[System, ...]) -> frozenset[str]:
    return frozenset((*options.PURSES.words_of(world.settings), *(p for one in adopted for p in one.purses)))


def due(world: World, action: Action) -> tuple[DiceDue, ...]:
    """Return the next dice the rules ask for before the action can be decided; empty when none is missing."""
    return tuple(die for one in _adopted(world) for die in one.due(world, action))


def opened(systems: Iterable[str], events: Iterable[Event]) -> Mapping[str, object]:
    """Return the private parts that these events make public, by the name they were sealed under."""
    found = (system(name).opens(event) for event in events for name in systems)
    return dict(part for part in found if part is not None)


def evolve(world: World, event: Event) -> None:
    """Apply one event: its postings, then what its family makes of it. Reads no table and refuses nothing."""
    for posting in event.postings:
        world.balances[posting.account] += posting.amount
    _evolve[type(event)](world, event)


def fold(world: World, entries: Iterable[Entry]) -> World:
    """Apply entries in their order and return the same world."""
    for entry in entries:
        world.number = entry.number
        world.at = entry.at
        for event in entry.events:
            evolve(world, event)
    return world


def fold_facts(world: World, chunks: Iterable[Iterable[Fact]], struck: frozenset[int]) -> World:
    """Apply a whole book's events in their order, but for those of struck entries, and return the same world.

    It makes no entries, and nothing in it is called that can be had without a call; `fold` says what it does.
    """
    balances, table = world.balances, _evolve
    fact: Fact | None = None
    for facts in chunks:
        for fact in facts:
            if fact.entry not in struck:
                event = fact.data
                for posting in event.postings:
                    balances[posting.account] += posting.amount
                table[type(event)](world, event)
    if fact is not None:
        world.number = fact.entry
    return world
