"""What people type that cannot be: told in one line, with its status, and nothing recorded.

Files of people's own, histories and books have modules beside this one. Left to those who build what they are about:
dice, seeds and sealed lists (there is no action yet that throws or seals anything), signed orders, and checkpoints with
signatures (a checkpoint is plain text so far).
"""

from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest

from commands import context
from ledger.wording import LANGUAGES
from tests.commands.running import Refuse, assert_told_in_one_line, contents, real, run

NAMES: tuple[tuple[str, str, str], ...] = (
    ("", "NAME_EMPTY", "visible"),
    (" \u3000 ", "NAME_EMPTY", "visible"),
    ("x" * 65, "NAME_TOO_LONG", "65"),
    ("x" * 10_000, "NAME_TOO_LONG", "10000"),
    ("Bob\x1b[31m", "NAME_CONTROL_CHAR", "U+001B"),
    ("Bob\x07", "NAME_CONTROL_CHAR", "U+0007"),
    ("Bob\r", "NAME_CONTROL_CHAR", "U+000D"),
    ("Bob\nby", "NAME_CONTROL_CHAR", "U+000A"),
    ("Bob\x00", "NAME_CONTROL_CHAR", "U+0000"),
    ("Bo\tb", "NAME_CONTROL_CHAR", "U+0009"),
    ("Bob\x9b", "NAME_CONTROL_CHAR", "U+009B"),
    ("Bob\u202eboB", "NAME_INVISIBLE_CHAR", "U+202E"),
    ("Bo\u2066b", "NAME_INVISIBLE_CHAR", "U+2066"),
    ("Bo\u200bb", "NAME_INVISIBLE_CHAR", "U+200B"),
    ("Bo\u200db", "NAME_INVISIBLE_CHAR", "U+200D"),
    ("Bob\U000e0041", "NAME_INVISIBLE_CHAR", "U+E0041"),
    ("Bo\u3164b", "NAME_INVISIBLE_CHAR", "U+3164"),
    ("Z" + "\u0489" * 200, "NAME_TOO_MANY_MARKS", "4"),
)

DOORS: tuple[tuple[str, ...], ...] = (
    ("player", "add"),
    ("player", "rename", "ana"),
    ("rename",),
    ("force", "rename", "ba"),
    ("model", "rename", "raphael"),
    ("model", "add", "ba"),
    ("--book", "new.db", "new"),
    ("--book", "new.db", "new", "Vardia", "--organiser"),
    ("--book", "new.db", "new", "Vardia", "--player"),
)


@pytest.mark.parametrize(("name", "code", "named"), NAMES)
def test_a_name_that_cannot_be_read_is_refused(refuse: Refuse, name: str, code: str, named: str) -> None:
    assert named in refuse("player", "add", name, status=3, code=code)


@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_in_what_another_does_not(book: Path, refuse: Refuse, door: tuple[str, ...]) -> None:
    for name, code in (
        (" ", "NAME_EMPTY"),
        ("x" * 65, "NAME_TOO_LONG"),
        ("Bob\x1b[31m", "NAME_CONTROL_CHAR"),
        ("Bob\u202eboB", "NAME_INVISIBLE_CHAR"),
    ):
        refuse(*door, name, status=3, code=code)
    assert not any(path.name.startswith(("new.db", ".new.db")) for path in book.parent.iterdir())


def test_a_refused_name_is_not_repeated_at_its_full_length(refuse: Refuse) -> None:
    assert len(refuse("player", "add", "x" * 10_000, status=3, code="NAME_TOO_LONG")) < 300
    assert len(refuse("sheet", "x" * 10_000, status=3, code="WHO_UNKNOWN")) < 300


