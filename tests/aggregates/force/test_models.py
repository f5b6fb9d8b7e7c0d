import pytest

from aggregates.force.models import (
    COUNT_MAX,
    AddModel,
    ChangeModel,
    Figure,
    KillModel,
    ModelChanged,
    ModelDied,
    ModelJoined,
    ModelRenamed,
    NewModel,
    RenameModel,
)
from aggregates.force.points import GrantPoints
from aggregates.kinds import Posting
from tests.aggregates.league import league


def experience(amount: int) -> tuple[Figure, ...]:
    return (Figure("experience", amount),)


def points(amount: int) -> tuple[Figure, ...]:
    return (Figure("points", amount),)


def test_a_model_joins_for_a_price() -> None:
    story = league()
    kit = NewModel(key="kit", name="Kit", kind="scout", labels=("bow", "rope"), figures=experience(2))
    story.when(AddModel(force="ba", model=kit, cost=points(5), because="hired"), by="ana").then(
        ModelJoined(
            force="ba",
            model="kit",
            name="Kit",
            kind="scout",
            labels=("bow", "rope"),
            because="hired",
            postings=(
                Posting("model:kit/count", 1),
                Posting("model:kit/experience", 2),
                Posting("force:ba/points", -5),
            ),
        )
    )
    assert story.world.purse("ba", "points") == 0
    assert story.world.count("kit") == 1


@pytest.mark.parametrize(
    ("cost", "needed", "short"), [(points(6), 6, 1), ((Figure("points", 3), Figure("points", 3)), 6, 1)]
)
def test_a_price_is_paid_out_of_what_is_there(cost: tuple[Figure, ...], needed: int, short: int) -> None:
    story = league()
    asked = AddModel(force="ba", model=NewModel(key="kit", name="Kit"), cost=cost)
    story.when(asked).refused("PURSE_INSUFFICIENT", has=5, needed=needed, short=short)
    assert "kit" not in story.world.models
    story.given(GrantPoints(force="ba", purse="points", amount=1), asked)


def test_a_price_takes_something_away() -> None:
    kit = NewModel(key="kit", name="Kit")
    league().when(AddModel(force="ba", model=kit, cost=points(0))).refused("AMOUNT_ZERO", purse="points")
    league().when(AddModel(force="ba", model=kit, cost=points(-1))).refused("AMOUNT_NEGATIVE", amount=-1)
    league().given(
        AddModel(force="ba", model=kit, cost=points(1)), AddModel(force="ba", model=NewModel(key="x", name="X"))
    )


def test_keys_of_models_are_given_once_and_names_once_among_the_living() -> None:
    story = league()
    story.when(AddModel(force="ba", model=NewModel(key="raph", name="R"))).refused("KEY_TAKEN", key="raph")
    again = AddModel(force="ba", model=NewModel(key="raph-2", name="RAPH"))
    story.when(again).refused("NAME_TAKEN", name="RAPH", other="Raph")
    story.given(KillModel(model="raph"), again)


@pytest.mark.parametrize("count", [0, -1, COUNT_MAX + 1])
def test_a_group_joins_with_at_least_one_and_at_most_a_thousand(count: int) -> None:
    asked = AddModel(force="ba", model=NewModel(key="mob", name="Mob", count=count))
    league().when(asked).refused("ACTION_MALFORMED", action="model.add")
    league().given(AddModel(force="ba", model=NewModel(key="mob", name="Mob", count=COUNT_MAX)))


def test_a_model_is_changed_in_what_it_is_carries_and_counts() -> None:
    story = league()
    asked = ChangeModel(
        model="raph",
        figures=experience(2),
        gains=("scar", "helm"),
        loses=("sword",),
        kind="hero",
        cost=points(2),
        because="promoted",
    )
    story.when(asked, by="ana").then(
        ModelChanged(
            force="ba",
            model="raph",
            gained=("scar", "helm"),
            lost=("sword",),
            kind="hero",
            because="promoted",
            postings=(Posting("model:raph/experience", 2), Posting("force:ba/points", -2)),
        )
    )
    raph = story.world.model("raph")
    assert (raph.kind, raph.labels) == ("hero", ("scar", "helm"))
    assert story.world.balance("model:raph/experience") == 5


