"""`campaign new`: found a campaign in a new book."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands import answer, context
from commands.arguments import given, writes
from ledger.wording import say

if TYPE_CHECKING:
    from aggregates.kinds import Action

Texts = Annotated[list[str], typer.Option()]


@writes
def run(
    name: str,
    organiser: Annotated[str, typer.Option()] = "",
    system: Texts = [],
    player: Texts = [],
    option: Texts = [],
) -> None:
    """Found a campaign with its organiser, players and options."""
    speaker = organiser or given().me or context.remembered_speaker() or say("word.role_organiser")
    actions = founding(name, speaker, system or [], player or [], option or [])
    answer.show(context.found(actions), "campaign force muster FILE --player NAME")


def founding(
    name: str, organiser: str, systems: Sequence[str], players: Sequence[str], options: Sequence[str]
) -> "list[Action]":
    """Return the actions that found a campaign.

    Raises `Misused` `OPTION_UNNAMED` and whatever is wrong with a system, an option or its value.
    """
    from aggregates import world as worlds
    from aggregates.campaign.founding import FoundCampaign, SetOption
    from aggregates.campaign.players import JoinPlayer
    from aggregates.rules import find_option
    from ledger.errors import Misused

    key = context.new_key(organiser, ())
    taken = [key]
    editions = tuple(worlds.system(one).editions[-1] for one in systems)
    actions: list[Action] = [
        FoundCampaign(
            campaign=context.new_campaign_key(),
            name=name,
            organiser=key,
            organiser_name=organiser,
            systems=tuple(systems),
            editions=editions,
        )
    ]
    for word in options:
        typed, equals, value = word.partition("=")
        if not equals:
            raise Misused("OPTION_UNNAMED", text=word)
        found = find_option(worlds.options_of(systems), typed)
        actions.append(SetOption(option=found.key, value=found.read(value)))
    for one in players:
        taken.append(context.new_key(one, taken))
        actions.append(JoinPlayer(player=taken[-1], name=one))
    return actions
