"""What every command takes: the options that may stand anywhere, and numbers as people type them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from ledger.errors import Misused
from ledger.wording import LANGUAGES, Language, known

NUMBER_MAX = 1_000_000
"""Largest amount of anything, either way."""

VALUED = {"--book": "book", "--me": "me", "--for": "behalf", "--lang": "lang", "--id": "id"}
"""The options with a value that may stand anywhere, and their fields."""

FLAGS = {"--json": "json", "--follow-link": "follow_link"}
"""The options without a value that may stand anywhere, and their fields."""

_INTEGER = re.compile(r"[+-]?[0-9]+")
_ENTRY = re.compile(r"#?([0-9]+)")
ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
"""What the id of a command looks like."""


class Globals(msgspec.Struct, frozen=True):
    """What was given with the options that may stand anywhere; `behalf` is the value of `--for`.

    `typed` is the command as typed, without its `--id`, so that it can be told again with another one.
    """

    book: str = ""
    me: str = ""
    behalf: str = ""
    lang: Language | None = None
    json: bool = False
    id: str = ""
    follow_link: bool = False
    typed: tuple[str, ...] = ()


class CommandLine(msgspec.Struct, frozen=True):
    """A command line taken apart: the options that may stand anywhere, the other words, and what is wrong with it.

    The first mistake does not stop the reading, so that it is told in the language and the form that were asked for.
    """

    options: Globals
    words: tuple[str, ...]
    mistake: Misused | None = None


_given: list[Globals] = []


def given() -> Globals:
    """Return what the running command was given with the options that may stand anywhere."""
    return _given[-1] if _given else Globals()


def give(options: Globals) -> None:
    """Let the command that runs next see these options."""
    _given[:] = [options]


def take(words: Sequence[str]) -> CommandLine:
    """Take the options that may stand anywhere out of a command line; behind `--` every word is left alone.

    Mistakes: `TEXT_NOT_UTF8`, `OPTION_VALUE_MISSING`, `OPTION_WITHOUT_VALUE`, `LANGUAGE_UNKNOWN`, `ID_MALFORMED`.
    """
    fields: dict[str, str] = {}
    flags: dict[str, bool] = {}
    rest: list[str] = []
    typed: list[str] = []
    mistakes = [Misused("TEXT_NOT_UTF8")] if any(map(_is_no_text, words)) else []
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if word == "--":
            behind = [word, *left]
            rest += behind
            typed += behind
        elif name in VALUED:
            value = value if equals else _following(left)
            if not value:
                mistakes.append(Misused("OPTION_VALUE_MISSING", option=name))
            fields[VALUED[name]] = value
            typed += [] if name == "--id" else [f"{name}={value}"]
        elif name in FLAGS:
            if equals:
                mistakes.append(Misused("OPTION_WITHOUT_VALUE", option=name))
            flags[FLAGS[name]] = True
            typed.append(word)
        else:
            rest.append(word)
            typed.append(word)
    mistakes += _wrong_values(fields)
    lang = known(fields.pop("lang", ""))
    options = Globals(**fields, **flags, lang=lang, typed=tuple(typed))  # type: ignore[arg-type]  # names as in Globals
    return CommandLine(options, tuple(rest), mistakes[0] if mistakes else None)


def _is_no_text(word: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in word)


def _following(left: Iterator[str]) -> str:
    value = next(left, "")
    return "" if value.startswith("--") else value


def _wrong_values(fields: dict[str, str]) -> Iterator[Misused]:
    if fields.get("lang") and known(fields["lang"]) is None:
        yield Misused("LANGUAGE_UNKNOWN", language=fields["lang"], languages=LANGUAGES)
    if fields.get("id") and not ID.fullmatch(fields["id"]):
        yield Misused("ID_MALFORMED", id=fields["id"])


def whole_number(text: str | int) -> int:
    """Return an amount as typed: digits with or without a sign and nothing else; a default is a number already.

    Raises `Misused`: `NOT_AN_INTEGER`, `NUMBER_OUT_OF_RANGE`.
    """
    if isinstance(text, int):
        return text
    if not _INTEGER.fullmatch(text):
        raise Misused("NOT_AN_INTEGER", text=text)
    if len(text.lstrip("+-0")) > len(str(NUMBER_MAX)) or abs(int(text)) > NUMBER_MAX:
        raise Misused("NUMBER_OUT_OF_RANGE", least=-NUMBER_MAX, most=NUMBER_MAX)
    return int(text)


def entry_number(text: str | int) -> int:
    """Return the number of an entry, a battle or a round as typed: `42`, or `'#42'` as it is printed.

    Raises `Misused`: `NOT_A_NUMBER`, `NUMBER_OUT_OF_RANGE`.
    """
    if isinstance(text, int):
        return text
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise Misused("NOT_A_NUMBER", text=text)
    return whole_number(match[1])


def nearest(word: str, words: Sequence[str]) -> str:
    """Return the word that looks most like the one typed; empty when none does."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, words, n=1)), "")


NUMBER_READERS: frozenset[Callable[[str | int], int]] = frozenset({whole_number, entry_number})
"""What reads a number; where one of these finds nothing, the reader is told that `#42` never arrives."""

Function = TypeVar("Function", bound=Callable[..., object])


def writes(function: Function) -> Function:
    """Mark a command as one that records: what stands in its way is told as "Not recorded: …"."""
    function.__dict__["writes"] = True
    return function
