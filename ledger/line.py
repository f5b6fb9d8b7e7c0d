"""The line: one event as stored. What is stored is what is hashed and what is exported, byte for byte.

A line is canonical JSON. The first line of an entry is the entry itself: when, by whom, for whom, the command and the
action as asked; its events follow. Each line carries the RFC 6962 root of all lines before it.
"""

import functools
import hashlib
import operator
import re
from collections.abc import Mapping
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from ledger.errors import Damaged, LedgerError, Refused
from ledger.settings import INTEGER_MAX, LINE_BYTES_MAX, LINE_DEPTH_MAX

CANON = msgspec.json.Encoder(order="sorted")
"""The one spelling: keys sorted, no spaces, UTF-8 as it is."""

_encode = CANON.encode

EMPTY_ROOT = hashlib.sha256(b"").digest()

E = TypeVar("E")

Whole = Annotated[int, msgspec.Meta(ge=-INTEGER_MAX, le=INTEGER_MAX)]
"""A whole number that every reader of JSON keeps as it is."""


_leaf = hashlib.sha256(b"\0").copy
_node = hashlib.sha256(b"\1").copy
"""Digests begun with the byte that tells a line from an inner node; a copy costs less than beginning anew."""


class Tree:
    """An RFC 6962 tree that grows at its right end; its size and peaks are all it has to keep.

    Each line needs a handful of digests, so they are made with as little around them as there can be.
    """

    def __init__(self, size: int = 0, peaks: bytes = b"") -> None:
        self.size = size
        self._peaks = [peaks[start : start + 32] for start in range(0, len(peaks), 32)]
        if len(peaks) % 32 or len(self._peaks) != size.bit_count():
            raise ValueError("peaks do not fit the size")

    @property
    def peaks(self) -> bytes:
        """The roots of the full subtrees, the largest first."""
        return b"".join(self._peaks)

    def push(self, line: bytes) -> None:
        """Add a line at the right end."""
        digest, size, peaks = _leaf(), self.size, self._peaks
        digest.update(line)
        root = digest.digest()
        while size & 1:
            digest = _node()
            digest.update(peaks.pop() + root)
            root = digest.digest()
            size >>= 1
        peaks.append(root)
        self.size += 1

    def root(self) -> bytes:
        """Return the root over all lines so far."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in self._peaks[-2::-1]:
            digest = _node()
            digest.update(peak + root)
            root = digest.digest()
        return root


class EntryRecorded(msgspec.Struct, frozen=True, gc=False, tag="entry.recorded", tag_field="t"):
    """The first line of an entry; `lines` says how many it has with this one, so that a log cut inside one is seen."""

    lines: int


class Line(
    msgspec.Struct, Generic[E], frozen=True, kw_only=True, gc=False, omit_defaults=True, forbid_unknown_fields=True
):
    """A stored line as read; the fields with defaults stand on the first line of an entry only."""

    data: E
    entry: Whole
    id: str
    prev: str
    seq: Whole
    stream: str
    ver: Whole
    action: msgspec.Raw = msgspec.Raw(b"")
    at: str = ""
    by: str = ""
    command: str = ""
    for_: str = msgspec.field(name="for", default="")


class Fact(msgspec.Struct, Generic[E], frozen=True, gc=False):
    """An event's line as far as a fold looks at it; the rest is passed over, which makes reading cheaper."""

    data: E
    entry: int


