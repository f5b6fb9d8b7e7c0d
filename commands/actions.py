"""`campaign actions`: every action as JSON Schema, for those who write files of actions."""

from typing import Annotated

import typer

from commands import screen
from commands.arguments import given
from commands.page import Column, Page, Table
from ledger.wording import say


def run(action: Annotated[str, typer.Argument()] = "", system: Annotated[list[str], typer.Option()] = []) -> None:
    """List the actions, or print the JSON Schema of one, or of all with --json."""
    import msgspec

    from aggregates.rules import nearest
    from aggregates.world import actions_of
    from ledger.errors import Refused

    known = actions_of(system)
    if action and action not in known:
        raise Refused("ACTION_UNKNOWN", action=action, nearest=nearest(action, known))
    if action or given().json:
        wanted = [known[action]] if action else list(known.values())
        schemas, components = msgspec.json.schema_components(wanted)
        screen.show_json({"$defs": components, "anyOf": list(schemas)})
        return
    rows = tuple((tag, say(f"action.{tag}")) for tag in known)
    screen.show(Page((Table((Column(), Column()), rows),)))
