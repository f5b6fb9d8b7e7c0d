"""`campaign history`: what was recorded, an entry a line."""

from typing import TYPE_CHECKING, Annotated

import typer

from commands import context, screen
from commands.arguments import entry_number, given
from commands.page import Column, Line, Page, Table
from commands.told import AsKnownAt, AsOf, author
from ledger.wording import day, say

if TYPE_CHECKING:
    from aggregates.state import World
    from projections.moments import View
    from projections.timeline import EntryTold, Filter

Text = Annotated[str, typer.Option()]
Count = Annotated[int | None, typer.Option(parser=entry_number)]


def run(
    force: Text = "",
    player: Text = "",
    battle: Text = "",
    kind: Text = "",
    since: Count = None,
    last: Count = None,
    as_of: AsOf = "",
    as_known_at: AsKnownAt = None,
) -> None:
    """List the entries as they were recorded, those too that no longer count."""
    from projections.moments import view
    from projections.timeline import Filter, timeline

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
        wanted = _named(seen.world, Filter(force, player, battle, kind, since or 0, last or 0))
        entries = tuple(timeline(seen.world, seen.recorded(), wanted, seen.struck))
    if given().json:
        screen.show_json(entries)
    elif entries:
        screen.show(_page(seen, entries))
    else:
        screen.show(Page((Line(say("screen.history-empty")),)))


def _named(world: "World", typed: "Filter") -> "Filter":
    """Return the filter with the keys of what its words mean."""
    import msgspec

    from commands import who as named

    return msgspec.structs.replace(
        typed,
        force=typed.force and named.force(world, typed.force),
        player=typed.player and named.player(world, typed.player),
        battle=typed.battle and named.battle(world, typed.battle),
    )


def _page(seen: "View", entries: "tuple[EntryTold, ...]") -> Page:
    rows = tuple(_row(seen, entry) for entry in entries)
    return Page((Table((Column("", "right"), Column(), Column(), Column()), rows),))


def _row(seen: "View", entry: "EntryTold") -> tuple[str, ...]:
    told = entry.sentence
    if entry.struck:
        told = say("screen.struck", told=told, ruling=f"#{seen.struck[entry.number]}")
    return f"#{entry.number}", day(entry.at, seen.world.at), author(seen.world, entry.by, entry.on_behalf_of), told
