"""The kinds of thing the rules speak of: actions asked, events that happened, postings, entries and refusals.

An event is a fact with all its consequences in it; its tag is permanent. What an action or an event of one subject
looks like is written beside that subject's rules, not here.
"""

from typing import Annotated, Any, ClassVar, Literal, Protocol

import msgspec

from ledger.errors import Refused

__all__ = [
    "Action",
    "Amount",
    "Because",
    "Content",
    "Decision",
    "Entry",
    "Event",
    "Fact",
    "ForceEvent",
    "Key",
    "Name",
    "Past",
    "Posting",
    "Refused",
    "Request",
    "Role",
    "Verdict",
]

Role = Literal["organiser", "player", "reader"]

Key = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$(?!\n)")]
"""How the book names a thing for ever; what people read is its name, which can be corrected."""

Name = Annotated[str, msgspec.Meta(extra={"form": "name"})]
"""A name people give: one line, visible, at most 64 characters."""

Because = Annotated[str, msgspec.Meta(extra={"form": "text"})]
"""A reason or remark in a person's own words: one line, at most 500 characters, may be empty."""

Content = Annotated[dict[str, Any], msgspec.Meta(extra={"form": "content"})]
"""Content of people's own, such as an overlay: what a line can hold, its texts free of hidden characters."""

Amount = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]
"""A number of points, figures or models."""


class Posting(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A signed amount on an account, with the rule it follows from: every countable number is a sum of these."""

    account: str
    amount: int
    rule: str = ""


class Event(
    msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="t", omit_defaults=True, forbid_unknown_fields=True
):
    """What happened, with all its consequences in it; it needs no table to be read."""

    postings: tuple[Posting, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def stream(self) -> str:
        """The stream the event lies on: a force's, or empty for the campaign's own."""
        return ""


class ForceEvent(Event, frozen=True, kw_only=True, gc=False):
    """What happened to one force; it lies on that force's stream."""

    force: str

    @property
    def stream(self) -> str:
        """The stream of the force."""
        return f"force:{self.force}"


class Action(msgspec.Struct, frozen=True, tag_field="t", omit_defaults=True, forbid_unknown_fields=True):
    """What somebody asks. Keys of new things and dice are part of it, so that it can be decided again.

    `may` is the least role that may ask it; `after_end` says whether an ended campaign still takes it; `rules_on` marks
    an action that speaks about recorded entries and therefore reads the past.
    """

    may: ClassVar[Role] = "organiser"
    after_end: ClassVar[bool] = False
    rules_on_entries: ClassVar[bool] = False

    @property
    def sealed_as(self) -> str:
        """The name under which the private part of the action is opened later; empty when it has none."""
        return ""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What one accepted action appended: number, time, author, the action asked as stored bytes, and its events."""

    number: int
    at: str
    by: str
    on_behalf_of: str
    command: str
    asked: bytes
    events: tuple[Event, ...]


class Fact(Protocol):
    """An event and the number of its entry: a stored line as far as the fold looks at it."""

    @property
    def data(self) -> Any:
        """The event."""

    @property
    def entry(self) -> int:
        """The number of the entry."""


class Verdict(msgspec.Struct, frozen=True):
    """What deciding an entry again gave, beside what was recorded.

    `sealed` means that the private part of the action has not been opened yet; `orphaned` that what the action names
    is no longer there.
    """

    entry: Entry
    kind: Literal["agrees", "differs", "refused", "orphaned", "sealed"]
    events: tuple[Event, ...] = ()
    refusal: Refused | None = None


class Past(msgspec.Struct, frozen=True):
    """What a ruling has to know of the entries it names: themselves, what is void already, what would not stand."""

    entries: dict[int, Entry]
    void: frozenset[int]
    fallen: tuple[Verdict, ...]


class Request(msgspec.Struct, frozen=True):
    """An action with who asks it, for whom, and what a decision needs beside the state.

    `private` is the part of an action that no line ever shows; `past` is filled for rulings.
    """

    by: str
    action: Action
    on_behalf_of: str = ""
    private: object = None
    past: Past | None = None


class Decision(msgspec.Struct, frozen=True):
    """An accepted request, with its texts tidied, and the events that follow from it."""

    request: Request
    events: tuple[Event, ...]
