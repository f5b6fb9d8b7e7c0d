"""The program `campaign`: which commands there are, and where it starts.

A command is added by one row in `NOUNS` and its wording; its module is imported when it runs.
"""

import gc
import signal
import sys
from collections.abc import Sequence

NOUNS: dict[str, dict[str, str]] = {
    "set-up": {
        "new": "commands.new",
        "me": "commands.me",
        "player": "commands.player",
        "force": "commands.force",
        "model": "commands.model",
        "options": "commands.options",
        "rename": "commands.rename",
        "end": "commands.end",
        "reopen": "commands.reopen",
    },
    "battle": {
        "battle": "commands.battle",
    },
    "points": {
        "points": "commands.points",
    },
    "look": {
        "status": "commands.status",
        "sheet": "commands.sheet",
        "statement": "commands.statement",
        "standings": "commands.standings",
        "history": "commands.history",
        "why": "commands.why",
        "around": "commands.around",
        "replay": "commands.replay",
    },
    "settle": {
        "audit": "commands.audit",
        "note": "commands.note",
        "undo": "commands.undo",
        "ruling": "commands.ruling",
    },
    "keep": {
        "verify": "commands.verify",
        "checkpoint": "commands.checkpoint",
        "export": "commands.export",
        "import": "commands.take_in",
        "apply": "commands.apply",
        "actions": "commands.actions",
        "demo": "commands.demo",
    },
}
"""Headings of the help (wording `screen.…`), and under each the first words of commands with their modules."""

INTERRUPTED = 130
"""The exit status of a program that was stopped, as shells have it."""

OBJECTS_BEFORE_COLLECTING = 100_000
"""How many more objects there are before cyclic garbage is looked for; loading a command stays below."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; nothing is raised."""
    if argv is not None:
        return _answer(argv)
    gc.set_threshold(OBJECTS_BEFORE_COLLECTING)
    status = _answer(sys.argv[1:])
    gc.freeze()  # the end of the program need not look through what it has loaded
    return status


def _answer(argv: Sequence[str]) -> int:
    try:
        # What is stopped while it is loaded may be broken afterwards; the signal arrives when that is over.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            from commands import invocation
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        return invocation.answer(argv, NOUNS)
    except KeyboardInterrupt:  # Before there is a word to say so, or while the last one is said.
        return INTERRUPTED
