"""The season that `campaign demo` records: whom it brings together, and the files that people would write for it.

The figures are those of a season that was really played and written down; every name is invented.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from aggregates.kinds import Action, Request
    from aggregates.state import World
    from commands.record import Command

FOLDER = Path(__file__).parent

NAME = "The Border Season"
ORGANISER = "Odile"
ORGANISER_KEY = "odile"
PLAYERS = ("Bertrand", "Signe", "Tomasz", "Leonie")
OPTIONS = ("purses=gc,wyrdstone,campaign-points", "standings=campaign-points,won", "grants=owner")

ACTIONS = FOLDER / "season.jsonl"


MILESTONES = frozenset(
    {
        "campaign.founded",
        "force.mustered",
        "force.transcribed",
        "force.dissolved",
        "battle.finished",
        "battle.cancelled",
        "ruling.annulled",
    }
)
"""The events of the season that its recording tells; the others would be hundreds."""


class Entrance(msgspec.Struct, frozen=True):
    """How a force enters the season: new, or with a past on paper; its file, and the key of its player."""

    verb: Literal["muster", "transcribe"]
    file: str
    player: str

    def command(self, id_: str) -> "Command":
        """Return what brings the force in: its player musters it, the organiser vouches for a past on paper."""
        from aggregates.kinds import Request
        from commands import rosters
        from commands.record import Command

        read = rosters.read_force_file(FOLDER / self.file)

        def build(world: "World") -> "Sequence[Request]":
            if self.verb == "muster":
                return [Request(self.player, rosters.muster(world, read, self.player))]
            return [Request(ORGANISER_KEY, rosters.transcription(world, read, self.player))]

        return Command(id_, build)


ENTRANCES = (
    Entrance("muster", "mudfang.toml", "bertrand"),
    Entrance("muster", "choir.toml", "odile"),
    Entrance("transcribe", "deepwell.toml", "tomasz"),
    Entrance("transcribe", "grey-bell.toml", "signe"),
    Entrance("transcribe", "bramble.toml", "leonie"),
    Entrance("muster", "lantern.toml", "odile"),
)


def founding() -> "list[Action]":
    """Return what founds the campaign."""
    from commands import new

    return new.founding(NAME, ORGANISER, (), PLAYERS, OPTIONS)


def digest() -> str:
    """Return what tells this season from any other, and from itself with another figure in it."""
    files = (ACTIONS, *(FOLDER / entrance.file for entrance in ENTRANCES))
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()[:24]
