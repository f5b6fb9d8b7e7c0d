"""Random campaigns: whatever is asked, the laws of the book hold; and they reach all that there is to reach."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from aggregates import history
from aggregates.accounts import totals
from aggregates.campaign.founding import OptionSet
from aggregates.campaign.notes import AddNote
from aggregates.campaign.rulings import UndoCommand
from aggregates.kinds import Event, Request
from aggregates.testing import Outcome, Story
from aggregates.world import World, events_of, evolve, fold
from ledger import compiled
from tests.aggregates.test_codes import codes_of, raised
from tests.generator import propose

CAMPAIGNS = 150
STEPS = 60


class Tally:
    """What the campaigns of one run came to."""

    def __init__(self) -> None:
        self.campaigns = 0
        self.asked = 0
        self.accepted = 0
        self.undone = 0
        self.tags: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()

    def count(self, outcome: Outcome) -> None:
        """Take note of what came of a request."""
        self.asked += 1
        if outcome.refusal is not None:
            self.codes[outcome.refusal.code] += 1
            return
        self.accepted += 1
        self.tags.update(str(event.__struct_config__.tag) for event in outcome.events)


tally = Tally()

seeds = st.integers(0, 2**32 - 1)


class Campaigns(RuleBasedStateMachine):
    """A campaign in which anybody asks anything; `live` is kept up event by event, the story folds from nothing."""

    def __init__(self) -> None:
        super().__init__()
        tally.campaigns += 1
        self.story = Story()
        self.live = World()
        self.asked = 0

    def propose(self, seed: int) -> Request:
        """Draw the next request: Hypothesis likes small seeds, so that each is mixed with where the campaign stands."""
        chance = Random(f"{seed} {self.asked} {len(self.story.entries)}")  # noqa: S311 -- drawn again alike
        return propose(self.story.world, self.story.entries, chance)

    def ask(self, request: Request) -> Outcome:
        """Ask, and check that a refusal changed nothing and an acceptance only what its events say."""
        before, count = self.story.world.copy(), len(self.story.entries)
        outcome = self.story.when(request.action, by=request.by, on_behalf_of=request.on_behalf_of)
        tally.count(outcome)
        self.asked += 1
        if outcome.refusal is not None:
            assert self.story.world == before
            assert len(self.story.entries) == count
        elif request.action.rules_on_entries:
            self.live = fold(World(), history.effective(self.story.entries, self.story.entries))
        else:
            for event in outcome.events:
                evolve(self.live, event)
        return outcome

    @rule(seed=seeds)
    def somebody_asks(self, seed: int) -> None:
        """Ask the next thing."""
        self.ask(self.propose(seed))

    @precondition(lambda self: self.story.entries)
    @rule(seed=seeds)
    def somebody_asks_and_thinks_better_of_it(self, seed: int) -> None:
        """Ask the next thing and take it back at once: the state is the one before."""
        before = self.story.world
        request = self.propose(seed)
        if self.ask(request).refusal is not None or request.action.rules_on_entries:
            return
        outcome = self.ask(Request(request.by, UndoCommand(entries=(len(self.story.entries),))))
        if outcome.refusal is None:
            tally.undone += 1
            assert self.story.world == before
        else:
            assert outcome.refusal.code in {"SPEAKER_HAS_LEFT", "READER_ONLY_READS"}

    @invariant()
    def what_was_kept_up_is_what_a_replay_gives(self) -> None:
        """The fold from nothing and the world that was kept up by every event are the same."""
        assert self.story.world == self.live

    @invariant()
    def every_balance_is_the_sum_of_its_postings(self) -> None:
        """No number is kept beside the postings of the entries that count."""
        counted = history.effective(self.story.entries, self.story.entries)
        assert self.story.world.balances == totals(p for e in counted for event in e.events for p in event.postings)

    @invariant()
    def nothing_is_below_zero_that_may_not_be(self) -> None:
        """Where debts were never played no purse is below zero, and never are there fewer models than none."""
        world = self.story.world
        counts = [amount for account, amount in world.balances.items() if account.startswith("force:")]
        if not any(isinstance(event, OptionSet) and event.value == "debt" for event in self.recorded()):
            assert min(counts, default=0) >= 0
        assert min((world.count(model) for model in world.models), default=0) >= 0

    def recorded(self) -> Iterator[Event]:
        """Yield every event there is, also of what was struck."""
        return (event for entry in self.story.entries for event in entry.events)

    def teardown(self) -> None:
        """Decide every entry again, and tell the campaign anew without what was struck."""
        assert [verdict.kind for verdict in self.story.audit()] == ["agrees"] * len(self.story.entries)
        assert self.told_without_errors() == self.story.world

    def told_without_errors(self) -> World:
        """Return what is true when what was struck is never asked; notes may be about what is not there then."""
        story = Story()
        for entry in history.effective(self.story.entries, self.story.entries):
            action = history.action_of(entry, ())
            if entry.events and not action.rules_on_entries and not isinstance(action, AddNote):
                story.when(action, by=entry.by, on_behalf_of=entry.on_behalf_of).accepted()
        return story.world


def test_the_laws_of_the_book_hold_in_random_campaigns_that_reach_all_there_is() -> None:
    run_state_machine_as_test(
        Campaigns,
        settings=settings(
            max_examples=CAMPAIGNS,
            stateful_step_count=STEPS,
            derandomize=True,
            deadline=None,
            phases=[Phase.generate],  # With Phase.shrink a failing run looks for a shorter campaign for minutes.
            suppress_health_check=list(HealthCheck),
        ),
    )
    rules = codes_of(compiled.root() / "aggregates", raised)
    assert set(events_of(())) - set(tally.tags) == set()
    assert set(tally.codes) <= rules
    assert 2 * len(tally.codes) >= len(rules)
    assert 40 <= 100 * tally.accepted / tally.asked <= 80
    assert tally.undone >= tally.campaigns
