import json
from collections.abc import Iterator
from typing import Any

import msgspec

from projections.entries import Reading
from projections.moments import View
from projections.sheet import force_sheet, model_sheet


def numbers(told: Any, path: str = "") -> Iterator[str]:
    """Yield where in a JSON value a number stands."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from numbers(value, f"{path}.{key}")
    elif isinstance(told, list):
        for value in told:
            yield from numbers(value, path)
    elif isinstance(told, int | float) and not isinstance(told, bool):
        yield path


def test_a_sheet_tells_the_living_and_the_fallen(book: Reading) -> None:
    world = View(book).world
    angels, spears = (force_sheet(world, world.forces[key]) for key in ("ba", "sw"))
    assert [(card.name, card.figures["count"].value) for card in angels.models] == [
        ("Sergeant Raphael", 1),
        ("Alpha", 3),
    ]
    assert (angels.fallen, angels.transcribed) == ((), False)
    assert ([card.name for card in spears.fallen], spears.models, spears.transcribed) == (["Autarch"], (), True)


def test_a_model_has_its_kind_its_labels_and_its_figures(book: Reading) -> None:
    world = View(book).world
    card = model_sheet(world, world.models["raphael"])
    assert (card.kind, card.labels, card.figures["xp"].value) == ("leader", ("sword", "medal"), 3 + 2)


def test_every_number_of_a_sheet_says_where_it_comes_from(book: Reading) -> None:
    world = View(book).world
    told = json.loads(msgspec.json.encode([force_sheet(world, force) for force in world.forces.values()]))
    found = list(numbers(told))
    assert len(found) == 2 * (1 + 5 + 1) + 3 * 2  # purse, record, size of a force; count and xp of a model
    assert [path for path in found if not path.endswith(".value")] == []
    assert [figure for sheet in told for figure in sheet["record"].values() if "account" not in figure] == []
    assert [set(sheet["size"]) - {"transcribed"} for sheet in told] == [{"value", "formula", "from"}] * 2
