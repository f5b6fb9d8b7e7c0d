"""`campaign sheet`: what a force is and has, or a model."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands import context, screen
from commands.arguments import given
from commands.page import Blank, Column, Line, Page, Part, Table, Title
from commands.told import AsKnownAt, AsOf, checkpoint, marked, subject, where
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.state import Force, Model, World
    from projections.figures import Figure
    from projections.moments import View
    from projections.sheet import ForceSheet, ModelSheet


def run(
    who: Annotated[str, typer.Argument()] = "",
    player: Annotated[str, typer.Option()] = "",
    as_of: AsOf = "",
    as_known_at: AsKnownAt = None,
) -> None:
    """Show a force, a model, or what a player leads; alone, the speaker's own force, else every force."""
    from projections.moments import view

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
    forces, models = _wanted(seen.world, who, player)
    if given().json:
        _show_json(seen, forces, models)
    else:
        screen.show(Page(tuple(_parts(seen, forces, models))))


def _wanted(world: "World", who: str, player: str) -> "tuple[Sequence[Force], Sequence[Model]]":
    """Return the forces and models meant."""
    from aggregates.state import Force
    from commands import who as named

    if who:
        found = subject(world, who)
        return ([found], []) if isinstance(found, Force) else ([], [found])
    wanted = named.player(world, player) if player else context.speaker(world)
    own = [force for force in world.forces.values() if force.player == wanted]
    living = [force for force in own if not force.dissolved]
    everybody = [force for force in world.forces.values() if not force.dissolved]
    return living or (own if player else everybody), []


def _show_json(seen: "View", forces: "Sequence[Force]", models: "Sequence[Model]") -> None:
    from projections.sheet import force_sheet, model_sheet

    world = seen.world
    told = {"campaign": world.founded().name, "entry": f"#{world.number}", "checkpoint": checkpoint(seen.head)}
    if models:
        screen.show_json({**told, "models": [model_sheet(world, model) for model in models]})
    else:
        screen.show_json({**told, "forces": [force_sheet(world, force) for force in forces]})


def _parts(seen: "View", forces: "Sequence[Force]", models: "Sequence[Model]") -> Iterator[Part]:
    from projections.sheet import force_sheet, model_sheet

    sheets = [force_sheet(seen.world, force) for force in forces]
    cards = [model_sheet(seen.world, model) for model in models]
    for sheet in sheets:
        yield from _force(seen, sheet)
        yield Blank()
    for card in cards:
        yield from _model(seen, card)
        yield Blank()
    if not (sheets or cards):
        yield Line(say("screen.no-forces"))
    shown = [figure for sheet in sheets for figure in _figures(sheet)]
    shown += [figure for card in cards for figure in card.figures.values()]
    if any(figure.transcribed for figure in shown):
        yield Line(say("screen.legend-transcribed"), hang=2)
    yield Line(_foot(seen))


def _figures(sheet: "ForceSheet") -> "list[Figure]":
    counted = [figure for card in (*sheet.models, *sheet.fallen) for figure in card.figures.values()]
    return [*sheet.purses.values(), *sheet.record.values(), sheet.size, *counted]


def _force(seen: "View", sheet: "ForceSheet") -> Iterator[Part]:
    player = seen.world.players[sheet.player].name
    yield Title(say("screen.sheet-of-force", force=sheet.name, player=player), where(seen))
    for is_so, what in ((sheet.dissolved, "dissolved"), (sheet.left, "left"), (sheet.transcribed, "transcribed")):
        if is_so:
            yield Line(say(f"screen.sheet-{what}", player=player), hang=2)
    if sheet.faction:
        yield Line(sheet.faction)
    yield Line(_in_a_row(sheet.purses))
    yield Line(_in_a_row({**sheet.record, "models": sheet.size}))
    if sheet.models:
        yield _models(sheet.models)
    if sheet.fallen:
        yield Line(say("screen.fallen", names=tuple(card.name for card in sheet.fallen)), hang=2)


def _model(seen: "View", card: "ModelSheet") -> Iterator[Part]:
    force = seen.world.forces[card.force]
    player = seen.world.players[force.player].name
    yield Title(say("screen.sheet-of-model", model=card.name, force=force.name, player=player), where(seen))
    if about := _about(card):
        yield Line(about, hang=2)
    yield Line(_in_a_row(card.figures))
    if seen.world.count(card.key) <= 0:
        yield Line(say("screen.sheet-fallen"))


def _in_a_row(figures: "dict[str, Figure]") -> str:
    from projections.sentences import tell_figure

    return "   ".join(f"{tell_figure(name)} {marked(figure)}" for name, figure in figures.items())


def _models(cards: "Sequence[ModelSheet]") -> Table:
    from projections.sentences import tell_figure

    names = tuple(dict.fromkeys(name for card in cards for name in card.figures))
    heads = (Column(), *(Column(tell_figure(name), "right") for name in names), Column())
    rows = tuple((card.name, *(_cell(card.figures.get(name)) for name in names), _about(card)) for card in cards)
    return Table(heads, rows, indent=1)


def _cell(figure: "Figure | None") -> str:
    """Return a figure for a column: the digits of marked and unmarked ones stand below each other."""
    return "" if figure is None else marked(figure) if figure.transcribed else f"{figure.value} "


def _about(card: "ModelSheet") -> str:
    return "; ".join(part for part in (card.kind, ", ".join(card.labels)) if part)


def _foot(seen: "View") -> str:
    from ledger.kept import checkpoint_of

    root = checkpoint_of(seen.head).label
    return say("screen.sheet-foot", entry=seen.world.number, entries=seen.head.entries, root=root)
