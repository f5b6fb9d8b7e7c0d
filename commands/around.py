"""`campaign around`: what was before an entry and what was after it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands import context, screen
from commands.arguments import entry_number, given
from commands.page import Column, Line, Page, Part, Table, Title
from commands.told import AsKnownAt, author
from ledger.wording import moment, say

if TYPE_CHECKING:
    from projections.moments import View
    from projections.replay import Change
    from projections.timeline import EntryTold


def run(entry: Annotated[int, typer.Argument(parser=entry_number)], as_known_at: AsKnownAt = None) -> None:
    """Show an entry with every balance it changed, as it was known when it was recorded."""
    from projections.moments import View, view
    from projections.replay import around
    from projections.timeline import tell

    with context.reading() as book:
        now = view(book, "", as_known_at)
        after = view(book, str(entry), entry if as_known_at is None else as_known_at)
        before = View(book, as_of=entry - 1, known_at=entry - 1 if as_known_at is None else as_known_at)
        recorded = next(one for one in after.recorded() if one.number == entry)
    told = tell(after.world, recorded, struck=entry in now.struck)
    changes = around(before, after)
    if given().json:
        shown: dict[str, Any] = {"entry": told, "changes": changes}
        screen.show_json(shown)
    else:
        screen.show(Page(tuple(_parts(now, before, after, told, changes))))


def _parts(
    now: "View", before: "View", after: "View", told: "EntryTold", changes: "tuple[Change, ...]"
) -> Iterator[Part]:
    from projections.sentences import tell_account

    yield Title(f"#{told.number}  {author(now.world, told.by, told.on_behalf_of)}", moment(told.at, now.world.at))
    yield Line(" ".join((told.sentence, *(f"[{rule}]" for rule in told.rules))), hang=2)
    if told.struck:
        yield Line(say("screen.struck-since", ruling=f"#{now.struck[told.number]}"))
    if changes:
        heads = (Column(), Column(say("column.before"), "right"), Column(say("column.after"), "right"))
        named = (tell_account(after.world, one.account, before.world) for one in changes)
        rows = tuple((name, str(one.before), str(one.after)) for name, one in zip(named, changes, strict=True))
        yield Table(heads, rows, indent=1)
    else:
        yield Line(say("screen.changes-nothing"), indent=1)
    if len(told.lines) > 1:
        yield Table((Column(), Column()), tuple((line.number, line.sentence) for line in told.lines), indent=1)
