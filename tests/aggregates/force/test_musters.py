import pytest

from aggregates.campaign.battles import CancelBattle, ScheduleBattle
from aggregates.campaign.founding import SetOption
from aggregates.force.models import Figure, ModelJoined, NewModel
from aggregates.force.musters import (
    MODELS_MAX,
    DissolveForce,
    ForceDissolved,
    ForceMustered,
    ForceRenamed,
    ForceTranscribed,
    MusterForce,
    RenameForce,
    TranscribeForce,
)
from aggregates.kinds import Posting
from aggregates.state import Force, Model
from tests.aggregates.league import BLOOD, league


def many(size: int) -> tuple[NewModel, ...]:
    return tuple(NewModel(key=f"m-{number}", name=f"M {number}") for number in range(1, size + 1))


def test_a_force_is_mustered_with_its_purses_and_models() -> None:
    story = league()
    asked = MusterForce(
        force="iron",
        name="Iron",
        player="tom",
        short="i",
        faction="Dwarfs",
        purses=(Figure("points", 12),),
        models=(
            NewModel(key="ulf", name="Ulf", kind="lord", count=2, labels=("axe",), figures=(Figure("experience", 4),)),
        ),
    )
    story.when(asked, by="tom").then(
        ForceMustered(
            force="iron",
            name="Iron",
            player="tom",
            short="i",
            faction="Dwarfs",
            postings=(Posting("force:iron/points", 12),),
        ),
        ModelJoined(
            force="iron",
            model="ulf",
            name="Ulf",
            kind="lord",
            labels=("axe",),
            postings=(Posting("model:ulf/count", 2), Posting("model:ulf/experience", 4)),
        ),
    )
    assert story.world.force("iron") == Force("iron", "Iron", "tom", "i", "Dwarfs")
    assert story.world.models_of("iron") == (Model("ulf", "Ulf", "iron", "lord", ("axe",)),)
    assert story.world.transcribed == frozenset()


def test_a_force_that_began_on_paper_is_opened_and_every_such_figure_is_marked() -> None:
    story = league()
    asked = TranscribeForce(
        force="old",
        name="Old Guard",
        player="tom",
        because="kept on paper since May",
        purses=(Figure("points", 7), Figure("played", 4), Figure("won", 3), Figure("byes", 0)),
        models=(NewModel(key="ole", name="Ole", figures=(Figure("experience", 9),)),),
    )
    story.when(asked).then(
        ForceTranscribed(
            force="old",
            name="Old Guard",
            player="tom",
            because="kept on paper since May",
            postings=(
                Posting("force:old/points", 7),
                Posting("force:old/played", 4),
                Posting("force:old/won", 3),
            ),
        ),
        ModelJoined(
            force="old",
            model="ole",
            name="Ole",
            transcribed=True,
            postings=(Posting("model:ole/count", 1), Posting("model:ole/experience", 9)),
        ),
    )
    assert story.world.force("old").transcribed
    assert story.world.transcribed == {
        "force:old/points",
        "force:old/played",
        "force:old/won",
        "model:ole/count",
        "model:ole/experience",
    }


def test_a_transcription_says_where_its_figures_come_from() -> None:
    league().when(TranscribeForce(force="old", name="Old", player="tom", because=" ")).refused(
        "TRANSCRIPTION_UNEXPLAINED", force="Old"
    )
    league().given(TranscribeForce(force="old", name="Old", player="tom", because="paper"))


def test_only_a_transcription_states_battles_played() -> None:
    league().when(MusterForce(force="new", name="New", player="tom", purses=(Figure("won", 1),))).refused(
        "PURSE_UNKNOWN", purse="won", known="points"
    )
    league().given(TranscribeForce(force="new", name="New", player="tom", because="paper", purses=(Figure("won", 1),)))


@pytest.mark.parametrize(("purse", "amount"), [("points", -1), ("played", -1)])
def test_a_force_does_not_begin_below_zero(purse: str, amount: int) -> None:
    """A purse below zero would be a debt, which this campaign refuses; fewer than no battles were never played."""
    asked = TranscribeForce(force="old", name="Old", player="tom", because="paper", purses=(Figure(purse, amount),))
    league().when(asked).refused("AMOUNT_NEGATIVE", purse=purse, amount=amount)


def test_a_mustered_force_does_not_begin_below_zero() -> None:
    asked = MusterForce(force="new", name="New", player="tom", purses=(Figure("points", -1),))
    league().when(asked).refused("AMOUNT_NEGATIVE", purse="points", amount=-1)
    league().given(MusterForce(force="new", name="New", player="tom", purses=(Figure("points", 0),)))


def test_a_force_that_began_on_paper_may_bring_its_debt_where_debts_are_played() -> None:
    story = league().given(SetOption(option="campaign.overdraft", value="debt"))
    story.given(TranscribeForce(force="old", name="Old", player="tom", because="paper", purses=(Figure("points", -4),)))
    assert story.world.purse("old", "points") == -4


def test_keys_and_names_of_forces_are_given_once() -> None:
    story = league()
    story.when(MusterForce(force="ba", name="Other", player="tom")).refused("KEY_TAKEN", key="ba")
    story.when(MusterForce(force="new", name="BLOOD", player="tom")).refused("NAME_TAKEN", name="BLOOD", other="Blood")
    story.when(MusterForce(force="new", name="New", short="b", player="tom")).refused(
        "SHORT_TAKEN", short="b", other="Blood"
    )
    story.given(MusterForce(force="new", name="New", short="n", player="tom"))


