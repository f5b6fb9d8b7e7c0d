"""The documents say what is so: what they name exists, what they list is whole, what they show happens.

What only looks at a list stands beside a look at something that is missing in it.
"""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from aggregates import world
from aggregates.force.models import Figure, NewModel
from commands import app, apply, dispatch, failure, rosters, screen
from ledger import archive, errors, lines, wording
from ledger.line import Fact, FirstLine, Line
from tests.aggregates.toy.rules import FAMILY as TOY
from tests.commands.test_help import commands
from tests.documents import blocks, coded, dead_links, rows, section, shapes, text
from tests.test_wording_catalogues import modules, texts

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden" / "season.clx.jsonl"
DOCUMENTS = sorted(ROOT.glob("*.md"))
PROGRAM = (sys.executable, "-c", "import sys; from commands.app import main; sys.exit(main())")

PLACES = ("ledger/", "aggregates/", "projections/", "commands/", "tests/")
MODULE = re.compile(r"(?:ledger|aggregates|projections|commands)/[a-z_/]*(?:\.py)?")

STATUSES: Mapping[int, type[errors.LedgerError]] = {
    error.status: error
    for error in (
        errors.LedgerError, errors.Misused, errors.Refused, errors.NotNow, errors.Damaged, errors.OutcomeUnknown,
        failure.Interrupted,
    )
}  # fmt: skip
"""The exit statuses, each with the class of the errors that end so."""


FORMAT = text("FORMAT.md")


# Links and names.


