"""A book of nothing but notes: enough events to fill any book with, and no game that would have to be understood."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ledger.archive import verify
from ledger.line import CANON, Registry
from ledger.lines import Receipt, read
from ledger.store import Book, Draft, EntryDraft, create, open_book

ROOT = Path(__file__).parents[2]

CAMPAIGN = "0123456789abcdef" * 2
ANGELS, SPEARS = "force:angels", "force:spears"


class Noted(msgspec.Struct, frozen=True, gc=False, tag="note.added", tag_field="t"):
    """A note, of the campaign or of a force."""

    text: str


class Counted(msgspec.Struct, frozen=True, gc=False, tag="count.made", tag_field="t"):
    """A number that somebody counted."""

    number: int


class Ruled(msgspec.Struct, frozen=True, gc=False, tag="ruling.made", tag_field="t"):
    """A ruling on an entry."""

    entry: int


REGISTRY = Registry({"note.added": Noted, "count.made": Counted, "ruling.made": Ruled})

Event = Noted | Counted | Ruled


def draft(event: Event, stream: str = "") -> Draft:
    """Return an event as it is appended."""
    return Draft(stream, str(event.__struct_config__.tag), CANON.encode(event))


def asked(command: str, *drafts: Draft, at: str = "2026-05-01T18:00:00Z", by: str = "paul") -> EntryDraft:
    """Return an entry as it is appended; a note when nothing else is said."""
    return EntryDraft(
        command=command,
        action=b'{"t":"note.add"}',
        at=at,
        by=by,
        for_="",
        drafts=drafts or (draft(Noted(command)),),
    )


def append(book: Book, *entries: EntryDraft, campaign: str = CAMPAIGN) -> list[Receipt]:
    """Append entries at the end of a book as it is by now."""
    head = book.head()
    return book.append(entries, campaign=campaign, head=head.size if head else 0)


def write_notes(path: Path, number: int = 3) -> Path:
    """Make a book of some notes, an entry of two lines each."""
    with create(str(path)) as book:
        append(book, *(asked(f"note-{count}") for count in range(1, number + 1)))
    return path


@contextmanager
def opened(path: Path) -> Iterator[Book]:
    """Open a book of notes for recording."""
    with open_book(str(path)) as book:
        yield book


def stored(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a book, decoded by nothing of ours."""
    with read(str(path)) as lines:
        return [msgspec.json.decode(line) for chunk in lines.chunks() for line in chunk]


def faults(path: Path) -> list[str]:
    """Return the codes of what verifying a book finds."""
    with read(str(path)) as lines:
        return [found.code for found in verify(lines, REGISTRY)]


def beside(path: Path) -> list[str]:
    """Return the names of all that lies in a book's folder with it, but for this machine's own state."""
    return sorted(one.name for one in path.parent.iterdir() if one != path and one.name != ".state")


def start(program: str, *words: str | Path, more: Sequence[tuple[str, str]] = ()) -> subprocess.Popen[str]:
    """Start a program in a process of its own; it finds the book and these tests."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), **dict(more)},
    )
