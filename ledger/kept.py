"""Checkpoints: what a log came to at a size, as a text to post, and the newest one that this machine has seen.

A file alone cannot show that its end was cut off or all of it rewritten. A checkpoint that somebody else kept can.
"""

import base64
import binascii
from pathlib import Path

import msgspec

from ledger.errors import Damaged, NotNow, Refused
from ledger.files import write_atomically
from ledger.line import Tree
from ledger.lines import Head, Lines
from ledger.settings import state_folder

ORIGIN = "campaign-ledger/1/"
"""What the first line of every checkpoint begins with."""


class Checkpoint(msgspec.Struct, frozen=True):
    """The size of a campaign's log and its root there."""

    campaign: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The three lines to post."""
        return f"{ORIGIN}{self.campaign}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @property
    def label(self) -> str:
        """The first and last eight digits of the root: a label, never evidence."""
        digits = self.root.hex()
        return f"{digits[:8]}…{digits[-8:]}"


def checkpoint_of(head: Head) -> Checkpoint:
    """Return the checkpoint of a head."""
    return Checkpoint(head.campaign, head.size, head.root)


def parse(text: str) -> Checkpoint:
    """Read a checkpoint as it was posted.

    Raises `Refused` `CHECKPOINT_MALFORMED`.
    """
    parts = text.split("\n")
    try:
        origin, size, root = parts[:3]
        campaign = origin.removeprefix(ORIGIN)
        found = Checkpoint(campaign, int(size), base64.b64decode(root, validate=True))
    except (ValueError, binascii.Error) as error:
        raise Refused("CHECKPOINT_MALFORMED") from error
    if len(campaign) != 32 or not text.startswith(found.text):
        raise Refused("CHECKPOINT_MALFORMED")
    return found


def check(lines: Lines) -> None:
    """Compare a book with the newest head of its campaign that this machine saw.

    Raises `Damaged`: `TAIL_MISSING` when lines at the end are gone, `HISTORY_FORK` when the past is another one.
    """
    head = lines.head()
    if head is not None and (known := newest(head.campaign)) is not None:
        compare(lines, head, known)


def compare(lines: Lines, head: Head, known: Checkpoint) -> None:
    """Compare a log with a checkpoint that somebody kept.

    Raises `Damaged`: `CAMPAIGN_MISMATCH`, `TAIL_MISSING`, `HISTORY_FORK`.
    """
    if known.campaign != head.campaign:
        raise Damaged("CAMPAIGN_MISMATCH", header=known.campaign, first=head.campaign)
    if head.size < known.size:
        raise Damaged("TAIL_MISSING", known=known.size, size=head.size)
    if root_at(lines, known.size) != known.root:
        raise Damaged("HISTORY_FORK", line=known.size, ours=known.text, theirs=checkpoint_of(head).text)


def root_at(lines: Lines, size: int) -> bytes:
    """Return the root of a log at a size, from the next line's link where there is one."""
    head = lines.head()
    if head is not None and head.size == size:
        return head.root
    following = [line for chunk in lines.chunks(size, size + 1) for line in chunk]
    if following:
        return bytes.fromhex(msgspec.json.decode(following[0], type=_Linked).prev)
    tree = Tree()
    for chunk in lines.chunks(0, size):
        for line in chunk:
            tree.push(line)
    return tree.root()


class _Linked(msgspec.Struct, frozen=True):
    prev: str


def newest(campaign: str) -> Checkpoint | None:
    """Return the newest checkpoint of a campaign that this machine kept."""
    try:
        return parse(_path(campaign).read_text(encoding="utf-8"))
    except (OSError, Refused):
        return None


def keep(lines: Lines) -> None:
    """Keep the head of a log that holds all this machine has seen of it; where that cannot be, it is done without."""
    head = lines.head()
    if head is None:
        return
    try:
        _path(head.campaign).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(_path(head.campaign), checkpoint_of(head).text.encode(), 0o600)
    except (NotNow, OSError):
        pass  # An older kept head is still a true one.


def _path(campaign: str) -> Path:
    return state_folder() / "heads" / f"{campaign}.txt"
