"""The book of a few notes that the tests of verifying, exporting and importing share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.lines import read
from ledger.store import Book, create
from tests.ledger.histories import export_of
from tests.ledger.notebook import (
    ANGELS,
    SPEARS,
    Counted,
    Noted,
    append,
    asked,
    draft,
    opened,
    write_notes,
)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of four entries and nine lines; the second and third entry are one command."""
    path = write_notes(tmp_path_factory.mktemp("notes") / "campaign.db", 1)
    with opened(path) as book:
        append(
            book,
            asked("two", draft(Noted("é"), ANGELS), draft(Counted(10), SPEARS)),
            asked("two", draft(Counted(-8), ANGELS)),
        )
        append(book, asked("last", at="2026-05-02T18:00:00Z"))
    return path


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    """A copy of the book, to do with as one likes."""
    return Path(shutil.copyfile(written, tmp_path / "campaign.db"))


@pytest.fixture(scope="session")
def exported(written: Path) -> bytes:
    return export_of(written)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Book]:
    """An open book with nothing in it, which stays so."""
    with create(str(tmp_path_factory.mktemp("empty") / "new.db")) as book:
        yield book


@pytest.fixture
def raws(path: Path) -> list[bytes]:
    """The lines of the book."""
    with read(str(path)) as lines:
        return [line for chunk in lines.chunks() for line in chunk]
