"""What is told when a command does not do what was asked: one line, and the exit status.

Whoever records sets `error.values["again"]` to the id of the command where repeating it is safe; the command to type
is then told with that id.
"""

import os
import shlex
import traceback
from pathlib import Path
from typing import Any

from commands import screen
from commands.arguments import Globals
from ledger.errors import LedgerError, NotNow, Refused, Value
from ledger.wording import has, say

NAME_CHARACTERS_MAX = 60
"""Characters of a name or another value inside a sentence."""

PATHS = frozenset({"path", "file", "folder"})
"""Values whose end tells more than their beginning."""

VALUES_MAX = 20
"""Values of one enumeration inside a sentence."""


class Interrupted(LedgerError):
    """The person stopped the program (status 130)."""

    status = 130


def tell(error: LedgerError, options: Globals, *, writes: bool = False) -> int:
    """Tell an error, as a line or as JSON, and return the exit status."""
    if options.json:
        screen.show_json(as_json(error))
        return error.status
    told = f"{sentence(error)} [{error.rule or error.code}]"
    if writes and isinstance(error, Refused | NotNow):
        told = say("screen.not-recorded", told=told)
    screen.remark(told)
    if "again" in error.values:
        screen.remark(say("screen.again", command=repeated(options, str(error.values["again"]))))
    return error.status


def as_json(error: LedgerError) -> dict[str, Any]:
    """Return an error as the machine contract has it."""
    return {"code": error.code, "rule": error.rule, "values": error.values, "message": sentence(error)}


def sentence(error: LedgerError) -> str:
    """Return the sentence of an error in the language spoken, names cut and made harmless."""
    key = f"error.{error.code}"
    if not has(key):
        return say("error.WITHOUT_SENTENCE", code=error.code)
    return say(key, **{name: _shown(name, value) for name, value in error.values.items()})


def _shown(name: str, value: Value) -> Value:
    match value:
        case int():
            return value
        case str() if name in PATHS:
            return screen.cut_before(screen.safe(value), NAME_CHARACTERS_MAX)
        case str():
            return screen.cut(screen.safe(value), NAME_CHARACTERS_MAX)
        case _:
            named = tuple(screen.cut(screen.safe(one), NAME_CHARACTERS_MAX) for one in value)
            return named if len(named) <= VALUES_MAX else (*named[:VALUES_MAX], screen.CUT)


def repeated(options: Globals, command: str) -> str:
    """Return the command as typed, with the id under which it is safe to repeat; without one where it needs none."""
    return shlex.join(["campaign", *(["--id", command] if command else []), *options.typed])


def fault(error: Exception) -> LedgerError:
    """Return an error for what the program did wrong: what kind and where, but nothing of what it was working on."""
    if os.environ.get("CAMPAIGN_TRACEBACK") == "1":
        traceback.print_exception(error)
    *_, last = traceback.extract_tb(error.__traceback__)
    return LedgerError("FAULT", kind=type(error).__name__, place=f"{Path(last.filename).name}:{last.lineno}")
