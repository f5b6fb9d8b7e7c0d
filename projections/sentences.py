"""Entries, events, accounts and figures as people read them: the wording of `event.TAG` with the names of what it says.

Things are called as they are called in a world; what is not in it, because it was struck or came later, by its key.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from aggregates.accounts import owner
from aggregates.kinds import Entry, Event, Posting
from aggregates.state import Force, Model, Player, World
from ledger.wording import Value, has, say

_NOT_TOLD = ("postings", "rules")

_WORDS = ("outcome", "fate", "role")
"""Fields whose value is one of a few words; they are told by `word.FIELD_VALUE`."""


def tag_of(event: Event) -> str:
    """Return the tag under which an event is stored."""
    return str(event.__struct_config__.tag)


def tell_entry(world: World, entry: Entry) -> str:
    """Tell what an entry did: its first event, which is what was asked for."""
    return tell_event(world, entry.events[0]) if entry.events else say("screen.nothing-happened")


def tell_event(world: World, event: Event) -> str:
    """Tell an event in one sentence.

    Beside the event's own fields a sentence has `amounts`, `parts` (what a model gained and lost), and four pieces that
    are empty where there is nothing to say: `reason`, `about_entry`, `mission_named`, `in_battle`.
    """
    fields = {name: getattr(event, name) for name in event.__struct_fields__ if name not in _NOT_TOLD}
    told = {name: _told(world, name, value) for name, value in fields.items()}
    more = {
        "amounts": tell_postings(event.postings),
        "parts": "; ".join(_parts(fields)),
        "reason": _aside(fields.get("because"), "{}"),
        "about_entry": _aside(fields.get("about"), "#{}"),
        "mission_named": _aside(fields.get("mission"), "{}"),
        "in_battle": _aside(fields.get("battle") and told["battle"], say("screen.in-battle", battle="{}")),
    }
    return say(f"event.{tag_of(event)}", **{**told, **more})


def tell_postings(postings: Iterable[Posting]) -> str:
    """List postings as `gc -37, experience +3`."""
    return ", ".join(f"{tell_figure(owner(posting.account)[2])} {posting.amount:+d}" for posting in postings)


def tell_account(world: World, account: str, earlier: World | None = None) -> str:
    """Name an account as people do: `Blood Angels points`; what is no longer there is called as it was `earlier`."""
    kind, key, figure = owner(account)
    things = _owners(world, kind)
    if earlier is not None and key not in things:
        things = _owners(earlier, kind)
    return f"{_name(things, key)} {tell_figure(figure)}"


def _owners(world: World, kind: str) -> Mapping[str, Force | Model]:
    return world.models if kind == "model" else world.forces


def tell_figure(name: str) -> str:
    """Name what is counted: in the language spoken where the program counts it, as the campaign does where it does."""
    return say(f"figure.{name}") if has(f"figure.{name}") else name


def _aside(value: object, form: str) -> str:
    return f" ({form.replace('{}', str(value))})" if value else ""


def _parts(fields: Mapping[str, Any]) -> list[str]:
    gained = [f"+ {label}" for label in fields.get("gained", ())]
    lost = [f"- {label}" for label in fields.get("lost", ())]
    kind = [f"-> {fields['kind']}"] if fields.get("kind") else []
    return [*gained, *lost, *kind]


def _told(world: World, name: str, value: Any) -> Value:
    match name, value:
        case (("force" | "forces" | "winners"), str() | tuple()):
            return _names(world.forces, value)
        case (("player" | "organiser"), str()):
            return _name(world.players, value)
        case "model", str():
            return _name(world.models, value)
        case "battle", str():
            return str(world.battles[value].number) if value in world.battles else value.removeprefix("battle-")
        case "purse", str():
            return tell_figure(value)
        case _, str() if name in _WORDS:
            return say(f"word.{name}_{value}")
        case _, tuple():
            return ", ".join(f"#{part}" if isinstance(part, int) else str(part) for part in value) or "-"
        case _, int() | str():
            return value
        case _:
            return ""


def _names(things: Mapping[str, Force], keys: str | tuple[str, ...]) -> str:
    return ", ".join(_name(things, key) for key in ((keys,) if isinstance(keys, str) else keys)) or "-"


def _name(things: Mapping[str, Force | Model | Player], key: str) -> str:
    return things[key].name if key in things else key
