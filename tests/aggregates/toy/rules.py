"""The toy: a whole rule system of five rules, small enough to be read beside the tests that use it.

TOY-01  The winners of a battle get glory, as much as the option `toy.prize` says.
TOY-02  A chest costs glory: the price of its row.
TOY-03  Who opens a chest throws a die; its row gives glory, and the dice it asks for beside give their faces.
TOY-04  A wager is sealed before it is told; a force has one open wager at most and pays it when it is told.
TOY-05  While a wager is open its force spends nothing else.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar, assert_never

import msgspec

from aggregates.accounts import force_account, owner
from aggregates.authority import require_part
from aggregates.campaign.battles import BattleFinished
from aggregates.contract import DiceDue, Family, System
from aggregates.kinds import Action, Event, ForceEvent, Key, Posting, Refused, Request, Role
from aggregates.rules import Option, Table, overlay, read_table
from aggregates.state import World
from ledger.dice import Roll

GLORY = "glory"
FACES = 6

PRIZE = Option(key="toy.prize", takes="number", default=2, least=0, most=20, counts_from="battle", rule="TOY-01")


class Chest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of chest: the faces that find it, what is in it, and what it costs to buy one."""

    faces: tuple[int, ...]
    glory: int
    more_dice: int
    price: Annotated[int, msgspec.Meta(ge=1)]


CHESTS: Table[Chest] = read_table(Path(__file__).parent / "tables" / "chests.json", Chest)


class Wager(msgspec.Struct, frozen=True):
    """The private part of a wager: what is staked, and a word that nobody guesses."""

    stake: int
    word: str


class Seal(msgspec.Struct, frozen=True):
    """What everybody knows of a wager that is not told yet."""

    wager: str
    commitment: str


class BuyChest(Action, tag="toy.buy-chest", frozen=True, kw_only=True):
    """Buy a chest for glory."""

    may: ClassVar[Role] = "player"
    force: Key
    chest: str


class OpenChest(Action, tag="toy.open-chest", frozen=True, kw_only=True):
    """Throw a die for a chest, and the dice its row asks for."""

    may: ClassVar[Role] = "player"
    force: Key
    rolls: tuple[Roll, ...] = ()


class SealWager(Action, tag="toy.seal-wager", frozen=True, kw_only=True):
    """Seal a wager; what is staked is its private part."""

    may: ClassVar[Role] = "player"
    force: Key
    wager: Key

    @property
    def sealed_as(self) -> str:
        """The name under which the wager is told later."""
        return f"toy/{self.force}/{self.wager}"


class TellWager(Action, tag="toy.tell-wager", frozen=True, kw_only=True):
    """Tell what was staked, and pay it."""

    may: ClassVar[Role] = "player"
    force: Key
    wager: Key
    stake: Annotated[int, msgspec.Meta(ge=1, le=100)]
    word: str


class PrizeWon(ForceEvent, tag="toy.prize-won", frozen=True, kw_only=True, gc=False):
    """A force won glory in a battle."""

    battle: str


class ChestBought(ForceEvent, tag="toy.chest-bought", frozen=True, kw_only=True, gc=False):
    """A force bought a chest."""

    chest: str
    price: int


class ChestOpened(ForceEvent, tag="toy.chest-opened", frozen=True, kw_only=True, gc=False):
    """A force found a chest and what was in it."""

    chest: str
    rolls: tuple[Roll, ...]


class WagerSealed(ForceEvent, tag="toy.wager-sealed", frozen=True, kw_only=True, gc=False):
    """A force staked something; nobody knows what."""

    wager: str
    commitment: str


class WagerTold(ForceEvent, tag="toy.wager-told", frozen=True, kw_only=True, gc=False):
    """A force told what it had staked."""

    wager: str
    stake: int
    word: str


ToyEvent = PrizeWon | ChestBought | ChestOpened | WagerSealed | WagerTold


def chests(world: World) -> Table[Chest]:
    """Return the chests a campaign plays by: the released ones with what its own page changes."""
    pinned = world.pinned.get("overlay/chests")
    return overlay(CHESTS, pinned.content) if pinned else CHESTS


def commit(force: str, wager: str, private: Wager) -> str:
    """Return what is shown of a wager before it is told."""
    told = "/".join((force, wager, str(private.stake), private.word))
    return hashlib.sha256(told.encode()).hexdigest()


