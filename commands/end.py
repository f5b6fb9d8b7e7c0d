"""`campaign end`: end the campaign."""

from typing import Annotated

import typer

from commands import answer
from commands.arguments import writes


@writes
def run(because: Annotated[str, typer.Option()] = "") -> None:
    """End the campaign; rulings and notes stay possible."""
    from aggregates.campaign.founding import EndCampaign

    answer.send(lambda world: [EndCampaign(because=because)], "campaign standings")
