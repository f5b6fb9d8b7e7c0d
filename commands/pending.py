"""Commands under way: written down before the book is, so that one of unknown outcome can be looked up later.

The file holds the actions as asked, never their private parts. It is gone as soon as the outcome is known. While its
command is under way it is locked: what another process is doing at this moment is nobody's unknown outcome.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ledger.files import not_written, sync_folder
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


_locks: dict[str, int] = {}
"""The open files of the commands that this process has under way; a lock ends with its process, however that ends."""


def keep(campaign: str, recorded: Recorded) -> None:
    """Write a command down before it is appended, locked from the first moment that others can see it.

    Raises `NotNow` `FILE_NOT_WRITTEN`.
    """
    path = _path(recorded.command)
    content = msgspec.json.encode(Pending(recorded.command, campaign, _asked(recorded)))
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent)
        leave(recorded.command)
        _locks[recorded.command] = handle
        with suppress(OSError):  # Some network folders lock nothing.
            fcntl.flock(handle, fcntl.LOCK_EX)
        os.write(handle, content)
        os.fsync(handle)
        Path(name).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        leave(recorded.command)
        with suppress(OSError):
            Path(name).unlink()
        raise not_written(path, error) from error


def drop(command: str) -> None:
    """Forget a command whose outcome is known."""
    _path(command).unlink(missing_ok=True)
    leave(command)


def leave(command: str) -> None:
    """Let others look at a command of unknown outcome."""
    handle = _locks.pop(command, None)
    if handle is not None:
        os.close(handle)


def left(campaign: str) -> tuple[str, ...]:
    """Return the ids of the commands of a campaign that nobody has under way any more, the outcome unknown."""
    found = []
    for path in sorted(_folder().glob("*.json")):
        try:
            one = msgspec.json.decode(path.read_bytes(), type=Pending)
        except (msgspec.MsgspecError, OSError):
            continue
        if one.campaign == campaign and _is_left(path):
            found.append(one.id)
    return tuple(found)


def _is_left(path: Path) -> bool:
    """Tell whether nobody holds the lock of a file that is still there."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path.exists()
    except OSError:
        return False


def _asked(recorded: Recorded) -> tuple[Asked, ...]:
    return tuple(Asked(entry.by, entry.on_behalf_of, entry.asked.decode()) for entry in recorded.entries)


def _folder() -> Path:
    return state_folder() / "pending"


def _path(command: str) -> Path:
    return _folder() / f"{command.encode().hex()}.json"
