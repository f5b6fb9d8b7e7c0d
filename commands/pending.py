"""Commands under way: written down before the book is, so that one of unknown outcome can be looked up later.

The file holds the actions as asked, never their private parts. It is gone as soon as the outcome is known.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ledger.files import write_atomically
from ledger.settings import state_folder

if TYPE_CHECKING:
    from commands.record import Recorded


class Pending(msgspec.Struct, frozen=True):
    """A command under way."""

    id: str
    campaign: str
    asked: tuple[Asked, ...]


class Asked(msgspec.Struct, frozen=True):
    """One action of a command, as asked, and by whom."""

    by: str
    on_behalf_of: str
    action: str


def keep(campaign: str, recorded: Recorded) -> None:
    """Write a command down before it is appended."""
    path = _path(recorded.command)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(path, msgspec.json.encode(Pending(recorded.command, campaign, _asked(recorded))), 0o600)


def drop(command: str) -> None:
    """Forget a command whose outcome is known."""
    _path(command).unlink(missing_ok=True)


def like(campaign: str, recorded: Recorded) -> tuple[str, ...]:
    """Return the ids of commands under way, other than this one, that ask the same of the same campaign."""
    found = []
    for path in sorted(_folder().glob("*.json")):
        try:
            one = msgspec.json.decode(path.read_bytes(), type=Pending)
        except (msgspec.MsgspecError, OSError):
            continue
        if one.campaign == campaign and one.id != recorded.command and one.asked == _asked(recorded):
            found.append(one.id)
    return tuple(found)


def _asked(recorded: Recorded) -> tuple[Asked, ...]:
    return tuple(Asked(entry.by, entry.on_behalf_of, entry.asked.decode()) for entry in recorded.entries)


def _folder() -> Path:
    return state_folder() / "pending"


def _path(command: str) -> Path:
    return _folder() / f"{command.encode().hex()}.json"