def decide(world: World, request: Request) -> Iterator[Event]:
    """Decide what a force buys, opens, seals and tells."""
    match request.action:
        case BuyChest(force=force, chest=key):
            require_part(world, request, force)
            price = chests(world)[key].price
            paid = Posting(force_account(force, GLORY), -price, "TOY-02")
            yield ChestBought(force=force, chest=key, price=price, rules=("TOY-02",), postings=(paid,))
        case OpenChest(force=force, rolls=rolls):
            require_part(world, request, force)
            yield _open(world, force, rolls)
        case SealWager(force=force, wager=wager):
            require_part(world, request, force)
            if seal := _open_seal(world, force):
                raise Refused("TOY_WAGER_OPEN", rule="TOY-04", wager=seal.wager)
            if not isinstance(request.private, Wager):
                raise Refused("TOY_NOTHING_STAKED", rule="TOY-04", wager=wager)
            commitment = commit(force, wager, request.private)
            yield WagerSealed(force=force, wager=wager, commitment=commitment, rules=("TOY-04",))
        case TellWager(force=force, wager=wager, stake=stake, word=word):
            require_part(world, request, force)
            seal = _open_seal(world, force)
            if seal is None or seal.wager != wager or seal.commitment != commit(force, wager, Wager(stake, word)):
                raise Refused("TOY_WAGER_DIFFERS", rule="TOY-04", wager=wager)
            yield WagerTold(
                force=force,
                wager=wager,
                stake=stake,
                word=word,
                rules=("TOY-04",),
                postings=(Posting(force_account(force, GLORY), -stake, "TOY-04"),),
            )
        case other:
            raise AssertionError(other)


def _open(world: World, force: str, rolls: tuple[Roll, ...]) -> ChestOpened:
    for face in (face for roll in rolls for face in roll.dice):
        if not 1 <= face <= FACES:
            raise Refused("DICE_OUT_OF_RANGE", rule="TOY-03", face=face, faces=FACES)
    first = rolls[0].dice if rolls else ()
    key = _found(world, first[0]) if first else ""
    needed = _dice_of(world, key)
    given = tuple(len(roll.dice) for roll in rolls)
    if given != needed or any(roll.faces != FACES for roll in rolls):
        told = {name: ", ".join(map(str, counts)) for name, counts in (("given", given), ("needed", needed))}
        raise Refused("DICE_PATH_INVALID", rule="TOY-03", **told)
    chest = chests(world)[key]
    glory = chest.glory + sum(face for roll in rolls[1:] for face in roll.dice)
    gained = (Posting(force_account(force, GLORY), glory, "TOY-03"),) if glory else ()
    return ChestOpened(force=force, chest=key, rolls=rolls, rules=("TOY-03",), postings=gained)


def _found(world: World, face: int) -> str:
    """Return which chest a face finds; empty for a face that no die shows."""
    return next((key for key, chest in chests(world).rows.items() if face in chest.faces), "")


def _dice_of(world: World, key: str) -> tuple[int, ...]:
    """Return how many dice each throw takes for a chest; only the first is known before it is found."""
    more = chests(world)[key].more_dice if key else 0
    return (1, more) if more else (1,)


def due(world: World, action: Action) -> tuple[DiceDue, ...]:
    """Return the dice that opening a chest asks for next."""
    match action:
        case OpenChest(rolls=()):
            return (DiceDue("toy.chest", 1, FACES),)
        case OpenChest(rolls=(Roll(dice=(face,)),)):
            return tuple(DiceDue("toy.contents", dice, FACES) for dice in _dice_of(world, _found(world, face))[1:])
        case _:
            return ()


def guard(world: World, posting: Posting) -> None:
    """Refuse what a force with an open wager spends on anything else.

    Raises `Refused` `TOY_SPENDING_FROZEN`.
    """
    kind, force, _ = owner(posting.account)
    if kind == "force" and posting.rule != "TOY-04" and (seal := _open_seal(world, force)):
        raise Refused("TOY_SPENDING_FROZEN", rule="TOY-05", force=world.forces[force].name, wager=seal.wager)


def _open_seal(world: World, force: str) -> Seal | None:
    seal = world.sheets["toy"].get(force)
    assert seal is None or isinstance(seal, Seal)
    return seal


def react(world: World, events: tuple[Event, ...]) -> Iterator[Event]:
    """Give the winners of a battle their prize."""
    prize = PRIZE.of(world.settings)
    for event in events:
        if isinstance(event, BattleFinished) and isinstance(prize, int) and prize:
            for force in event.winners:
                won = Posting(force_account(force, GLORY), prize, "TOY-01")
                yield PrizeWon(force=force, battle=event.battle, rules=("TOY-01",), postings=(won,))


def opens(event: Event) -> tuple[str, object] | None:
    """Return the wager that an event tells, under the name it was sealed as."""
    if isinstance(event, WagerTold):
        return f"toy/{event.force}/{event.wager}", Wager(event.stake, event.word)
    return None


def evolve(world: World, event: ToyEvent) -> None:
    """Apply what a force sealed and told; the rest is in the postings."""
    match event:
        case PrizeWon() | ChestBought() | ChestOpened():
            pass
        case WagerSealed(force=force, wager=wager, commitment=commitment):
            world.sheets["toy"][force] = Seal(wager, commitment)
        case WagerTold(force=force):
            del world.sheets["toy"][force]
        case _:
            assert_never(event)


FAMILY = Family(
    actions=(BuyChest, OpenChest, SealWager, TellWager),
    events=(PrizeWon, ChestBought, ChestOpened, WagerSealed, WagerTold),
    decide=decide,
    evolve=evolve,
)

SYSTEM = System(
    name="toy",
    editions=("1", "2"),
    families=(FAMILY,),
    options=(PRIZE,),
    purses=(GLORY,),
    guard=guard,
    react=react,
    due=due,
    opens=opens,
)
