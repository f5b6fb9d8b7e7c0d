"""What somebody asks next in a campaign: mostly sensible, sometimes not, drawn from what is true and from chance.

`propose` is all that callers need; it knows stories in memory and real books alike. Chance is a `random.Random`, or
what `hypothesis.strategies.randoms(use_true_random=False)` gives in its place, so that a failing campaign shrinks.
"""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeAlias

from aggregates.campaign.battles import (
    CancelBattle,
    FinishBattle,
    ScheduleBattle,
    SettleBattle,
    SitOut,
    StartBattle,
)
from aggregates.campaign.founding import (
    EndCampaign,
    FoundCampaign,
    PinContent,
    RenameCampaign,
    ReopenCampaign,
    SetOption,
)
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import ChangeRole, JoinPlayer, LeavePlayer, RenamePlayer, ReturnPlayer
from aggregates.campaign.rulings import AnnulEntry, UndoCommand
from aggregates.force.models import AddModel, ChangeModel, Figure, KillModel, NewModel, RenameModel
from aggregates.force.musters import DissolveForce, MusterForce, RenameForce, TranscribeForce
from aggregates.force.points import GrantPoints, SpendPoints
from aggregates.history import own_last
from aggregates.kinds import Action, Entry, Request, Role
from aggregates.options import FIGURES, PURSES
from aggregates.rules import Setting
from aggregates.state import Stage, World

NAMES = (
    *("Ana", "Ánna", "Tom", "Ren", "[red]Bob[/nope]", "=1+1", "<script>", "../x", "{player}", "O'Brien & Co"),
    *("Ελένη", "光", "👩‍🚀 Ada", "\u00a0Bob\u2028Smith ", "Blood", "Swift", "Iron", "Côte d'Os", "-x", "%s"),
)
BAD_NAMES = ("", " ", "A\x1bB", "A\u202eB", "a" * 65, "x" + "\u0348" * 5)
REASONS = ("", "", "loot", "=2 points,\u2029said Tom", "[/] rained off", 'the "bridge"')
BAD_REASONS = ("a\x1bb", "a\u202eb", "a" * 501, "x" + "\u0348" * 5)
LABELS = ("sword", "bow", "scar")
ROLES: tuple[Role, ...] = ("player", "player", "player", "organiser", "reader")
DAYS = ("", "2026-05-01", "2026-02-28")
BAD_DAYS = ("2026-02-30", "May")
SETTINGS: tuple[tuple[str, Setting], ...] = (
    ("campaign.purses", ("points", "gold")),
    ("campaign.purses", ("points",)),
    ("campaign.figures", ("experience", "wounds")),
    ("campaign.overdraft", "debt"),
    ("campaign.overdraft", "refuse"),
    ("campaign.grants", "owner"),
    ("campaign.grants", "organiser"),
    ("campaign.standings", ("points", "won")),
)
BAD_SETTINGS: tuple[tuple[str, Setting], ...] = (
    ("campaign.overdaft", "debt"),
    ("campaign.overdraft", "never"),
    ("campaign.purses", ("won",)),
    ("campaign.standings", ("silver",)),
)
PLAYERS_MIN = 4
FORCES_MAX = 4
"""Enough forces to meet; more would only make campaigns long."""


