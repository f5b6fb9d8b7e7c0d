"""`campaign ruling`: an organiser takes an entry's effect away."""

from typing import Annotated

import typer

from commands import answer
from commands.arguments import entry_number, writes

app = typer.Typer(add_completion=False)


@app.command("annul")
@writes
def annul(
    entry: Annotated[int, typer.Argument(parser=entry_number)],
    because: Annotated[str, typer.Option()] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
) -> None:
    """Take an entry's effect away, while nothing later depends on it."""
    from aggregates.campaign.rulings import AnnulEntry

    answer.send(lambda world: [AnnulEntry(entry=entry, because=because)], f"campaign around {entry}", dry_run=dry_run)
