"""Which entries count, as of when and as known when, and what deciding them again gives."""

from types import ModuleType

import msgspec
import pytest

from aggregates import history
from aggregates.campaign.battles import FinishBattle
from aggregates.campaign.players import ChangeRole, LeavePlayer
from aggregates.campaign.rulings import AnnulEntry, UndoCommand
from aggregates.force import models, points
from aggregates.force.models import AddModel, ChangeModel, Figure, NewModel
from aggregates.force.musters import TranscribeForce
from aggregates.force.points import GrantPoints, PointsSpent, SpendPoints
from aggregates.kinds import Entry, Event, Posting, Refused
from aggregates.state import World
from aggregates.testing import Story
from aggregates.world import fold, fold_facts
from tests.aggregates.league import battle, league


def grant(amount: int) -> GrantPoints:
    return GrantPoints(force="ba", purse="points", amount=amount)


def spend(amount: int) -> SpendPoints:
    return SpendPoints(force="ba", purse="points", amount=amount)


def season() -> Story:
    """A season with rulings: #7 to #9 a battle, #10 earned, #11 spent, #12 undone, #13 annulled, #14 annuls #13."""
    story = league().given(*battle(), grant(10)).given(spend(12), UndoCommand(entries=(11,)), by="ana")
    return story.given(AnnulEntry(entry=10), AnnulEntry(entry=13))


def points_of(entries: list[Entry], *, as_of: int | None = None, known_at: int | None = None) -> int:
    return fold(World(), history.effective(entries, entries, as_of=as_of, known_at=known_at)).purse("ba", "points")


def test_a_struck_ruling_counts_for_nothing() -> None:
    entries = season().entries
    assert history.void(entries) == {11, 13}
    assert history.void(entries, known_at=13) == {11, 10}
    assert history.void(entries, known_at=12) == {11}
    assert history.void(entries, known_at=11) == frozenset()


@pytest.mark.parametrize(
    ("as_of", "known_at", "left"),
    [
        (9, None, 5),
        (10, None, 15),
        (11, None, 15),
        (11, 11, 3),
        (14, 11, 3),
        (14, 13, 5),
        (10, 13, 5),
        (None, None, 15),
    ],
)
def test_what_was_true_at_an_entry_as_known_at_another(as_of: int | None, known_at: int | None, left: int) -> None:
    assert points_of(season().entries, as_of=as_of, known_at=known_at) == left


def test_entries_that_do_not_count_keep_their_number() -> None:
    entries = season().entries
    counted = list(history.effective(entries, entries))
    assert [entry.number for entry in counted] == list(range(1, 15))
    assert [entry.number for entry in counted if not entry.events] == [11, 13]


def test_every_entry_of_a_season_with_rulings_agrees_when_it_is_decided_again() -> None:
    story = season().given(
        TranscribeForce(force="old", name="Old", player="ana", because="paper", purses=(Figure("played", 3),)),
        AddModel(force="ba", model=NewModel(key="kit", name="Kit"), cost=(Figure("points", 2),)),
        LeavePlayer(player="tom"),
        ChangeRole(player="ana", role="organiser"),
    )
    assert [verdict.kind for verdict in story.audit()] == ["agrees"] * len(story.entries)


def test_an_entry_annulled_since_agrees_with_what_was_known_when_it_was_recorded() -> None:
    story = league().given(grant(10), AnnulEntry(entry=7))
    assert [verdict.kind for verdict in story.audit()] == ["agrees"] * 8


def test_a_changed_amount_is_found_where_it_stands_and_nowhere_else() -> None:
    story = league().given(grant(10), spend(3), grant(1))
    spent = PointsSpent(force="ba", purse="points", amount=2, postings=(Posting("force:ba/points", -2),))
    story.entries[7] = msgspec.structs.replace(story.entries[7], events=(spent,))
    verdicts = {verdict.entry.number: verdict for verdict in story.audit() if verdict.kind != "agrees"}
    assert {number: verdict.kind for number, verdict in verdicts.items()} == {8: "differs"}
    assert verdicts[8].entry.events == (spent,)
    assert verdicts[8].events == (
        PointsSpent(force="ba", purse="points", amount=3, postings=(Posting("force:ba/points", -3),)),
    )


def test_an_event_nobody_asked_for_is_found() -> None:
    story = league().given(grant(10), spend(3))
    story.entries[6] = msgspec.structs.replace(story.entries[6], events=story.entries[6].events * 2)
    assert [verdict.entry.number for verdict in story.audit() if verdict.kind == "differs"] == [7]


def test_an_entry_that_would_be_refused_today_is_found_with_the_refusal() -> None:
    story = league().given(grant(10), spend(15))
    story.entries[6] = msgspec.structs.replace(story.entries[6], events=())
    found = {verdict.entry.number: verdict for verdict in story.audit() if verdict.kind != "agrees"}
    assert {number: verdict.kind for number, verdict in found.items()} == {7: "differs", 8: "refused"}
    assert (refusal := found[8].refusal) is not None
    assert (refusal.code, refusal.values["short"]) == ("PURSE_INSUFFICIENT", 10)


def without_effect(story: Story, number: int) -> None:
    """Take the events out of a recorded entry, as somebody with the file might."""
    story.entries[number - 1] = msgspec.structs.replace(story.entries[number - 1], events=())