class Drawing:
    """What one request is drawn from: what is true, what was recorded, and chance."""

    def __init__(self, world: World, entries: Sequence[Entry], chance: Random) -> None:
        self.world = world
        self.entries = entries
        self.chance = chance

    def rarely(self) -> bool:
        """Tell whether to ask something that makes little sense here."""
        return self.chance.randint(1, 16) == 16

    def one(self, sensible: Iterable[str], others: Iterable[str] = ()) -> str:
        """Return a key that makes sense, now and then one that does not, or one of nothing at all."""
        known, strange = list(sensible), [*others, "nobody"]
        return self.chance.choice(strange if not known or self.rarely() else known)

    def new(self, prefix: str, known: Iterable[str]) -> str:
        """Return a key for a new thing, now and then one that is taken."""
        taken = list(known)
        return self.chance.choice(taken) if taken and self.rarely() else f"{prefix}-{len(self.entries) + 1}"

    def name(self) -> str:
        """Return a name: one that may be taken, one with a number of its own, or one that may not enter."""
        if self.rarely():
            return self.chance.choice(BAD_NAMES)
        name = self.chance.choice(NAMES)
        return name if self.chance.randint(1, 4) == 4 else f"{name} {len(self.entries) + 1}"

    def reason(self) -> str:
        """Return a reason, or none, or one that may not enter."""
        return self.chance.choice(BAD_REASONS if self.chance.randint(1, 60) == 60 else REASONS)

    def day(self) -> str:
        """Return a day, or none, or one that is in no calendar."""
        return self.chance.choice(BAD_DAYS if self.rarely() else DAYS)

    def amount(self) -> int:
        """Return a number of points, now and then one that moves nothing or the wrong way."""
        return self.chance.choice((0, -3, 1_000_001)) if self.rarely() else self.chance.randint(1, 12)

    def purse(self) -> str:
        """Return a purse of the campaign."""
        return self.one(PURSES.words_of(self.world.settings), ("won",))

    def figures(self, names: tuple[str, ...]) -> tuple[Figure, ...]:
        """Return amounts of some of the names, now and then of one that nobody counts."""
        some = [name for name in names if self.chance.randint(0, 1)]
        strange = ["silver"] if self.rarely() else some[:1] if self.rarely() else []
        return tuple(Figure(name, -1 if self.rarely() else self.chance.randint(0, 9)) for name in (*some, *strange))

    def cost(self) -> tuple[Figure, ...]:
        """Return a price, mostly none."""
        return (Figure(self.purse(), self.amount()),) if self.chance.randint(1, 3) == 3 else ()

    def forces(self) -> list[str]:
        """Return the forces that take part."""
        players, forces = self.world.players, self.world.forces.values()
        return [force.key for force in forces if not force.dissolved and not players[force.player].left]

    def force(self) -> str:
        """Return a force, mostly one that takes part."""
        return self.one(self.forces(), self.world.forces)

    def model(self) -> str:
        """Return a model, mostly one that is there."""
        playing = set(self.forces())
        there = [m.key for m in self.world.models.values() if m.force in playing and self.world.count(m.key) > 0]
        return self.one(there, self.world.models)

    def new_model(self) -> NewModel:
        """Return a model that joins."""
        return NewModel(
            key=self.new("m", self.world.models),
            name=self.name(),
            kind=self.reason(),
            count=self.chance.choice((1, 1, 3)),
            labels=tuple(label for label in LABELS if not self.chance.randint(0, 2)),
            figures=self.figures(FIGURES.words_of(self.world.settings)),
        )

    def battle(self, *stages: Stage) -> str:
        """Return a battle, mostly one at a stage that fits."""
        battles = self.world.battles.values()
        return self.one((battle.key for battle in battles if battle.stage in stages), self.world.battles)

    def player(self, *, left: bool = False) -> str:
        """Return a player, mostly one who takes part, or who left."""
        players = self.world.players.values()
        return self.one((player.key for player in players if player.left == left), self.world.players)

    def organiser(self) -> str:
        """Return somebody who may decide, now and then anybody."""
        players = self.world.players.values()
        return self.one((p.key for p in players if p.role == "organiser" and not p.left), self.world.players)


def _found(draw: Drawing) -> Action:
    return FoundCampaign(campaign="0" * 32, name=draw.name(), organiser="paul", organiser_name="Paul")


def _end(draw: Drawing) -> Action:
    world = draw.world
    if world.campaign is not None and world.campaign.ended != draw.rarely():
        return ReopenCampaign(because=draw.reason())
    return EndCampaign(because=draw.reason())


def _set_option(draw: Drawing) -> Action:
    option, value = draw.chance.choice(BAD_SETTINGS if draw.rarely() else SETTINGS)
    return SetOption(option=option, value=value)


def _pin(draw: Drawing) -> Action:
    price = None if draw.rarely() else draw.chance.randint(1, 9)
    return PinContent(kind="overlay", name="prices", content={"sword": {"price": price}})


def _join(draw: Drawing) -> Action:
    return JoinPlayer(player=draw.new("p", draw.world.players), name=draw.name(), role=draw.chance.choice(ROLES))


def _leave_or_return(draw: Drawing) -> Action:
    gone = [player.key for player in draw.world.players.values() if player.left]
    if gone and draw.chance.randint(0, 1):
        return ReturnPlayer(player=draw.player(left=True))
    return LeavePlayer(player=_dispensable(draw), because=draw.reason())


def _dispensable(draw: Drawing) -> str:
    """Return a player, mostly one without whom there is still an organiser."""
    present = [player for player in draw.world.players.values() if not player.left]
    organisers = [player.key for player in present if player.role == "organiser"]
    others = [player.key for player in present if player.key not in organisers]
    return draw.one([*others, *organisers[1:]], draw.world.players)


