"""Dice from several seeds: the published throws, and faces that are equally likely."""

import json
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger.dice import COUNT_MAX, FACES_MAX, FACES_MIN, Roll, Throws, check_bounds, shared_key
from ledger.errors import Refused
from ledger.line import CANON

VECTORS = json.loads((Path(__file__).parent / "data" / "vectors.json").read_bytes())["dice"]
ANCHOR = bytes.fromhex(VECTORS["anchor"])
SEEDS = {member: bytes.fromhex(seed) for member, seed in VECTORS["seeds"].items()}
KEY = bytes.fromhex(VECTORS["key"])


def test_the_seeds_of_three_members_give_the_published_key() -> None:
    assert shared_key(ANCHOR, SEEDS) == KEY


def test_who_reveals_first_makes_no_difference() -> None:
    assert shared_key(ANCHOR, dict(reversed(SEEDS.items()))) == KEY


def test_another_anchor_another_member_or_another_seed_gives_another_key() -> None:
    renamed = {"bert" if member == "bob" else member: seed for member, seed in SEEDS.items()}
    swapped = {**SEEDS, "alice": SEEDS["bob"], "bob": SEEDS["alice"]}
    alone = {"house": SEEDS["house"]}
    keys = [shared_key(ANCHOR, seeds) for seeds in (SEEDS, renamed, swapped, alone)]
    assert len({*keys, shared_key(bytes(32), SEEDS)}) == 5


@pytest.mark.parametrize("roll", VECTORS["rolls"], ids=lambda roll: f"{roll['roll']}-{roll['count']}d{roll['faces']}")
def test_a_key_gives_the_published_throws(roll: dict[str, Any]) -> None:
    thrown = Throws(KEY, roll["roll"]).throw(roll["count"], roll["faces"])
    assert list(thrown) == roll["result"]


def test_the_house_alone_gives_the_published_throws() -> None:
    key = shared_key(ANCHOR, {"house": SEEDS["house"]})
    assert key.hex() == VECTORS["single_member_key"]
    assert list(Throws(key, "r1").throw(10)) == VECTORS["single_member_r1_10d6"]


def test_dice_of_a_session_in_the_log_come_out_as_published() -> None:
    """The session of the sample log: its anchor is the leaf of the seventh line."""
    leafs = json.loads((Path(__file__).parent / "data" / "vectors.json").read_bytes())["log"]["leafs"]
    key = shared_key(bytes.fromhex(leafs[6]), {"anna": b"\xaa" * 32, "bob": b"\xbb" * 32})
    assert key.hex() == "5cfb063372850a7fbabfe68ae1af9f2d92e7d545c99980c415cee8f5f6733995"
    assert Throws(key, "injury:anna:1").throw(2) == (1, 2)
    assert Throws(key, "loot:bob").throw(1, 3) == (1,)
    assert Throws(key, "explore:bob").throw(3) == (6, 5, 3)


def test_dice_thrown_later_go_on_where_those_before_them_stopped() -> None:
    together = Throws(KEY, "r5").throw(40)
    throws = Throws(KEY, "r5")
    assert throws.throw(3) + throws.throw(1) + throws.throw(36) == together


@pytest.mark.parametrize(("faces", "likely"), [(6, 11.07), (3, 5.99), (20, 30.14)])
def test_every_face_is_equally_likely(faces: int, likely: float) -> None:
    """Of 20 throws of 1000 dice; taking each byte's remainder would favour the low faces beyond the bound.

    The bound is what chi squared stays under in 95 of 100 fair runs; these throws are the same in each run.
    """
    throws = Throws(KEY, "fairness")
    thrown = Counter(face for _ in range(20) for face in throws.throw(1000, faces))
    assert set(thrown) == set(range(1, faces + 1))
    even = 20_000 / faces
    assert sum((count - even) ** 2 / even for count in thrown.values()) < likely


@pytest.mark.parametrize("faces", [2, 255, 256, 257, 65535, 65536])
def test_a_die_of_any_size_shows_only_its_own_faces(faces: int) -> None:
    thrown = Throws(KEY, "odd").throw(500, faces)
    assert all(1 <= face <= faces for face in thrown)
    assert max(thrown) > faces * 0.9


@pytest.mark.parametrize(
    ("count", "faces"), [(0, 6), (-1, 6), (COUNT_MAX + 1, 6), (1, FACES_MIN - 1), (1, 0), (1, FACES_MAX + 1), (1, -6)]
)
def test_too_many_dice_or_no_dice_at_all_are_not_thrown(count: int, faces: int) -> None:
    throws = Throws(KEY, "r1")
    with pytest.raises(Refused) as met:
        throws.throw(count, faces)
    assert met.value.code == "DICE_PLAN_BOUNDS"
    assert (met.value.values["count"], met.value.values["faces"]) == (count, faces)
    assert list(throws.throw(10)) == next(roll["result"] for roll in VECTORS["rolls"] if roll["roll"] == "r1")


@pytest.mark.parametrize(("count", "faces"), [(1, FACES_MIN), (COUNT_MAX, FACES_MAX)])
def test_the_bounds_themselves_can_be_thrown(count: int, faces: int) -> None:
    check_bounds(count, faces)
    assert len(Throws(KEY, "r1").throw(count, faces)) == count


def test_a_seed_of_another_length_makes_no_key() -> None:
    with pytest.raises(AssertionError, match="32 bytes"):
        shared_key(ANCHOR, {"alice": bytes(31)})
    with pytest.raises(AssertionError, match="seed"):
        shared_key(ANCHOR, {})


def test_a_roll_of_six_sided_dice_from_the_table_is_written_as_its_faces_alone() -> None:
    assert CANON.encode(Roll((6, 1))) == b'{"dice":[6,1]}'
    assert msgspec.json.decode(b'{"dice":[6,1]}', type=Roll) == Roll((6, 1), 6, "table")
    assert CANON.encode(Roll((3,), 3, "shared")) == b'{"dice":[3],"faces":3,"source":"shared"}'


@pytest.mark.parametrize("text", ['{"dice":[1],"source":"magic"}', '{"dice":[1],"owner":"x"}', '{"dice":1}', "{}"])
def test_a_roll_that_does_not_say_where_it_came_from_in_our_words_is_none(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Roll)


def test_the_first_block_of_a_roll_is_the_published_one() -> None:
    """A die of 256 faces shows each byte of it, and one."""
    block = bytes(face - 1 for face in islice(Throws(KEY, "r1").throw(40, 256), 32))
    assert block.hex() == VECTORS["block0_r1"]
