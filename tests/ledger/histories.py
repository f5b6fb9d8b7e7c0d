"""Histories as the tests of importing make them: cut, forged, and taken in."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ledger.archive import export
from ledger.errors import LedgerError
from ledger.intake import Received, receive
from ledger.line import CANON, Tree
from ledger.lines import read
from ledger.store import Book, create
from tests.ledger.notebook import (
    CAMPAIGN,
    REGISTRY,
    opened,
)

SIZE = 9
"""Lines of the book below; its last entry is the last two of them."""


def export_of(path: Path) -> bytes:
    target = io.BytesIO()
    with read(str(path)) as lines:
        export(lines, target.write)
    return target.getvalue()


def take(book: Book, content: bytes, **limits: int) -> Received:
    return receive(book, io.BytesIO(content), REGISTRY, **limits)


def taken_into(path: Path, content: bytes) -> Received:
    """Take a history into a book that may not be there yet."""
    if path.exists():
        with opened(path) as book:
            return take(book, content)
    with create(str(path)) as book:
        return take(book, content)


def refused(book: Book, content: bytes, **limits: int) -> LedgerError:
    """Take in what must be refused; nothing of it stays."""
    before = everything(book)
    with pytest.raises(LedgerError) as met:
        take(book, content, **limits)
    book.refresh()
    assert everything(book) == before
    return met.value


def everything(book: Book) -> tuple[Any, ...]:
    return book.head(), list(book.rows()), list(book.commands())


def first_lines(content: bytes, size: int) -> bytes:
    """Return an export of the first lines of another."""
    return sealed(content.split(b"\n")[1 : size + 1])


def sealed(raws: list[bytes], **changed: Any) -> bytes:
    """Return lines as an export whose header fits them."""
    tree = Tree()
    for raw in raws:
        tree.push(raw)
    header = {"campaign": CAMPAIGN, "format": "campaign-ledger", "root": tree.root().hex(), "size": len(raws), "v": 1}
    return b"\n".join([CANON.encode(header | changed), *raws, b""])


def resealed(content: bytes, number: int, **changed: Any) -> bytes:
    """Return an export with fields of one line changed, and all links and the header made to fit."""
    forged, tree = list[bytes](), Tree()
    for seq, raw in enumerate(content.split(b"\n")[1:-1], 1):
        line = json.loads(raw) | {"prev": tree.root().hex()} | (changed if seq == number else {})
        forged.append(CANON.encode(line))
        tree.push(forged[-1])
    return sealed(forged)


def replaced(content: bytes, number: int, was: bytes, becomes: bytes) -> bytes:
    """Return an export with a change in one of its lines, and nothing made to fit."""
    raws = content.split(b"\n")
    assert was in raws[number]
    raws[number] = raws[number].replace(was, becomes, 1)
    return b"\n".join(raws)
