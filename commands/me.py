"""`campaign me`: who speaks on this machine."""

from typing import Annotated

import typer

from commands import context, screen
from commands.arguments import given
from ledger.wording import say


def run(name: Annotated[str, typer.Argument()] = "") -> None:
    """Remember who speaks on this machine, or tell who it is."""
    if name:
        from aggregates.text import clean

        context.remember_speaker(clean(name, "name"))
    speaker = context.remembered_speaker()
    if given().json:
        screen.show_json({"me": speaker})
    else:
        screen.tell(say("screen.me", name=speaker or "-"))
