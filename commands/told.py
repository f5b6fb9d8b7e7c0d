"""What several screens tell alike: the moment asked for, who wrote an entry, marks on figures, what a word means."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

import typer

from commands.arguments import entry_number
from ledger.errors import Refused
from ledger.wording import LANGUAGES, say, say_in

if TYPE_CHECKING:
    from aggregates.state import Force, Model, World
    from ledger.lines import Head
    from projections.figures import Figure
    from projections.moments import View

AsOf = Annotated[str, typer.Option("--as-of", metavar="N|battle:N|DAY")]
AsKnownAt = Annotated[int | None, typer.Option("--as-known-at", parser=entry_number)]

MARK = "*"
"""Stands behind a figure that was stated when the force was opened."""


def where(view: "View") -> str:
    """Tell which campaign, and which entry of it, a screen shows."""
    return say("screen.where", campaign=view.world.founded().name, entry=view.world.number)


def author(world: "World", by: str, on_behalf_of: str) -> str:
    """Tell who wrote an entry, and for whom."""
    writer, behalf = (world.players[key].name if key in world.players else key for key in (by, on_behalf_of))
    return say("screen.on-behalf", by=writer, behalf=behalf) if behalf else writer


def marked(figure: "Figure") -> str:
    """Return a figure's value, marked where a part of it was stated and not earned."""
    return f"{figure.value}{MARK if figure.transcribed else ''}"


def checkpoint(head: "Head") -> str:
    """Return how many lines the book has and their root, as checkpoints are written."""
    import base64

    return f"{head.size} {base64.b64encode(head.root).decode()}"


def subject(world: "World", typed: str) -> "Force | Model":
    """Return the force or the model meant; a force before a model, unless it is written `FORCE/MODEL`.

    Raises `Refused`: `WHO_UNKNOWN`, `WHO_AMBIGUOUS`.
    """
    from aggregates.rules import nearest
    from aggregates.text import fold
    from commands import who as named

    is_name = any(fold(typed) == fold(force.name) for force in world.forces.values())
    try:
        if "/" not in typed or is_name:
            return world.forces[named.force(world, typed)]
    except Refused as refusal:
        if refusal.code != "FORCE_UNKNOWN":
            raise
    try:
        return world.models[named.model(world, typed)]
    except Refused as refusal:
        if refusal.code != "MODEL_UNKNOWN":
            raise
        names = [thing.name for things in (world.forces, world.models) for thing in things.values()]
        raise Refused("WHO_UNKNOWN", typed=typed, nearest=nearest(typed, names) if names else "-") from None


def counted(who: str, typed: str, known: Collection[str]) -> str:
    """Return which of the things counted of somebody a word means: as it is stored, or as either language calls it.

    Raises `Refused` `NOT_COUNTED`.
    """
    from aggregates.text import fold

    wanted = fold(typed).replace("_", "-")
    for name in known:
        if wanted in (name, *(fold(say_in(language, f"figure.{name}")) for language in LANGUAGES)):
            return name
    raise Refused("NOT_COUNTED", who=who, figure=typed, known=tuple(known))