def _role(draw: Drawing) -> Action:
    return ChangeRole(player=_dispensable(draw), role=draw.chance.choice(ROLES))


def _rename(draw: Drawing) -> Action:
    name = draw.name()
    choices: tuple[Callable[[], Action], ...] = (
        lambda: RenameCampaign(name=name),
        lambda: RenamePlayer(player=draw.player(), name=name),
        lambda: RenameForce(force=draw.force(), name=name),
        lambda: RenameModel(model=draw.model(), name=name),
    )
    return draw.chance.choice(choices)()


def _muster(draw: Drawing) -> Action:
    if len(draw.forces()) >= FORCES_MAX or draw.chance.randint(1, 10) == 10:
        return DissolveForce(force=draw.force(), because=draw.reason())
    transcribed = draw.chance.randint(1, 3) == 3
    purses = PURSES.words_of(draw.world.settings)
    opened = draw.figures((*purses, "played", "won") if transcribed else purses)
    key, name, player = draw.new("f", draw.world.forces), draw.name(), draw.player()
    short = draw.chance.choice(("", "", "x", f"s{len(draw.entries)}"))
    models = tuple(draw.new_model() for _ in range(draw.chance.randint(0, 1)))
    if transcribed:
        because = draw.reason()
        return TranscribeForce(
            force=key, name=name, player=player, short=short, because=because, purses=opened, models=models
        )
    return MusterForce(force=key, name=name, player=player, short=short, purses=opened, models=models)


def _grant(draw: Drawing) -> Action:
    fought = [battle for battle in draw.world.battles.values() if battle.stage == "finished"]
    if fought and draw.chance.randint(0, 1):
        battle = draw.chance.choice(fought)
        force = draw.one(battle.forces, draw.world.forces)
        return GrantPoints(force=force, purse=draw.purse(), amount=draw.amount(), battle=battle.key)
    return GrantPoints(force=draw.force(), purse=draw.purse(), amount=draw.amount(), because=draw.reason())


def _spend(draw: Drawing) -> Action:
    return SpendPoints(force=draw.force(), purse=draw.purse(), amount=draw.amount(), because=draw.reason())


def _add_model(draw: Drawing) -> Action:
    return AddModel(force=draw.force(), model=draw.new_model(), cost=draw.cost(), because=draw.reason())


def _change_model(draw: Drawing) -> Action:
    key = draw.model()
    carried = draw.world.models[key].labels if key in draw.world.models else ()
    strange = draw.chance.choice(((draw.chance.choice(LABELS),), carried[:1] * 2))
    loses = strange if draw.chance.randint(1, 6) == 6 else carried[: draw.chance.randint(0, 1)]
    return ChangeModel(
        model=key,
        figures=draw.figures(FIGURES.words_of(draw.world.settings)),
        count=draw.chance.choice((0, 0, 0, 2, -1)),
        gains=tuple(label for label in LABELS if not draw.chance.randint(0, 2)),
        loses=loses,
        cost=draw.cost(),
        because=draw.reason(),
    )


def _kill(draw: Drawing) -> Action:
    return KillModel(
        model=draw.model(), count=draw.chance.choice((0, 1, 1, 2)), fate=draw.chance.choice(("died", "left"))
    )


def _schedule(draw: Drawing) -> Action:
    forces = draw.forces()
    draw.chance.shuffle(forces)
    met = tuple(forces[: draw.chance.choice((2, 2, 3, 1 if draw.rarely() else 2))])
    key = draw.new("battle", draw.world.battles)
    return ScheduleBattle(battle=key, forces=met, mission=draw.reason(), played_on=draw.day())


def _play(draw: Drawing) -> Action:
    world = draw.world
    if any(battle.stage == "started" for battle in world.battles.values()) and draw.chance.randint(1, 4) > 1:
        key = draw.battle("started")
        forces = world.battles[key].forces if key in world.battles else ("nobody",)
        winners = tuple(force for force in forces if not draw.chance.randint(0, 2))
        return FinishBattle(battle=key, winners=winners, played_on=draw.day())
    return StartBattle(battle=draw.battle("scheduled"))


def _settle(draw: Drawing) -> Action:
    if draw.chance.randint(1, 4) == 4:
        return CancelBattle(battle=draw.battle("scheduled", "started"), because=draw.reason())
    return SettleBattle(battle=draw.battle("finished"))


def _sit_out(draw: Drawing) -> Action:
    return SitOut(force=draw.force(), because=draw.reason())


