"""The audit: every entry decided again on what was known when it was recorded, and what no longer follows."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from aggregates import history
from aggregates.kinds import Entry, Event, Refused, Verdict


class Finding(msgspec.Struct, frozen=True):
    """An entry that would not be recorded as it is, were it asked again.

    `differs`: other events would follow, those in `again`. `refused`: the rules would refuse it. `orphaned`: what it
    names is not there.
    """

    entry: Entry
    kind: Literal["differs", "refused", "orphaned"]
    again: tuple[Event, ...] = ()
    refusal: Refused | None = None


class Audited(msgspec.Struct, frozen=True):
    """What an audit came to: entries that agree, those whose secret is not opened yet, and the findings."""

    agree: int
    sealed: int
    findings: tuple[Finding, ...]


def audit(entries: Sequence[Entry]) -> Audited:
    """Decide every entry again and sort the verdicts."""
    verdicts = tuple(history.audit(entries))
    kinds = [verdict.kind for verdict in verdicts]
    return Audited(kinds.count("agrees"), kinds.count("sealed"), tuple(_findings(verdicts)))


def _findings(verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    for verdict in verdicts:
        match verdict.kind:
            case "agrees" | "sealed":
                pass
            case "differs" | "refused" | "orphaned" as kind:
                yield Finding(verdict.entry, kind, verdict.events, verdict.refusal)
