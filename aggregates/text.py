"""What text may enter the book: names and remarks as people type them, in one spelling and without hidden characters.

Markup, formulas, paths and quotes are text like any other; each writer makes them inert. What is refused here is what
nobody can see or what would move the cursor.
"""

import functools
import unicodedata
from typing import Any, Literal

import msgspec
from msgspec import inspect

from aggregates.kinds import Action, Refused
from ledger.errors import Misused

NAME_CHARACTERS_MAX = 64
NAME_BYTES_MAX = 256
TEXT_CHARACTERS_MAX = 500
TEXT_BYTES_MAX = 2000
CONTENT_NUMBER_MAX = 2**53 - 1
"""Largest number that every reader of a line keeps exactly."""

CONTENT_DEPTH_MAX = 20
"""Lists and tables inside each other; a line has room for some more around them."""

MARKS_MAX = 4
"""Combining marks on one letter."""

Form = Literal["name", "text"]

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0")
"""Characters that are letters or marks to Unicode and nothing to the eye."""

_JOINER = "\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_SELECTOR = ("VARIATION SELECTOR", "MONGOLIAN FREE VARIATION SELECTOR")
_KEY_CAP = "\u20e3"


def clean(text: str, form: Form) -> str:
    """Return the text in its one spelling: NFC, every space U+0020, none at the ends.

    Raises `Refused` with `NAME_…` or `TEXT_…` and `Misused` `TEXT_NOT_UTF8` for bytes that were no text.
    """
    what = form.upper()
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise Misused("TEXT_NOT_UTF8")
    spaced = "".join(" " if unicodedata.category(c) in ("Zs", "Zl", "Zp") else c for c in text)
    tidy = unicodedata.normalize("NFC", spaced).strip(" ")
    _check_visible(text, what)
    if form == "name" and not tidy:
        raise Refused("NAME_EMPTY")
    characters, size = (
        (NAME_CHARACTERS_MAX, NAME_BYTES_MAX) if form == "name" else (TEXT_CHARACTERS_MAX, TEXT_BYTES_MAX)
    )
    if len(tidy) > characters or len(tidy.encode()) > size:
        raise Refused(f"{what}_TOO_LONG", length=len(tidy), most=characters, size=len(tidy.encode()), most_bytes=size)
    return tidy


def _check_visible(text: str, what: str) -> None:
    marks = 0
    for position, character in enumerate(text, start=1):
        category = unicodedata.category(character)
        point = f"U+{ord(character):04X}"
        if category == "Cc":
            raise Refused(f"{what}_CONTROL_CHAR", point=point, position=position)
        if _is_unseen(text, position - 1, category):
            raise Refused(f"{what}_INVISIBLE_CHAR", point=point, position=position)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MARKS_MAX:
            raise Refused(f"{what}_TOO_MANY_MARKS", most=MARKS_MAX, position=position)


def _is_unseen(text: str, index: int, category: str) -> bool:
    """Tell whether nobody can see a character, nor what it does to the picture beside it."""
    character = text[index]
    if character in _SELECTORS:
        return not _draws_picture(text, index)
    hidden = category == "Cf" or character in _BLANK_LETTERS or unicodedata.name(character, "").startswith(_SELECTOR)
    return hidden and not _joins_emoji(text, index)


def _draws_picture(text: str, index: int) -> bool:
    """Tell whether a selector stands behind a picture, or inside a key cap such as 1 in its box."""
    if index == 0:
        return False
    is_picture = not text[index - 1].isascii() and unicodedata.category(text[index - 1]) in ("So", "Sk", "Sm", "Po")
    return is_picture or text[index + 1 : index + 2] == _KEY_CAP


def _joins_emoji(text: str, index: int) -> bool:
    """Tell whether the character is a joiner between two pictures, the one invisible character that is allowed."""
    if text[index] != _JOINER or index == 0 or index + 1 == len(text):
        return False
    before = text[index - 2] if text[index - 1] == "\ufe0f" and index > 1 else text[index - 1]
    return all(unicodedata.category(c) in ("So", "Sk") for c in (before, text[index + 1]))


def fold(name: str) -> str:
    """Return what two names have in common when people would take them for the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def admit(action: Action) -> Action:
    """Return the action with its names and remarks in their one spelling and every bound checked.

    Raises `Refused`: a text that may not enter, or `ACTION_MALFORMED` for a value out of the action's form.
    """
    plain = _tidy(msgspec.to_builtins(action), _form_of(type(action)))
    try:
        return msgspec.convert(plain, type(action))
    except msgspec.ValidationError as error:
        raise Refused("ACTION_MALFORMED", action=str(plain["t"]), detail=str(error)) from error


@functools.cache
def _form_of(kind: type[Action]) -> inspect.Type:
    return inspect.type_info(kind)


def _tidy(value: Any, kind: inspect.Type) -> Any:
    """Clean every name and remark inside a value, led by what its type says of it."""
    match kind:
        case inspect.Metadata(extra={"form": "content"}):
            return _plain(value)
        case inspect.Metadata(extra={"form": form}):
            return clean(value, form)
        case inspect.Metadata(type=inner):
            return _tidy(value, inner)
        case inspect.StructType(fields=fields):
            known = {field.encode_name: field.type for field in fields}
            return {name: _tidy(part, known[name]) if name in known else part for name, part in value.items()}
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return [_tidy(part, item) for part in value]
        case inspect.DictType(value_type=item):
            return {name: _tidy(part, item) for name, part in value.items()}
        case _:
            return value


def _plain(value: Any, depth: int = 1) -> Any:
    """Return content as a line can hold it.

    Raises `Refused` `CONTENT_MALFORMED` for a fraction, a null, too large a number or too deep a nest, and `TEXT_…` for
    hidden characters.
    """
    if depth > CONTENT_DEPTH_MAX:
        raise Refused("CONTENT_MALFORMED", value=f"{{{{ {CONTENT_DEPTH_MAX} … }}}}")
    match value:
        case dict():
            return {_plain(name): _plain(part, depth + 1) for name, part in value.items()}
        case list() | tuple():
            return [_plain(part, depth + 1) for part in value]
        case str():
            tidy = unicodedata.normalize("NFC", value)
            _check_visible(tidy, "TEXT")
            return tidy
        case bool():
            return value
        case int() if abs(value) <= CONTENT_NUMBER_MAX:
            return value
        case _:
            raise Refused("CONTENT_MALFORMED", value=str(value)[:40])