def _note(draw: Drawing) -> Action:
    last = draw.world.number
    about = last + 1 if draw.rarely() else draw.chance.randint(0, last)
    return AddNote(text=draw.reason() or "noted", about=about) if not draw.rarely() else AddNote(text=" ")


def _annul(draw: Drawing) -> Action:
    last = draw.world.number
    least = max(1, last - 6) if draw.chance.randint(1, 4) > 1 else 1
    entry = draw.chance.choice((0, 1, last + 1)) if draw.rarely() else draw.chance.randint(least, max(least, last))
    return AnnulEntry(entry=entry, because=draw.reason())


def _anything(draw: Drawing) -> bool:
    return True


def _has_forces(draw: Drawing) -> bool:
    return len(draw.forces()) > 1


def _has_models(draw: Drawing) -> bool:
    return any(draw.world.count(model) > 0 for model in draw.world.models)


def _has_battles(draw: Drawing) -> bool:
    return any(battle.stage in ("scheduled", "started") for battle in draw.world.battles.values())


def _has_finished_battles(draw: Drawing) -> bool:
    return any(battle.stage == "finished" for battle in draw.world.battles.values())


Way: TypeAlias = Callable[[Drawing], Action]
WAYS: tuple[tuple[int, Way, Callable[[Drawing], bool]], ...] = (
    (3, _join, _anything),
    (2, _leave_or_return, _anything),
    (1, _role, _anything),
    (3, _rename, _anything),
    (1, _set_option, _anything),
    (1, _pin, _anything),
    (5, _muster, _anything),
    (4, _grant, _has_forces),
    (4, _spend, _has_forces),
    (3, _add_model, _has_forces),
    (4, _change_model, _has_models),
    (2, _kill, _has_models),
    (4, _schedule, _has_forces),
    (9, _play, _has_battles),
    (3, _settle, _has_finished_battles),
    (2, _sit_out, _has_forces),
    (2, _note, _anything),
    (2, _annul, _anything),
    (1, _end, _anything),
)
"""What is asked, how often beside the rest, and when it makes sense."""


def _way(draw: Drawing) -> Way:
    """Return a way to go on, mostly one that makes sense now; what everything else needs comes early."""
    if draw.chance.randint(0, 1):
        if len(draw.world.players) < PLAYERS_MIN:
            return _join
        if not _has_forces(draw):
            return _muster
    ways = [(weight, way) for weight, way, fits in WAYS if fits(draw) or draw.rarely()]
    return draw.chance.choices([way for _, way in ways], [weight for weight, _ in ways])[0]


def propose(world: World, entries: Sequence[Entry], chance: Random) -> Request:
    """Return what somebody asks next: what is true is in `world`, what was recorded in `entries`."""
    draw = Drawing(world, entries, chance)
    if world.campaign is None or draw.chance.randint(1, 200) == 200:
        return Request("ana" if draw.rarely() else "paul", _found(draw))
    if world.campaign.ended and draw.chance.randint(0, 2):
        return Request(draw.organiser(), _end(draw))
    if draw.chance.randint(1, 14) == 14:
        return undo(draw)
    action = _way(draw)(draw)
    speaker = _speaker(draw, action)
    absent = draw.player() if chance.randint(1, 12) == 12 else ""
    return Request(speaker, action, absent)


def undo(draw: Drawing) -> Request:
    """Return what somebody asks who takes back their last command, or something else."""
    speaker = draw.player()
    numbers = own_last(draw.entries, speaker)
    if draw.rarely():
        numbers = (draw.world.number,)
    return Request(speaker, UndoCommand(entries=numbers))


def _speaker(draw: Drawing, action: Action) -> str:
    """Return who asks: mostly somebody who may."""
    world = draw.world
    if action.may == "organiser" or draw.chance.randint(0, 1):
        return draw.organiser()
    match action:
        case MusterForce(player=player):
            owners = [player]
        case ScheduleBattle(forces=forces):
            owners = [world.forces[key].player for key in forces if key in world.forces]
        case StartBattle(battle=key) | FinishBattle(battle=key) | CancelBattle(battle=key):
            fought = world.battles[key].forces if key in world.battles else ()
            owners = [world.forces[force].player for force in fought]
        case ChangeModel(model=key) | KillModel(model=key) | RenameModel(model=key):
            force = world.models[key].force if key in world.models else ""
            owners = [world.forces[force].player] if force else []
        case AddModel(force=key) | GrantPoints(force=key) | SpendPoints(force=key) | RenameForce(force=key):
            owners = [world.forces[key].player] if key in world.forces else []
        case _:
            owners = []
    return draw.one(owners or world.players, world.players)
