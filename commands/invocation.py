"""One run of the program: the command line is taken apart, its command or help is found, and every end is told.

Only the module of the command that runs is imported.
"""

from collections.abc import Mapping, Sequence

from commands import arguments, failure, screen
from commands.arguments import CommandLine, Globals
from ledger import wording
from ledger.errors import LedgerError, Misused

HELP = frozenset({"--help", "-h"})

Nouns = Mapping[str, Mapping[str, str]]
"""Headings of the help, and under each the first words of commands with their modules."""


def answer(words: Sequence[str], nouns: Nouns) -> int:
    """Do what a command line asks and return the exit status; whatever goes wrong is told, nothing is raised."""
    screen.prepare()
    line = arguments.take(words)
    arguments.give(line.options)
    wording.use(line.options.lang)
    try:
        status = _try(line, nouns)
        screen.finish()
    except BrokenPipeError:
        screen.abandon()
        return 0
    except screen.OutputFailed as error:
        screen.abandon()
        return failure.tell(error, Globals())
    return status


def _try(line: CommandLine, nouns: Nouns) -> int:
    try:
        return _run(line, nouns)
    except (BrokenPipeError, screen.OutputFailed):
        raise
    except LedgerError as error:
        return failure.tell(error, line.options)
    except KeyboardInterrupt:
        return failure.tell(failure.Interrupted("INTERRUPTED"), line.options)
    except Exception as error:  # noqa: BLE001 -- the last place where a fault of ours can become one line
        stopped = isinstance(error.__cause__, KeyboardInterrupt)  # Python wraps it while a class is being made.
        return failure.tell(failure.Interrupted("INTERRUPTED") if stopped else failure.fault(error), line.options)


def _run(line: CommandLine, nouns: Nouns) -> int:
    if line.mistake is not None:
        raise line.mistake
    words = list(line.words)
    if words[:1] == ["--version"]:
        return _tell_version()
    before_dashes = words[: words.index("--")] if "--" in words else words
    named = [word for word in before_dashes if word not in HELP]
    if named[:1] == ["help"]:
        return _help(named[1:], nouns)
    if not words or named != before_dashes:
        return _help(named, nouns)
    return _command(words, line.options, nouns)


def _command(words: list[str], options: Globals, nouns: Nouns) -> int:
    module = _module(words[0], nouns)
    from commands import dispatch

    command = dispatch.find(dispatch.noun(words[0], module), words[1:])
    try:
        return dispatch.run(command)
    except screen.OutputFailed:
        raise
    except LedgerError as error:
        return failure.tell(error, options, writes=command.writes)


def _module(name: str, nouns: Nouns) -> str:
    modules = {noun: module for group in nouns.values() for noun, module in group.items()}
    if name in modules:
        return modules[name]
    if name.startswith("-"):
        raise Misused("OPTION_UNKNOWN", option=name)
    near = arguments.nearest(name, tuple(modules))
    if near:
        raise Misused("COMMAND_UNKNOWN_NEAR", word=name, near=near)
    raise Misused("COMMAND_UNKNOWN", word=name)


def _help(words: list[str], nouns: Nouns) -> int:
    """Print the help of what the words name; words behind a command's name do not matter."""
    from commands import help as pages

    if not words:
        screen.put(screen.plain(pages.program(nouns)))
        return 0
    module = _module(words[0], nouns)
    from commands import dispatch

    here = dispatch.noun(words[0], module)
    path, found, rest = dispatch.descend(here, words[1:])
    if isinstance(found, dict) and found and not rest:
        page = pages.noun(here, path, found)
    else:
        siblings = dispatch.descend(here, path.split()[1:-1])[1]
        page = pages.command(dispatch.find(here, words[1:]), siblings if isinstance(siblings, dict) else {})
    screen.put(screen.plain(page))
    return 0


def _tell_version() -> int:
    from importlib.metadata import version

    screen.tell(f"campaign {version('campaign-ledger')}")
    return 0