def test_a_link_that_leads_nowhere_is_found() -> None:
    document = (
        "# One\n\n## It's `two`\n\n[a](#its-two) [b](#three) [c](README.md) [d](NONE.md) [e](https://a.example)\n"
    )
    assert dead_links(document, ROOT) == ["#three", "NONE.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    assert dead_links(document.read_text(encoding="utf-8"), ROOT) == []


def named_modules() -> set[str]:
    return {name for name in coded(text("ARCHITECTURE.md")) if MODULE.fullmatch(name)}


def test_what_the_architecture_names_is_there() -> None:
    named = named_modules()
    assert len(named) > 40
    # Where rule systems will lie is told before there is one.
    assert [name for name in named if not (ROOT / name).exists() and not name.startswith("aggregates/systems")] == []


def test_every_module_stands_in_the_architecture() -> None:
    """A file of commands is a noun of the list of commands, or stands there by its name."""
    nouns = {f"{module.replace('.', '/')}.py" for group in app.NOUNS.values() for module in group.values()}
    folders = [name for name in named_modules() if name.endswith("/") and name.count("/") > 1]
    there = [path for path, _ in modules() if not path.endswith("__init__.py") and not path.startswith(tuple(folders))]
    assert len(there) > len(nouns)
    assert sorted(set(there) - named_modules() - nouns) == []


def test_the_layers_of_the_architecture_are_those_of_the_import_contract() -> None:
    drawn = [line.split()[0] for line in blocks(section(text("ARCHITECTURE.md"), "## Layers"), "text")[0].splitlines()]
    linter = tomllib.loads(text("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    assert drawn == linter[0]["layers"]
    inside = [name.strip("() ") for layer in linter[1]["layers"] for name in layer.split("|")]
    named = [
        name.removeprefix("aggregates/").removesuffix(".py").strip("/")
        for row in rows(section(text("ARCHITECTURE.md"), "## Layers"))
        for name in coded(row[0])
        if name.startswith("aggregates/")
    ]
    assert sorted(named) == sorted(set(inside) - {"systems"})


def names_of_tests() -> set[str]:
    """Return the names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_checker_that_contributors_are_told_of_exists() -> None:
    told = {name for name in coded(text("CONTRIBUTING.md")) if name.startswith("test_")}
    assert len(told) > 20
    assert sorted(told - names_of_tests()) == []


def test_every_place_that_contributors_are_told_of_exists() -> None:
    """Where a name stands for any, in capitals, the folder that holds them is there, but for that of rule systems."""
    places = [cell for row in rows(text("CONTRIBUTING.md")) for cell in coded(row[0])]
    told = [place for place in places if place.startswith(PLACES) and "systems" not in place]
    fixed = [re.split(r"[^/]*[A-Z]{4}", place)[0] for place in told]
    assert len(fixed) > 10
    assert [place for place in fixed if not (ROOT / place).exists()] == []


# What the program has, listed whole.


def everything() -> dict[str, dispatch.Command]:
    """Return every command by its words."""
    nouns = [(name, module) for group in app.NOUNS.values() for name, module in group.items()]
    return {one.path: one for name, module in nouns for one in commands(dispatch.noun(name, module))}


def test_every_command_is_told_of() -> None:
    """The readme has each noun, the format each command."""
    tour = {word for cell in coded(section(text("README.md"), "## A short tour")) for word in cell.split()}
    assert {noun for group in app.NOUNS.values() for noun in group} - tour == set()
    contract = section(FORMAT, "## The command line for programs")
    words = [re.sub(r" [A-Z-].*", "", cell.removeprefix("campaign ")) for cell in coded(contract)]
    told = set(words) | {f"{word.split()[0]} {other}" for word in words for other in words}
    assert sorted(path for path in everything() if path not in told) == []


def listed(heading: str) -> dict[str, tuple[set[str], set[str]]]:
    """Return the rows of a table of tags: the fields that are always there and those with a default."""
    found = {}
    for row in rows(section(FORMAT, heading)):
        if "." in row[0]:
            (tag,) = coded(row[0])
            assert tag not in found, f"{tag} stands there twice"
            found[tag] = (set(coded(row[1])), set(coded(row[2])))
    return found


def fields_of(kind: type[msgspec.Struct]) -> tuple[set[str], set[str]]:
    fields = [field for field in msgspec.structs.fields(kind) if field.encode_name not in ("postings", "rules")]
    always = {field.encode_name for field in fields if field.required}
    return always, {field.encode_name for field in fields} - always


def of_the_program(kinds: Mapping[str, type[msgspec.Struct]]) -> dict[str, tuple[set[str], set[str]]]:
    return {tag: fields_of(kind) for tag, kind in kinds.items()}


def test_every_event_stands_in_the_format_with_its_fields() -> None:
    assert listed("## Events") == of_the_program(world.events_of(world.SYSTEMS))


def test_every_action_stands_in_the_format_with_its_fields() -> None:
    assert listed("## Actions") == of_the_program(world.actions_of(world.SYSTEMS))


def test_the_roles_in_the_format_are_those_that_actions_need() -> None:
    roles = {coded(row[0])[0]: row[3] for row in rows(section(FORMAT, "## Actions")) if "." in row[0]}
    actions = world.actions_of(world.SYSTEMS)
    assert {tag for tag, told in roles.items() if not re.search(rf"\b{actions[tag].may}\b", told)} == set()
    assert {tag for tag, told in roles.items() if "after the end" in told} == {
        tag for tag, action in actions.items() if action.after_end
    }


def test_the_defaults_that_are_not_empty_stand_in_the_format() -> None:
    kinds = {**world.events_of(world.SYSTEMS), **world.actions_of(world.SYSTEMS)}
    told = {coded(row[0])[0]: row[2] for row in rows(FORMAT) if coded(row[0])[:1] and coded(row[0])[0] in kinds}
    told |= {"a new model": next(row[2] for row in rows(FORMAT) if row[0] == "a new model")}
    with_defaults: dict[str, type[msgspec.Struct]] = {**kinds, "a new model": NewModel}
    for tag, kind in with_defaults.items():
        defaults = {f.encode_name: f.default for f in msgspec.structs.fields(kind) if f.default and not f.required}
        plain = {name: str(value) for name, value in defaults.items() if isinstance(value, str | int)}
        assert dict(re.findall(r"`(\w+)` \((\w+)\)", told[tag])) == plain, tag


def test_the_parts_of_actions_stand_in_the_format() -> None:
    parts = {row[0]: (set(coded(row[1])), set(coded(row[2]))) for row in rows(section(FORMAT, "## Actions"))}
    assert parts["a figure"] == fields_of(Figure)
    assert parts["a new model"] == fields_of(NewModel)


def test_the_fields_of_lines_and_of_the_header_stand_in_the_format() -> None:
    table = [{coded(row[0])[0] for row in rows(section(FORMAT, f"### {name}"))} for name in ("The header", "A line")]
    assert table[0] == set(msgspec.json.decode(GOLDEN.read_bytes().splitlines()[0]))
    assert table[1] == {field.encode_name for field in msgspec.structs.fields(Line)}
    assert table[1] == {field.encode_name for field in msgspec.structs.fields(FirstLine)}
    assert {field.encode_name for field in msgspec.structs.fields(Fact)} <= table[1]
    assert {field.encode_name for field in msgspec.structs.fields(archive.Header)} == table[0]


def test_the_tables_of_a_book_stand_in_the_format() -> None:
    table = ""
    told: dict[str, list[str]] = {}
    for name, column, _ in rows(section(FORMAT, "## The file of a book")):
        table = coded(name)[0] if name else table
        told.setdefault(table, []).extend(coded(column))
    made = {}
    for statement in lines.SCHEMA:
        if found := re.match(r"CREATE TABLE (\w+) \((.*)\) STRICT", statement):
            made[found[1]] = {part.split()[0] for part in re.sub(r"\([^)]*\)", "", found[2]).split(", ")} - {"UNIQUE"}
    assert {name: set(columns) for name, columns in told.items()} == made
    assert (f"0x{lines.APPLICATION:X}" in FORMAT, f"`user_version` {lines.SCHEMA_VERSION}" in FORMAT) == (True, True)


# Errors.


def test_the_exit_statuses_of_the_format_are_those_of_the_errors() -> None:
    told = {int(row[0]): coded(row[1]) for row in rows(section(FORMAT, "### Exit statuses"))}
    assert told == {0: [], **{status: [error.__name__] for status, error in STATUSES.items()}}


def codes_told() -> dict[str, int]:
    found: dict[str, int] = {}
    for status, codes in rows(section(FORMAT, "### What an error looks like")):
        for code in coded(codes):
            assert code not in found, f"{code} stands there twice"
            found[code] = int(status)
    return found


def raised() -> dict[str, int]:
    """Return the codes that stand in the code as they are, each with the status of its class."""
    classes = {error.__name__: error.status for error in STATUSES.values()}
    classes |= {"Moved": errors.NotNow.status, "OutputFailed": screen.OutputFailed.status}
    found: dict[str, int] = {}
    for node in (node for _, source in modules() for node in ast.walk(ast.parse(source))):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[ast.Constant(value=str(code)), *_]):
                found |= {code: classes[name]} if name in classes else {}
            case _:
                pass
    return found


def test_every_code_stands_in_the_format_under_its_status() -> None:
    told = codes_told()
    sentences = {key.removeprefix("error.") for key in texts("en") if key.startswith("error.")} - {"WITHOUT_SENTENCE"}
    assert sorted(sentences - set(told)) == []
    assert sorted(set(told) - sentences) == []
    assert {code: status for code, status in raised().items() if told[code] != status} == {}


# What has a tag or a key.


class Lack(NamedTuple):
    """What has no sentence in a language."""

    language: str
    key: str


def without_sentence(keys: list[str]) -> list[Lack]:
    """Return the keys without a text, in each language."""
    return [Lack(language, key) for language in wording.LANGUAGES for key in keys if key not in texts(language)]


def without_golden_data(tags: list[str]) -> list[str]:
    """Return the tags of events without a line of golden data."""
    golden = (ROOT / "tests" / "golden" / "events.jsonl").read_bytes().splitlines()
    known = {msgspec.json.decode(line)["t"] for line in golden}
    return [tag for tag in tags if tag not in known]


def tags_of(kinds: tuple[type[msgspec.Struct], ...]) -> list[str]:
    return [str(kind.__struct_config__.tag) for kind in kinds]


def test_everything_with_a_tag_or_a_key_has_a_sentence() -> None:
    """The toy has none, and each of its tags is named."""
    toy = [f"event.{tag}" for tag in tags_of(TOY.events)]
    assert without_sentence(toy) == [Lack(language, key) for language in wording.LANGUAGES for key in toy]
    systems = tuple(world.SYSTEMS)
    keys = [f"event.{tag}" for tag in world.events_of(systems)]
    keys += [f"action.{tag}" for tag in world.actions_of(systems)]
    keys += [f"option.{key}" for key in world.options_of(systems)]
    assert without_sentence(keys) == []


def test_every_event_of_the_program_has_golden_data() -> None:
    """The toy has none, and each of its events is named."""
    assert without_golden_data(tags_of(TOY.events)) == tags_of(TOY.events)
    assert without_golden_data(list(world.events_of(world.SYSTEMS))) == []


# What is shown, done.


class Campaign:
    """The program in a folder that holds the golden season as its book, with nothing of its own elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        plain = {name: value for name, value in os.environ.items() if not name.startswith("CAMPAIGN_")}
        own = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
        self._environment = {**plain, **own, "CAMPAIGN_LANG": "en", "TZ": "UTC", "PYTHONPATH": str(ROOT)}
        self.run("import", str(GOLDEN))

    def run(self, *words: str) -> str:
        """Run a command and return all it printed."""
        return subprocess.run(
            [*PROGRAM, *words],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        ).stdout

    def ask(self, *words: str) -> Any:
        """Run a command with --json and return its answer."""
        return json.loads(self.run(*words, "--json"))


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """The golden season; what is asked of it records nothing."""
    return Campaign(tmp_path_factory.mktemp("documents"))


def as_shown(told: str) -> list[str]:
    """Return lines as a document shows them: those of more than 80 characters are broken at spaces."""
    broken = textwrap.TextWrapper(80, break_long_words=False, break_on_hyphens=False)
    return [piece for line in told.splitlines() for piece in (broken.wrap(line) if len(line) > 80 else [line])]


TOUR = [block for block in blocks(text("README.md"), "text") if block.startswith("$ ")]


@pytest.mark.parametrize("block", TOUR, ids=lambda block: block.splitlines()[0].removeprefix("$ campaign "))
def test_the_tour_is_what_the_program_prints(season: Campaign, block: str) -> None:
    asked = [line.removeprefix("$ campaign ") for line in block.splitlines() if line.startswith("$ campaign ")]
    printed = [[f"$ campaign {line}", *as_shown(season.run(*shlex.split(line)))] for line in asked]
    assert block.splitlines() == [line for told in printed for line in told]


def test_the_check_that_the_format_shows_finds_what_was_changed(tmp_path: Path) -> None:
    (check,) = blocks(FORMAT, "python")

    def checked(export: bytes) -> str:
        (tmp_path / "export").write_bytes(export)
        done = subprocess.run(
            [sys.executable, "-c", check, str(tmp_path / "export")],
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    whole = GOLDEN.read_bytes()
    header, *log = whole.splitlines(keepends=True)
    assert checked(whole) == f"{len(log)} lines fit\n"
    changed = [*log[:2], log[2].replace(b"odile", b"paula"), *log[3:]]
    assert checked(header + b"".join(changed)) == "line 4 or the one before it was changed\n"
    assert checked(header + b"".join(log[:-1])) == "the last line or the header was changed\n"


def test_the_checkpoint_that_the_format_shows_is_that_of_the_season(season: Campaign) -> None:
    (shown,) = blocks(section(FORMAT, "### The checkpoint"), "text")
    assert season.run("checkpoint") == shown
    answer = season.ask("checkpoint")
    assert answer["text"] == shown
    assert answer["root"] == json.loads(GOLDEN.read_bytes().splitlines()[0])["root"]


def test_a_dry_run_answers_as_the_format_says(season: Campaign) -> None:
    asked = ("points", "spend", "lantern", "gc", "1")
    answer = season.ask(*asked, "--dry-run")
    assert f"the status is `{answer['status']}`" in section(FORMAT, "### Commands that record")
    assert answer["entries"][0]["number"] == len(season.ask("history")) + 1


def test_the_files_that_the_format_shows_can_be_read(tmp_path: Path) -> None:
    actions, force = tmp_path / "actions.jsonl", tmp_path / "force.toml"
    actions.write_text("".join(blocks(section(FORMAT, "### Files of actions"), "json")), encoding="utf-8")
    assert [line.by for line in apply.read_lines(actions, ())] == ["ana", "paul"]
    told = {coded(row[0])[0] for row in rows(section(FORMAT, "### Files of actions"))}
    fields = {field.encode_name for field in msgspec.structs.fields(apply.Asked)}
    assert told & fields == fields
    statuses = msgspec.inspect.type_info(apply.Result.__annotations__["status"])
    assert isinstance(statuses, msgspec.inspect.LiteralType)
    assert set(statuses.values) <= told
    force.write_text("".join(blocks(section(FORMAT, "### Force files"), "toml")), encoding="utf-8")
    read = rosters.read_force_file(force)
    for table in (read, read.force, read.model[0]):
        assert [name for name in table.__struct_fields__ if not getattr(table, name)] == []


# The shapes of answers.

FREE = ("action", "values", "$defs", "anyOf", "recorded", "again")
"""Members with a form of their own: actions, events, schemas, and whatever a sentence names."""

MAPS = ("purses", "record", "figures")
"""Members whose own members are named by the campaign."""


def objects(answer: Any) -> Iterator[set[str]]:
    """Yield the members of every object in an answer whose form the format tells."""
    match answer:
        case dict():
            yield set(answer)
            for name, part in answer.items():
                if name in MAPS:
                    yield from objects(list(part.values()))
                elif name not in FREE:
                    yield from objects(part)
        case list():
            for part in answer:
                yield from objects(part)
        case _:
            return


ASKED: Mapping[str, tuple[str, ...]] = {
    "sheet": ("lantern",),
    "statement": ("lantern", "gc"),
    "why": ("lantern", "gc"),
    "around": ("331",),
    "history": ("--since", "325", "--last", "12"),
    "battle show": ("3",),
    "force check": (str(ROOT / "commands" / "season" / "lantern.toml"),),
    "export": ("again.jsonl", "--replace"),
    "actions": ("note.add",),
}
"""What a command is asked with, where its name alone is not enough or too much."""


def test_every_command_that_reads_answers_as_the_format_says(season: Campaign) -> None:
    contract = section(FORMAT, "## The command line for programs")
    known = shapes(contract)
    table = rows(section(FORMAT, "### Commands that read"))
    answers = {command.removeprefix("campaign "): shapes(cell) for row, cell in table for command in coded(row)}
    assert set(answers) == {path for path, one in everything().items() if not one.writes}
    for path, own in answers.items():
        answer = season.ask(*path.split(), *ASKED.get(path, ()))
        assert isinstance(answer, list) or any(shape.fits(set(answer)) for shape in own[:2]), path
        inside = list(objects(answer))[isinstance(answer, dict) :]
        assert [members for members in inside if not any(shape.fits(members) for shape in known)] == [], path


def test_an_answer_of_another_shape_is_found() -> None:
    (shape,) = shapes('| x | `{"value", "account",\n"transcribed"°}` |')
    assert shape.fits({"value", "account"})
    assert shape.fits({"value", "account", "transcribed"})
    assert not shape.fits({"value"})
    assert not shape.fits({"value", "account", "more"})
    assert list(objects([{"a": {"b": 1}, "values": {"c": 1}, "record": {"won": {"value": 1}}}])) == [
        {"a", "values", "record"},
        {"b"},
        {"value"},
    ]
