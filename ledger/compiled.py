"""TOML for people, JSON for the program: the generated files beside every catalogue and table.

Reading TOML costs each start of the program milliseconds, so what people write as TOML is read as the JSON generated
from it. `python -m ledger.compiled` writes every generated file anew; a test fails while one differs from its source.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

PACKAGES = ("ledger", "aggregates", "projections", "commands")
"""The packages of the program; they lie side by side, in a checkout and installed."""

FOLDERS = ("locale", "tables", "text")
"""Names of the folders whose TOML files have a generated file beside them."""


def root() -> Path:
    """Return the folder in which the four packages lie."""
    return Path(__file__).parents[1]


def compile(path: Path) -> bytes:  # noqa: A001 -- the word for it, and the builtin is not used here
    """Return the JSON of a TOML file, in the order in which it was written."""
    import tomllib

    return msgspec.json.encode(tomllib.loads(path.read_text(encoding="utf-8"))) + b"\n"


def load(path: Path) -> Any:
    """Return what a generated file holds."""
    return msgspec.json.decode(path.read_bytes())


def sources(folder: Path) -> Iterator[Path]:
    """Yield every TOML file of the packages in this folder that has a generated file, in the order of their paths."""
    for package in PACKAGES:
        yield from sorted(path for path in (folder / package).rglob("*.toml") if path.parent.name in FOLDERS)


def differing(folder: Path) -> list[Path]:
    """Return the sources whose generated file is missing or is not what they say today."""
    return [path for path in sources(folder) if not _is_current(path)]


def _is_current(path: Path) -> bool:
    generated = path.with_suffix(".json")
    return generated.exists() and generated.read_bytes() == compile(path)


def write(folder: Path) -> list[Path]:
    """Write every generated file that differs and return the sources they come from."""
    changed = differing(folder)
    for path in changed:
        path.with_suffix(".json").write_bytes(compile(path))
    return changed


if __name__ == "__main__":
    write(root())
