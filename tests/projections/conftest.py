"""The small season in a book of its own, for every test that reads one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from projections.entries import Reading
from tests.projections.season import reading, record_season


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Reading]:
    """The season, open for reading."""
    with reading(record_season(tmp_path / "vardia.db")) as opened:
        yield opened
