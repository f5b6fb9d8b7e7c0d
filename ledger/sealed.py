"""Commitments: a choice or a seed bound by a digest before it is shown, so that nobody can change it afterwards.

Everything that is bound goes into the digest in frames, each part with its length before it: no two lists of parts give
the same bytes. What kind of commitment it is stands in the digest as well, so none can be passed off as another.
"""

import hashlib

PREFIX = "campaign-ledger/1/"
"""What every kind begins with; another format of the log would have another one."""

SECRET_BYTES = 32
"""Bytes of a nonce or a seed, always."""


def frame(*parts: str | bytes) -> bytes:
    """Return parts as one run of bytes that no other list of parts gives."""
    framed = []
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        framed += [len(raw).to_bytes(4, "big"), raw]
    return b"".join(framed)


def digest(kind: str, *parts: str | bytes) -> bytes:
    """Return the digest of parts for one kind of use."""
    return hashlib.sha256(frame(PREFIX + kind, *parts)).digest()


def seed_commitment(anchor: bytes, member: str, seed: bytes) -> bytes:
    """Return what a member of a dice session commits to before any seed is shown."""
    _check_secret(seed)
    return digest("dice/commit", anchor, member, seed)


def choice_commitment(campaign: str, battle: str, force: str, nonce: bytes, payload: bytes) -> bytes:
    """Return what a force commits to before its sealed choice is opened; `payload` is the choice as canonical JSON."""
    _check_secret(nonce)
    return digest("seal/commit", bytes.fromhex(campaign), battle, force, nonce, payload)


def _check_secret(secret: bytes) -> None:
    # A shorter one could be guessed; nothing in the program makes one of another length.
    assert len(secret) == SECRET_BYTES, "a nonce or a seed has 32 bytes"
