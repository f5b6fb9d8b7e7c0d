"""`campaign model`: models join a force, change, are renamed, die or leave."""

from typing import TYPE_CHECKING, Annotated

import typer

from commands import answer, context
from commands.arguments import whole_number, writes
from ledger.errors import Misused

if TYPE_CHECKING:
    from aggregates.state import World

app = typer.Typer(add_completion=False)

Text = Annotated[str, typer.Option()]
Texts = Annotated[list[str], typer.Option()]
Count = Annotated[int, typer.Option(parser=whole_number)]


@app.command("add")
@writes
def add(
    force: str,
    name: str,
    kind: Text = "",
    count: Count = 1,
    label: Texts = [],
    figure: Texts = [],
    cost: Texts = [],
    because: Text = "",
) -> None:
    """Let a model, or a group, join a force."""
    from aggregates.force.models import AddModel, NewModel
    from commands import who as named
    from commands.words import amounts

    def build(world: "World") -> list[AddModel]:
        model = NewModel(
            key=context.new_key(name, world.models),
            name=name,
            kind=kind,
            count=count,
            labels=tuple(label),
            figures=amounts(figure),
        )
        return [AddModel(force=named.force(world, force), model=model, cost=amounts(cost), because=because)]

    answer.send(build, "campaign sheet")


@app.command("change")
@writes
def change(
    model: str,
    figure: Texts = [],
    count: Count = 0,
    gain: Texts = [],
    lose: Texts = [],
    kind: Text = "",
    cost: Texts = [],
    because: Text = "",
) -> None:
    """Change what is counted on a model, what it carries, or what it is."""
    from aggregates.force.models import ChangeModel
    from commands import who as named
    from commands.words import amounts

    answer.send(
        lambda world: [
            ChangeModel(
                model=named.model(world, model),
                figures=amounts(figure),
                count=count,
                gains=tuple(gain),
                loses=tuple(lose),
                kind=kind,
                cost=amounts(cost),
                because=because,
            )
        ]
    )


@app.command("kill")
@writes
def kill(
    model: str,
    count: Annotated[int | None, typer.Option(parser=whole_number)] = None,
    left: Annotated[bool, typer.Option("--left")] = False,
    because: Text = "",
) -> None:
    """Strike a model, or so many of a group."""
    from aggregates.force.models import COUNT_MAX, KillModel
    from commands import who as named

    if count is not None and count < 1:
        raise Misused("NUMBER_OUT_OF_RANGE", least=1, most=COUNT_MAX)
    answer.send(
        lambda world: [
            KillModel(
                model=named.model(world, model), count=count or 0, fate="left" if left else "died", because=because
            )
        ]
    )


@app.command("rename")
@writes
def rename(model: str, name: str) -> None:
    """Correct a model's name."""
    from aggregates.force.models import RenameModel
    from commands import who as named

    answer.send(lambda world: [RenameModel(model=named.model(world, model), name=name)])
