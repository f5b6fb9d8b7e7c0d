"""`campaign force`: bring a force into the campaign, name it, take it out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands import answer, context, screen
from commands.arguments import given, writes
from ledger.errors import Refused

if TYPE_CHECKING:
    from aggregates.state import World

app = typer.Typer(add_completion=False)

Player = Annotated[str, typer.Option()]


@app.command("check")
def check(file: Path) -> int:
    """Tell every problem of a force file; record nothing."""
    from commands import failure, rosters
    from ledger.files import read_text_file
    from ledger.settings import FILE_BYTES_MAX
    from ledger.wording import say

    found = tuple(rosters.problems(file, read_text_file(file, FILE_BYTES_MAX)))
    if given().json:
        screen.show_json([failure.as_json(problem) for problem in found])
    for problem in () if given().json else found:
        screen.tell(f"{failure.sentence(problem)} [{problem.code}]")
    if not found and not given().json:
        force = rosters.read_force_file(file)
        models = sum(model.count for model in force.model)
        screen.tell(say("screen.file-good", file=file.name, name=force.force.name, count=models))
    return 3 if found else 0


@app.command("muster")
@writes
def muster(file: Path, player: Player = "", short: Player = "") -> None:
    """Bring a new force into the campaign from a file."""
    from commands import rosters

    read = rosters.read_force_file(file)
    if read.record or read.force.because:
        raise Refused("FILE_IS_TRANSCRIPTION", file=file.name)
    answer.send(lambda world: [rosters.muster(world, read, _player(world, player), short)], "campaign sheet")


@app.command("transcribe")
@writes
def transcribe(file: Path, player: Player = "", because: Player = "") -> None:
    """Open a force that began on paper at the state its file gives."""
    from commands import rosters

    read = rosters.read_force_file(file)
    answer.send(lambda world: [rosters.transcription(world, read, _player(world, player), because)], "campaign sheet")


def _player(world: "World", typed: str) -> str:
    from commands import who as named

    return named.player(world, typed) if typed else context.spoken_for(world) or context.speaker(world)


@app.command("rename")
@writes
def rename(force: str, name: str) -> None:
    """Correct a force's name."""
    from aggregates.force.musters import RenameForce
    from commands import who as named

    answer.send(lambda world: [RenameForce(force=named.force(world, force), name=name)])


@app.command("dissolve")
@writes
def dissolve(force: str, because: Annotated[str, typer.Option()] = "") -> None:
    """Take a force out of the campaign; its history stays."""
    from aggregates.force.musters import DissolveForce
    from commands import who as named

    answer.send(lambda world: [DissolveForce(force=named.force(world, force), because=because)])
