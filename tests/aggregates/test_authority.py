"""Who may ask what: every action by every role, speaking for others, and acting for a force."""

import pytest

from aggregates.campaign.battles import SitOut
from aggregates.campaign.founding import RenameCampaign, SetOption
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import ChangeRole, JoinPlayer, LeavePlayer
from aggregates.force.models import AddModel, ChangeModel, Figure, KillModel, NewModel, RenameModel
from aggregates.force.musters import DissolveForce, MusterForce, RenameForce, TranscribeForce
from aggregates.force.points import GrantPoints, SpendPoints
from aggregates.kinds import Action
from aggregates.world import actions_of
from tests.aggregates.league import league

OWN = [
    RenameForce(force="sw", name="Swifter"),
    DissolveForce(force="sw"),
    MusterForce(force="new", name="New", player="tom"),
    AddModel(force="sw", model=NewModel(key="kit", name="Kit")),
    SpendPoints(force="sw", purse="points", amount=1),
    GrantPoints(force="sw", purse="points", amount=1),
]
"""What only the player of Swift, or an organiser, may ask."""

OWN_MODEL: list[Action] = [
    ChangeModel(model="raph", figures=(Figure("experience", 1),)),
    KillModel(model="raph"),
    RenameModel(model="raph", name="Raphael"),
]

ORGANISERS = {
    "battle.settle",
    "battle.sit-out",
    "campaign.end",
    "campaign.found",
    "campaign.pin-content",
    "campaign.rename",
    "campaign.reopen",
    "campaign.set-option",
    "force.transcribe",
    "player.change-role",
    "player.join",
    "player.leave",
    "player.rename",
    "player.return",
    "ruling.annul",
}
"""What only organisers ask; everything else is a player's as well."""


def test_what_only_organisers_ask_is_known_by_name() -> None:
    mays = {tag: action.may for tag, action in actions_of(()).items()}
    assert {tag for tag, may in mays.items() if may == "organiser"} == ORGANISERS
    assert {may for tag, may in mays.items() if tag not in ORGANISERS} == {"player"}


def test_what_an_ended_campaign_still_takes_is_known_by_name() -> None:
    late = {tag for tag, action in actions_of(()).items() if action.after_end}
    assert late == {"campaign.reopen", "note.add", "ruling.annul", "ruling.undo"}


@pytest.mark.parametrize("asked", OWN)
def test_a_player_does_not_act_for_another_players_force(asked: Action) -> None:
    league().when(asked, by="ana").refused("NOT_YOUR_FORCE", player="Ana")


@pytest.mark.parametrize("asked", OWN_MODEL)
def test_a_player_does_not_act_for_another_players_model(asked: Action) -> None:
    league().when(asked, by="tom").refused("NOT_YOUR_FORCE", player="Tom", force="Blood (Ana)", organisers="Paul")
    league().given(asked, by="ana")


@pytest.mark.parametrize("asked", [*OWN, *OWN_MODEL])
def test_an_organiser_acts_for_every_force(asked: Action) -> None:
    league().given(asked)


@pytest.mark.parametrize("asked", OWN[:-1])
def test_a_player_acts_for_their_own_force(asked: Action) -> None:
    league().given(asked, by="tom")


@pytest.mark.parametrize("asked", [*OWN, *OWN_MODEL])
def test_a_reader_changes_nothing(asked: Action) -> None:
    league().when(asked, by="ren").refused("READER_ONLY_READS", player="Ren", organisers="Paul")


@pytest.mark.parametrize(
    "asked",
    [
        RenameCampaign(name="Ash"),
        SetOption(option="campaign.overdraft", value="debt"),
        JoinPlayer(player="eve", name="Eve"),
        LeavePlayer(player="ana"),
        ChangeRole(player="ana", role="organiser"),
        TranscribeForce(force="old", name="Old", player="ana", because="on paper"),
        SitOut(force="ba"),
    ],
)
@pytest.mark.parametrize(("speaker", "name"), [("ana", "Ana"), ("ren", "Ren")])
def test_players_and_readers_do_not_organise(asked: Action, speaker: str, name: str) -> None:
    league().when(asked, by=speaker).refused("NOT_ORGANISER", player=name, organisers="Paul")


def test_an_organiser_speaks_for_somebody_and_both_names_stand_in_the_entry() -> None:
    story = league()
    story.when(SpendPoints(force="sw", purse="points", amount=1), on_behalf_of="tom").accepted()
    assert (story.entries[-1].by, story.entries[-1].on_behalf_of) == ("paul", "tom")


def test_a_player_speaks_for_nobody_else() -> None:
    story = league()
    spend = SpendPoints(force="ba", purse="points", amount=1)
    story.when(spend, by="ana", on_behalf_of="tom").refused("SPEAKS_FOR_NOBODY", player="Ana", organisers="Paul")
    story.given(ChangeRole(player="ana", role="organiser"))
    story.when(spend, by="ana", on_behalf_of="tom").accepted()


def test_nobody_speaks_for_somebody_who_does_not_exist() -> None:
    league().when(AddNote(text="x"), on_behalf_of="tim").refused("PLAYER_UNKNOWN", player="tim", nearest="tom")


@pytest.mark.parametrize(
    "asked",
    [
        RenameForce(force="swi", name="Swifter"),
        DissolveForce(force="swi"),
        AddModel(force="swi", model=NewModel(key="kit", name="Kit")),
        SpendPoints(force="swi", purse="points", amount=1),
        GrantPoints(force="swi", purse="points", amount=1),
        SitOut(force="swi"),
    ],
)
def test_a_force_nobody_knows_is_refused_with_the_nearest_even_to_an_organiser(asked: Action) -> None:
    league().when(asked).refused("FORCE_UNKNOWN", force="swi", nearest="sw")


@pytest.mark.parametrize(
    "asked",
    [
        RenameForce(force="ba", name="Bloodier"),
        DissolveForce(force="ba"),
        AddModel(force="ba", model=NewModel(key="kit", name="Kit")),
        KillModel(model="raph"),
        SpendPoints(force="ba", purse="points", amount=1),
        GrantPoints(force="ba", purse="points", amount=1),
        SitOut(force="ba"),
    ],
)
def test_a_dissolved_force_takes_no_further_part_even_by_an_organiser(asked: Action) -> None:
    league().given(DissolveForce(force="ba")).when(asked).refused("FORCE_DISSOLVED", force="Blood")
