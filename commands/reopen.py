"""`campaign reopen`: go on with a campaign that was ended."""

from typing import Annotated

import typer

from commands import answer
from commands.arguments import writes


@writes
def run(because: Annotated[str, typer.Option()] = "") -> None:
    """Go on with a campaign that was ended."""
    from aggregates.campaign.founding import ReopenCampaign

    answer.send(lambda world: [ReopenCampaign(because=because)], "campaign status")