def test_a_name_like_another_is_refused(refuse: Refuse, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "player", "add", "ánna").status == 0
    told = refuse("player", "add", "Ánna", status=3, code="NAME_TAKEN")
    assert "Ánna" in told
    assert "ánna" in told
    refuse("player", "add", "\uff21na", status=3, code="NAME_TAKEN")
    refuse("force", "rename", "sw", "BLOOD ANGELS", status=3, code="NAME_TAKEN")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 501, "TEXT_TOO_LONG"),
        ("two\nlines", "TEXT_CONTROL_CHAR"),
        ("\x1b]0;title\x07", "TEXT_CONTROL_CHAR"),
        ("left\u202eright", "TEXT_INVISIBLE_CHAR"),
        ("Z" + "\u0489" * 5, "TEXT_TOO_MANY_MARKS"),
    ],
)
def test_a_reason_or_note_that_cannot_be_read_is_refused(refuse: Refuse, text: str, code: str) -> None:
    refuse("note", text, status=3, code=code)
    refuse("points", "grant", "ba", "points", "5", "--because", text, status=3, code=code)
    refuse("battle", "schedule", "ba:sw", "--mission", text, status=3, code=code)


def test_an_empty_note_is_refused(refuse: Refuse) -> None:
    refuse("note", " ", status=3, code="NOTE_EMPTY")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_argument_that_is_no_text_is_refused(book: Path, language: str) -> None:
    before = contents(book)
    told = real("--lang", language, "player", "add", b"Ann\xff")
    assert (told.status, told.out) == (2, "")
    assert_told_in_one_line(told.err, "TEXT_NOT_UTF8")
    assert contents(book) == before


