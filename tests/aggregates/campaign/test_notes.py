from aggregates.campaign.notes import AddNote, NoteAdded
from tests.aggregates.league import league


def test_a_remark_goes_on_record() -> None:
    story = league()
    story.when(AddNote(text="Tom brings the table"), by="ana").then(NoteAdded(text="Tom brings the table"))
    story.when(AddNote(text="twelve, not ten", about=6), by="tom").then(NoteAdded(text="twelve, not ten", about=6))


def test_a_remark_says_something() -> None:
    league().when(AddNote(text=" \u00a0 ")).refused("NOTE_EMPTY")
    league().given(AddNote(text="."))


def test_a_remark_is_about_an_entry_there_is() -> None:
    story = league()
    story.when(AddNote(text="x", about=7)).refused("ENTRY_UNKNOWN", entry=7, last=6)
    story.when(AddNote(text="x", about=-1)).refused("ENTRY_UNKNOWN", entry=-1, last=6)
    story.given(AddNote(text="x", about=6))


def test_a_reader_only_reads() -> None:
    league().when(AddNote(text="hello"), by="ren").refused("READER_ONLY_READS", player="Ren", organisers="Paul")
