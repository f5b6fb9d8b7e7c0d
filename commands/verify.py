"""`campaign verify`: check every stored line, and all that stands beside the lines."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands import context, failure, screen
from commands.arguments import given
from ledger.wording import say

if TYPE_CHECKING:
    from ledger.errors import LedgerError
    from ledger.line import Registry
    from ledger.lines import Head, Lines


def run(
    against: Annotated[list[Path], typer.Option()] = [],
    accept: Annotated[bool, typer.Option("--accept")] = False,
) -> int:
    """Check the whole book, and against every checkpoint that was kept.

    With `accept` a sound book becomes what this machine compares with, though it saw a longer or another one.
    """
    from ledger import archive, kept
    from ledger.files import read_text_file
    from ledger.settings import FILE_BYTES_MAX

    kept_elsewhere = [kept.parse(read_text_file(file, FILE_BYTES_MAX)) for file in against]
    with context.lines() as lines:
        findings = archive.verify(lines, _registry(lines))
        head = lines.head()
        if head is not None and not findings:
            if not accept:
                kept.check(lines)
            for checkpoint in kept_elsewhere:
                kept.compare(lines, head, checkpoint)
            kept.keep(lines, instead=accept)
    if given().json:
        screen.show_json({"findings": [failure.as_json(one) for one in findings], "lines": head.size if head else 0})
    else:
        tell(findings, head)
    return 5 if findings else 0


def _registry(lines: "Lines") -> "Registry":
    """Return the events the book may hold; where its founding cannot be read, checking finds that first."""
    from ledger.errors import LedgerError
    from projections.entries import Reading, registry_of

    try:
        return Reading(lines).registry
    except LedgerError:
        return registry_of(())


def tell(findings: "Sequence[LedgerError]", head: "Head | None") -> None:
    """Tell what is wrong with a book, or how far it is sound."""
    from ledger import kept

    for one in findings:
        screen.tell(f"{failure.sentence(one)} [{one.code}]")
    if not findings and head is not None:
        label = kept.checkpoint_of(head).label
        screen.tell(say("screen.verified", lines=head.size, entries=head.entries, label=label))
