"""The one place that prints: text made harmless, pages in columns, JSON for programs, remarks beside the answer.

What people wrote is text and nothing else here: no markup is read in it, and what would move the cursor or hide is
shown by its code. Piped output is plain; only a terminal gets drawn by rich, in the very same columns.
"""

import contextlib
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from typing import TextIO, assert_never

import msgspec

from commands.page import Align, Blank, Line, Page, Part, Table, Title
from ledger.errors import LedgerError, Misused
from ledger.wording import say

PIPED_COLUMNS = 80
"""Columns of a page that goes into a file or another program."""

TERMINAL_COLUMNS_MAX = 100
"""Columns of a page on a terminal, however wide: what belongs together stays in sight of each other."""

CELL_COLUMNS_MIN = 8
"""A cell of text is not made narrower than this; where that is not enough, the line is too long."""

CUT = "..."

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0")
_JOINER = "\u200d"


class OutputFailed(LedgerError):
    """What was to be printed could not be written (status 1)."""


def safe(text: str) -> str:
    r"""Return the text with everything that hides or moves the cursor shown by its code, such as `\u202e`.

    A joiner between two pictures stays: without it one emoji falls apart into several.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_code(c) if _is_hidden(text, index) else c for index, c in enumerate(text))


def _is_hidden(text: str, index: int) -> bool:
    character = text[index]
    if character in _BLANK_LETTERS:
        return True
    return unicodedata.category(character) in _HIDDEN and not _joins_pictures(text, index)


def _joins_pictures(text: str, index: int) -> bool:
    before = text[:index].rstrip("\ufe0f")[-1:]
    after = text[index + 1 : index + 2]
    if text[index] != _JOINER or not before or not after:
        return False
    return all(unicodedata.category(one) in ("So", "Sk") for one in (before, after))


def _code(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"


def cut(text: str, characters: int) -> str:
    """Return a text of at most so many characters; what was left out is marked by three dots."""
    return text if len(text) <= characters else text[: characters - len(CUT)] + CUT


def cut_before(text: str, characters: int) -> str:
    """Return the end of a text, of at most so many characters; what was left out is marked by three dots."""
    return text if len(text) <= characters else CUT + text[len(CUT) - characters :]


def width(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    if text.isascii():
        return len(text)
    joined = False
    columns = 0
    for character in text:
        columns += 0 if joined else _columns(character)
        joined = character == _JOINER
    return columns


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, columns: int) -> str:
    """Return a text that takes at most so many columns; what was left out is marked by three dots."""
    if width(text) <= columns:
        return text
    head = text
    while width(head) > max(columns - len(CUT), 0):
        head = head[:-1]
    return head + CUT[:columns]


def pad(text: str, columns: int, align: Align = "left") -> str:
    """Return a text filled with spaces to so many columns; a wider one is left as it is."""
    blank = " " * (columns - width(text))
    return blank + text if align == "right" else text + blank


def wrap(text: str, columns: int) -> list[str]:
    """Return a text as lines of at most so many columns, broken at spaces, and inside a word that fits no line."""
    if width(text) <= columns:
        return [text]
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if width(longer) <= columns:
            lines[-1] = longer
            continue
        *whole, last = _pieces(word, columns)
        lines += [*whole, last]
    return [line.rstrip(" ") for line in lines if line] or [""]


def _pieces(word: str, columns: int) -> Iterator[str]:
    piece = ""
    for character in word:
        if piece and width(piece + character) > columns:
            yield piece
            piece = ""
        piece += character
    yield piece


def plain(page: Page, columns: int = PIPED_COLUMNS) -> str:
    """Return a page as text, a line end behind every line."""
    return "".join(f"{line}\n" for part in page.parts for line, _ in _lines(part, columns))


def show(page: Page) -> None:
    """Print a page: plainly when piped, drawn on a terminal."""
    if _is_terminal():
        _draw(page)
    else:
        put(plain(page))


def tell(*lines: str) -> None:
    """Print lines of text."""
    put("".join(f"{safe(line)}\n" for line in lines))


def remark(*lines: str) -> None:
    """Print lines of text beside the answer, where a program that reads the answer does not see them."""
    _write(sys.stderr, "".join(f"{safe(line)}\n" for line in lines))


def show_json(value: object) -> None:
    """Print a value as one line of JSON, in which nothing hides from a terminal either."""
    text = msgspec.json.encode(value).decode()
    if not text.isascii():
        coded = (_json_code(c) if _is_hidden(text, index) or not _can_print(c) else c for index, c in enumerate(text))
        text = "".join(coded)
    put(f"{text}\n")


def _can_print(character: str) -> bool:
    return character.isascii() or sys.stdout is None or sys.stdout.encoding.lower().startswith("utf")


def _json_code(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))


def put(text: str) -> None:
    """Write text as it is: files that people asked to see, and what this module has made harmless."""
    _write(sys.stdout, text)


def put_bytes(content: bytes) -> None:
    """Write bytes that must arrive as they are, whatever spelling standard output has for text."""
    if sys.stdout is None:
        return
    finish()
    try:
        sys.stdout.buffer.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed("OUTPUT_NOT_WRITTEN", reason=error.strerror or "") from error


def ask(question: str) -> str:
    """Return what a person answers to a question. Raises `Misused` `ANSWER_MISSING` where nobody is there to answer."""
    _write(sys.stderr, f"{safe(question)} ", flush=True)
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    if not answer:
        _write(sys.stderr, "\n")
        raise Misused("ANSWER_MISSING")
    return answer.strip()


def agrees(question: str) -> bool:
    """Tell whether a person says yes to a question, in either language; anything else is no."""
    return ask(f"{question} {say('screen.yes-no')}").casefold() in {"y", "yes", "o", "oui"}


def prepare() -> None:
    """Let a terminal that cannot show a character show its code instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish() -> None:
    """Write what is still held back. Raises `BrokenPipeError` and `OutputFailed` as every print does."""
    _write(sys.stdout, "", flush=True)


