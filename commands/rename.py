"""`campaign rename`: correct the campaign's name."""

from commands import answer
from commands.arguments import writes


@writes
def run(name: str) -> None:
    """Correct the campaign's name."""
    from aggregates.campaign.founding import RenameCampaign

    answer.send(lambda world: [RenameCampaign(name=name)])
