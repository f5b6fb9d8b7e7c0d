"""Force files: TOML as a player writes it, read with every problem named by its line.

    [force]
    name = "Blood Angels"
    short = "ba"
    [purses]
    points = 5
    [[model]]
    name = "Sergeant Raphael"
    kind = "leader"
    labels = ["power sword"]
    figures = { experience = 3 }

A file that opens a force at a state it has on paper adds `because` to `[force]`, and counts of battles in `[record]`.
"""

import functools
import operator
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from aggregates.force.models import Figure, NewModel
from aggregates.force.musters import MusterForce, TranscribeForce
from aggregates.rules import nearest
from aggregates.state import World
from commands.context import new_key
from ledger.errors import Refused
from ledger.files import read_text_file
from ledger.settings import FILE_BYTES_MAX


class ForceTable(msgspec.Struct, frozen=True, kw_only=True):
    """The `[force]` table of a file."""

    name: str
    short: str = ""
    faction: str = ""
    because: str = ""


class ModelTable(msgspec.Struct, frozen=True, kw_only=True):
    """A `[[model]]` table of a file: one model, or `count` of a kind under one name."""

    name: str
    kind: str = ""
    count: int = 1
    labels: list[str] = []
    figures: dict[str, int] = {}


class ForceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A force file."""

    force: ForceTable
    purses: dict[str, int] = {}
    record: dict[str, int] = {}
    model: list[ModelTable] = []


def read_force_file(path: Path) -> ForceFile:
    """Read a force file.

    Raises `Refused` for its first problem: `FILE_NOT_TOML`, `FILE_KEY_UNKNOWN`, `FILE_VALUE_WRONG`, or that it cannot
    be read at all.
    """
    text = read_text_file(path, FILE_BYTES_MAX)
    for problem in problems(path, text):
        raise problem
    return msgspec.convert(tomllib.loads(text), ForceFile)


def problems(path: Path, text: str) -> Iterator[Refused]:
    """Yield everything that is wrong with the form of a force file, with the line where it stands."""
    try:
        plain = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # A number of some thousand digits is a plain ValueError.
        yield Refused("FILE_NOT_TOML", file=path.name, detail=str(error))
        return
    found = False
    for trail, key, kind in _unknown(plain, ForceFile, ()):
        found = True
        known = [field.encode_name for field in msgspec.structs.fields(kind)]
        line = _line_of(text, trail, key)
        yield Refused("FILE_KEY_UNKNOWN", file=path.name, line=line, key=key, nearest=nearest(key, known))
    if not found:
        try:
            msgspec.convert(plain, ForceFile)
        except msgspec.ValidationError as error:
            line = _line_of(text, *_place(str(error), plain))
            yield Refused("FILE_VALUE_WRONG", file=path.name, line=line, detail=str(error))


def _unknown(
    plain: Mapping[str, Any], kind: type[msgspec.Struct], trail: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str, type[msgspec.Struct]]]:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in plain.items():
        if key not in fields:
            yield trail, key, kind
        elif key == "force" and isinstance(value, dict):
            yield from _unknown(value, ForceTable, (*trail, key))
        elif key == "model" and isinstance(value, list):
            for index, one in enumerate(value):
                if isinstance(one, dict):
                    yield from _unknown(one, ModelTable, (*trail, key, index))


def _place(message: str, plain: Any) -> tuple[tuple[str | int, ...], str]:
    """Return the trail and the key that msgspec names, as in `… - at `$.model[2].count``.

    Of a table with keys of the player's own it names none, as in `$.purses[...]`: the first amount that is none.
    """
    match = re.search(r"`\$\.?([^`]*)`$", message)
    parts = re.findall(r"\[(\d+)\]|([A-Za-z_-]+)", match[1]) if match else []
    trail: tuple[str | int, ...] = tuple(int(index) if index else name for index, name in parts)
    missing = re.search(r"missing required field `([^`]+)`", message)
    if missing or not trail:
        return trail, ""
    if message.endswith("[...]`"):
        table = functools.reduce(operator.getitem, trail, plain)
        return trail, next((name for name, amount in table.items() if type(amount) is not int), "")
    return trail[:-1], str(trail[-1])


def _line_of(text: str, trail: tuple[str | int, ...], key: str) -> int:
    """Return the line where a key of a table stands; the table's own line where the key is not to be found."""
    lines = text.splitlines()
    start = 0
    if trail:
        header = re.compile(rf"\s*\[\[?\s*{re.escape(str(trail[0]))}\s*\]\]?")
        heads = [number for number, line in enumerate(lines) if header.match(line)]
        index = next((part for part in trail if isinstance(part, int)), 0)
        start = heads[index] if index < len(heads) else 0
    wanted = re.compile(rf"(^|[\s{{,\[\"']){re.escape(key)}([\s\"'\]]*)(=|\])") if key else None
    for number in range(start, len(lines)):
        if wanted and wanted.search(lines[number]):
            return number + 1
    return start + 1


def muster(world: World, read: ForceFile, player: str, short: str = "") -> MusterForce:
    """Return the action that brings the force of a file into the campaign; `short` goes before the file's own."""
    return MusterForce(
        force=new_key(short or read.force.short or read.force.name, world.forces),
        name=read.force.name,
        player=player,
        short=short or read.force.short,
        faction=read.force.faction,
        purses=figures(read.purses),
        models=new_models(world, read),
    )


def transcription(world: World, read: ForceFile, player: str, because: str = "") -> TranscribeForce:
    """Return the action that opens the force of a file at the state it gives; `because` goes before the file's own."""
    return TranscribeForce(
        force=new_key(read.force.short or read.force.name, world.forces),
        name=read.force.name,
        player=player,
        because=because or read.force.because,
        short=read.force.short,
        faction=read.force.faction,
        purses=figures({**read.purses, **read.record}),
        models=new_models(world, read),
    )


def new_models(world: World, force: ForceFile) -> tuple[NewModel, ...]:
    """Return the models of a file with keys that the world does not know yet."""
    taken = set(world.models)
    models = []
    for table in force.model:
        key = new_key(table.name, taken)
        taken.add(key)
        models.append(
            NewModel(
                key=key,
                name=table.name,
                kind=table.kind,
                count=table.count,
                labels=tuple(table.labels),
                figures=figures(table.figures),
            )
        )
    return tuple(models)


def figures(amounts: Mapping[str, int]) -> tuple[Figure, ...]:
    """Return named amounts as figures."""
    return tuple(Figure(name, amount) for name, amount in amounts.items())
