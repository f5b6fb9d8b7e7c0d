"""`campaign standings`: the forces in their order, and what decided it."""

from typing import TYPE_CHECKING

from commands import context, screen
from commands.arguments import given
from commands.page import Column, Line, Page, Table, Title
from commands.told import AsKnownAt, AsOf, marked, where
from ledger.wording import say

if TYPE_CHECKING:
    from projections.moments import View
    from projections.standings import Place

NUMBERS_WIDTH_MAX = 44
"""Characters of a line that the numbers may take; the names of the forces need the others."""


def run(as_of: AsOf = "", as_known_at: AsKnownAt = None) -> None:
    """Show the forces in the order of the campaign's criteria, with what decided each place."""
    from projections.moments import view
    from projections.standings import criteria_of, standings

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
    places = standings(seen.world)
    if given().json:
        told = {"campaign": seen.world.founded().name, "entry": f"#{seen.world.number}"}
        screen.show_json({**told, "criteria": criteria_of(seen.world), "places": places})
    else:
        screen.show(_page(seen, places))


def _page(seen: "View", places: "tuple[Place, ...]") -> Page:
    from projections.sentences import tell_figure
    from projections.standings import criteria_of

    criteria = tuple(map(tell_figure, criteria_of(seen.world)))
    title = Title(say("screen.standings-title"), where(seen))
    ranked_by = Line(say("screen.standings-by", criteria=criteria), hang=2)
    if not places:
        return Page((title, ranked_by, Line(say("screen.no-forces"))))
    names = _numbers(criteria_of(seen.world), places)
    heads = (
        Column("", "right"),
        Column(say("column.force")),
        *(Column(tell_figure(name), "right") for name in names),
        Column(say("column.decided-by")),
    )
    rows = tuple(_row(seen, place, names) for place in places)
    return Page((title, ranked_by, Table(heads, rows, indent=1)))


def _numbers(criteria: tuple[str, ...], places: "tuple[Place, ...]") -> list[str]:
    """Return what is shown of every force: its battles, what it is ranked by, and as many more purses as fit.

    A count that is nobody's, such as draws where none was fought, leaves its place to the names.
    """
    from projections.sentences import tell_figure

    record = places[0].record
    counted = [name for name in record if name in criteria or any(place.record[name].value for place in places)]
    names = list(dict.fromkeys((*counted, *criteria)))
    width = sum(len(tell_figure(name)) + 2 for name in names)
    for name in dict.fromkeys(name for place in places for name in place.purses if name not in names):
        width += len(tell_figure(name)) + 2
        if width <= NUMBERS_WIDTH_MAX:
            names.append(name)
    return names


def _row(seen: "View", place: "Place", names: list[str]) -> tuple[str, ...]:
    from projections.sentences import tell_figure

    figures = {**place.record, **place.purses}
    player = seen.world.players[place.player].name
    decided = say("screen.no-longer") if place.left else tell_figure(place.decided_by) if place.decided_by else ""
    numbers = (marked(figures[name]) if name in figures else "" for name in names)
    return str(place.place or "-"), f"{place.name} ({player})", *numbers, decided
