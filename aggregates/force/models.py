"""Models: how they join a force, change, are renamed, and die or leave. A group is one model with a count."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, Literal, assert_never

import msgspec

from aggregates.accounts import COUNT, force_account, model_account
from aggregates.authority import require_part
from aggregates.contract import Family
from aggregates.kinds import Action, Amount, Because, Event, ForceEvent, Key, Name, Posting, Refused, Request, Role
from aggregates.purses import check_figure, check_purse
from aggregates.state import Model, World
from aggregates.text import fold

COUNT_MAX = 1000
"""Figures under one model's name."""

Count = Annotated[int, msgspec.Meta(ge=1, le=COUNT_MAX)]
Fate = Literal["died", "left"]


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So much of something: a purse's or a figure's name and an amount."""

    name: str
    amount: Amount


class NewModel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A model, or a group of `count`, as it joins: what it is, what it carries, what is counted on it."""

    key: Key
    name: Name
    kind: Because = ""
    count: Count = 1
    labels: tuple[Name, ...] = ()
    figures: tuple[Figure, ...] = ()


class AddModel(Action, tag="model.add", frozen=True, kw_only=True):
    """Let a model join a force, for a price or for nothing."""

    may: ClassVar[Role] = "player"
    force: Key
    model: NewModel
    cost: tuple[Figure, ...] = ()
    because: Because = ""


class ChangeModel(Action, tag="model.change", frozen=True, kw_only=True):
    """Change what is counted on a model, what it carries, what it is, or how many it are, for a price or for nothing.

    `figures` are differences, `count` too.
    """

    may: ClassVar[Role] = "player"
    model: Key
    figures: tuple[Figure, ...] = ()
    count: Amount = 0
    gains: tuple[Name, ...] = ()
    loses: tuple[Name, ...] = ()
    kind: Because = ""
    cost: tuple[Figure, ...] = ()
    because: Because = ""


class KillModel(Action, tag="model.kill", frozen=True, kw_only=True):
    """Strike a model, or so many of a group: dead, or gone in another way."""

    may: ClassVar[Role] = "player"
    model: Key
    count: Annotated[int, msgspec.Meta(ge=0, le=COUNT_MAX)] = 0
    fate: Fate = "died"
    because: Because = ""


class RenameModel(Action, tag="model.rename", frozen=True, kw_only=True):
    """Correct a model's name."""

    may: ClassVar[Role] = "player"
    model: Key
    name: Name


class ModelJoined(ForceEvent, tag="model.joined", frozen=True, kw_only=True, gc=False):
    """A model takes part; `transcribed` says that its figures were stated, not earned here."""

    model: str
    name: str
    kind: str = ""
    labels: tuple[str, ...] = ()
    transcribed: bool = False
    because: str = ""


class ModelChanged(ForceEvent, tag="model.changed", frozen=True, kw_only=True, gc=False):
    """A model is not what it was; how much of what is in the postings."""

    model: str
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    kind: str = ""
    because: str = ""


class ModelDied(ForceEvent, tag="model.died", frozen=True, kw_only=True, gc=False):
    """A model, or so many of a group, are gone."""

    model: str
    count: int
    fate: Fate = "died"
    because: str = ""


