"""What programs may rely on: the form of JSON answers, refusals as objects, files of actions, and command ids."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.wording import LANGUAGES
from tests.commands.running import Told, contents, entries, run
from tests.projections.season import SEASON

COUNT = len(SEASON)

ENTRY = {"number", "at", "by", "for", "action", "sentence", "rules", "lines"}
REFUSAL = {"code", "rule", "values", "message"}


def test_a_history_is_an_array_of_entries(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "history", "--json")
    assert (told.status, told.err, told.out.count("\n")) == (0, "", 1)
    history = told.json
    assert [entry["number"] for entry in history] == list(range(1, COUNT + 1))
    for entry, (by, behalf, action) in zip(history, SEASON, strict=True):
        struck = {"struck"} if entry["number"] == 16 else set()
        assert set(entry) == ENTRY | struck
        assert (entry["by"], entry["for"]) == (by, behalf)
        assert entry["action"]["t"] == action.__struct_config__.tag
        assert set(entry["lines"][0]) <= {"number", "event", "sentence", "postings"}
        assert [line["number"] for line in entry["lines"]] == [
            f"#{entry['number']}.{place}" for place in range(1, len(entry["lines"]) + 1)
        ]


@pytest.mark.parametrize(
    "words", [("sheet",), ("sheet", "ba"), ("sheet", "raphael"), ("sheet", "--player", "tom", "--as-of", "battle:1")]
)
def test_every_whole_number_of_a_sheet_says_where_it_comes_from(
    book: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    sheet = run(capsys, *words, "--json").json
    figures = list(figures_of(sheet))
    assert len(figures) > 1
    for figure in figures:
        assert set(figure) - {"transcribed"} in ({"value", "account"}, {"value", "formula", "from"})
    assert list(numbers_of(sheet, inside=False)) == []


def figures_of(value: Any) -> Iterator[dict[str, Any]]:
    match value:
        case {"value": _}:
            yield value
        case dict():
            for part in value.values():
                yield from figures_of(part)
        case list():
            for part in value:
                yield from figures_of(part)
        case _:
            return


def numbers_of(value: Any, *, inside: bool) -> Iterator[int]:
    """Yield every whole number that is not the value of a figure."""
    match value:
        case bool():
            return
        case int() if not inside:
            yield value
        case dict():
            for name, part in value.items():
                yield from numbers_of(part, inside=name == "value")
        case list():
            for part in value:
                yield from numbers_of(part, inside=False)
        case _:
            return


REFUSED: tuple[tuple[tuple[str, ...], int, str, dict[str, object]], ...] = (
    (
        ("points", "spend", "ba", "points", "10"),
        3,
        "PURSE_INSUFFICIENT",
        {"force": "Blood Angels", "purse": "points", "has": 3, "needed": 10, "short": 7},
    ),
    (("points", "grant", "ba", "points", "x"), 2, "NOT_AN_INTEGER", {"text": "x"}),
    (("sheet", "--as-of", "99"), 3, "ENTRY_UNKNOWN", {"entry": 99, "last": COUNT}),
    (("pionts",), 2, "COMMAND_UNKNOWN_NEAR", {"word": "pionts", "near": "points"}),
    (("--book", "none.db", "status"), 2, "BOOK_MISSING", {"path": "none.db"}),
)


@pytest.mark.parametrize(("words", "status", "code", "values"), REFUSED)
def test_a_refusal_is_one_object_with_its_code_rule_values_and_message(
    book: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    status: int,
    code: str,
    values: dict[str, object],
) -> None:
    before = contents(book)
    messages = set()
    for language in LANGUAGES:
        told = run(capsys, "--json", "--lang", language, *words)
        assert (told.status, told.err, told.out.count("\n")) == (status, "", 1)
        refusal = told.json
        assert set(refusal) == REFUSAL
        assert (refusal["code"], refusal["values"]) == (code, values)
        assert len(refusal["message"].split()) > 2
        messages.add(refusal["message"])
    assert len(messages) == len(LANGUAGES)
    assert contents(book) == before


def test_what_was_recorded_is_answered_with_its_id_and_its_entries(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(capsys, "points", "grant", "ba", "points", "5", "--json", "--id", "my-own:1").json
    assert (told["status"], told["id"]) == ("recorded", "my-own:1")
    assert [entry["number"] for entry in told["entries"]] == [COUNT + 1]
    assert set(told["entries"][0]) == ENTRY


# Command ids.


def test_a_command_repeated_with_its_id_answers_the_first_result(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--id", "a", "points", "grant", "ba", "points", "5", "--json")
    first = run(capsys, *words).json
    assert run(capsys, "points", "grant", "ba", "points", "1").status == 0
    again = run(capsys, *words).json
    assert (first["status"], again["status"]) == ("recorded", "repeated")
    assert again["entries"] == first["entries"]
    assert entries(book) == COUNT + 2


@pytest.mark.parametrize(
    "words",
    [
        ("points", "grant", "ba", "points", "6"),
        ("points", "grant", "sw", "points", "5"),
        ("points", "spend", "ba", "points", "5"),
        ("note", "x"),
        ("--for", "ana", "points", "grant", "ba", "points", "5"),
        ("--me", "ana", "points", "grant", "ba", "points", "5"),
    ],
)
def test_the_same_id_does_not_stand_for_anything_else(
    book: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert run(capsys, "--id", "a", "points", "grant", "ba", "points", "5").status == 0
    before = contents(book)
    told = run(capsys, "--id", "a", *words, "--json")
    assert (told.status, told.json["code"]) == (3, "ID_TAKEN")
    assert told.json["values"] == {"id": "a", "entry": COUNT + 1}
    assert contents(book) == before


def test_what_made_something_new_is_repeated_without_making_it_twice(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (
        ("player", "add", "Bo"),
        ("model", "add", "ba", "Scout"),
        ("battle", "schedule", "ba:sw"),
        ("undo",),
        ("ruling", "annul", str(COUNT + 1)),
    ):
        first, again = (run(capsys, "--id", "-".join(words), *words, "--json").json for _ in range(2))
        assert (first["status"], again["status"]) == ("recorded", "repeated"), words
        assert first["entries"] == again["entries"]
    assert entries(book) == COUNT + 5
    assert run(capsys, "verify").status == 0


def test_a_dry_run_says_what_would_be_and_records_nothing(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(book)
    told = run(capsys, "points", "grant", "ba", "points", "5", "--dry-run", "--json")
    assert told.status == 0
    assert [entry["number"] for entry in told.json["entries"]] == [COUNT + 1]
    assert run(capsys, "points", "spend", "ba", "points", "50", "--dry-run").status == 3
    assert contents(book) == before


@pytest.mark.parametrize(
    "words",
    [
        ("--me", "ana", "--json", "--lang", "fr", "--id", "x", "points", "spend", "ba", "points", "1"),
        ("points", "--me=ana", "spend", "--json", "ba", "--id=x", "points", "1", "--lang=fr"),
        ("points", "spend", "ba", "points", "1", "--id", "x", "--lang", "fr", "--me", "ana", "--json"),
    ],
)
def test_the_common_options_stand_anywhere_in_a_real_command(
    book: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    told = run(capsys, *words).json
    (entry,) = told["entries"]
    assert (told["id"], entry["by"]) == ("x", "ana")
    assert "Blood Angels" in entry["sentence"]
    french = run(capsys, "history", "--last", "1", "--json", "--lang", "fr").json[0]["sentence"]
    english = run(capsys, "history", "--last", "1", "--json").json[0]["sentence"]
    assert entry["sentence"] == french != english


# Files of actions.

RESULT = {"line", "status", "entries", "refusal"}


def line(action: dict[str, object], **more: object) -> str:
    return json.dumps({"by": "paul", "action": action, **more}) + "\n"


def grant(amount: int, **more: object) -> str:
    return line({"t": "points.grant", "force": "ba", "purse": "points", "amount": amount}, **more)


def spend(amount: int) -> str:
    return line({"t": "points.spend", "force": "ba", "purse": "points", "amount": amount})


FILE = "# round one\n" + grant(5) + spend(100) + "\n" + grant(7)
"""Line 3 spends what is not there; line 4 is empty."""


@pytest.fixture
def actions(book: Path) -> Path:
    """A file of three commands, the second of which is refused."""
    path = book.parent / "actions.jsonl"
    path.write_text(FILE, encoding="utf-8")
    return path


def results(told: Told) -> list[dict[str, Any]]:
    assert told.err == ""
    found = [json.loads(one) for one in told.out.splitlines()]
    assert all(set(one) == RESULT for one in found)
    return found


def outcomes(told: Told) -> list[tuple[int, str, list[int]]]:
    return [(one["line"], one["status"], one["entries"]) for one in results(told)]


def test_a_file_stops_at_the_first_refusal_and_what_came_before_stays(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(capsys, "apply", "actions.jsonl", "--json")
    assert told.status == 3
    assert outcomes(told) == [(2, "recorded", [COUNT + 1]), (3, "refused", [])]
    refusal = results(told)[1]["refusal"]
    assert set(refusal) == REFUSAL
    assert (refusal["code"], refusal["values"]["short"]) == ("PURSE_INSUFFICIENT", 100 - (3 + 5))
    assert entries(book) == COUNT + 1


def test_a_file_goes_on_behind_a_refusal_when_told_to(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = run(capsys, "apply", "actions.jsonl", "--json", "--keep-going")
    assert told.status == 3
    assert outcomes(told) == [(2, "recorded", [COUNT + 1]), (3, "refused", []), (5, "recorded", [COUNT + 2])]
    assert entries(book) == COUNT + 2


def test_a_file_is_recorded_whole_or_not_at_all_when_told_to(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(book)
    told = run(capsys, "apply", "actions.jsonl", "--json", "--atomic")
    assert told.status == 3
    assert [one for one in outcomes(told) if one[1] == "refused"] == [(3, "refused", [])]
    assert contents(book) == before
    actions.write_text(grant(5) + spend(8) + grant(1), encoding="utf-8")
    told = run(capsys, "apply", "actions.jsonl", "--json", "--atomic")
    assert told.status == 0
    assert outcomes(told) == [(number, "recorded", [COUNT + number]) for number in (1, 2, 3)]
    assert run(capsys, "verify").status == 0


def test_a_dry_run_of_a_file_records_nothing(book: Path, actions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(book)
    told = run(capsys, "apply", "actions.jsonl", "--json", "--dry-run")
    assert told.status == 3
    assert (3, "refused", []) in outcomes(told)
    actions.write_text(grant(5) + spend(8), encoding="utf-8")
    told = run(capsys, "apply", "actions.jsonl", "--json", "--dry-run")
    assert (told.status, [one[:2] for one in outcomes(told)]) == (0, [(1, "kept"), (2, "kept")])
    assert contents(book) == before


def test_the_same_file_again_adds_nothing(book: Path, actions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    actions.write_text(grant(5) + spend(8) + grant(1, id="mine"), encoding="utf-8")
    first = run(capsys, "apply", "actions.jsonl", "--json")
    assert [one[1] for one in outcomes(first)] == ["recorded"] * 3
    before = contents(book)
    for how in ((), ("--atomic",), ("--keep-going",), ("--dry-run",)):
        again = run(capsys, "apply", "actions.jsonl", "--json", *how)
        assert again.status == 0
        assert [(one[1], one[2]) for one in outcomes(again)] == [("repeated", [COUNT + n]) for n in (1, 2, 3)]
    assert contents(book) == before


def test_a_file_that_was_stopped_goes_on_where_it_stood(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "apply", "actions.jsonl").status == 3
    assert run(capsys, "points", "grant", "ba", "points", "100").status == 0
    told = run(capsys, "apply", "actions.jsonl", "--json")
    assert told.status == 0
    assert [one[1] for one in outcomes(told)] == ["repeated", "recorded", "recorded"]


def test_a_line_of_several_actions_is_one_command(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [json.loads(one)["action"] for one in (grant(5), spend(100))]
    actions.write_text(json.dumps({"by": "paul", "actions": both}) + "\n", encoding="utf-8")
    before = contents(book)
    assert run(capsys, "apply", "actions.jsonl").status == 3
    assert contents(book) == before


def test_a_file_speaks_for_those_whom_its_lines_name(
    book: Path, actions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note: dict[str, object] = {"t": "note.add", "text": "x"}
    actions.write_text(
        line(note, **{"for": "tom"}) + line(note, by="ana", id="z") + line(note, by="nobody"), encoding="utf-8"
    )
    told = run(capsys, "apply", "actions.jsonl", "--json")
    assert [one[1] for one in outcomes(told)] == ["recorded", "recorded", "refused"]
    assert results(told)[2]["refusal"]["code"] == "PLAYER_UNKNOWN"
    history = run(capsys, "history", "--json", "--last", "2").json
    assert [(entry["by"], entry["for"]) for entry in history] == [("paul", "tom"), ("ana", "")]