def abandon() -> None:
    """Let what is still held back go nowhere: the reader has left, and leaving the program would try again."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(stream: TextIO | None, text: str, *, flush: bool = False) -> None:
    if stream is None:
        return
    try:
        stream.write(text)
        if flush:
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputFailed("OUTPUT_NOT_WRITTEN", reason=error.strerror or "") from error


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _draw(page: Page) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
    for part in page.parts:
        for line, style in _lines(part, min(console.width, TERMINAL_COLUMNS_MAX)):
            console.print(Text(line, style=style))


def _lines(part: Part, columns: int) -> Iterator[tuple[str, str]]:
    """Yield the lines of a part of a page, each with how a terminal draws it."""
    match part:
        case Blank():
            yield "", ""
        case Title():
            for line in _title_lines(safe(part.text), safe(part.right), columns):
                yield line, "bold"
        case Line():
            for line in _text_lines(part, columns):
                yield line, ""
        case Table():
            yield from _table_lines(part, columns)
        case _:
            assert_never(part)


def _title_lines(text: str, right: str, columns: int) -> list[str]:
    room = columns - width(text) - 2
    if right and width(right) <= room:
        return [text + pad(right, columns - width(text), "right")]
    return wrap(text, columns) + (wrap(right, columns) if right else [])


def _text_lines(line: Line, columns: int) -> Iterator[str]:
    text = safe(line.text)
    if width(text) <= columns - line.indent:
        yield f"{' ' * line.indent}{text}".rstrip(" ")
        return
    first, *others = wrap(text, columns - line.indent - line.hang)
    yield " " * line.indent + first
    for other in others:
        yield " " * (line.indent + line.hang) + other


def _table_lines(table: Table, columns: int) -> Iterator[tuple[str, str]]:
    heads = tuple(safe(column.head) for column in table.columns)
    rows = [tuple(safe(cell) for cell in row) for row in table.rows]
    widths = _widths(table, heads, rows, columns)
    if any(heads):
        for line in _row_lines(table, heads, widths):
            yield line, "bold"
    for row in rows:
        for line in _row_lines(table, row, widths):
            yield line, ""


def _widths(table: Table, heads: tuple[str, ...], rows: list[tuple[str, ...]], columns: int) -> list[int]:
    """Return the widths of the columns: as wide as their cells, the widest texts narrowed until a line fits."""
    widths = [max(map(width, cells)) for cells in zip(heads, *rows, strict=True)]
    room = columns - table.indent - table.gap * (len(widths) - 1)
    texts = [index for index, column in enumerate(table.columns) if column.align == "left"]
    while sum(widths) > room and texts:
        widest = max(texts, key=lambda index: widths[index])
        if widths[widest] <= CELL_COLUMNS_MIN:
            break
        widths[widest] -= 1
    return widths


def _row_lines(table: Table, row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    cells = [
        wrap(cell, columns) if column.align == "left" else [cell]
        for cell, columns, column in zip(row, widths, table.columns, strict=True)
    ]
    for index in range(max(map(len, cells))):
        pieces = (
            pad(cell[index] if index < len(cell) else "", columns, column.align)
            for cell, columns, column in zip(cells, widths, table.columns, strict=True)
        )
        yield (" " * table.indent + (" " * table.gap).join(pieces)).rstrip(" ")