class ModelRenamed(ForceEvent, tag="model.renamed", frozen=True, kw_only=True, gc=False):
    """A model is called otherwise."""

    model: str
    name: str


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide how models come, change and go."""
    match request.action:
        case AddModel(force=force, model=model, cost=cost, because=because):
            require_part(world, request, force)
            yield join(world, force, model, set(), cost=price(world, force, cost), because=because)
        case ChangeModel() as asked:
            yield _change(world, request, asked)
        case KillModel(model=key, count=count, fate=fate, because=because):
            model_now = world.model(key)
            require_part(world, request, model_now.force)
            there = world.count(key)
            if count > there:
                raise Refused("COUNT_TOO_HIGH", model=model_now.name, asked=count, there=there)
            gone = Posting(model_account(key, COUNT), -(count or there))
            yield ModelDied(
                force=model_now.force, model=key, count=count or there, fate=fate, because=because, postings=(gone,)
            )
        case RenameModel(model=key, name=name):
            model_now = world.model(key)
            require_part(world, request, model_now.force)
            if model_now.name == name:
                raise Refused("NOTHING_CHANGES", what=name)
            _check_name(world, model_now.force, key, name)
            yield ModelRenamed(force=model_now.force, model=key, name=name)
        case other:
            raise AssertionError(other)


def join(
    world: World,
    force: str,
    model: NewModel,
    seen: set[tuple[str, str]],
    *,
    cost: tuple[Posting, ...] = (),
    because: str = "",
    transcribed: bool = False,
) -> ModelJoined:
    """Decide that a model joins; `seen` holds keys and names that join in the same entry.

    Raises `Refused`: `KEY_TAKEN`, `NAME_TAKEN`, `FIGURE_UNKNOWN`, `FIGURE_TWICE`.
    """
    if model.key in world.models or ("key", model.key) in seen:
        raise Refused("KEY_TAKEN", key=model.key)
    _check_name(world, force, model.key, model.name)
    if ("name", fold(model.name)) in seen:
        raise Refused("NAME_TAKEN", name=model.name, other=model.name)
    seen |= {("key", model.key), ("name", fold(model.name))}
    counted = (Posting(model_account(model.key, COUNT), model.count), *_figures(world, model.key, model.figures))
    return ModelJoined(
        force=force,
        model=model.key,
        name=model.name,
        kind=model.kind,
        labels=model.labels,
        transcribed=transcribed,
        because=because,
        postings=(*counted, *cost),
    )


def price(world: World, force: str, cost: Iterable[Figure]) -> tuple[Posting, ...]:
    """Return the postings that pay a price out of a force's purses.

    Raises `Refused`: `PURSE_UNKNOWN`, `AMOUNT_ZERO`, `AMOUNT_NEGATIVE`.
    """
    for part in cost:
        check_purse(world, part.name)
        check_amount(part.amount, part.name)
    return tuple(Posting(force_account(force, part.name), -part.amount) for part in cost)


def check_amount(amount: int, what: str) -> None:
    """Check that an amount moves something, and the way its action says.

    Raises `Refused`: `AMOUNT_ZERO`, `AMOUNT_NEGATIVE`.
    """
    if amount == 0:
        raise Refused("AMOUNT_ZERO", purse=what)
    if amount < 0:
        raise Refused("AMOUNT_NEGATIVE", purse=what, amount=amount)


def _change(world: World, request: Request, asked: ChangeModel) -> ModelChanged:
    model = world.model(asked.model)
    require_part(world, request, model.force)
    if missing := [label for label in asked.loses if asked.loses.count(label) > model.labels.count(label)]:
        raise Refused("LABEL_MISSING", model=model.name, label=missing[0], there=", ".join(model.labels) or "-")
    figures = tuple(f for f in asked.figures if f.amount)
    if not (figures or asked.count or asked.gains or asked.loses or asked.kind):
        raise Refused("NOTHING_CHANGES", what=model.name)
    there = world.count(asked.model)
    if not 0 < there + asked.count <= COUNT_MAX:
        raise Refused("COUNT_OUT_OF_RANGE", model=model.name, there=there, asked=asked.count, most=COUNT_MAX)
    count = (Posting(model_account(asked.model, COUNT), asked.count),) if asked.count else ()
    return ModelChanged(
        force=model.force,
        model=asked.model,
        gained=asked.gains,
        lost=asked.loses,
        kind=asked.kind,
        because=asked.because,
        postings=(*count, *_figures(world, asked.model, figures), *price(world, model.force, asked.cost)),
    )


def _figures(world: World, model: str, figures: tuple[Figure, ...]) -> tuple[Posting, ...]:
    names = [figure.name for figure in figures]
    if twice := [name for name in names if names.count(name) > 1]:
        raise Refused("FIGURE_TWICE", figure=twice[0])
    for name in names:
        check_figure(world, name)
    return tuple(Posting(model_account(model, figure.name), figure.amount) for figure in figures if figure.amount)


def _check_name(world: World, force: str, key: str, name: str) -> None:
    for other in world.models_of(force):
        if other.key != key and world.count(other.key) > 0 and fold(other.name) == fold(name):
            raise Refused("NAME_TAKEN", name=name, other=other.name)


ModelEvent = ModelJoined | ModelChanged | ModelDied | ModelRenamed


def evolve(world: World, event: ModelEvent) -> None:
    """Apply how models come, change and go; how many there are is in the balances."""
    models = world.models
    match event:
        case ModelChanged(gained=(), lost=(), kind=""):
            pass  # Its postings are all it changes.
        case ModelJoined(model=key):
            models[key] = Model(key, event.name, event.force, event.kind, event.labels)
            if event.transcribed:
                world.transcribed |= {posting.account for posting in event.postings}
        case ModelChanged(model=key):
            model = models[key]
            kept = list(model.labels)
            for label in event.lost:
                kept.remove(label)
            models[key] = msgspec.structs.replace(model, labels=(*kept, *event.gained), kind=event.kind or model.kind)
        case ModelDied():
            pass  # Its postings are all it changes.
        case ModelRenamed(model=key, name=name):
            models[key] = msgspec.structs.replace(models[key], name=name)
        case _:
            assert_never(event)


FAMILY = Family(
    actions=(AddModel, ChangeModel, KillModel, RenameModel),
    events=(ModelJoined, ModelChanged, ModelDied, ModelRenamed),
    decide=decide,
    evolve=evolve,
)