def test_a_name_may_begin_with_a_dash_behind_two_dashes(refuse: Refuse, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`--`" in refuse("player", "add", "-rf", status=2, code="LEADING_DASH")
    assert run(capsys, "player", "add", "--", "-rf").status == 0


@pytest.mark.parametrize("amount", ["abc", "1.5", "1e3", "٣", "0x10", "1_000", "", "+", "--5", "5 gold", "NaN", "½"])
@pytest.mark.parametrize("verb", ["grant", "spend"])
def test_an_amount_is_a_whole_number(refuse: Refuse, verb: str, amount: str) -> None:
    assert "25" in refuse("points", verb, "--", "ba", "points", amount, status=2, code="NOT_AN_INTEGER")


@pytest.mark.parametrize("amount", ["9" * 5000, "1000001", "-1000001"])
def test_an_amount_has_bounds(refuse: Refuse, amount: str) -> None:
    told = refuse("points", "grant", "--", "ba", "points", amount, status=2, code="NUMBER_OUT_OF_RANGE")
    assert "1000000" in told
    assert len(told) < 300


@pytest.mark.parametrize("verb", ["grant", "spend"])
def test_a_movement_moves_something_and_the_way_its_verb_says(refuse: Refuse, verb: str) -> None:
    refuse("points", verb, "ba", "points", "0", status=3, code="AMOUNT_ZERO")
    assert "-5" in refuse("points", verb, "--", "ba", "points", "-5", status=3, code="AMOUNT_NEGATIVE")
    refuse("points", verb, "ba", "points", "-5", status=2, code="LEADING_DASH")


def test_spending_more_than_there_is_tells_the_sum(refuse: Refuse) -> None:
    """The Blood Angels mustered with 5, earned 10 and spent 12."""
    told = refuse("points", "spend", "ba", "points", "10", status=3, code="PURSE_INSUFFICIENT")
    assert all(part in told for part in ("Blood Angels", str(5 + 10 - 12), "10", str(10 - 3)))
    refuse("model", "add", "ba", "Scout", "--cost", "points=4", status=3, code="PURSE_INSUFFICIENT")


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("points", "grant", "ba", "pionts", "5"), "PURSE_UNKNOWN", "points"),
        (("points", "grant", "bo", "points", "5"), "FORCE_UNKNOWN", "bo"),
        (("points", "grant", "Blod Angels", "points", "5"), "FORCE_UNKNOWN", "Blood Angels"),
        (("points", "grant", "ba", "points", "5", "--battle", "7"), "BATTLE_UNKNOWN", "1"),
        (("model", "add", "ba", "Scout", "--figure", "xq=3"), "FIGURE_UNKNOWN", "xp"),
        (("model", "kill", "Raphel"), "MODEL_UNKNOWN", "Sergeant Raphael"),
        (("player", "rename", "annna", "Bo"), "PLAYER_UNKNOWN", "Ana"),
        (("--me", "nobody", "note", "x"), "PLAYER_UNKNOWN", "nobody"),
        (("options", "set", "campaign.overdratf", "debt"), "CAMPAIGN_OPTION_UNKNOWN", "campaign.overdraft"),
        (("options", "set", "overdraft", "perhaps"), "OPTION_VALUE", "refuse, debt"),
        (("note", "x", "--about", "99"), "ENTRY_UNKNOWN", "19"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(refuse: Refuse, words: tuple[str, ...], code: str, named: str) -> None:
    assert named in refuse(*words, status=3, code=code)


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("points", "grant", "ba", "points"), "NUMBER_MISSING", "42"),
        (("pionts", "grant"), "COMMAND_UNKNOWN_NEAR", "points"),
        (("points", "garnt"), "VERB_UNKNOWN_NEAR", "grant"),
        (("points", "grant", "ba", "points", "5", "--becuase", "x"), "OPTION_UNKNOWN_NEAR", "--because"),
        (("points", "grant", "ba", "points", "5", "6"), "ARGUMENT_UNEXPECTED", "6"),
        (("player", "role", "ana", "king"), "ROLE_UNKNOWN", "organiser"),
        (("model", "add", "ba", "Scout", "--figure", "3"), "AMOUNT_UNNAMED", "3"),
        (("model", "add", "ba", "Scout", "--figure", "xp=1.5"), "NOT_AN_INTEGER", "1.5"),
        (("battle", "finish", "2"), "WINNER_OR_DRAW", "2"),
        (("--book", "new.db", "new", "Vardia", "--option", "points"), "OPTION_UNNAMED", "points"),
    ],
)
def test_a_command_typed_wrongly_records_nothing(refuse: Refuse, words: tuple[str, ...], code: str, named: str) -> None:
    assert named in refuse(*words, status=2, code=code)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("ruling", "annul", "99"), "ENTRY_UNKNOWN"),
        (("ruling", "annul", "16"), "ALREADY_ANNULLED"),
        (("ruling", "annul", "1"), "NOT_ANNULLABLE"),
        (("ruling", "annul", "5"), "ENTRIES_DEPEND"),
    ],
)
def test_an_entry_that_cannot_be_annulled_stays(refuse: Refuse, words: tuple[str, ...], code: str) -> None:
    refuse(*words, status=3, code=code)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Set the clock of this machine, as far as the program looks at it."""

    def turn(time: str) -> None:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Self:
                return cls.fromisoformat(time).astimezone(tz)

        monkeypatch.setattr(context, "datetime", Clock)

    return turn


@pytest.mark.parametrize("time", ["1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"])
def test_a_clock_that_cannot_be_right_records_nothing(refuse: Refuse, clock: Callable[[str], None], time: str) -> None:
    clock(time)
    assert time[:4] in refuse("note", "x", status=3, code="CLOCK_IMPLAUSIBLE")
    refuse("--book", "new.db", "new", "Vardia", status=3, code="CLOCK_IMPLAUSIBLE")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_clock_behind_the_book_is_remarked_and_the_order_stays(
    book: Path, capsys: pytest.CaptureFixture[str], clock: Callable[[str], None], language: str
) -> None:
    """The season's last entry is of 19 February 2026."""
    clock("2026-02-10T12:00:00Z")
    told = run(capsys, "--lang", language, "note", "late")
    assert told.status == 0
    assert "2026" in told.err or "19" in told.err
    assert "remark." not in told.err
    last = run(capsys, "history", "--last", "1", "--json").json[0]
    assert last["at"] == "2026-02-19T12:00:00Z"
