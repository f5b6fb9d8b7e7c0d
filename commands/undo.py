"""`campaign undo`: take back one's own last command."""

from typing import TYPE_CHECKING

from commands import answer, context
from commands.arguments import writes

if TYPE_CHECKING:
    from aggregates.campaign.rulings import UndoCommand
    from aggregates.state import World


@writes
def run() -> None:
    """Take back one's own last command, while nothing hangs on it."""
    from aggregates import history
    from aggregates.campaign.rulings import UndoCommand

    def build(world: "World") -> "list[UndoCommand]":
        with context.reading() as book:
            entries = tuple(book.entries(upto=None))
        by = context.speaker(world)
        return [UndoCommand(entries=history.own_last(entries[: world.number], by))]

    answer.send(build, "campaign history --last 3")
