"""`campaign me`: who speaks on this machine."""

from typing import Annotated

import typer

from commands import context, screen
from ledger.wording import say


def run(name: Annotated[str, typer.Argument()] = "") -> None:
    """Remember who speaks on this machine, or tell who it is."""
    if name:
        from aggregates.text import clean

        context.remember_speaker(clean(name, "name"))
    screen.tell(say("screen.me", name=context.remembered_speaker() or "-"))
