"""Entries and events as sentences: the wording of `event.TAG` with the names of what an event speaks of."""

from typing import Any

import msgspec

from aggregates.kinds import Entry, Event, Posting
from aggregates.state import World
from ledger.wording import say

_WORDS = {"outcome": "outcome", "fate": "fate", "role": "role"}
"""Fields whose value is one of a few words, and the wording they are told by."""


def tag_of(event: Event) -> str:
    """Return the tag under which an event is stored."""
    return str(event.__struct_config__.tag)


def tell_event(world: World, event: Event) -> str:
    """Tell an event in one sentence, with things called as they are called in `world`."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__ if name not in ("postings", "rules")}
    values = {name: _told(world, name, value) for name, value in fields.items()}
    values["reason"] = f" ({fields['because']})" if fields.get("because") else ""
    values["amounts"] = tell_postings(event.postings)
    values["parts"] = "; ".join(_parts(fields))
    values["about_entry"] = f" (#{fields['about']})" if fields.get("about") else ""
    values["mission_named"] = f" ({fields['mission']})" if fields.get("mission") else ""
    return say(f"event.{tag_of(event)}", **values)


def tell_entry(world: World, entry: Entry) -> str:
    """Tell what an entry did: its first event, which is what was asked for."""
    return tell_event(world, entry.events[0]) if entry.events else say("screen.nothing_happened")


def tell_postings(postings: tuple[Posting, ...]) -> str:
    """List postings as `gc -37, experience +3`."""
    return ", ".join(f"{posting.account.rpartition('/')[2]} {posting.amount:+d}" for posting in postings)


def _parts(fields: dict[str, Any]) -> list[str]:
    gained = [f"+ {label}" for label in fields.get("gained", ())]
    lost = [f"- {label}" for label in fields.get("lost", ())] if isinstance(fields.get("lost"), tuple) else []
    kind = [f"-> {fields['kind']}"] if fields.get("kind") else []
    return [*gained, *lost, *kind]


def _told(world: World, name: str, value: Any) -> Any:
    match name, value:
        case (("force" | "forces" | "winners"), str() | tuple()):
            return _names(world.forces, value)
        case (("player" | "organiser"), str()):
            return _names(world.players, value)
        case "model", str():
            return _names(world.models, value)
        case "battle", str():
            return str(world.battles[value].number) if value in world.battles else value.removeprefix("battle-")
        case _, str() if name in _WORDS:
            return say(f"word.{_WORDS[name]}_{value}")
        case _, tuple():
            return ", ".join(f"#{part}" if isinstance(part, int) else str(part) for part in value) or "-"
        case _, msgspec.Struct() | dict():
            return ""
        case _:
            return value


def _names(things: dict[str, Any], keys: str | tuple[str, ...]) -> str:
    if isinstance(keys, str):
        return str(things[keys].name) if keys in things else keys
    return ", ".join(_names(things, key) for key in keys) or "-"
