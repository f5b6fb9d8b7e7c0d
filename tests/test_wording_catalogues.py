import ast
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from ledger import compiled, wording
from ledger.wording import PLACE

ROOT = compiled.root()

ERRORS = frozenset({"LedgerError", "Misused", "Refused", "NotNow", "Damaged", "OutcomeUnknown"})

SPACED_SIGN = re.compile(r" [:;!?»]|« ")
BARE_SIGN = re.compile(r"[^\s\u00a0!?][;!?](?=\s|$)|[^\s\u00a0]:(?=\s|$)|«[^\u00a0]|[^\u00a0]»")
QUOTED = re.compile(r"`[^`]*`|\{[^{}]*\}")


class Call(msgspec.Struct, frozen=True):
    """A text asked for in the code: the pattern of its key, the values given, and whether more may come with them."""

    where: str
    key: str
    values: frozenset[str]
    open_ended: bool


def folders() -> list[Path]:
    """Return every folder of the packages that holds a catalogue."""
    return sorted({path.parent for path in compiled.sources(ROOT) if path.stem in wording.LANGUAGES})


def texts(language: wording.Language) -> dict[str, str]:
    """Return every text of every catalogue, those of rule systems included."""
    return {key: text for folder in folders() for key, text in wording.catalogue(folder, language).items()}


def places(text: str) -> set[tuple[str, str | None, bool]]:
    """Return what a text has room for: the names, the words of their own, and whether it counts."""
    return {(place["name"], place["words"], place["one"] is not None) for place in PLACE.finditer(text)}


def differences(english: dict[str, str], french: dict[str, str]) -> list[str]:
    """Return the keys that exist in one language only or have room for other values there."""
    alone = set(english) ^ set(french)
    names = {key for key in set(english) & set(french) if _names(english[key]) != _names(french[key])}
    return sorted(alone | names)


def _names(text: str) -> set[str]:
    return {name for name, _, _ in places(text)}


def loose_braces(catalogue: dict[str, str]) -> list[str]:
    """Return the keys of texts with a brace that is no place for a value."""
    return [key for key, text in catalogue.items() if {"{", "}"} & set(PLACE.sub("", text))]


def badly_spaced(catalogue: dict[str, str]) -> list[str]:
    """Return the keys of French texts whose signs do not stand behind U+00A0 as they should."""
    wrong = []
    for key, text in catalogue.items():
        prose = QUOTED.sub("x", text)
        if not key.startswith("example.") and (SPACED_SIGN.search(prose) or BARE_SIGN.search(prose)):
            wrong.append(key)
    return wrong


