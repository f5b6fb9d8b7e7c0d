"""The help of the program, of a noun and of a command, in both languages and with one example each."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from commands.page import Blank, Column, Line, Page, Part, Table
from ledger.wording import has, say

if TYPE_CHECKING:
    from commands.dispatch import Command, Noun

RELATED_MAX = 6
"""Commands told as related where none are named."""

EVERYWHERE = (
    "--book BOOK",
    "--me NAME",
    "--for NAME",
    "--lang en|fr",
    "--json",
    "--id ID",
    "--follow-link",
    "--help",
)
"""The options that may stand anywhere, as the help tells them."""


def program(headings: Mapping[str, Mapping[str, str]]) -> Page:
    """Return the help of the whole program: its nouns under their headings."""
    column = max((len(name) for nouns in headings.values() for name in nouns), default=0)
    parts: list[Part] = [Line("campaign NOUN [VERB] ..."), Line(say("screen.program"))]
    for heading, nouns in headings.items():
        if nouns:
            rows = tuple((name.ljust(column), say(f"help.{name}")) for name in nouns)
            parts += [Blank(), Line(say(f"screen.{heading}")), Table((Column(), Column()), rows, indent=1)]
    return Page((*parts, Blank(), _everywhere(), Line(say("screen.more-help"))))


def noun(here: "Noun", path: str, verbs: Mapping[str, Any]) -> Page:
    """Return the help of a noun: its verbs, and how it is used alone where it is."""
    rows = tuple((f"campaign {path} {verb}", say(f"help.{path} {verb}")) for verb in verbs)
    if here.alone is not None and path == here.name:
        rows = ((f"campaign {path}", say(f"help.{path}")), *rows)
    title = Line(say(f"help.{path}"))
    return Page((title, Blank(), Table((Column(), Column()), rows, indent=1), Blank(), _everywhere()))


def command(wanted: "Command", siblings: Mapping[str, Any]) -> Page:
    """Return the help of a command: usage, what it does, its words, one example, related commands."""
    from commands import dispatch

    shown = [parameter for parameter in wanted.parser.params if not getattr(parameter, "hidden", False)]
    usage = " ".join(["campaign", wanted.path, *(_usage(parameter) for parameter in shown)])
    rows = tuple(
        (f"{dispatch.label(parameter)} {_value(parameter)}".strip(), describe(wanted.path, parameter.name))
        for parameter in shown
    )
    words = (Blank(), Table((Column(), Column()), rows, indent=1)) if rows else ()
    example = (Blank(), Line(say("screen.example")), Line(say(f"example.{wanted.path}"), indent=1))
    related = ", ".join(_related(wanted.path, siblings))
    about = (Line(say("screen.related", commands=related), hang=1),) if related else ()
    return Page(
        (Line(usage, hang=4), Line(say(f"help.{wanted.path}")), *words, *example, Blank(), *about, _everywhere())
    )


def describe(path: str, name: str) -> str:
    """Return what a word of a command means: what is said of it there, else what it means everywhere."""
    return say(f"param.{path} {name}") if has(f"param.{path} {name}") else say(f"param.{name}")


def _everywhere() -> Line:
    return Line(say("screen.everywhere", options="  ".join(EVERYWHERE)), hang=1)


def _usage(parameter: Any) -> str:
    from commands import dispatch

    words = f"{dispatch.label(parameter)} {_value(parameter)}".strip()
    many = " .." if parameter.nargs == -1 or getattr(parameter, "multiple", False) else ""
    return f"{words}{many}" if parameter.required else f"[{words}{many}]"


def _value(parameter: Any) -> str:
    from commands import dispatch

    return dispatch.value_label(parameter) if parameter.param_type_name == "option" else ""


def _related(path: str, siblings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the commands that belong to one: those named for it, else the other verbs of its noun."""
    if has(f"related.{path}"):
        yield from say(f"related.{path}").split(", ")
        return
    parent, _, verb = path.rpartition(" ")
    yield from [f"{parent} {other}" for other in siblings if parent and other != verb][:RELATED_MAX]
