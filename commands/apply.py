"""`campaign apply`: record a file of actions, JSON Lines, one command a line.

    {"by": "ana", "actions": [{"t": "points.spend", "force": "ba", "purse": "points", "amount": 5}]}

A line may name `id`, `for`, and a single `action` instead of `actions`. The form of the whole file is checked before
anything is recorded. A line without an id gets one from the file and its number: the same file again adds nothing.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from commands import context, screen
from commands.arguments import ID, given, writes
from ledger.errors import LedgerError, NotNow, OutcomeUnknown, Refused
from ledger.wording import say

if TYPE_CHECKING:
    from commands.record import Command, Recorded, Recorder


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a file: a command, who sends it and for whom."""

    by: str
    actions: tuple[msgspec.Raw, ...] = ()
    action: msgspec.Raw = msgspec.Raw(b"")
    behalf: str = msgspec.field(name="for", default="")
    id: str = ""


class Line(msgspec.Struct, frozen=True):
    """One line of a file, read: its number, its command's id, who asks, and the actions."""

    number: int
    id: str
    by: str
    behalf: str
    actions: tuple[Any, ...]


class Result(msgspec.Struct, frozen=True):
    """What came of one line."""

    line: int
    status: Literal["recorded", "repeated", "kept", "refused"]
    entries: tuple[int, ...] = ()
    refusal: dict[str, Any] | None = None


@writes
def run(
    file: Path,
    keep_going: Annotated[bool, typer.Option("--keep-going")] = False,
    atomic: Annotated[bool, typer.Option("--atomic")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run")] = False,
) -> int:
    """Record a file of actions."""
    try:
        with context.recorder() as recorder:
            lines = read_lines(file, recorder.systems)
            if atomic or dry_run:
                return _tell(_together(recorder, lines, dry_run=dry_run))
            return _tell(_one_by_one(recorder, lines, keep_going=keep_going))
    except (NotNow, OutcomeUnknown) as error:
        error.values["again"] = ""  # The lines have ids of their own.
        raise


def read_lines(file: Path, systems: tuple[str, ...]) -> tuple[Line, ...]:
    """Read a file of actions and check its form.

    Raises `Refused` `APPLY_MALFORMED` with the line, and whatever is wrong with the file.
    """
    from ledger.files import read_text_file
    from ledger.settings import APPLY_BYTES_MAX

    text = read_text_file(file, APPLY_BYTES_MAX)
    digest = hashlib.sha256(text.encode()).hexdigest()[:24]
    lines = tuple(
        _read(number, raw, digest, systems)
        for number, raw in enumerate(text.split("\n"), start=1)
        if raw.strip() and not raw.startswith("#")
    )
    _check_ids(lines)
    return lines


def _check_ids(lines: Sequence[Line]) -> None:
    """Check that no two lines are the same command: in one transaction the book could not tell them apart."""
    first: dict[str, int] = {}
    for line in lines:
        if first.setdefault(line.id, line.number) != line.number:
            raise Refused("APPLY_MALFORMED", line=line.number, detail=f"id {line.id} = {first[line.id]}")


def _read(number: int, raw: str, digest: str, systems: tuple[str, ...]) -> Line:
    from aggregates.world import action_decoder

    try:
        asked = msgspec.json.decode(raw, type=Asked)
        parts = asked.actions or ((asked.action,) if asked.action else ())
        actions = tuple(map(action_decoder(systems).decode, parts))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Refused("APPLY_MALFORMED", line=number, detail=str(error)) from error
    if not actions or (asked.actions and asked.action):
        raise Refused("APPLY_MALFORMED", line=number, detail="action | actions")
    if asked.id and not ID.fullmatch(asked.id):
        raise Refused("APPLY_MALFORMED", line=number, detail=f"id {asked.id}")
    return Line(number, asked.id or f"file:{digest}:{number}", asked.by, asked.behalf, actions)


def command(line: Line, reached: list[Line] | None = None) -> "Command":
    """Return a line as a command to record; `reached` gets the line as soon as it is being decided."""
    from aggregates.kinds import Request
    from aggregates.state import World
    from commands.record import Command

    requests = [Request(line.by, action, line.behalf) for action in line.actions]

    def build(world: World) -> list[Request]:
        if reached is not None:
            reached.append(line)
        return requests

    return Command(line.id, build)


def _one_by_one(recorder: "Recorder", lines: Sequence[Line], *, keep_going: bool) -> Iterator[Result]:
    for line in lines:
        try:
            (recorded,) = recorder.record(command(line))
        except Refused as refusal:
            yield _refused(line, refusal)
            if not keep_going:
                return
        else:
            yield _result(line, recorded)


def _together(recorder: "Recorder", lines: Sequence[Line], *, dry_run: bool) -> Iterator[Result]:
    reached: list[Line] = []
    commands = tuple(command(line, reached) for line in lines)
    try:
        done = recorder.try_out(*commands) if dry_run else recorder.record(*commands)
    except Refused as refusal:
        yield _refused(reached[-1], refusal)
        return
    for line, recorded in zip(lines, done, strict=True):
        yield _result(line, recorded, dry_run=dry_run)


def _result(line: Line, recorded: "Recorded", *, dry_run: bool = False) -> Result:
    status: Literal["recorded", "repeated", "kept"] = (
        "repeated" if recorded.repeated else "kept" if dry_run else "recorded"
    )
    return Result(line.number, status, tuple(entry.number for entry in recorded.entries))


def _refused(line: Line, refusal: LedgerError) -> Result:
    from commands import failure

    return Result(line.number, "refused", (), failure.as_json(refusal))


def _tell(results: Iterator[Result]) -> int:
    """Tell each result as it comes and return the exit status: 3 when a line was refused."""
    counts: dict[str, int] = {}
    for result in results:
        counts[result.status] = counts.get(result.status, 0) + 1
        if given().json:
            screen.show_json(result)
        elif result.refusal is not None:
            screen.tell(say("screen.line-refused", line=result.line, message=str(result.refusal["message"])))
    if not given().json:
        screen.tell(
            say("screen.applied", **{name: counts.get(name, 0) for name in ("recorded", "repeated", "refused", "kept")})
        )
    return 3 if counts.get("refused") else 0
