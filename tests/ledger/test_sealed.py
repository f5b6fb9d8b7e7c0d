"""A sealed choice is bound by the published digest, and by every part of it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.sealed import choice_commitment, digest, frame, seed_commitment

VECTORS = json.loads((Path(__file__).parent / "data" / "vectors.json").read_bytes())
SEAL, DICE, FRAMING = VECTORS["seal"], VECTORS["dice"], VECTORS["framing"]
NONCE = bytes.fromhex(SEAL["nonce"])
PAYLOAD = SEAL["payload"].encode()
ANCHOR = bytes.fromhex(DICE["anchor"])


def sealed(
    campaign: str = SEAL["campaign"],
    battle: str = SEAL["battle"],
    force: str = SEAL["force"],
    nonce: bytes = NONCE,
    payload: bytes = PAYLOAD,
) -> bytes:
    """Return the commitment of the published choice, with parts of it changed."""
    return choice_commitment(campaign, battle, force, nonce, payload)


def test_parts_are_framed_as_published() -> None:
    parts = [bytes.fromhex(part) for part in FRAMING["parts"]]
    assert frame(*parts).hex() == FRAMING["frame"]
    assert frame("a", "", "bc").hex() == FRAMING["frame"]
    assert digest(FRAMING["H_tag"], *parts).hex() == FRAMING["H"]


@given(st.lists(st.binary(max_size=6), max_size=5), st.lists(st.binary(max_size=6), max_size=5))
def test_two_lists_of_parts_never_give_the_same_bytes(one: list[bytes], other: list[bytes]) -> None:
    assert (frame(*one) == frame(*other)) == (one == other)


def test_moving_a_letter_from_one_part_to_the_next_changes_the_bytes() -> None:
    assert len({frame("ab", "c"), frame("a", "bc"), frame("abc"), frame("abc", ""), frame("", "abc")}) == 5


def test_a_text_is_framed_as_its_utf_8() -> None:
    assert frame("é") == b"\0\0\0\2\xc3\xa9" == frame("é".encode())


def test_a_choice_is_bound_by_the_published_digest() -> None:
    assert sealed().hex() == SEAL["commit"]
    assert sealed(force="bob").hex() == SEAL["commit_if_force_bob"]
    assert sealed(payload=b'{"hires":[],"total":0}').hex() == SEAL["commit_empty_hires"]


def test_a_choice_is_bound_to_its_campaign_its_battle_its_force_and_its_nonce() -> None:
    others = [
        sealed(campaign="f" * 32),
        sealed(battle="battle-2"),
        sealed(force="bob"),
        sealed(nonce=bytes(32)),
        sealed(payload=PAYLOAD + b" "),
        sealed(battle="battle-1anna", force=""),
    ]
    assert len({*others, sealed()}) == len(others) + 1


@pytest.mark.parametrize("member", ["alice", "bob", "house"])
def test_a_seed_is_bound_by_the_published_digest(member: str) -> None:
    seed = bytes.fromhex(DICE["seeds"][member])
    assert seed_commitment(ANCHOR, member, seed).hex() == DICE["commits"][member]


def test_a_commitment_copied_from_somebody_else_is_worth_nothing() -> None:
    seed = bytes.fromhex(DICE["seeds"]["bob"])
    own = {seed_commitment(ANCHOR, "bob", seed), seed_commitment(ANCHOR, "alice", seed)}
    assert len({*own, seed_commitment(bytes(32), "bob", seed)}) == 3


def test_one_kind_of_commitment_cannot_be_passed_off_as_another() -> None:
    assert digest("dice/commit", "x") != digest("seal/commit", "x")


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_secret_that_could_be_guessed_or_is_no_secret_of_ours_seals_nothing(length: int) -> None:
    with pytest.raises(AssertionError, match="32 bytes"):
        sealed(nonce=bytes(length))
    with pytest.raises(AssertionError, match="32 bytes"):
        seed_commitment(ANCHOR, "alice", bytes(length))