def test_a_dissolved_force_leaves_its_name_but_not_its_key() -> None:
    story = league().given(DissolveForce(force="ba"))
    story.when(MusterForce(force="ba", name="Blood", short="b", player="ana")).refused("KEY_TAKEN", key="ba")
    story.given(MusterForce(force="ba-2", name="Blood", short="b", player="ana"))


def test_the_models_of_one_muster_have_their_own_keys_and_names() -> None:
    def muster(*models: NewModel) -> MusterForce:
        return MusterForce(force="new", name="New", player="tom", models=models)

    story = league()
    story.when(muster(NewModel(key="a", name="A"), NewModel(key="a", name="B"))).refused("KEY_TAKEN", key="a")
    story.when(muster(NewModel(key="a", name="Al"), NewModel(key="b", name="AL"))).refused("NAME_TAKEN", name="AL")
    story.when(muster(NewModel(key="raph", name="Max"))).refused("KEY_TAKEN", key="raph")
    story.given(muster(NewModel(key="a", name="A"), NewModel(key="b", name="B")))


def test_a_model_may_be_called_as_another_ones_key() -> None:
    """Keys are what a name was when its model joined: after a renaming on paper they look like other names."""
    story = league()
    models = (NewModel(key="a", name="B"), NewModel(key="b", name="C"))
    story.given(MusterForce(force="new", name="New", player="tom", models=models))
    assert [model.name for model in story.world.models_of("new")] == ["B", "C"]


def test_two_forces_may_have_a_model_of_one_name() -> None:
    league().given(MusterForce(force="new", name="New", player="tom", models=(NewModel(key="r", name="Raph"),)))


def test_a_purse_or_a_figure_is_opened_once() -> None:
    story = league()
    twice = (Figure("points", 1), Figure("points", 2))
    story.when(MusterForce(force="new", name="New", player="tom", purses=twice)).refused(
        "FIGURE_TWICE", figure="points"
    )
    model = NewModel(key="a", name="A", figures=(Figure("experience", 1), Figure("experience", 1)))
    story.when(MusterForce(force="new", name="New", player="tom", models=(model,))).refused(
        "FIGURE_TWICE", figure="experience"
    )


def test_purses_and_figures_are_those_the_campaign_counts() -> None:
    story = league()
    story.when(MusterForce(force="new", name="New", player="tom", purses=(Figure("point", 1),))).refused(
        "PURSE_UNKNOWN", purse="point", nearest="points", known="points"
    )
    model = NewModel(key="a", name="A", figures=(Figure("wounds", 1),))
    asked = MusterForce(force="new", name="New", player="tom", models=(model,))
    story.when(asked).refused("FIGURE_UNKNOWN", figure="wounds", nearest="experience", known="experience")
    story.given(SetOption(option="campaign.figures", value=("experience", "wounds")), asked)


def test_a_force_has_at_most_five_hundred_models_at_its_muster() -> None:
    story = league()
    story.when(MusterForce(force="new", name="New", player="tom", models=many(MODELS_MAX + 1))).refused(
        "TOO_MANY_MODELS", given=501, most=500
    )
    story.given(MusterForce(force="new", name="New", player="tom", models=many(MODELS_MAX)))
    assert len(story.world.models_of("new")) == 500


@pytest.mark.parametrize("short", ["B", "b b", "-b", "a" * 13, "b\n"])
def test_a_short_name_is_written_as_a_key_of_twelve_characters(short: str) -> None:
    league().when(MusterForce(force="new", name="New", player="tom", short=short)).refused(
        "ACTION_MALFORMED", action="force.muster"
    )


def test_a_player_musters_for_nobody_else() -> None:
    league().when(MusterForce(force="new", name="New", player="tom"), by="ana").refused(
        "NOT_YOUR_FORCE", player="Ana", force="New"
    )
    league().when(MusterForce(force="new", name="New", player="tim")).refused("PLAYER_UNKNOWN", player="tim")


def test_a_force_is_called_otherwise() -> None:
    story = league()
    story.when(RenameForce(force="ba", name="Blood")).refused("NOTHING_CHANGES", what="Blood")
    story.when(RenameForce(force="ba", name="swift")).refused("NAME_TAKEN", name="swift", other="Swift")
    story.when(RenameForce(force="ba", name="BLOOD"), by="ana").then(ForceRenamed(force="ba", name="BLOOD"))
    assert story.world.force("ba").name == "BLOOD"
    assert story.world.force("ba").short == BLOOD.short


def test_a_force_is_not_dissolved_while_a_battle_is_open() -> None:
    story = league().given(ScheduleBattle(battle="battle-1", forces=("ba", "sw")))
    story.when(DissolveForce(force="ba"), by="ana").refused("FORCE_IN_BATTLE", force="Blood", battles="1")
    story.given(CancelBattle(battle="battle-1"))
    story.when(DissolveForce(force="ba", because="sold"), by="ana").then(ForceDissolved(force="ba", because="sold"))
    assert story.world.forces["ba"].dissolved
    assert story.world.purse("ba", "points") == 5
