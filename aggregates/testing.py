"""Given, when, then: the language in which rules are tested, for the program's own tests and for house systems.

story = Story().given(found(), join("ana"), ...)
story.when(SpendPoints(...), by="ana").then(PointsSpent(...))
story.when(SpendPoints(...)).refused("PURSE_INSUFFICIENT", has=5, needed=8)
"""

from typing import Any

import msgspec

from aggregates import history
from aggregates.kinds import Action, Entry, Event, Refused, Request, Verdict
from aggregates.world import World, fold

_encode = msgspec.json.Encoder(order="sorted").encode


class Story:
    """A campaign in memory, told action by action; each accepted one becomes an entry."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.world = World()

    def given(self, *actions: Action, by: str = "paul") -> "Story":
        """Record actions that must be accepted."""
        for action in actions:
            self.when(action, by=by).accepted()
        return self

    def when(self, action: Action, *, by: str = "paul", on_behalf_of: str = "", private: object = None) -> "Outcome":
        """Ask for an action and return what came of it; an accepted one is recorded."""
        request = Request(by, action, on_behalf_of, private)
        try:
            decision = history.decide(self.world, request, self.entries)
        except Refused as refusal:
            return Outcome((), refusal)
        number = len(self.entries) + 1
        asked = _encode(decision.request.action)
        command = f"command-{number}"
        self.entries.append(
            Entry(
                number,
                f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z",
                by,
                on_behalf_of,
                command,
                asked,
                decision.events,
            )
        )
        self.world = fold(World(), history.effective(self.entries, self.entries))
        return Outcome(decision.events, None)

    def audit(self) -> tuple[Verdict, ...]:
        """Decide every entry again."""
        return tuple(history.audit(self.entries))


class Outcome:
    """What came of an action: its events, or the refusal."""

    def __init__(self, events: tuple[Event, ...], refusal: Refused | None) -> None:
        self.events = events
        self.refusal = refusal

    def accepted(self) -> tuple[Event, ...]:
        """Return the events of an action that must have been accepted."""
        assert self.refusal is None, f"refused: {self.refusal}"
        return self.events

    def then(self, *events: Event) -> None:
        """Expect exactly these events."""
        assert self.accepted() == events

    def refused(self, code: str, *, rule: str = "", **values: Any) -> None:
        """Expect a refusal with this code and rule, and these values among those it names."""
        assert self.refusal is not None, f"accepted: {self.events}"
        assert (self.refusal.code, self.refusal.rule) == (code, rule)
        told = {name: self.refusal.values[name] for name in values}
        assert told == values
