"""Checkpoints: what a log came to at a size, as a text to post, and the newest one that this machine has seen.

A file alone cannot show that its end was cut off or all of it rewritten. A checkpoint that somebody else kept can.
"""

import base64
import re
from contextlib import suppress
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
    def posted(self) -> str:
        """Size and root on one line, for a sentence: whole, so that it is evidence."""
        return f"{self.size} {base64.b64encode(self.root).decode()}"

    @property
    def label(self) -> str:
        """The first and last eight digits of the root: a label, never evidence."""
        digits = self.root.hex()
        return f"{digits[:8]}…{digits[-8:]}"


def checkpoint_of(head: Head) -> Checkpoint:
    """Return the checkpoint of a head."""
    return Checkpoint(head.campaign, head.size, head.root)


def parse(text: str) -> Checkpoint:
    """Read a checkpoint as it was posted; signatures may stand behind an empty line.

    Raises `Refused` `CHECKPOINT_MALFORMED`.
    """
    found = _FORM.match(text)
    if found is None:
        raise Refused("CHECKPOINT_MALFORMED")
    checkpoint = Checkpoint(found["campaign"], int(found["size"]), base64.b64decode(found["root"]))
    if not f"{text}\n".startswith(checkpoint.text):  # Some texts decode to one root; one of them is its spelling.
        raise Refused("CHECKPOINT_MALFORMED")
    return checkpoint


_FORM = re.compile(
    re.escape(ORIGIN) + r"(?P<campaign>[0-9a-f]{32})\n"
    r"(?P<size>0|[1-9][0-9]{0,15})\n"
    r"(?P<root>[A-Za-z0-9+/]{43}=)(?:\n\n|\n?\Z)"
)
"""The three lines; nothing or an empty line stands behind them."""


def check(lines: Lines) -> None:
    """Compare a book with the newest head of its campaign that this machine saw.

    Raises `Damaged`: `TAIL_MISSING` when lines at the end are gone, `HISTORY_FORK` when the past is another one.
    """
    head = lines.head()
    if head is None or (known := newest(head.campaign)) is None:
        return
    if head.size < known.size:
        lines.refresh()  # Somebody may have recorded between the two looks.
        head = lines.head() or head
    compare(lines, head, known)


def compare(lines: Lines, head: Head, known: Checkpoint) -> None:
    """Compare a log with a checkpoint that somebody kept.

    Raises `Damaged` (`TAIL_MISSING`, `HISTORY_FORK`) and `Refused` `WRONG_CAMPAIGN`.
    """
    if known.campaign != head.campaign:
        raise Refused("WRONG_CAMPAIGN", theirs=known.campaign, ours=head.campaign)
    if head.size < known.size:
        raise Damaged("TAIL_MISSING", known=known.size, size=head.size)
    if root_at(lines, known.size) != known.root:
        raise Damaged("HISTORY_FORK", how="kept", line=known.size, ours=checkpoint_of(head).posted, theirs=known.posted)


def root_at(lines: Lines, size: int) -> bytes:
    """Return the root of a log at a size, from the next line's link where there is one."""
    head = lines.head()
    if head is not None and head.size == size:
        return head.root
    following = [line for chunk in lines.chunks(size, size + 1) for line in chunk]
    with suppress(msgspec.MsgspecError, ValueError):  # A line that cannot be read is told by who reads it.
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
    """Return the newest checkpoint of a campaign that this machine kept.

    Raises `Damaged` `KEPT_HEAD_DAMAGED` when what was kept can no longer be read: it is evidence, so it is not passed
    over in silence.
    """
    path = _path(campaign)
    try:
        return parse(path.read_text(encoding="utf-8"))
    except OSError:
        return None
    except (Refused, UnicodeDecodeError) as error:
        raise Damaged("KEPT_HEAD_DAMAGED", file=str(path)) from error


def keep(lines: Lines, *, instead: bool = False) -> None:
    """Keep the head of a log that holds all this machine has seen of it; where that cannot be, it is done without.

    `instead` keeps it also where a longer or another log was seen: somebody decided to go on with this one.
    """
    head = lines.head()
    if head is None:
        return
    known = None if instead else newest(head.campaign)
    if known is not None and known.size >= head.size:
        return  # Somebody recorded while this book was read, or there is nothing new.
    path = _path(head.campaign)
    with suppress(NotNow, OSError):  # An older kept head is still a true one.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, checkpoint_of(head).text.encode(), 0o600)


def _path(campaign: str) -> Path:
    """Return where the checkpoint of a campaign is kept; no other file is ever named by what a book says of itself."""
    if not re.fullmatch("[0-9a-f]{32}", campaign):
        raise Damaged("CAMPAIGN_MALFORMED")
    return state_folder() / "heads" / f"{campaign}.txt"