def test_an_entry_about_something_that_is_not_there_is_orphaned() -> None:
    story = league().given(GrantPoints(force="sw", purse="points", amount=1))
    without_effect(story, 6)
    found = {verdict.entry.number: verdict.kind for verdict in story.audit() if verdict.kind != "agrees"}
    assert found == {6: "differs", 7: "orphaned"}


def test_the_audit_goes_on_after_an_entry_about_something_that_is_not_there() -> None:
    story = league().given(AddModel(force="ba", model=NewModel(key="kit", name="Kit")))
    story.given(ChangeModel(model="kit", gains=("bow",)), grant(1))
    without_effect(story, 7)
    assert [verdict.kind for verdict in story.audit()][6:] == ["differs", "orphaned", "agrees"]


def test_the_audit_goes_on_after_an_entry_that_loses_what_nobody_carried() -> None:
    story = league().given(AddModel(force="ba", model=NewModel(key="kit", name="Kit", labels=("bow",))))
    story.given(ChangeModel(model="kit", loses=("bow",)), grant(1))
    (joined,) = story.entries[6].events
    bare = msgspec.structs.replace(joined, labels=())
    story.entries[6] = msgspec.structs.replace(story.entries[6], events=(bare,))
    assert [verdict.kind for verdict in story.audit()][6:] == ["differs", "refused", "agrees"]


def forbid_small_spending(monkeypatch: pytest.MonkeyPatch, module: ModuleType = points) -> None:
    """Tighten a rule after the fact: whoever spends, spends at least three points at once."""

    def at_least_three(amount: int, what: str) -> None:
        if amount < 3:
            raise Refused("AMOUNT_ZERO", purse=what)

    monkeypatch.setattr(module, "check_amount", at_least_three)


def test_a_rule_tightened_since_leaves_the_history_as_it_was_and_the_audit_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = league().given(grant(10), spend(2), spend(3))
    forbid_small_spending(monkeypatch)
    assert points_of(story.entries) == 10
    assert {v.entry.number: v.kind for v in story.audit() if v.kind != "agrees"} == {8: "refused"}


def test_a_rule_tightened_since_makes_no_entry_depend_on_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spending two points would be refused today with or without the reader who joined before."""
    story = league().given(grant(10), spend(2))
    forbid_small_spending(monkeypatch)
    story.given(AnnulEntry(entry=4))
    assert points_of(story.entries) == 13


def test_what_hangs_on_an_entry_still_does_when_a_rule_tightened_since_would_refuse_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is not there any more cannot be changed, whatever else is wrong with it; the book must stay readable."""
    story = league().given(GrantPoints(force="sw", purse="points", amount=2))
    story.given(AddModel(force="ba", model=NewModel(key="kit", name="Kit")))
    story.given(ChangeModel(model="kit", gains=("bow",), cost=(Figure("points", 2),)))
    forbid_small_spending(monkeypatch, models)
    forbid_small_spending(monkeypatch, points)
    story.when(AnnulEntry(entry=6)).refused("ENTRIES_DEPEND", dependents=("#7",))
    story.when(AnnulEntry(entry=8)).refused("ENTRIES_DEPEND", dependents=("#9",))


def test_a_ruling_made_before_a_rule_was_tightened_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    story = league().given(spend(2), AnnulEntry(entry=4))
    forbid_small_spending(monkeypatch)
    assert {v.entry.number: v.kind for v in story.audit() if v.kind != "agrees"} == {7: "refused"}


def test_what_would_not_stand_without_an_entry_falls_with_all_that_follows_from_it() -> None:
    story = league().given(*battle(), GrantPoints(force="ba", purse="points", amount=10, battle="battle-1"), spend(15))
    fallen = history.consequences(story.entries, frozenset({9}))
    assert [(verdict.entry.number, verdict.kind) for verdict in fallen] == [(10, "refused"), (11, "refused")]
    fallen = history.consequences(story.entries, frozenset({5}))
    assert [(verdict.entry.number, verdict.kind) for verdict in fallen] == [
        (7, "orphaned"),
        (8, "orphaned"),
        (9, "orphaned"),
        (10, "orphaned"),
        (11, "orphaned"),
    ]


def test_asking_what_would_follow_changes_nothing() -> None:
    story = season()
    before, balances = list(story.entries), dict(story.world.balances)
    history.consequences(story.entries, frozenset({9}))
    story.when(FinishBattle(battle="battle-1")).refused("BATTLE_STAGE")
    assert story.entries == before
    assert story.world.balances == balances
    assert [verdict.kind for verdict in story.audit()] == ["agrees"] * 14


def test_a_history_goes_on_from_any_entry_as_from_the_beginning() -> None:
    entries = season().entries
    counted = list(history.effective(entries, entries))
    whole = fold(World(), counted)
    for middle in range(len(counted) + 1):
        half = fold(World(), counted[:middle])
        kept = half.copy()
        assert fold(kept, counted[middle:]) == whole
        assert half == fold(World(), counted[:middle])


class Line(msgspec.Struct, frozen=True):
    """A stored line as far as a fold looks at it."""

    entry: int
    data: Event


def test_a_book_folded_line_by_line_is_what_its_entries_are() -> None:
    entries = season().entries
    chunks = [[Line(entry.number, event) for event in entry.events] for entry in entries]
    by_lines = fold_facts(World(), chunks, history.void(entries))
    assert by_lines == fold(World(), history.effective(entries, entries))
    assert by_lines.number == 14
    assert fold_facts(World(), [], frozenset()) == World()


def test_a_history_without_entries_has_no_systems() -> None:
    assert history.systems_of([]) == ()
    assert list(history.audit([])) == []
