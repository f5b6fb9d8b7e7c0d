"""`campaign import`: take a history in, checked line by line on its way."""

import errno
import os
from contextlib import ExitStack
from pathlib import Path

from commands import context, screen
from commands.arguments import given, writes
from ledger.errors import Misused
from ledger.wording import say


@writes
def run(file: Path) -> None:
    """Take a history into the book; a book that is not there yet is made."""
    from ledger import archive, intake, kept
    from ledger.files import opened
    from ledger.lines import book_path
    from ledger.store import create, open_book
    from projections.entries import registry_of, systems_founded

    with ExitStack() as stack:
        source = stack.enter_context(opened(file))
        if not source.seekable():
            raise Misused("FILE_UNREADABLE", file=str(file), detail=os.strerror(errno.ESPIPE))
        systems = systems_founded(archive.founding_line(source))
        address = context.book_address()
        is_new = not book_path(address, follow_link=given().follow_link).exists()
        book = stack.enter_context(create(address) if is_new else open_book(address, follow_link=given().follow_link))
        received = intake.receive(book, source, registry_of(systems))
        if is_new:
            context.remark_what_is_missing(book)
        else:
            kept.check(book)
        kept.keep(book)
    if given().json:
        screen.show_json(received)
    elif received.new:
        screen.tell(say("screen.imported", lines=received.new, size=received.size))
    else:
        screen.tell(say("screen.nothing-new", size=received.size))
