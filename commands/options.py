"""`campaign options`: what this campaign plays, and how to play it otherwise."""

import typer

from commands import answer, context, screen
from commands.arguments import given, writes
from commands.page import Column, Line, Page, Table
from ledger.wording import say

app = typer.Typer(add_completion=False)


@app.command("list")
def listing() -> None:
    """List every option with what is played, what is the default, and what it would take."""
    from aggregates.world import options_of

    with context.reading() as book:
        world = book.world()
    options = options_of(world.founded().systems).values()
    if given().json:
        screen.show_json([{"option": o, "value": o.of(world.settings), "default": o.default} for o in options])
        return
    rows = tuple(
        (o.key, _told(o.of(world.settings)), _told(o.default), o.accepted, say(f"option.{o.key}")) for o in options
    )
    heads = ("option", "value", "default", "accepted", "meaning")
    screen.show(Page((Line(world.founded().name), Table(tuple(Column(say(f"screen.{h}")) for h in heads), rows))))


@app.command("set")
@writes
def change(option: str, value: str) -> None:
    """Play an option another way from now on."""
    from aggregates.campaign.founding import SetOption
    from aggregates.rules import find_option
    from aggregates.state import World
    from aggregates.world import options_of

    def build(world: World) -> list[SetOption]:
        found = find_option(options_of(world.founded().systems), option)
        return [SetOption(option=found.key, value=found.read(value))]

    answer.send(build, "campaign options list")


def _told(value: str | int | tuple[str, ...]) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