class Registry:
    """The events a book may hold, by tag: a closed list. Nothing in stored data names code."""

    def __init__(self, events: Mapping[str, type]) -> None:
        self.events = dict(events)
        self._union: Any = functools.reduce(operator.or_, events.values())

    @functools.cached_property
    def decoder(self) -> msgspec.json.Decoder[Line[Any]]:
        """The decoder of whole lines."""
        union: Any = self._union | EntryRecorded
        kind: Any = Line[union]
        return msgspec.json.Decoder(kind)

    @functools.cached_property
    def facts(self) -> msgspec.json.Decoder[Fact[Any]]:
        """The decoder of what a fold looks at."""
        union: Any = self._union
        kind: Any = Fact[union]
        return msgspec.json.Decoder(kind)

    def strict(self, raw: bytes, number: int) -> Line[Any]:
        """Return a line that came from outside, if it is one of ours in its one spelling.

        Raises `Refused` (`IMPORT_TOO_BIG`, `IMPORT_UNKNOWN_TYPE`) and `Damaged` (`IMPORT_NOT_CANONICAL`), each with the
        line's `number`.
        """
        if len(raw) > LINE_BYTES_MAX:
            raise Refused("IMPORT_TOO_BIG", what="line", line=number, size=len(raw), most=LINE_BYTES_MAX)
        try:
            line = self.decoder.decode(raw)
            plain = _plain_decoder().decode(raw)
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
            return self._strict_slowly(raw, number)
        if _encode(line) != raw or (line.action and _encode(plain.action) != bytes(line.action)):
            return self._strict_slowly(raw, number)
        return line

    def _strict_slowly(self, raw: bytes, number: int) -> Line[Any]:
        """Look at a line part by part: say what is wrong with it, or find that it is only deeper than most."""
        if (depth := _depth(raw)) > LINE_DEPTH_MAX:
            raise Refused("IMPORT_TOO_BIG", what="depth", line=number, size=depth, most=LINE_DEPTH_MAX)
        try:
            line = self.decoder.decode(raw)
            pieces = msgspec.json.decode(raw)
            same = _encode(line) == raw == _encode(pieces) and _is_plain(pieces)
        except msgspec.ValidationError as error:
            raise _unknown(str(error), number) from error
        except (msgspec.MsgspecError, ValueError, OverflowError) as error:
            raise Damaged("IMPORT_NOT_CANONICAL", line=number) from error
        if not same:
            raise Damaged("IMPORT_NOT_CANONICAL", line=number)
        return line


class _Plain(msgspec.Struct, Generic[E], frozen=True, gc=False):
    """The free parts of a line, with nothing in them but texts, truth values, and whole numbers that last."""

    data: E
    action: E | msgspec.UnsetType = msgspec.UNSET


@functools.cache
def _plain_decoder() -> msgspec.json.Decoder[_Plain[Any]]:
    """Return the decoder that takes no fraction, no null, and no whole number that other readers would round.

    A type cannot hold itself, so it goes as deep as our actions do; a line that is deeper is looked at slowly.
    """
    value: Any = bool | str | Whole
    for _ in range(_USUAL_DEPTH):
        value = bool | str | Whole | list[value] | dict[str, value]
    kind: Any = _Plain[value]
    return msgspec.json.Decoder(kind)


_USUAL_DEPTH = 6


def _is_plain(value: Any) -> bool:
    """Tell whether a value holds no fraction, no null and no whole number that other readers would round."""
    match value:
        case dict():
            return all(map(_is_plain, value.values()))
        case list():
            return all(map(_is_plain, value))
        case None | float():
            return False
        case int():
            return abs(value) <= INTEGER_MAX
        case _:
            return True


_TEXT_OR_LEAF = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[^"{}\[\]]+', re.DOTALL)


def _depth(raw: bytes) -> int:
    """Return how deeply arrays and objects stand in each other, whatever else is wrong with a line."""
    depth = deepest = 0
    for bracket in _TEXT_OR_LEAF.sub(b"", raw):
        depth += 1 if bracket in b"{[" else -1
        deepest = max(deepest, depth)
    return deepest


def _unknown(detail: str, number: int) -> LedgerError:
    """Return the error for a line whose form is not ours: a newer program's, or no line at all."""
    if "$.data.t`" in detail or "unknown field" in detail:
        return Refused("IMPORT_UNKNOWN_TYPE", line=number, detail=detail)
    return Damaged("IMPORT_NOT_CANONICAL", line=number)


class FirstLine(msgspec.Struct, gc=False, omit_defaults=True):
    """The first line of an entry as written; its fields stand in the order of their names, so it is canonical."""

    action: msgspec.Raw
    at: str
    by: str
    command: str
    data: msgspec.Raw
    entry: int
    for_: str = msgspec.field(name="for", default="")
    id: str = ""
    prev: str = ""
    seq: int = 0
    stream: str = ""
    ver: int = 0


class EventLine(msgspec.Struct, gc=False):
    """The line of an event as written, canonical in the same way."""

    data: msgspec.Raw
    entry: int
    id: str
    prev: str
    seq: int
    stream: str
    ver: int
