"""`campaign why`: what a number is made of, line by line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from commands import context, screen
from commands.arguments import given
from commands.page import Column, Line, Page, Part, Table, Title
from commands.told import MARK, AsKnownAt, AsOf, author, counted, subject, where
from ledger.wording import day, say

if TYPE_CHECKING:
    from aggregates.state import Force, Model, World
    from projections.figures import Figure
    from projections.moments import View
    from projections.provenance import Step

SIZE = "size"
"""Another word for how many figures a force has."""


def run(who: str, figure: str, as_of: AsOf = "", as_known_at: AsKnownAt = None) -> None:
    """Show the postings that a number of a force or a model is the sum of, and the rulings that touch it."""
    from projections.figures import accounts_of
    from projections.moments import view
    from projections.provenance import trace

    with context.reading() as book:
        seen = view(book, as_of, as_known_at)
        owner = subject(seen.world, who)
        name, found = _figure(seen.world, owner, figure)
        steps = tuple(trace(seen.world, seen.recorded(), accounts_of(found), seen.struck))
    if given().json:
        shown: dict[str, Any] = {"who": owner.key, "figure": name, **msgspec.to_builtins(found), "postings": steps}
        screen.show_json(shown)
    else:
        screen.show(Page(tuple(_parts(seen, owner, name, found, steps))))


def _figure(world: "World", owner: "Force | Model", typed: str) -> "tuple[str, Figure]":
    from aggregates.state import Force
    from projections.figures import MODELS, figures_of, force_figures

    figures = force_figures(world, owner.key) if isinstance(owner, Force) else figures_of(world, owner.key)
    is_size = isinstance(owner, Force) and typed.casefold() == SIZE
    name = MODELS if is_size else counted(owner.name, typed, figures)
    return name, figures[name]


def _parts(
    seen: "View", owner: "Force | Model", name: str, figure: "Figure", steps: "tuple[Step, ...]"
) -> Iterator[Part]:
    from projections.figures import Total
    from projections.sentences import tell_figure

    yield Title(say("screen.why", who=owner.name, figure=tell_figure(name), value=figure.value), where(seen))
    if isinstance(figure, Total):
        yield Line(say("screen.why-sum", count=len(figure.made_of)))
        yield Table((Column(), Column("", "right"), Column()), tuple(_made_of(seen.world, figure.made_of)), indent=1)
    elif steps:
        yield Table(
            (Column(), Column(), Column(), Column(), Column("", "right"), Column("", "right"), Column()),
            tuple(_row(seen, step) for step in steps),
            indent=1,
        )
    else:
        yield Line(say("screen.why-nothing"), indent=1)
    if any(step.transcribed for step in steps):
        yield Line(say("screen.legend-transcribed"), hang=2)
    yield Line(_rulings(steps), hang=2)


def _made_of(world: "World", accounts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what a formula is made of, each with the command that opens it."""
    from aggregates.accounts import owner
    from projections.sentences import tell_account

    for account in accounts:
        _, key, counted_name = owner(account)
        command = f"campaign why {world.models[key].force}/{key} {counted_name}"
        yield tell_account(world, account), str(world.balance(account)), command


def _row(seen: "View", step: "Step") -> tuple[str, ...]:
    amount = f"({step.amount:+d})" if step.struck else f"{step.amount:+d}"
    told = step.sentence + (f" {MARK}" if step.transcribed else "")
    if step.struck:
        told = say("screen.struck", told=told, ruling=step.ruling)
    writer = author(seen.world, step.by, step.on_behalf_of)
    return step.line, day(step.at, seen.world.at), writer, told, amount, f"-> {step.balance}", step.rule


def _rulings(steps: "tuple[Step, ...]") -> str:
    rulings = tuple(dict.fromkeys(step.ruling for step in steps if step.struck))
    return say("screen.why-rulings", rulings=rulings) if rulings else say("screen.why-no-ruling")
