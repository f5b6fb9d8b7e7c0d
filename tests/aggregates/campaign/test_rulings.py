import msgspec
import pytest

from aggregates.campaign.battles import FinishBattle, ScheduleBattle, StartBattle
from aggregates.campaign.founding import EndCampaign, SetOption
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import ChangeRole, JoinPlayer, LeavePlayer
from aggregates.campaign.rulings import AnnulEntry, CommandUndone, EntryAnnulled, UndoCommand
from aggregates.force.models import AddModel, KillModel, NewModel
from aggregates.force.musters import MusterForce
from aggregates.force.points import GrantPoints, SpendPoints
from aggregates.history import own_last
from aggregates.testing import Story
from tests.aggregates.league import battle, league


def grant(amount: int) -> GrantPoints:
    return GrantPoints(force="ba", purse="points", amount=amount)


def spend(amount: int) -> SpendPoints:
    return SpendPoints(force="ba", purse="points", amount=amount)


def one_command(story: Story, first: int) -> None:
    """Make the entries from `first` on one command, as a report with several actions is."""
    story.entries[first - 1 :] = [
        msgspec.structs.replace(entry, command="report") for entry in story.entries[first - 1 :]
    ]


def test_an_entry_is_annulled_and_its_effect_is_gone() -> None:
    story = league()
    before = story.world
    story.given(grant(10))
    story.when(AnnulEntry(entry=7, because="wrong force")).then(EntryAnnulled(entry=7, because="wrong force"))
    assert story.world == before
    assert story.world.number == 8


def test_what_was_spent_since_depends_on_what_was_earned() -> None:
    story = league().given(grant(10), spend(15))
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", entry="#7", count=1, dependents=("#8",))
    assert story.world.purse("ba", "points") == 0


def test_one_point_fewer_spent_does_not_depend() -> None:
    """Five were there before: of fifteen, five can be spent without what was earned."""
    story = league().given(grant(10), spend(5), AnnulEntry(entry=7))
    assert story.world.purse("ba", "points") == 0


def test_what_happens_to_a_thing_depends_on_the_thing() -> None:
    story = league().given(*battle())
    for entry, dependents in ((2, "#5 #7 #8 #9"), (5, "#7 #8 #9"), (7, "#8 #9"), (8, "#9")):
        story.when(AnnulEntry(entry=entry)).refused("ENTRIES_DEPEND", dependents=tuple(dependents.split()))
    story.given(AnnulEntry(entry=9), AnnulEntry(entry=8), AnnulEntry(entry=7))


def test_a_long_list_of_dependents_is_whole() -> None:
    """How many of them fit a sentence is the teller's business."""
    story = league().given(AddModel(force="ba", model=NewModel(key="mob", name="Mob", count=20)))
    story.given(*(KillModel(model="mob", count=1) for _ in range(12)))
    all_twelve = tuple(f"#{number}" for number in range(8, 20))
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", count=12, dependents=all_twelve)
    story.given(KillModel(model="mob", count=1), KillModel(model="mob", count=1))
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", count=14, dependents=(*all_twelve, "#20", "#21"))


def test_an_entry_there_is_not_is_not_annulled() -> None:
    story = league()
    for number in (7, 0, -1):
        story.when(AnnulEntry(entry=number)).refused("ENTRY_UNKNOWN", entry=number, last=6)
    story.given(AnnulEntry(entry=6))


def test_the_founding_is_not_annulled() -> None:
    Story().when(AnnulEntry(entry=1)).refused("NO_CAMPAIGN")
    league().when(AnnulEntry(entry=1)).refused("NOT_ANNULLABLE", entry=1)


def test_an_entry_is_annulled_once() -> None:
    story = league().given(grant(10), AnnulEntry(entry=7))
    story.when(AnnulEntry(entry=7)).refused("ALREADY_ANNULLED", entry=7, ruling=8)
    story.given(grant(1)).given(UndoCommand(entries=(9,)))
    story.when(AnnulEntry(entry=9)).refused("ALREADY_ANNULLED", entry=9, ruling=10)


def test_annulling_a_ruling_brings_back_what_it_struck() -> None:
    story = league().given(grant(10))
    earned = story.world
    story.given(AnnulEntry(entry=7), AnnulEntry(entry=8))
    assert story.world == earned
    story.given(AnnulEntry(entry=7))
    story.when(AnnulEntry(entry=7)).refused("ALREADY_ANNULLED", entry=7, ruling=10)


