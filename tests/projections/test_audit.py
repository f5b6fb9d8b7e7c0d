import msgspec

from aggregates.force.points import PointsGranted
from aggregates.kinds import Entry, Posting
from projections.audit import audit
from projections.entries import Reading
from projections.moments import View


def recorded(book: Reading) -> list[Entry]:
    """Return the entries of the season."""
    return list(View(book).recorded())


def test_everything_that_was_recorded_follows_from_what_was_asked(book: Reading) -> None:
    audited = audit(recorded(book))
    assert (audited.agree, audited.sealed, audited.findings) == (19, 0, ())


def test_an_amount_that_was_not_asked_for_differs(book: Reading) -> None:
    entries = recorded(book)
    (granted,) = entries[9].events
    assert isinstance(granted, PointsGranted)
    more = msgspec.structs.replace(granted, amount=11, postings=(Posting("force:ba/points", 11),))
    entries[9] = msgspec.structs.replace(entries[9], events=(more,))
    (finding,) = audit(entries).findings
    assert (finding.entry.number, finding.kind, finding.again) == (10, "differs", (granted,))


def test_what_could_not_be_paid_is_refused(book: Reading) -> None:
    entries = recorded(book)
    entries[9] = msgspec.structs.replace(entries[9], events=())
    audited = audit(entries)
    assert [(finding.entry.number, finding.kind) for finding in audited.findings] == [(10, "differs"), (15, "refused")]
    refusal = audited.findings[1].refusal
    assert refusal is not None
    assert (refusal.code, refusal.values["short"]) == ("PURSE_INSUFFICIENT", 12 - 5)
    assert audited.agree == 17


def test_what_speaks_of_nobody_is_orphaned(book: Reading) -> None:
    entries = recorded(book)
    entries[4] = msgspec.structs.replace(entries[4], events=())
    kinds = {finding.entry.number: finding.kind for finding in audit(entries[:7]).findings}
    assert kinds == {5: "differs", 7: "orphaned"}
