"""Dice: what was thrown and where it came from, and throws that several people make together from their seeds.

Dice thrown by hand are testimony, those of the house are the recorder's word, and shared ones can be made again by
everybody who knows the seeds. The values are pure; nothing here throws anything by itself.
"""

import hmac
from collections.abc import Mapping
from typing import Literal

import msgspec

from ledger.errors import Refused
from ledger.sealed import PREFIX, SECRET_BYTES, frame

COUNT_MAX = 1000
"""Dice of one throw."""

FACES_MIN, FACES_MAX = 2, 65536
"""Faces of one die."""

Source = Literal["table", "house", "shared"]
"""Thrown by hand, by the recorder's program, or from the seeds of at least two sides."""


class Roll(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """The faces that dice showed, and where they came from."""

    dice: tuple[int, ...]
    faces: int = 6
    source: Source = "table"


def shared_key(anchor: bytes, seeds: Mapping[str, bytes]) -> bytes:
    """Return the key of a dice session: its anchor in the log and a seed of each member, whoever came first."""
    assert seeds, "somebody brings a seed"
    assert all(len(seed) == SECRET_BYTES for seed in seeds.values()), "a seed has 32 bytes"
    parts = [part for member in sorted(seeds, key=str.encode) for part in (member, seeds[member])]
    return hmac.digest(anchor, frame(PREFIX + "dice/key", *parts), "sha256")


class Throws:
    """The dice of one named roll of a session; dice thrown later go on where those before them stopped."""

    def __init__(self, key: bytes, roll: str) -> None:
        self._key = key
        self._roll = roll
        self._blocks = 0
        self._bytes = b""

    def throw(self, count: int, faces: int = 6) -> tuple[int, ...]:
        """Return the next faces, each equally likely.

        Raises `Refused` `DICE_PLAN_BOUNDS`.
        """
        check_bounds(count, faces)
        return tuple(self._face(faces) for _ in range(count))

    def _face(self, faces: int) -> int:
        width = 1 if faces <= 256 else 2
        # Values above the last whole round of faces are passed over: they would make the low faces likelier.
        limit = 256**width // faces * faces
        while (value := self._value(width)) >= limit:
            pass
        return value % faces + 1

    def _value(self, width: int) -> int:
        while len(self._bytes) < width:
            number = self._blocks.to_bytes(4, "big")
            self._bytes += hmac.digest(self._key, frame(PREFIX + "dice/roll", self._roll, number), "sha256")
            self._blocks += 1
        taken, self._bytes = self._bytes[:width], self._bytes[width:]
        return int.from_bytes(taken, "big")


def check_bounds(count: int, faces: int) -> None:
    """Check that so many dice with so many faces can be thrown.

    Raises `Refused` `DICE_PLAN_BOUNDS`.
    """
    if not (1 <= count <= COUNT_MAX and FACES_MIN <= faces <= FACES_MAX):
        raise Refused(
            "DICE_PLAN_BOUNDS", count=count, faces=faces, most=COUNT_MAX, least_faces=FACES_MIN, most_faces=FACES_MAX
        )