def test_a_ruling_on_a_ruling_on_a_ruling_strikes_the_entry_again() -> None:
    story = league()
    before = story.world
    story.given(grant(10), AnnulEntry(entry=7), AnnulEntry(entry=8), AnnulEntry(entry=9))
    assert story.world == before


def test_what_cannot_stand_beside_what_came_since_is_not_brought_back() -> None:
    story = league().given(KillModel(model="raph"), AddModel(force="ba", model=NewModel(key="raph-2", name="Raph")))
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", entry="#7", dependents=("#8",))
    story = league().given(spend(5), AnnulEntry(entry=7), spend(1))
    story.when(AnnulEntry(entry=8)).refused("ENTRIES_DEPEND", entry="#8", dependents=("#9",))
    story.given(AnnulEntry(entry=9), AnnulEntry(entry=8))
    assert story.world.purse("ba", "points") == 0


def test_what_is_brought_back_is_held_against_what_came_right_after_it() -> None:
    """Five are there. #7 takes them, #8 gives five, #9 takes them; without #7, #8 is not needed, and with it, it is."""
    story = league().given(spend(5), grant(5), spend(5), AnnulEntry(entry=7), AnnulEntry(entry=8))
    assert story.world.purse("ba", "points") == 0
    story.when(AnnulEntry(entry=10)).refused("ENTRIES_DEPEND", entry="#10", dependents=("#9",))
    story.given(AnnulEntry(entry=9), AnnulEntry(entry=10))


def test_a_battle_brought_back_meets_what_was_scheduled_in_its_place() -> None:
    again = ScheduleBattle(battle="battle-1", forces=("ba", "sw"))
    story = league().given(again, AnnulEntry(entry=7), again)
    story.when(AnnulEntry(entry=8)).refused("ENTRIES_DEPEND", dependents=("#9",))


def test_an_option_others_rely_on_is_not_annulled() -> None:
    story = league().given(SetOption(option="campaign.purses", value=("points", "gold")))
    story.given(GrantPoints(force="ba", purse="gold", amount=1))
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", dependents=("#8",))


def test_a_player_whose_deeds_are_on_record_is_not_annulled() -> None:
    story = league().given(JoinPlayer(player="eve", name="Eve"), ChangeRole(player="eve", role="organiser"))
    story.given(AddNote(text="hello"), by="eve")
    story.when(AnnulEntry(entry=7)).refused("ENTRIES_DEPEND", dependents=("#8", "#9"))
    story.given(AnnulEntry(entry=8), AnnulEntry(entry=9), AnnulEntry(entry=7))


def test_a_departure_is_annulled_and_its_cancelled_battles_are_back() -> None:
    story = league().given(ScheduleBattle(battle="battle-1", forces=("ba", "sw")), LeavePlayer(player="tom"))
    story.given(AnnulEntry(entry=8), StartBattle(battle="battle-1"), FinishBattle(battle="battle-1"))
    assert story.world.balance("force:sw/drawn") == 1


def test_the_end_of_a_campaign_is_annulled_after_the_end() -> None:
    story = league().given(EndCampaign(), AnnulEntry(entry=7), grant(1))
    assert not story.world.founded().ended


def test_only_an_organiser_annuls() -> None:
    league().when(AnnulEntry(entry=6), by="ana").refused("NOT_ORGANISER", player="Ana", organisers="Paul")


def test_undoing_gives_the_state_before() -> None:
    story = league()
    before = story.world
    story.given(spend(3), by="ana")
    story.when(UndoCommand(entries=(7,)), by="ana").then(CommandUndone(entries=(7,)))
    assert story.world == before


def test_undoing_twice_goes_back_two_steps() -> None:
    story = league()
    before = story.world
    story.given(spend(1), by="ana")
    between = story.world
    story.given(spend(2), by="ana")
    assert own_last(story.entries, "ana") == (8,)
    story.given(UndoCommand(entries=(8,)), by="ana")
    assert story.world == between
    assert own_last(story.entries, "ana") == (7,)
    story.given(UndoCommand(entries=(7,)), by="ana")
    assert story.world == before
    assert own_last(story.entries, "ana") == ()


