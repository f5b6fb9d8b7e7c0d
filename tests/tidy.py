"""Checkers of how the project is kept: each returns its complaints, a line each, and none when all is well."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

LINE_LENGTH_MAX = 120
FILE_LINES_MAX = 500

START_HEADING = "## Start"
START_COMMANDS = 2

CHANGE_KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")

# Put together from pieces, so that this file does not hold what it looks for.
HOSTS = [
    ".".join(parts) for parts in (("pypi", "org"), ("python" + "hosted", "org"), ("npmjs", "org"), ("debian", "org"))
]
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:work|root|tmp|home/\w+|Users/\w+)/")
LOCK_FILES = {"uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "package-lock.json", "yarn.lock"}

PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][A-Za-z0-9.]*")

MADE_FOLDERS = {"__pycache__", "build", "dist", "htmlcov", "season-demo"}

UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
BANNER = re.compile(r"([-=#*~_+])\1{3}")

CLOCKS = {
    ("datetime", "now"),
    ("datetime", "today"),
    ("datetime", "utcnow"),
    ("date", "today"),
    ("time", "time"),
    ("time", "time_ns"),
}


def project_files(root: Path) -> Iterator[Path]:
    """Yield the files of the project: not hidden ones but `.ci` and `.gitignore`, not what is made by running it."""
    for path in sorted(root.iterdir()):
        if path.name.startswith(".") and path.name not in {".ci", ".gitignore"}:
            continue
        if path.is_file():
            yield path
        elif path.name not in MADE_FOLDERS and not (path / "pyvenv.cfg").exists():
            yield from project_files(path)


def text_of(path: Path) -> str:
    """Return what a text file holds; nothing for any other file."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def missing_docstrings(source: str) -> list[str]:
    """Name the public modules, classes and functions that have no docstring."""

    def public(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, ast.AST]]:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                yield f"line {node.lineno}: {owner}{node.name}", node
                if isinstance(node, ast.ClassDef):
                    yield from public(node.body, f"{owner}{node.name}.")

    module = ast.parse(source)
    places = [("the module", module), *public(module.body, "")]
    return [
        f"{place} has no docstring"
        for place, node in places
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not ast.get_docstring(node)
    ]


def untidy_comments(source: str) -> list[str]:
    """Name the comments that are banners or promise work."""
    complaints = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if BANNER.search(token.string.removeprefix("#")):
            complaints.append(f"line {token.start[0]}: a banner")
        if UNFINISHED.search(token.string):
            complaints.append(f"line {token.start[0]}: unfinished work is an issue, not a comment")
    return complaints


def long_lines(text: str) -> list[str]:
    """Name the lines that are too long; rows of a Markdown table may be."""
    return [
        f"line {number} has {len(line)} characters, at most {LINE_LENGTH_MAX}"
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > LINE_LENGTH_MAX and not line.startswith("|")
    ]


def long_file(text: str) -> list[str]:
    """Tell when a module has grown past what can be read in one go."""
    count = len(text.splitlines())
    return [f"{count} lines, fewer than {FILE_LINES_MAX} wanted"] if count >= FILE_LINES_MAX else []


def foreign_places(text: str) -> list[str]:
    """Name the lines that tell a package registry's host or a path of somebody's machine."""
    return [
        f"line {number}: {found}"
        for number, line in enumerate(text.splitlines(), 1)
        for found in [
            *(host for host in HOSTS if host in line),
            *(place.group() for place in MACHINE_PATH.finditer(line)),
        ]
    ]


def print_calls(source: str) -> list[str]:
    """Name the lines that print by themselves."""
    return [
        f"line {node.lineno}: print()"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


def random_imports(source: str) -> list[str]:
    """Name the lines that import the module `random`, whose dice nobody can check."""
    complaints = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names) if any(alias.name.split(".")[0] == "random" for alias in names):
                complaints.append(f"line {node.lineno}: import random")
            case ast.ImportFrom(module="random"):
                complaints.append(f"line {node.lineno}: from random import")
            case _:
                pass
    return complaints


