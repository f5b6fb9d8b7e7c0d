"""`campaign note`: put a remark on record."""

from typing import Annotated

import typer

from commands import answer
from commands.arguments import entry_number, writes


@writes
def run(text: str, about: Annotated[int, typer.Option(parser=entry_number)] = 0) -> None:
    """Put a remark on record, about an entry or about nothing in particular."""
    from aggregates.campaign.notes import AddNote

    answer.send(lambda world: [AddNote(text=text, about=about)])
