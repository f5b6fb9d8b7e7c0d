import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from aggregates.campaign.founding import SetOption
from aggregates.campaign.notes import AddNote
from aggregates.campaign.players import LeavePlayer
from aggregates.force.models import Figure
from aggregates.force.musters import DissolveForce, MusterForce
from aggregates.force.points import PointsGranted
from aggregates.kinds import Action, Posting, Request
from commands import app
from commands.record import Command, Recorder
from ledger.line import CANON
from ledger.lines import read
from ledger.store import Draft, EntryDraft, open_book
from ledger.wording import LANGUAGES
from tests.projections.season import record_season

Look = Callable[..., str]

READING: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("sheet",),
    ("sheet", "ba"),
    ("sheet", "raphael"),
    ("sheet", "--player", "tom"),
    ("statement", "ba"),
    ("statement", "sw", "points"),
    ("standings",),
    ("history",),
    ("why", "ba", "points"),
    ("why", "sw", "models"),
    ("around", "9"),
    ("replay",),
    ("audit",),
)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The season as the book of this folder."""
    monkeypatch.setenv("CAMPAIGN_BOOK", str(tmp_path / "vardia.db"))
    return record_season(tmp_path / "vardia.db")


@pytest.fixture
def look(path: Path, capsys: pytest.CaptureFixture[str]) -> Look:
    """Run a command that must end well, or with another status, and return what it says, or what it says is wrong."""

    def run(*words: str, status: int = 0) -> str:
        assert app.main(words) == status, capsys.readouterr()
        out, err = capsys.readouterr()
        if status in (0, 5):
            assert err == ""
            return out
        return err

    return run


def record(path: Path, *actions: Action, by: str = "paul") -> None:
    """Record more in the book of the season."""
    with open_book(str(path)) as book:
        requests = [Request(by, action) for action in actions]
        Recorder(book, lambda: "2026-03-01T12:00:00Z").record(Command("more", lambda world: requests))


def as_json(text: str) -> Any:
    """Return what a command printed as JSON."""
    return json.loads(text)


def test_the_status_tells_what_to_type_next(look: Look) -> None:
    told = look("status")
    assert "Vardia, entry #19" in told
    assert "Organiser: Paul\nPlayers: Ana, Tom\nOne battle fought.\n" in told
    assert "battle 2  Swift Spears (Tom) - Blood Angels (Ana)  scheduled" in told
    assert "campaign battle start 2" in told


def test_the_status_of_the_past_is_that_of_its_entry(look: Look) -> None:
    told = as_json(look("status", "--json", "--as-of", "8"))
    assert (told["entries"], [battle["stage"] for battle in told["open_battles"]]) == (8, ["started"])
    assert [todo["command"] for todo in told["todo"]] == ["campaign battle finish 1 --winner FORCE"]


def test_a_sheet_shows_purses_battles_and_models(look: Look) -> None:
    lines = look("sheet", "ba").splitlines()
    assert lines[0].startswith("FORCE SHEET  Blood Angels (Ana)")
    assert lines[0].endswith("Vardia, entry #19")
    assert lines[1:5] == [
        "points 3",
        "played 1   won 1   drawn 0   lost 0   byes 0   models 4",
        "                   count  xp",
        " Sergeant Raphael     1   5   leader; sword, medal",
    ]
    assert lines[-1].startswith("Entry #19. Book: 19 entries, root ")


def test_stated_figures_are_marked_and_the_mark_is_explained(look: Look) -> None:
    told = look("sheet", "sw")
    assert "points 15*\n" in told
    assert "played 3*   won 2*   drawn 0   lost 1 " in told
    assert "Fallen: Autarch\n" in told
    assert "* stated when the force was opened, not earned in this book\n" in told
    assert "* stated" not in look("sheet", "ba")


def test_alone_the_speaker_sees_their_own_force_and_others_see_all(look: Look) -> None:
    def names(*words: str) -> list[str]:
        return [sheet["key"] for sheet in as_json(look("sheet", "--json", *words))["forces"]]

    assert names("--me", "ana") == ["ba"]
    assert names("--me", "paul") == ["ba", "sw"]
    assert names("--me", "ana", "--player", "tom") == ["sw"]


def test_a_sheet_says_who_left_and_what_is_dissolved(path: Path, look: Look) -> None:
    record(path, LeavePlayer(player="tom"), DissolveForce(force="ba"))
    assert "Tom has left the campaign" in look("sheet", "sw")
    assert "This force is dissolved." in look("sheet", "--player", "ana")


def test_a_model_has_a_sheet_of_its_own(look: Look) -> None:
    told = look("sheet", "ba/raph")
    assert told.startswith("MODEL  Sergeant Raphael, Blood Angels (Ana)")
    assert "leader; sword, medal\ncount 1   xp 5\n" in told
    assert "None of them is left." in look("sheet", "autarch")
    (model,) = as_json(look("sheet", "raphael", "--json"))["models"]
    assert model["figures"]["xp"] == {"value": 3 + 2, "account": "model:raphael/xp"}


def test_a_sheet_for_programs_names_its_entry_and_the_state_of_the_book(path: Path, look: Look) -> None:
    told = as_json(look("sheet", "ba", "--json", "--as-of", "battle:1"))
    with read(str(path)) as lines:
        head = lines.head()
    assert head is not None
    assert (told["campaign"], told["entry"]) == ("Vardia", "#14")
    size, root = told["checkpoint"].split(" ")
    assert (int(size), base64.b64decode(root)) == (head.size, head.root)
    assert told["forces"][0]["purses"]["points"] == {"value": 5 + 10, "account": "force:ba/points"}


@pytest.mark.parametrize(
    ("words", "points"),
    [((), 15), (("--as-of", "10"), 12), (("--as-of", "16"), 15), (("--as-known-at", "16"), 19)],
)
def test_a_sheet_can_be_seen_as_it_was_and_as_it_was_known(look: Look, words: tuple[str, ...], points: int) -> None:
    (sheet,) = as_json(look("sheet", "sw", "--json", *words))["forces"]
    assert sheet["purses"]["points"]["value"] == points


def test_names_stand_on_a_sheet_as_they_are(path: Path, look: Look) -> None:
    force = MusterForce(force="odd", name="[red]=1+1<b>../x", player="ana", purses=(Figure("points", 1),))
    record(path, force)
    assert "[red]=1+1<b>../x (Ana)" in look("sheet", "odd")


def test_a_statement_has_a_running_balance_and_its_sums(look: Look) -> None:
    rows = [line.split() for line in look("statement", "ba").splitlines()[2:]]
    assert [(row[0], row[-1]) for row in rows[:-1]] == [("#5", "5"), ("#10", "15"), ("#15", "3")]
    assert rows[-1] == [str(5 + 10), "12", str(5 + 10 - 12)]


def test_a_struck_movement_is_shown_and_not_added(look: Look) -> None:
    told = look("statement", "sw", "points")
    assert "(4)" in told
    assert "[struck by #17]" in told
    assert "(5) struck by a ruling: told and not added\n" in told
    assert told.splitlines()[-3].split() == [str(12 + 3), "0", str(12 + 3)]


def test_a_purse_alone_is_that_of_the_own_force(look: Look) -> None:
    assert look("statement", "points", "--me", "tom") == look("statement", "sw", "points")
    assert look("statement", "--me", "ana") == look("statement", "ba")


def test_counts_of_battles_have_statements_too(look: Look) -> None:
    (told,) = as_json(look("statement", "sw", "won", "--json"))["statements"]
    assert (told["account"], told["balance"], [step["line"] for step in told["steps"]]) == ("force:sw/won", 2, ["#6.1"])


def test_an_empty_statement_says_so(look: Look) -> None:
    assert "Nothing came in and nothing went out." in look("statement", "ba", "byes")


def test_standings_name_their_criteria_and_what_decided_a_place(look: Look) -> None:
    lines = look("standings").splitlines()
    assert lines[1] == "Ranked by: won, drawn"
    assert lines[3].split() == ["1", "Swift", "Spears", "(Tom)", "3*", "2*", "0", "1", "15*"]
    assert lines[4].split() == ["2", "Blood", "Angels", "(Ana)", "1", "1", "0", "0", "3", "won"]


def test_standings_show_as_many_purses_as_fit_beside_what_ranks(path: Path, look: Look) -> None:
    purses = SetOption(option="campaign.purses", value=("points", "campaign-points", "wyrdstone"))
    record(path, purses, SetOption(option="campaign.standings", value=("wyrdstone",)))
    told = look("standings")
    assert told.splitlines()[1] == "Ranked by: wyrdstone"
    assert told.splitlines()[2].split()[-3:] == ["wyrdstone", "points", "by"]
    assert max(map(len, told.splitlines())) <= 80
    (first, _) = as_json(look("standings", "--json"))["places"]
    assert [*first["purses"]] == ["points", "campaign-points", "wyrdstone"]


def test_who_left_has_no_place(path: Path, look: Look) -> None:
    record(path, LeavePlayer(player="tom"))
    last = look("standings").splitlines()[-1]
    assert (last.split()[0], last.split()[-1]) == ("-", "gone")


def test_the_history_is_an_entry_a_line_with_struck_ones_marked(look: Look) -> None:
    lines = look("history", "--since", "14", "--kind", "points").splitlines()
    assert lines[0] == "#15  15 Feb  Ana   Blood Angels spends 12 points (a jump pack)."
    assert lines[1].startswith("#16  16 Feb  Paul  Swift Spears earns 4 points (a slip of the pen). [struck by")


def test_the_history_tells_who_recorded_for_whom(look: Look) -> None:
    assert "#10  10 Feb  Paul for Ana  Blood Angels earns 10 points" in look("history", "--as-of", "10", "--last", "1")


def test_the_history_for_programs_has_exactly_its_members(look: Look) -> None:
    told = as_json(look("history", "--json"))
    members = ["number", "at", "by", "for", "action", "sentence", "rules", "lines"]
    assert [list(entry) for entry in told if entry["number"] != 16] == [members] * 18
    assert [(*entry, entry["struck"]) for entry in told if "struck" in entry] == [(*members, "struck", True)]


@pytest.mark.parametrize(
    ("words", "entries"),
    [
        (("--battle", "1"), [7, 8, 9, 10, 11, 14]),
        (("--force", "Swift", "--since", "11"), [16, 18, 19]),
        (("--player", "Tom", "--last", "2"), [18, 19]),
        (("--kind", "ruling"), [17]),
        (("--kind", "nothing"), []),
    ],
)
def test_the_history_is_filtered_by_names_as_people_say_them(
    look: Look, words: tuple[str, ...], entries: list[int]
) -> None:
    assert [entry["number"] for entry in as_json(look("history", "--json", *words))] == entries


def test_a_history_of_nothing_says_so(look: Look) -> None:
    assert look("history", "--kind", "nothing") == "No entry fits.\n"


def test_why_opens_a_number_line_by_line(look: Look) -> None:
    told = look("why", "ba", "points")
    rows = [line for line in told.splitlines() if line.startswith(" #")]
    assert told.startswith("Blood Angels, points 3 ")
    assert [row.split()[0] for row in rows] == ["#5.1", "#10.1", "#15.1"]
    assert [row.split()[-3:] for row in rows] == [["+5", "->", "5"], ["+10", "->", "15"], ["-12", "->", "3"]]
    assert "Paul for Ana" in rows[1]
    assert told.endswith("No ruling touches this number.\n")


def test_why_marks_what_was_stated_and_what_was_struck(look: Look) -> None:
    told = look("why", "sw", "points")
    assert "(+4)  -> 15" in told
    assert "* stated when the force was opened" in told
    assert told.endswith("Rulings that touch this number: #17. See: campaign around N\n")


def test_why_of_a_sum_names_its_parts_and_the_commands_that_open_them(look: Look) -> None:
    for word in ("models", "size", "figurines"):
        told = look("why", "ba", word)
        assert "The sum of 2 figures:\n" in told
        assert " Alpha count             3  campaign why ba/alpha count\n" in told
    assert look("why", "ba/alpha", "count").startswith("Alpha, count 3 ")


@pytest.mark.parametrize("who", ["ba", "sw", "raphael", "alpha", "autarch"])
@pytest.mark.parametrize("words", [(), ("--as-of", "12"), ("--as-known-at", "16")])
def test_why_adds_up_to_every_number_of_the_sheet(look: Look, who: str, words: tuple[str, ...]) -> None:
    sheet = as_json(look("sheet", who, "--json", *words))
    (told,) = sheet.get("forces") or sheet["models"]
    figures = told.get("figures") or {**told["purses"], **told["record"], "models": told["size"]}
    assert len(figures) in (2, 7)
    for name, figure in figures.items():
        why = as_json(look("why", who, name, "--json", *words))
        assert (why["who"], why["figure"]) == (who, name)
        assert {key: why[key] for key in figure} == figure
        assert sum(step["amount"] for step in why["postings"] if not step.get("struck")) == figure["value"]


def test_a_posting_for_programs_says_where_it_stands_and_under_which_rule(look: Look) -> None:
    first, _, struck = as_json(look("why", "sw", "points", "--json"))["postings"]
    members = {"line", "at", "by", "for", "account", "amount", "balance", "rule", "sentence"}
    assert set(first) == {*members, "transcribed"}
    assert set(struck) == {*members, "struck", "ruling"}
    assert (first["line"], first["amount"], struck["struck"], struck["ruling"]) == ("#6.1", 12, True, "#17")


def test_what_is_counted_may_be_named_in_either_language(look: Look) -> None:
    assert look("why", "sw", "victoires") == look("why", "sw", "won")


def test_around_an_entry_stand_the_balances_it_changed(look: Look) -> None:
    told = look("around", "9")
    assert told.startswith("#9  Ana ")
    assert "9 Feb 12:00\n" in told
    rows = [line.split() for line in told.splitlines()]
    assert ["before", "after"] in rows
    assert ["Blood", "Angels", "won", "0", "1"] in rows
    assert ["Swift", "Spears", "played", "2", "3"] in rows
    assert ["#9.3", "Swift", "Spears,", "battle", "1:", "lost."] in rows


def test_around_a_ruling_stands_what_it_took_away(look: Look) -> None:
    told = as_json(look("around", "17", "--json"))
    assert told["entry"]["number"] == 17
    assert told["changes"] == [{"account": "force:sw/points", "before": 12 + 3 + 4, "after": 12 + 3}]


def test_around_a_struck_entry_stands_what_it_did_and_that_it_no_longer_counts(look: Look) -> None:
    told = look("around", "16")
    assert "Struck by #17: it no longer counts.\n" in told
    assert "Swift Spears points      15     19" in told
    assert as_json(look("around", "16", "--json", "--as-known-at", "19"))["changes"] == []


def test_around_an_entry_that_changed_no_balance_says_so(path: Path, look: Look) -> None:
    record(path, AddNote(text="what a day"))
    assert "No balance changed." in look("around", "20")


def test_a_replay_tells_each_entry_and_ends_with_the_live_sheets(look: Look) -> None:
    lines = look("replay").splitlines()
    assert [line.split()[0] for line in lines if line.startswith("#")] == [f"#{number}" for number in range(1, 20)]
    assert "     Blood Angels points 15 -> 3" in lines
    assert lines[-1] == "19 entries, the same balances as the live sheets."


def test_a_replay_from_one_entry_to_another_folds_all_before_it(look: Look) -> None:
    lines = look("replay", "--from", "15", "--to", "16").splitlines()
    assert lines == [
        "#15  Blood Angels spends 12 points (a jump pack).",
        "     Blood Angels points 15 -> 3",
        "#16  Swift Spears earns 4 points (a slip of the pen). [struck by #17]",
        "16 entries, the same balances as the live sheets.",
    ]


def test_a_replay_for_programs_is_an_array(look: Look) -> None:
    told = as_json(look("replay", "--json", "--from", "15"))
    assert [entry["number"] for entry in told] == [15, 16, 17, 18, 19]
    assert told[0]["changes"] == [{"account": "force:ba/points", "before": 15, "after": 3}]
    assert [entry["number"] for entry in told if "struck" in entry] == [16]
    assert as_json(look("replay", "--json", "--from", "20")) == []


def test_an_audit_of_an_honest_book_agrees(look: Look) -> None:
    assert look("audit") == "19 entries agree.\n"
    assert as_json(look("audit", "--json")) == []
    assert look("audit", "--as-of", "7") == "7 entries agree.\n"


def write_by_hand(path: Path, *, asked: str, told: int) -> None:
    """Append an entry that no rule has seen: so many points asked for, another number granted."""
    event = PointsGranted(force="ba", purse="points", amount=told, postings=(Posting("force:ba/points", told),))
    draft = Draft("force:ba", "points.granted", CANON.encode(event))
    with open_book(str(path)) as book:
        head = book.head()
        assert head is not None
        entry = EntryDraft("by-hand", asked.encode(), "2026-03-01T12:00:00Z", "paul", "", (draft,))
        book.append((entry,), campaign=head.campaign, head=head.size)


def test_an_audit_tells_what_would_have_come_of_it(path: Path, look: Look) -> None:
    write_by_hand(path, asked='{"amount":2,"force":"ba","purse":"points","t":"points.grant"}', told=99)
    told = look("audit", status=5)
    assert "#20  Blood Angels earns 99 points." in told
    assert "recorded: Blood Angels earns 99 points. (points +99)" in told
    assert "decided again: Blood Angels earns 2 points. (points +2)" in told
    assert told.endswith("One entry does not follow from the rules as they are read now; 19 agree.\n")
    (finding,) = as_json(look("audit", "--json", status=5))
    assert (finding["entry"], finding["finding"]) == (20, "differs")
    assert [finding[which][0]["amount"] for which in ("recorded", "again")] == [99, 2]


def test_an_audit_tells_the_refusal_that_would_have_met_it(path: Path, look: Look) -> None:
    write_by_hand(path, asked='{"amount":0,"force":"ba","purse":"points","t":"points.grant"}', told=5)
    assert "[AMOUNT_ZERO]" in look("audit", status=5)
    (finding,) = as_json(look("audit", "--json", status=5))
    assert (finding["finding"], finding["refusal"]["code"]) == ("refused", "AMOUNT_ZERO")


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("sheet", "nobody"), 3, "WHO_UNKNOWN"),
        (("sheet", "--player", "nobody"), 3, "PLAYER_UNKNOWN"),
        (("sheet", "--as-of", "99"), 3, "ENTRY_UNKNOWN"),
        (("sheet", "--as-of", "soon"), 2, "AS_OF_MALFORMED"),
        (("sheet", "--as-of", "2020-01-01"), 3, "DAY_BEFORE_FOUNDING"),
        (("sheet", "--as-known-at", "0"), 3, "ENTRY_UNKNOWN"),
        (("sheet", "--as-known-at", "x"), 2, "NOT_A_NUMBER"),
        (("statement", "ba", "gold"), 3, "NOT_COUNTED"),
        (("statement", "nobody", "points"), 3, "FORCE_UNKNOWN"),
        (("why", "ba", "xp"), 3, "NOT_COUNTED"),
        (("why", "ba"), 2, "ARGUMENT_MISSING"),
        (("around", "20"), 3, "ENTRY_UNKNOWN"),
        (("around", "0"), 3, "ENTRY_UNKNOWN"),
        (("around",), 2, "NUMBER_MISSING"),
        (("replay", "--to", "battle:2"), 3, "BATTLE_STAGE"),
        (("history", "--battle", "9"), 3, "BATTLE_UNKNOWN"),
        (("history", "--last", "x"), 2, "NOT_A_NUMBER"),
    ],
)
def test_what_cannot_be_looked_at_is_told_in_one_line(
    look: Look, words: tuple[str, ...], status: int, code: str
) -> None:
    told = look(*words, status=status)
    assert told.endswith(f" [{code}]\n")
    assert told.count("\n") == 1
    assert not told.startswith(code)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("words", READING)
def test_every_screen_fits_and_says_everything_in_words(look: Look, words: tuple[str, ...], language: str) -> None:
    told = look("--lang", language, *words)
    assert max(map(len, told.splitlines())) <= 80
    assert "{" not in told
    for unsaid in ("screen.", "column.", "figure.", "todo.", "event.", "stage.", "word."):
        assert unsaid not in told


@pytest.mark.parametrize("words", READING)
def test_every_command_answers_programs_in_json(look: Look, words: tuple[str, ...]) -> None:
    assert msgspec.json.decode(look(*words, "--json")) is not None
