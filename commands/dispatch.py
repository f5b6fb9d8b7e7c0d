"""One command of one module: found by the words typed, its arguments read, and run.

A module of commands holds `app`, a `typer.Typer` whose commands are the verbs of a noun, or `run`, a function that is
the command; or both, where a noun alone means something too. Whatever the parser has to say about the words is told
as `Misused`, in our wording.
"""

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import typer
from typer import _click as click
from typer._click.exceptions import BadOptionUsage, MissingParameter, NoSuchOption, UsageError
from typer._click.types import FuncParamType, IntParamType
from typer._types import TyperChoice
from typer.core import TyperCommand, TyperOption
from typer.main import get_command, get_group
from typer.models import TyperPath

from commands.arguments import FLAGS, NUMBER_READERS, VALUED, nearest
from ledger.errors import Misused
from ledger.wording import has


class Noun(msgspec.Struct, frozen=True):
    """What a module of commands offers: verbs by their name, and the noun itself as a command where it is one."""

    name: str
    verbs: dict[str, Any]
    alone: Any = None


class Command(msgspec.Struct, frozen=True):
    """A command with the words that name it and the words that it is given."""

    path: str
    parser: Any
    words: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        """Whether the command records."""
        return bool(getattr(self.parser.callback, "writes", False))


def noun(name: str, module: str) -> Noun:
    """Return what the module of a noun offers."""
    loaded = importlib.import_module(module)
    app: typer.Typer | None = getattr(loaded, "app", None)
    run = getattr(loaded, "run", None)
    return Noun(name, {} if app is None else _verbs(app), None if run is None else _alone(run))


def _verbs(app: typer.Typer) -> dict[str, Any]:
    return dict(get_group(app).commands)


def _alone(run: Any) -> Any:
    app = typer.Typer(add_completion=False)
    app.command()(run)
    return get_command(app)


def descend(here: Noun, words: Sequence[str]) -> tuple[str, TyperCommand | dict[str, Any], tuple[str, ...]]:
    """Follow the words as far as they name verbs: the path, the command or the verbs found there, the words left."""
    path, rest = here.name, list(words)
    verbs = here.verbs
    while rest and rest[0] in verbs:
        found = verbs[rest[0]]
        path = f"{path} {rest.pop(0)}"
        if isinstance(found, TyperCommand):
            return path, found, tuple(rest)
        verbs = found.commands
    return path, verbs, tuple(rest)


def find(here: Noun, words: Sequence[str]) -> Command:
    """Return the command of a noun that the words name, with the words that are left.

    Raises `Misused`: `VERB_UNKNOWN`, `VERB_MISSING`.
    """
    path, verbs, rest = descend(here, words)
    if isinstance(verbs, TyperCommand):
        return Command(path, verbs, rest)
    if here.alone is not None and path == here.name:
        return Command(path, here.alone, rest)
    if rest and not rest[0].startswith("-"):
        near = nearest(rest[0], tuple(verbs))
        if near:
            raise Misused("VERB_UNKNOWN_NEAR", command=path, word=rest[0], near=near)
        raise Misused("VERB_UNKNOWN", command=path, word=rest[0], verbs=tuple(verbs))
    raise Misused("VERB_MISSING", command=path, verbs=tuple(verbs))


def run(command: Command) -> int:
    """Run a command and return its status: what it returns, else 0. Raises `Misused` for words it does not take."""
    try:
        context = command.parser.make_context(
            command.path, list(command.words), allow_extra_args=True, help_option_names=[]
        )
    except UsageError as error:
        raise _misuse(error, command) from error
    if context.args:
        raise Misused("ARGUMENT_UNEXPECTED", command=command.path, word=context.args[0])
    try:
        with context:
            status = command.parser.invoke(context)
    except typer.Exit as left:
        return left.exit_code
    except typer.Abort as stopped:
        raise KeyboardInterrupt from stopped
    return status if isinstance(status, int) else 0


def _misuse(error: UsageError, command: Command) -> Misused:
    """Return what the parser found, as an error with a sentence of ours."""
    match error:
        case NoSuchOption():
            return _no_such_option(error.option_name, command)
        case MissingParameter(param=click.Parameter() as parameter):
            return _missing(parameter, command)
        case BadOptionUsage():
            return Misused(_option_code(error.option_name, command), option=error.option_name)
        case typer.BadParameter(param=click.Parameter() as parameter):
            return _bad_value(parameter)
        case _:
            return Misused("USAGE_WRONG", command=command.path)


def _no_such_option(option: str, command: Command) -> Misused:
    word = next((word for word in command.words if word.startswith(option)), option)
    if not word.startswith("--"):
        return Misused("LEADING_DASH", command=command.path, word=word)
    near = nearest(word, [*option_names(command), *VALUED, *FLAGS])
    if near:
        return Misused("OPTION_UNKNOWN_NEAR", option=word, near=near)
    return Misused("OPTION_UNKNOWN", option=word)


def option_names(command: Command) -> Iterator[str]:
    """Yield every option of a command as it is typed."""
    for parameter in command.parser.params:
        if isinstance(parameter, TyperOption):
            yield from parameter.opts
            yield from parameter.secondary_opts


def _missing(parameter: Any, command: Command) -> Misused:
    own = f"{command.path} {parameter.name}"
    name = own if has(f"param.{own}") else parameter.name
    code = "NUMBER_MISSING" if _is_number(parameter) else "ARGUMENT_MISSING"
    return Misused(code, command=command.path, argument=label(parameter), name=name)


def _is_number(parameter: Any) -> bool:
    kind = parameter.type
    return isinstance(kind, IntParamType) or (isinstance(kind, FuncParamType) and kind.func in NUMBER_READERS)


def _option_code(option: str, command: Command) -> str:
    flags = [one for one in command.parser.params if isinstance(one, TyperOption) and one.is_flag]
    is_flag = any(option in (*one.opts, *one.secondary_opts) for one in flags)
    return "OPTION_WITHOUT_VALUE" if is_flag else "OPTION_VALUE_MISSING"


def _bad_value(parameter: Any) -> Misused:
    if isinstance(parameter.type, TyperChoice):
        return Misused("CHOICE_UNKNOWN", argument=label(parameter), choices=choices(parameter))
    return Misused("VALUE_WRONG", argument=label(parameter))


def value_label(parameter: Any) -> str:
    """Return how the value of an option is written in usage lines; empty for an option that takes none."""
    if parameter.is_flag:
        return ""
    if parameter.metavar or choices(parameter):
        return str(parameter.metavar or "|".join(choices(parameter)))
    if _is_number(parameter):
        return "N"
    return "FILE" if isinstance(parameter.type, TyperPath) else "TEXT"


def choices(parameter: Any) -> tuple[str, ...]:
    """Return the words that a parameter takes, where it takes only some."""
    kind = parameter.type
    return tuple(map(str, kind.choices)) if isinstance(kind, TyperChoice) else ()


def label(parameter: Any) -> str:
    """Return how a parameter is written in usage lines: an option as typed, an argument in capitals."""
    if isinstance(parameter, TyperOption):
        return max((*parameter.opts, *parameter.secondary_opts), key=len)
    return str(parameter.metavar or parameter.name.upper().replace("_", "-"))
