"""How a force enters a campaign, is named, and leaves it: mustered new, or opened at the state it has on paper."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, assert_never

import msgspec

from aggregates.accounts import RECORD, force_account
from aggregates.authority import require_part
from aggregates.contract import Family
from aggregates.force.models import Figure, ModelJoined, NewModel, join
from aggregates.kinds import Action, Because, Event, ForceEvent, Key, Name, Posting, Refused, Request, Role
from aggregates.options import OVERDRAFT
from aggregates.purses import check_purse
from aggregates.state import Force, World
from aggregates.text import fold

MODELS_MAX = 500
"""Models of one force at its muster."""

Short = Annotated[str, msgspec.Meta(pattern=r"^([a-z0-9][a-z0-9-]{0,11})?$(?!\n)")]


class NewForce(Action, frozen=True, kw_only=True):
    """A force as it comes into the campaign: what it is, what it has in its purses, and its models."""

    force: Key
    name: Name
    player: Key
    short: Short = ""
    faction: Because = ""
    purses: tuple[Figure, ...] = ()
    models: tuple[NewModel, ...] = ()


class MusterForce(NewForce, tag="force.muster", frozen=True, kw_only=True):
    """Bring a new force into the campaign."""

    may: ClassVar[Role] = "player"


class TranscribeForce(NewForce, tag="force.transcribe", frozen=True, kw_only=True):
    """Open a force that began on paper at the state an organiser vouches for.

    `purses` may also name counts of battles: `played`, `won`, `drawn`, `lost`, `byes`.
    """

    because: Because


class RenameForce(Action, tag="force.rename", frozen=True, kw_only=True):
    """Correct a force's name."""

    may: ClassVar[Role] = "player"
    force: Key
    name: Name


class DissolveForce(Action, tag="force.dissolve", frozen=True, kw_only=True):
    """Take a force out of the campaign; its history stays."""

    may: ClassVar[Role] = "player"
    force: Key
    because: Because = ""


class ForceMustered(ForceEvent, tag="force.mustered", frozen=True, kw_only=True, gc=False):
    """A new force takes part."""

    name: str
    player: str
    short: str = ""
    faction: str = ""


class ForceTranscribed(ForceEvent, tag="force.transcribed", frozen=True, kw_only=True, gc=False):
    """A force that began on paper takes part from a stated state; nothing in the book shows how it came there."""

    name: str
    player: str
    because: str
    short: str = ""
    faction: str = ""


class ForceRenamed(ForceEvent, tag="force.renamed", frozen=True, kw_only=True, gc=False):
    """A force is called otherwise."""

    name: str


class ForceDissolved(ForceEvent, tag="force.dissolved", frozen=True, kw_only=True, gc=False):
    """A force takes no further part."""

    because: str = ""


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide how a force comes, is named, and goes."""
    match request.action:
        case MusterForce() as asked:
            postings = _open(world, request, asked, counts=())
            yield ForceMustered(
                force=asked.force,
                name=asked.name,
                player=asked.player,
                short=asked.short,
                faction=asked.faction,
                postings=postings,
            )
            yield from _joined(world, asked, transcribed=False)
        case TranscribeForce() as asked:
            if not asked.because:
                raise Refused("TRANSCRIPTION_UNEXPLAINED", force=asked.name)
            postings = _open(world, request, asked, counts=RECORD)
            yield ForceTranscribed(
                force=asked.force,
                name=asked.name,
                player=asked.player,
                because=asked.because,
                short=asked.short,
                faction=asked.faction,
                postings=postings,
            )
            yield from _joined(world, asked, transcribed=True)
        case RenameForce(force=key, name=name):
            require_part(world, request, key)
            if world.force(key).name == name:
                raise Refused("NOTHING_CHANGES", what=name)
            _check_name(world, key, name, "")
            yield ForceRenamed(force=key, name=name)
        case DissolveForce(force=key, because=because):
            require_part(world, request, key)
            if busy := world.battles_of(key, "scheduled", "started"):
                numbers = ", ".join(str(battle.number) for battle in busy)
                raise Refused("FORCE_IN_BATTLE", force=world.force(key).name, battles=numbers)
            yield ForceDissolved(force=key, because=because)
        case other:
            raise AssertionError(other)


def _open(world: World, request: Request, asked: NewForce, counts: tuple[str, ...]) -> tuple[Posting, ...]:
    player = world.player(asked.player)
    speaker = world.player(request.by)
    if speaker.role != "organiser" and speaker.key != player.key:
        raise Refused("NOT_YOUR_FORCE", player=speaker.name, force=asked.name, organisers=player.name)
    if player.left:
        raise Refused("PLAYER_HAS_LEFT", player=player.name, force=asked.name)
    if asked.force in world.forces:
        raise Refused("KEY_TAKEN", key=asked.force)
    if len(asked.models) > MODELS_MAX:
        raise Refused("TOO_MANY_MODELS", given=len(asked.models), most=MODELS_MAX)
    _check_name(world, asked.force, asked.name, asked.short)
    names = [figure.name for figure in asked.purses]
    if twice := [name for name in names if names.count(name) > 1]:
        raise Refused("FIGURE_TWICE", figure=twice[0])
    for figure in asked.purses:
        _check_opening(world, figure, counts)
    return tuple(Posting(force_account(asked.force, f.name), f.amount) for f in asked.purses if f.amount)


def _check_opening(world: World, figure: Figure, counts: tuple[str, ...]) -> None:
    """Check that something is counted under this name, and that it does not begin below zero without leave."""
    is_count = figure.name in counts
    if not is_count:
        check_purse(world, figure.name)
    if figure.amount < 0 and (is_count or OVERDRAFT.of(world.settings) == "refuse"):
        raise Refused("AMOUNT_NEGATIVE", purse=figure.name, amount=figure.amount)


def _joined(world: World, asked: NewForce, *, transcribed: bool) -> Iterator[ModelJoined]:
    seen: set[tuple[str, str]] = set()
    for model in asked.models:
        yield join(world, asked.force, model, seen, transcribed=transcribed)


def _check_name(world: World, key: str, name: str, short: str) -> None:
    for other in world.forces.values():
        if other.key == key or other.dissolved:
            continue
        if fold(other.name) == fold(name):
            raise Refused("NAME_TAKEN", name=name, other=other.name)
        if short and other.short == short:
            raise Refused("SHORT_TAKEN", short=short, other=other.name)


MusterEvent = ForceMustered | ForceTranscribed | ForceRenamed | ForceDissolved


def evolve(world: World, event: MusterEvent) -> None:
    """Apply how a force comes, is named, and goes."""
    forces = world.forces
    match event:
        case ForceMustered(force=key):
            forces[key] = Force(key, event.name, event.player, event.short, event.faction)
        case ForceTranscribed(force=key):
            forces[key] = Force(key, event.name, event.player, event.short, event.faction, transcribed=True)
            world.transcribed |= {posting.account for posting in event.postings}
        case ForceRenamed(force=key, name=name):
            forces[key] = msgspec.structs.replace(forces[key], name=name)
        case ForceDissolved(force=key):
            forces[key] = msgspec.structs.replace(forces[key], dissolved=True)
        case _:
            assert_never(event)


FAMILY = Family(
    actions=(MusterForce, TranscribeForce, RenameForce, DissolveForce),
    events=(ForceMustered, ForceTranscribed, ForceRenamed, ForceDissolved),
    decide=decide,
    evolve=evolve,
)
