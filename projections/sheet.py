"""The sheet: what a force is and has at one entry, each figure with where it comes from."""

import msgspec

from aggregates.state import Force, Model, World
from projections.figures import Figure, figures_of, purses_of, record_of, size_of


class ModelSheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model or a group as it stands."""

    key: str
    name: str
    force: str
    figures: dict[str, Figure]
    kind: str = ""
    labels: tuple[str, ...] = ()


class ForceSheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A force as it stands: purses, battles, models, and those who are gone.

    `transcribed` says that it was opened at a stated state; `left` that its player takes no further part.
    """

    key: str
    name: str
    player: str
    purses: dict[str, Figure]
    record: dict[str, Figure]
    size: Figure
    models: tuple[ModelSheet, ...]
    fallen: tuple[ModelSheet, ...] = ()
    short: str = ""
    faction: str = ""
    transcribed: bool = False
    dissolved: bool = False
    left: bool = False


def force_sheet(world: World, force: Force) -> ForceSheet:
    """Return the sheet of a force."""
    models = world.models_of(force.key)
    return ForceSheet(
        key=force.key,
        name=force.name,
        player=force.player,
        purses=purses_of(world, force.key),
        record=record_of(world, force.key),
        size=size_of(world, force.key),
        models=tuple(model_sheet(world, model) for model in models if world.count(model.key) > 0),
        fallen=tuple(model_sheet(world, model) for model in models if world.count(model.key) <= 0),
        short=force.short,
        faction=force.faction,
        transcribed=force.transcribed,
        dissolved=force.dissolved,
        left=world.players[force.player].left,
    )


def model_sheet(world: World, model: Model) -> ModelSheet:
    """Return the sheet of one model or group."""
    return ModelSheet(model.key, model.name, model.force, figures_of(world, model.key), model.kind, model.labels)
