"""A screen before it is printed: what stands on it, not how it looks."""

from typing import Literal

import msgspec

Align = Literal["left", "right"]


class Title(msgspec.Struct, frozen=True):
    """A heading, with what belongs at the right end of its line."""

    text: str
    right: str = ""


class Line(msgspec.Struct, frozen=True):
    """A line of text, moved in by a number of spaces; a long one goes on below, `hang` spaces further in."""

    text: str
    indent: int = 0
    hang: int = 0


class Blank(msgspec.Struct, frozen=True):
    """An empty line."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table; numbers stand at the right and are never broken."""

    head: str = ""
    align: Align = "left"


class Table(msgspec.Struct, frozen=True):
    """Rows of cells under columns; the heads are left out where no column has one. Long cells go on below."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    indent: int = 0
    gap: int = 2


Part = Title | Line | Blank | Table


class Page(msgspec.Struct, frozen=True):
    """A whole screen from top to bottom."""

    parts: tuple[Part, ...]
