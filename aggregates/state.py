"""What is true now: the campaign, its players, forces, models, battles and balances, folded from events.

Each thing is a frozen value; a change is a new value under the same key. `World` is the fold's own workbench: only the
`evolve` functions write it, so that a replay costs little more than reading. Deciders read it and change nothing.
"""

from collections import defaultdict
from typing import Any, Literal

import msgspec

from aggregates.accounts import force_account, model_account
from aggregates.kinds import Refused, Role
from aggregates.rules import Setting, nearest

Stage = Literal["scheduled", "started", "finished", "settled", "cancelled"]


class Campaign(msgspec.Struct, frozen=True, gc=False):
    """The campaign itself; `systems` are the rule systems it adopted, in the order in which they react."""

    key: str
    name: str
    systems: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()
    ended: bool = False


class Player(msgspec.Struct, frozen=True, gc=False):
    """Somebody who takes part; `left` players keep their history and take no further part."""

    key: str
    name: str
    role: Role
    left: bool = False


class Force(msgspec.Struct, frozen=True, gc=False):
    """What a player leads; `transcribed` says that it began on paper and was opened at a stated state."""

    key: str
    name: str
    player: str
    short: str = ""
    faction: str = ""
    transcribed: bool = False
    dissolved: bool = False


class Model(msgspec.Struct, frozen=True, gc=False):
    """A model, or a group under one name; it is gone when its count is zero."""

    key: str
    name: str
    force: str
    kind: str = ""
    labels: tuple[str, ...] = ()


class Battle(msgspec.Struct, frozen=True, gc=False):
    """A battle and how far it got; several `winners` fought on one side, none is a draw."""

    key: str
    number: int
    forces: tuple[str, ...]
    stage: Stage
    mission: str = ""
    played_on: str = ""
    winners: tuple[str, ...] = ()


class Pinned(msgspec.Struct, frozen=True, gc=False):
    """Content a campaign plays by that is not part of the program: an overlay, a pack, a price list."""

    kind: str
    name: str
    content: dict[str, Any]


class World:
    """Everything that is true at one entry of a campaign."""

    __slots__ = (
        "at",
        "balances",
        "battles",
        "campaign",
        "forces",
        "models",
        "number",
        "pinned",
        "players",
        "settings",
        "sheets",
        "transcribed",
    )

    def __init__(self) -> None:
        self.number = 0
        self.at = ""
        self.campaign: Campaign | None = None
        self.settings: dict[str, Setting] = {}
        self.pinned: dict[str, Pinned] = {}
        self.players: dict[str, Player] = {}
        self.forces: dict[str, Force] = {}
        self.models: dict[str, Model] = {}
        self.battles: dict[str, Battle] = {}
        self.balances: defaultdict[str, int] = defaultdict(int)
        self.transcribed: frozenset[str] = frozenset()
        self.sheets: dict[str, dict[str, Any]] = {}

    def copy(self) -> "World":
        """Return a workbench of its own with the same values, for a fold that goes another way."""
        twin = World()
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if isinstance(value, dict) else value)
        twin.sheets = {system: dict(sheet) for system, sheet in self.sheets.items()}
        return twin

    def __eq__(self, other: object) -> bool:
        """Tell whether everything that is true in one is true in the other, wherever its entries stand."""
        if not isinstance(other, World):
            return NotImplemented
        told = (name for name in self.__slots__ if name not in ("number", "at"))
        return all(getattr(self, name) == getattr(other, name) for name in told)

    __hash__ = None  # type: ignore[assignment]  # a workbench changes

    def balance(self, account: str) -> int:
        """Return what the postings on an account add up to."""
        return self.balances.get(account, 0)

    def founded(self) -> Campaign:
        """Return the campaign.

        Raises `Refused` `NO_CAMPAIGN` before it is founded.
        """
        if self.campaign is None:
            raise Refused("NO_CAMPAIGN")
        return self.campaign

    def player(self, key: str) -> Player:
        """Return a player, also one who left.

        Raises `Refused` `PLAYER_UNKNOWN` with the nearest.
        """
        if key not in self.players:
            raise Refused("PLAYER_UNKNOWN", player=key, nearest=nearest(key, self.players))
        return self.players[key]

    def force(self, key: str) -> Force:
        """Return a force that takes part.

        Raises `Refused` `FORCE_UNKNOWN` with the nearest, `FORCE_DISSOLVED`, or `PLAYER_HAS_LEFT`.
        """
        if key not in self.forces:
            raise Refused("FORCE_UNKNOWN", force=key, nearest=nearest(key, self.forces))
        force = self.forces[key]
        if force.dissolved:
            raise Refused("FORCE_DISSOLVED", force=force.name)
        if (player := self.players[force.player]).left:
            raise Refused("PLAYER_HAS_LEFT", player=player.name, force=force.name)
        return force

    def model(self, key: str) -> Model:
        """Return a model that is still there.

        Raises `Refused` `MODEL_UNKNOWN` with the nearest, or `MODEL_GONE`.
        """
        if key not in self.models:
            raise Refused("MODEL_UNKNOWN", model=key, nearest=nearest(key, self.models))
        model = self.models[key]
        self.force(model.force)
        if self.count(key) <= 0:
            raise Refused("MODEL_GONE", model=model.name)
        return model

    def battle(self, key: str) -> Battle:
        """Return a battle.

        Raises `Refused` `BATTLE_UNKNOWN` with the battles there are.
        """
        if key not in self.battles:
            known = ", ".join(str(battle.number) for battle in self.battles.values())
            raise Refused("BATTLE_UNKNOWN", battle=key.removeprefix("battle-"), known=known or "-")
        return self.battles[key]

    def count(self, model: str) -> int:
        """Return how many figures still stand under a model's name."""
        return self.balance(model_account(model, "count"))

    def purse(self, force: str, purse: str) -> int:
        """Return what a force has in a purse."""
        return self.balance(force_account(force, purse))

    def models_of(self, force: str) -> tuple[Model, ...]:
        """Return every model a force ever had, the fallen too, in the order in which they joined."""
        return tuple(model for model in self.models.values() if model.force == force)

    def battles_of(self, force: str, *stages: Stage) -> tuple[Battle, ...]:
        """Return a force's battles that have got as far as one of the stages."""
        return tuple(b for b in self.battles.values() if force in b.forces and b.stage in stages)
