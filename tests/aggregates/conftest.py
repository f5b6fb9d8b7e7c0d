"""The toy system is plugged in where a test asks for it, and is gone afterwards."""

from collections.abc import Iterator
from typing import Any

import pytest

from aggregates import world
from tests.aggregates.toy.rules import SYSTEM

TABLES: tuple[dict[Any, Any], ...] = (world._plugged, world._decide, world._evolve)


@pytest.fixture
def toy() -> Iterator[None]:
    """Make the toy system known for one test."""
    kept = [dict(table) for table in TABLES]
    world.plug(SYSTEM)
    yield
    for table, before in zip(TABLES, kept, strict=True):
        table.clear()
        table.update(before)
    world.action_decoder.cache_clear()