def clock_reads(source: str) -> list[str]:
    """Name the lines that look at the clock; how long something takes is not the time of day."""
    complaints = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name):
                if (owner, name) in CLOCKS:
                    complaints.append(f"line {node.lineno}: {owner}.{name}")
            case ast.ImportFrom(module="time", names=names):
                read = [alias.name for alias in names if ("time", alias.name) in CLOCKS]
                complaints += [f"line {node.lineno}: from time import {name}" for name in read]
            case _:
                pass
    return complaints


def start_commands(readme: str) -> list[str]:
    """Return the commands of every fenced `sh` block under the heading `## Start`."""
    section = re.search(rf"^{START_HEADING}$(.*?)(?=^## |\Z)", readme, re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", section.group(1) if section else "", re.MULTILINE | re.DOTALL)
    return [line for kind, block in blocks if kind == "sh" for line in block.splitlines()]


def start_complaints(readme: str) -> list[str]:
    """Tell what is wrong with the two commands that set the project up."""
    section = readme.partition(f"\n{START_HEADING}\n")[2].partition("\n## ")[0]
    complaints = []
    if (fences := section.count("```")) != 2:
        complaints.append(f"{fences} fences under {START_HEADING}, one block has 2")
    if (count := len(commands := start_commands(readme))) != START_COMMANDS:
        complaints.append(f"{count} commands under {START_HEADING}, wanted {START_COMMANDS}")
    complaints += [f"not a command on one line: {line!r}" for line in commands if not line.strip() or line[-1] == "\\"]
    return complaints


def changelog_complaints(text: str) -> list[str]:
    """Tell where the changelog leaves its shape: versions newest first, kinds of change in their order, none empty."""
    lines = [line for line in text.splitlines() if line.strip()]
    complaints = [] if lines[:1] == ["# Changelog"] else ["the first line is not '# Changelog'"]
    versions = [line for line in lines if line.startswith("## ")]
    if versions[:1] != ["## [Unreleased]"]:
        complaints.append("the first version is not '## [Unreleased]'")
    complaints += [
        f"not a version with its day: {line}"
        for line in versions[1:]
        if not re.fullmatch(r"## \[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", line)
    ]
    numbers = [tuple(map(int, re.findall(r"\d+", line.partition("]")[0]))) for line in versions[1:]]
    if numbers != sorted(numbers, reverse=True):
        complaints.append("the versions are not newest first")
    return complaints + _change_complaints(lines)


def _change_complaints(lines: list[str]) -> list[str]:
    complaints = []
    kinds: list[str] = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("## "):
            kinds = []
        elif line.startswith("### "):
            kinds.append(line.removeprefix("### "))
            if kinds[-1] not in CHANGE_KINDS:
                complaints.append(f"not a kind of change: {line}")
            elif kinds != [kind for kind in CHANGE_KINDS if kind in kinds]:
                complaints.append(f"out of order or twice: {line}")
            if not after.startswith("- "):
                complaints.append(f"nothing under: {line}")
    return complaints


def strangers(systems: Path) -> list[str]:
    """Name the files of a rule system that speak of another one."""
    folders = [path for path in sorted(systems.iterdir()) if path.is_dir() and path.name != "__pycache__"]
    return [
        f"{path.relative_to(systems)} speaks of {other.name}"
        for own in folders
        for other in folders
        if own != other
        for path in project_files(own)
        if re.search(rf"\b{re.sub('[_-]', '[_-]', other.name)}\b", text_of(path))
    ]


def folders_without_init(tests: Path) -> list[str]:
    """Name the folders with tests that are no packages: two tests of one name in them would be taken for one."""
    folders = {path.parent for path in tests.rglob("test_*.py")}
    return [f"{folder.name} has no __init__.py" for folder in sorted(folders) if not (folder / "__init__.py").exists()]
