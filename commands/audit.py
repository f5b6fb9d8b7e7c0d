"""`campaign audit`: every entry decided again, and what no longer follows from the rules."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from commands import context, failure, screen
from commands.arguments import given
from commands.page import Line, Page, Part
from commands.told import AsOf
from ledger.errors import Damaged
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.kinds import Event, Refused
    from aggregates.state import World
    from projections.audit import Audited, Finding


def run(as_of: AsOf = "") -> int:
    """Decide every entry again on what was known when it was recorded; findings end with the status of damage."""
    from projections.audit import audit
    from projections.moments import view

    with context.reading() as book:
        seen = view(book, as_of)
        audited = audit(tuple(seen.recorded()))
    if given().json:
        screen.show_json([_as_json(seen.world, finding) for finding in audited.findings])
    else:
        screen.show(Page(tuple(_parts(seen.world, audited))))
    return Damaged.status if audited.findings else 0


def _as_json(world: "World", finding: "Finding") -> dict[str, Any]:
    from projections.sentences import tell_entry
    from projections.timeline import rules_of

    told = {
        "entry": finding.entry.number,
        "finding": finding.kind,
        "sentence": tell_entry(world, finding.entry),
        "rules": rules_of(finding.entry),
    }
    if finding.refusal is not None:
        return {**told, "refusal": failure.as_json(finding.refusal)}
    return {**told, "recorded": finding.entry.events, "again": finding.again}


def _parts(world: "World", audited: "Audited") -> Iterator[Part]:
    for finding in audited.findings:
        yield from _finding(world, finding)
    if audited.sealed:
        yield Line(say("screen.audit-sealed", count=audited.sealed))
    if audited.findings:
        yield Line(say("screen.audit-findings", count=len(audited.findings), agree=audited.agree))
    else:
        yield Line(say("screen.audit-agrees", count=audited.agree))


def _finding(world: "World", finding: "Finding") -> Iterator[Part]:
    from projections.sentences import tell_entry

    kind = say(f"finding.{finding.kind}")
    yield Line(f"#{finding.entry.number}  {tell_entry(world, finding.entry)}", hang=5)
    if finding.refusal is not None:
        yield Line(f"{kind} {_refusal(finding.refusal)}", indent=5, hang=2)
        return
    yield Line(kind, indent=5)
    yield Line(say("screen.audit-recorded", told=_told(world, finding.entry.events)), indent=5, hang=2)
    yield Line(say("screen.audit-again", told=_told(world, finding.again)), indent=5, hang=2)


def _refusal(refusal: "Refused") -> str:
    return f"{failure.sentence(refusal)} [{refusal.rule or refusal.code}]"


def _told(world: "World", events: "tuple[Event, ...]") -> str:
    from projections.sentences import tell_event, tell_postings

    return " ".join(f"{tell_event(world, event)} ({tell_postings(event.postings) or '-'})" for event in events)
