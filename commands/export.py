"""`campaign export`: the history as a file, the stored lines byte for byte."""

import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands import context, screen
from commands.arguments import given
from ledger.errors import Misused, Refused
from ledger.wording import say

if TYPE_CHECKING:
    from ledger.lines import Head, Lines


def run(file: str, replace: Annotated[bool, typer.Option("--replace")] = False) -> None:
    """Write the history to a file, or to `-` for standard output."""
    with context.lines() as lines:
        from ledger import kept

        kept.check(lines)
        if file == "-":
            from ledger import archive

            archive.export(lines, screen.put_bytes)
            return
        head = write(lines, Path(file), replace=replace)
        kept.keep(lines)
    if given().json:
        screen.show_json({"file": file, "lines": head.size, "entries": head.entries, "root": head.root.hex()})
    else:
        tell(file, head)


def tell(file: str, head: "Head") -> None:
    """Tell what was exported."""
    from ledger import kept

    label = kept.checkpoint_of(head).label
    screen.tell(say("screen.exported", file=file, lines=head.size, entries=head.entries, label=label))


def write(lines: "Lines", path: Path, *, replace: bool) -> "Head":
    """Write the history beside its place and move it there whole, so that a half one is never seen.

    Raises `Misused` `EXPORT_TARGET`, `Refused` `EXPORT_EXISTS`, and what stands in the way of writing.
    """
    from ledger import archive
    from ledger.files import replacing

    if path.is_dir() or not path.parent.is_dir():
        raise Misused("EXPORT_TARGET", file=str(path))
    if path.exists():
        if not stat.S_ISREG(path.stat().st_mode):
            raise Misused("EXPORT_TARGET", file=str(path))
        if _is_database(path):
            raise Misused("EXPORT_TARGET", file=str(path))
        if not replace:
            raise Refused("EXPORT_EXISTS", file=str(path))
    with replacing(path) as target:
        return archive.export(lines, target.write)


def _is_database(path: Path) -> bool:
    """Tell whether a file is a book, ours or another, or what SQLite keeps beside one: never a place for an export."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0" or path.name.endswith(("-wal", "-shm", "-journal"))
    return False