def test_a_whole_command_is_undone_and_no_part_of_it() -> None:
    story = league()
    before = story.world
    story.given(spend(1), spend(1), by="ana")
    one_command(story, 7)
    story.when(UndoCommand(entries=(8,)), by="ana").refused(
        "NOT_YOUR_LAST", entries="#8", last="#7, #8", organisers="Paul"
    )
    story.given(UndoCommand(entries=(7, 8)), by="ana")
    assert story.world == before


def test_what_an_organiser_already_annulled_of_a_command_is_not_undone_again() -> None:
    story = league()
    before = story.world
    story.given(spend(1), spend(1), by="ana")
    one_command(story, 7)
    story.given(AnnulEntry(entry=8))
    story.given(UndoCommand(entries=(7,)), by="ana")
    assert story.world == before


def test_nobody_undoes_what_others_did_or_what_is_not_their_last() -> None:
    story = league().given(spend(1), spend(1), by="ana")
    story.when(UndoCommand(entries=(7,)), by="ana").refused("NOT_YOUR_LAST", entries="#7", last="#8")
    story.when(UndoCommand(entries=(8,)), by="tom").refused("NOTHING_TO_UNDO", player="Tom")
    story.given(AddNote(text="x"), by="tom")
    story.when(UndoCommand(entries=(8,)), by="tom").refused("NOT_YOUR_LAST", entries="#8", last="#9")
    story.when(UndoCommand(entries=()), by="tom").refused("NOT_YOUR_LAST", entries="", last="#9")
    story.given(UndoCommand(entries=(9,)), by="tom").given(UndoCommand(entries=(8,)), by="ana")


def test_an_organiser_undoes_their_own_as_well() -> None:
    story = league().given(grant(10))
    story.given(spend(1), by="ana")
    story.when(UndoCommand(entries=(8,))).refused("NOT_YOUR_LAST", entries="#8", last="#7")
    story.given(UndoCommand(entries=(7,)))


def test_what_others_rely_on_is_not_undone() -> None:
    story = league().given(grant(10)).given(spend(15), by="ana")
    story.when(UndoCommand(entries=(7,))).refused("ENTRIES_DEPEND", entry="#7", dependents=("#8",))
    story.given(UndoCommand(entries=(8,)), by="ana").given(UndoCommand(entries=(7,)))


def test_the_founding_is_not_undone() -> None:
    story = league()
    for number in range(6, 1, -1):
        story.given(UndoCommand(entries=(number,)))
    story.when(UndoCommand(entries=(1,))).refused("NOTHING_TO_UNDO", player="Paul")


def test_an_undoing_is_not_undone_but_an_organiser_annuls_it() -> None:
    story = league().given(spend(5), by="ana")
    spent = story.world
    story.given(UndoCommand(entries=(7,)), by="ana")
    story.when(UndoCommand(entries=(8,)), by="ana").refused("NOTHING_TO_UNDO", player="Ana")
    story.given(AnnulEntry(entry=8))
    assert story.world == spent
    story.given(UndoCommand(entries=(7,)), by="ana")
    assert story.world.purse("ba", "points") == 5


def test_a_reader_undoes_nothing() -> None:
    league().when(UndoCommand(entries=(6,)), by="ren").refused("READER_ONLY_READS", player="Ren")


def test_the_same_entry_again_is_as_if_nobody_had_erred() -> None:
    erred = league().given(grant(10), AnnulEntry(entry=7), grant(10))
    never = league().given(grant(10))
    assert erred.world == never.world


@pytest.mark.parametrize("late", [grant(1), MusterForce(force="new", name="New", player="ana")])
def test_a_ruling_after_the_end_does_not_reopen_the_campaign(late: GrantPoints | MusterForce) -> None:
    story = league().given(grant(10), EndCampaign(), AnnulEntry(entry=7))
    story.when(late).refused("CAMPAIGN_ENDED", campaign="Vardia")


def test_an_annulment_is_a_command_like_others_and_can_be_undone() -> None:
    """The last command was the ruling, not what was recorded before it."""
    story = league().given(AddNote(text="first"), AnnulEntry(entry=7))
    last = own_last(story.entries, "paul")
    assert last == (8,)
    story.given(UndoCommand(entries=last))
    assert own_last(story.entries, "paul") == (7,)


def test_the_founding_is_never_undone_by_halves() -> None:
    """What was asked together with the founding stands or falls with it."""
    story = league()
    together = [msgspec.structs.replace(entry, command="founding") for entry in story.entries]
    assert own_last(together, "paul") == ()
