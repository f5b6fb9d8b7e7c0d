"""The answer to a command that recorded: entry, sentence, what changed, rules, and one next command."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from commands import context, screen
from commands.arguments import given
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.kinds import Action
    from aggregates.state import World
    from commands.record import Recorded

CHANGES_MAX = 6
"""Balances an answer shows before it says how many more changed."""


def send(build: "Callable[[World], Sequence[Action]]", following: str = "", *, dry_run: bool = False) -> None:
    """Record what the speaker asks and tell what came of it; `following` is the next command to type."""
    show(context.send(build, dry_run=dry_run), following, dry_run=dry_run)


def show(recorded: "Recorded", following: str = "", *, dry_run: bool = False) -> None:
    """Tell what came of a command."""
    if given().json:
        screen.show_json(as_json(recorded, dry_run=dry_run))
    else:
        screen.tell(*_lines(recorded, following, dry_run=dry_run))


def as_json(recorded: "Recorded", *, dry_run: bool = False) -> dict[str, Any]:
    """Return what came of a command as the machine contract has it; `kept` is what a dry run would record."""
    from projections.timeline import tell

    return {
        "status": "repeated" if recorded.repeated else "kept" if dry_run else "recorded",
        "id": recorded.command,
        "entries": [tell(recorded.after, entry) for entry in recorded.entries],
    }


def _lines(recorded: "Recorded", following: str, *, dry_run: bool) -> list[str]:
    from commands.record import changed_accounts
    from projections.sentences import tell_account, tell_entry
    from projections.timeline import rules_of

    lines = [say("screen.dry-run")] if dry_run else []
    lines += [say("screen.repeated")] if recorded.repeated else []
    for entry in recorded.entries:
        rules = " ".join(f"[{rule}]" for rule in rules_of(entry))
        lines.append(f"#{entry.number}  {tell_entry(recorded.after, entry)} {rules}".rstrip())
    changes = list(changed_accounts(recorded))
    shown = [
        f"{tell_account(recorded.after, account, recorded.before)} {before} -> {after}"
        for account, before, after in changes[:CHANGES_MAX]
    ]
    if len(changes) > CHANGES_MAX:
        shown.append(say("screen.more-changes", count=len(changes) - CHANGES_MAX))
    lines += [f"     {'   '.join(shown)}"] if shown else []
    lines += [f"     {say('screen.next', command=following)}"] if following else []
    return lines