def calls(source: str, where: str, errors: frozenset[str]) -> Iterator[Call]:
    """Yield every text that a module asks for by a key or code written in it, as `say` or as an error."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        prefix = {"say": "", "has": ""}.get(name, "error." if name in errors else None)
        pattern = _pattern(node.args[0])
        if prefix is None or pattern is None:
            continue
        given = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
        open_ended = name == "has" or any(keyword.arg is None for keyword in node.keywords)
        yield Call(f"{where}:{node.lineno}", re.escape(prefix) + pattern, given, open_ended)


def _pattern(argument: ast.expr) -> str | None:
    """Return a pattern of the keys that an argument can mean; None when the code names no more than their section."""
    match argument:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.JoinedStr(values=[ast.Constant(value=str(section)), *_]) if section.endswith("."):
            return None
        case ast.JoinedStr(values=parts):
            pieces = [re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+" for part in parts]
            return "".join(pieces)
        case _:
            return None


def error_names() -> frozenset[str]:
    """Return the names of the errors and of their subclasses anywhere in the packages."""
    names = set(ERRORS)
    while True:
        more = {
            node.name
            for _, source in modules()
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.ClassDef) and names & {getattr(base, "id", "") for base in node.bases}
        }
        if more <= names:
            return frozenset(names)
        names |= more


def modules() -> Iterator[tuple[str, str]]:
    """Yield path and source of every module of the packages."""
    for package in compiled.PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def untold(call: Call, catalogue: dict[str, str]) -> list[str]:
    """Return what is missing for a call: its text, or a value that its text has room for."""
    matching = [key for key in catalogue if re.fullmatch(call.key, key)]
    if not matching:
        return [f"{call.where}: no text {call.key}"]
    if call.open_ended or ".+" in call.key:
        return []
    lacking = _names(catalogue[matching[0]]) - call.values
    return [f"{call.where}: {matching[0]} lacks {', '.join(sorted(lacking))}"] if lacking else []


def test_both_languages_say_the_same_things() -> None:
    for folder in folders():
        assert differences(wording.catalogue(folder, "en"), wording.catalogue(folder, "fr")) == [], folder


def test_no_key_stands_in_two_catalogues() -> None:
    keys = [key for folder in folders() for key in wording.catalogue(folder, "en")]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_every_brace_is_a_place_for_a_value(language: wording.Language) -> None:
    assert loose_braces(texts(language)) == []


def test_french_signs_stand_behind_a_space_that_does_not_break() -> None:
    assert badly_spaced(texts("fr")) == []


def test_screens_use_plain_dashes_and_arrows() -> None:
    for language in wording.LANGUAGES:
        assert [
            key for key, text in texts(language).items() if set("\u2013\u2014\u2192\u2190\u2212\u2026") & set(text)
        ] == []


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_every_text_and_every_error_in_the_code_can_be_told(language: wording.Language) -> None:
    catalogue = texts(language)
    errors = error_names()
    found = [call for where, source in modules() for call in calls(source, where, errors)]
    assert len(found) > len(compiled.PACKAGES)
    assert [problem for call in found for problem in untold(call, catalogue)] == []


def test_a_text_in_one_language_only_is_found() -> None:
    assert differences({"a": "{x}", "b": "b", "d": "{n:one|#}"}, {"a": "{y}", "c": "c", "d": "{n}"}) == ["a", "b", "c"]


def test_a_loose_brace_is_found() -> None:
    assert loose_braces({"a": "{Who}", "b": "{who", "c": "{who} {n:one|#} {r@role}", "d": "{n:one}"}) == ["a", "b", "d"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Il manque ceci : cela", True),
        ("Vraiment ?", True),
        ("« oui »", True),
        ("Attention: non", True),
        ("Quoi?", True),
        ("«oui»", True),
        ("Il manque ceci\u00a0: {who}\u00a0; voir `a: b`\u00a0!", False),
        ("«\u00a0oui\u00a0»", False),
        ("ana:tom à 12:30, http://x", False),
        ("Quoi\u00a0?!", False),
    ],
)
def test_a_badly_spaced_sign_is_found(text: str, wrong: bool) -> None:
    assert badly_spaced({"key": text}) == (["key"] if wrong else [])


SOURCE = """
class Outrun(NotNow): ...
say("told.well", who=1)
wording.say("told.badly", who=1)
say(f"told.{what}")
say(f"told.to_{what}")
say(key, who=1)
raise Refused("DEAR", who=1)
raise Refused("DEAR", **values)
raise Refused(f"{what}_DEAR")
raise Outrun("UNKNOWN")
has("told.well")
"""


def test_a_text_that_cannot_be_told_is_found() -> None:
    catalogue = {"told.well": "{who}", "told.badly": "{who} {whom}", "error.DEAR": "{who} {amount}"}
    found = calls(SOURCE, "made-up", ERRORS | {"Outrun"})
    assert [problem for call in found for problem in untold(call, catalogue)] == [
        "made-up:4: told.badly lacks whom",
        r"made-up:6: no text told\.to_.+",
        "made-up:8: error.DEAR lacks amount",
        r"made-up:10: no text error\..+_DEAR",
        r"made-up:11: no text error\.UNKNOWN",
    ]