def test_a_change_changes_something() -> None:
    for asked in (
        ChangeModel(model="raph"),
        ChangeModel(model="raph", figures=experience(0)),
        ChangeModel(model="raph", cost=points(1)),
    ):
        league().when(asked).refused("NOTHING_CHANGES", what="Raph")
    league().given(ChangeModel(model="raph", figures=experience(-1)))


def test_a_figure_is_named_once_and_known() -> None:
    league().when(ChangeModel(model="raph", figures=experience(1) + experience(2))).refused(
        "FIGURE_TWICE", figure="experience"
    )
    league().when(ChangeModel(model="raph", figures=(Figure("wounds", 1),))).refused(
        "FIGURE_UNKNOWN", figure="wounds", known="experience"
    )


def test_only_what_is_carried_can_be_lost() -> None:
    story = league()
    story.when(ChangeModel(model="raph", loses=("bow",))).refused(
        "LABEL_MISSING", model="Raph", label="bow", there="sword"
    )
    story.when(ChangeModel(model="crew", loses=("bow",))).refused("LABEL_MISSING", label="bow", there="-")
    story.given(ChangeModel(model="raph", loses=("sword",)))


def test_what_is_carried_twice_can_be_lost_twice_and_not_three_times() -> None:
    story = league().given(ChangeModel(model="raph", gains=("sword",)))
    story.when(ChangeModel(model="raph", loses=("sword",) * 3)).refused("LABEL_MISSING", label="sword")
    story.given(ChangeModel(model="raph", loses=("sword",) * 2))
    assert story.world.model("raph").labels == ()


def test_a_group_grows_and_shrinks_but_not_to_nothing() -> None:
    story = league().given(ChangeModel(model="crew", count=3))
    assert story.world.count("crew") == 8
    story.when(ChangeModel(model="crew", count=-8)).refused(
        "COUNT_OUT_OF_RANGE", model="Crew", there=8, asked=-8, most=1000
    )
    story.when(ChangeModel(model="crew", count=993)).refused("COUNT_OUT_OF_RANGE", there=8, asked=993)
    story.given(ChangeModel(model="crew", count=-7), ChangeModel(model="crew", count=999))
    assert story.world.count("crew") == 1000


def test_so_many_of_a_group_die_and_the_rest_remain() -> None:
    story = league()
    story.when(KillModel(model="crew", count=6)).refused("COUNT_TOO_HIGH", model="Crew", asked=6, there=5)
    story.when(KillModel(model="crew", count=4, because="ambush"), by="ana").then(
        ModelDied(
            force="ba",
            model="crew",
            count=4,
            fate="died",
            because="ambush",
            postings=(Posting("model:crew/count", -4),),
        )
    )
    story.when(KillModel(model="crew", fate="left")).then(
        ModelDied(force="ba", model="crew", count=1, fate="left", postings=(Posting("model:crew/count", -1),))
    )
    assert story.world.count("crew") == 0


def test_a_whole_group_may_die_at_once() -> None:
    story = league().given(KillModel(model="crew", count=5))
    assert story.world.count("crew") == 0


def test_what_is_gone_takes_no_further_part() -> None:
    story = league().given(KillModel(model="raph"))
    for asked in (
        KillModel(model="raph"),
        ChangeModel(model="raph", figures=experience(1)),
        RenameModel(model="raph", name="Raphael"),
    ):
        story.when(asked).refused("MODEL_GONE", model="Raph")
    assert [model.key for model in story.world.models_of("ba")] == ["raph", "crew"]


def test_a_model_nobody_knows_is_refused_with_the_nearest() -> None:
    for asked in (KillModel(model="rap"), ChangeModel(model="rap"), RenameModel(model="rap", name="X")):
        league().when(asked).refused("MODEL_UNKNOWN", model="rap", nearest="raph")


def test_a_model_is_called_otherwise() -> None:
    story = league()
    story.when(RenameModel(model="raph", name="Raph")).refused("NOTHING_CHANGES", what="Raph")
    story.when(RenameModel(model="raph", name="CREW")).refused("NAME_TAKEN", name="CREW", other="Crew")
    story.when(RenameModel(model="raph", name="RAPH"), by="ana").then(
        ModelRenamed(force="ba", model="raph", name="RAPH")
    )
    assert story.world.model("raph").name == "RAPH"
