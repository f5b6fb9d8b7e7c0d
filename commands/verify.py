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
    from ledger.lines import Head


def run(against: Annotated[list[Path], typer.Option()] = []) -> int:
    """Check the whole book, and against every checkpoint that was kept."""
    from ledger import archive, kept
    from ledger.files import read_text_file
    from ledger.settings import FILE_BYTES_MAX
    from projections.entries import Reading

    kept_elsewhere = [kept.parse(read_text_file(file, FILE_BYTES_MAX)) for file in against]
    with context.lines() as lines:
        findings = archive.verify(lines, Reading(lines).registry)
        head = lines.head()
        if head is not None and not findings:
            kept.check(lines)
            for checkpoint in kept_elsewhere:
                kept.compare(lines, head, checkpoint)
            kept.keep(lines)
    if given().json:
        screen.show_json({"findings": [failure.as_json(one) for one in findings], "lines": head.size if head else 0})
    else:
        tell(findings, head)
    return 5 if findings else 0


def tell(findings: "Sequence[LedgerError]", head: "Head | None") -> None:
    """Tell what is wrong with a book, or how far it is sound."""
    from ledger import kept

    for one in findings:
        screen.tell(f"{failure.sentence(one)} [{one.code}]")
    if not findings and head is not None:
        label = kept.checkpoint_of(head).label
        screen.tell(say("screen.verified", lines=head.size, entries=head.entries, label=label))
