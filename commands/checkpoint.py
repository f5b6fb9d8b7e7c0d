"""`campaign checkpoint`: the text to post, so that others can prove the past was not rewritten."""

from commands import context, screen
from commands.arguments import given
from ledger.errors import Refused


def run() -> None:
    """Print the checkpoint of the book as it is now."""
    from ledger import kept

    with context.lines() as lines:
        kept.check(lines)
        head = lines.head()
        if head is None:
            raise Refused("NO_CAMPAIGN")
        kept.keep(lines)
    checkpoint = kept.checkpoint_of(head)
    if given().json:
        screen.show_json(
            {"campaign": head.campaign, "size": head.size, "root": head.root.hex(), "text": checkpoint.text}
        )
    else:
        screen.tell(*checkpoint.text.splitlines())
