import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import screen
from commands.page import Blank, Column, Line, Page, Table, Title
from commands.screen import cut, fit, pad, plain, safe, width, wrap
from ledger.errors import Misused

ROOT = Path(__file__).parents[2]

MARKUP = Page(
    (
        Title("[red]Bob[/nope]", right="#42"),
        Blank(),
        Line("[bold]not bold[/bold] :smile: 'quoted' 12"),
        Table((Column("[i]who"), Column("RP", align="right")), (("[/nope]", "7"), ("=1+1", "12"))),
    )
)

STATEMENT = Table(
    (Column("entry"), Column("what"), Column("in", align="right")),
    (
        ("#11", "battle 1, won: took part 10, victory 5, thoughtful commander 2, first blood 2", "19"),
        ("#12", "+1 Ballistic Skill", "1000000"),
    ),
)


def on_terminal(program: str, **environment: str) -> str:
    """Return what a program writes when a terminal reads it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "80", **environment},
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux tells the end of a terminal by an error
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait() == 0
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a\\u001b[31mb"),
        ("a\nb\tc", "a\\u000ab\\u0009c"),
        ("a\x9bb", "a\\u009bb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u200bb\u2066", "a\\u200bb\\u2066"),
        ("a\u2028b", "a\\u2028b"),
        ("a\U000e0041b", "a\\U000e0041b"),
        ("a\udcffb", "a\\udcffb"),
        ("a\u3164b", "a\\u3164b"),
        ("a\u200db", "a\\u200db"),
    ],
)
def test_what_hides_or_moves_the_cursor_is_shown_by_its_code(text: str, shown: str) -> None:
    assert safe(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Inès d'Épée",
        "[red]x[/nope]",
        "👩\u200d🚀",
        "❤\ufe0f\u200d🔥",
        "👩🏽\u200d💻",
        "日本",
        "a\u0301",
        "=1+1 <b>",
        "",
    ],
)
def test_what_can_be_seen_is_shown_as_it_is(text: str) -> None:
    assert safe(text) == text


@given(st.text())
def test_nothing_safe_moves_the_cursor(text: str) -> None:
    shown = safe(text)
    assert all(character >= " " and not "\x7f" <= character <= "\x9f" for character in shown)
    assert not {"\u202a", "\u202e", "\u2066", "\u200b", "\ufeff"}.intersection(shown)


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("é", 1), ("e\u0301", 1), ("日本", 4), ("👩\u200d🚀", 2), ("", 0), ("\uff57", 2)]
)
def test_columns_are_counted_as_a_terminal_does(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_text_is_cut_filled_and_broken_by_columns() -> None:
    assert fit("thoughtful commander", 10) == "thought..."
    assert fit("日本日本", 7) == "日本..."
    assert fit("short", 10) == "short"
    assert fit("abcdef", 2) == ".."
    assert cut("x" * 61, 60) == "x" * 57 + "..."
    assert cut("x" * 60, 60) == "x" * 60
    assert pad("日", 4) + "|" + pad("7", 3, "right") == "日  |  7"
    assert wrap("took part ten", 9) == ["took part", "ten"]
    assert wrap("antidisestablishment", 8) == ["antidise", "stablish", "ment"]
    assert wrap("a\u00a0: b", 3) == ["a\u00a0:", "b"]
    assert wrap("", 8) == [""]


@given(st.text(alphabet="ab 日e\u0301"), st.integers(min_value=2, max_value=20))
def test_breaking_a_text_loses_only_spaces_and_never_runs_over(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(width, lines)) <= columns


def test_long_cells_go_on_below_and_numbers_stand_at_the_right() -> None:
    assert plain(Page((STATEMENT,)), 50) == (
        "entry  what                                     in\n"
        "#11    battle 1, won: took part 10,             19\n"
        "       victory 5, thoughtful commander 2,\n"
        "       first blood 2\n"
        "#12    +1 Ballistic Skill                  1000000\n"
    )


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_page_keeps_within_its_columns(columns: int) -> None:
    page = Page(
        (Title("A campaign of many words " * 3, right="round 3"), STATEMENT, Line("word " * 40, indent=2, hang=2))
    )
    assert max(map(width, plain(page, columns).splitlines())) <= columns


def test_lines_are_moved_in_and_hang() -> None:
    page = Page((Line("one two three", indent=1, hang=2), Line("as   it   is")))
    assert plain(page, 9) == " one\n   two\n   three\n" + "as   it\nis\n"
    assert plain(page) == " one two three\nas   it   is\n"


def test_a_title_has_its_right_end_at_the_right() -> None:
    assert plain(Page((Title("SHEET", right="#56"),)), 20) == "SHEET            #56\n"
    assert plain(Page((Title("SHEET OF A FORCE", right="#56"),)), 20) == "SHEET OF A FORCE\n#56\n"


def test_markup_is_text_when_piped(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show(MARKUP)
    assert capsys.readouterr().out == (
        f"[red]Bob[/nope]{'#42':>65}\n"
        "\n"
        "[bold]not bold[/bold] :smile: 'quoted' 12\n"
        "[i]who   RP\n"
        "[/nope]   7\n"
        "=1+1     12\n"
    )


DRAWING = """
from commands import screen
from tests.commands.test_screen import MARKUP
screen.show(MARKUP)
"""


def test_markup_is_text_on_a_terminal_in_the_same_columns() -> None:
    drawn = on_terminal(DRAWING)
    assert drawn.count("\x1b[") > 0
    bare = drawn.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert bare == plain(MARKUP)


def test_a_terminal_that_wants_no_colour_gets_none() -> None:
    drawn = on_terminal(DRAWING, NO_COLOR="1")
    assert "\x1b[3" not in drawn
    assert "[red]Bob[/nope]" in drawn


def test_escape_codes_in_names_do_not_reach_a_terminal() -> None:
    program = (
        "from commands import screen\n"
        "from commands.page import *\n"
        r"screen.show(Page((Line('a\x1b[31mb'), Table((Column(),), (('c\x9bd',),)))))"
        "\n"
    )
    assert on_terminal(program) == "a\\u001b[31mb\nc\\u009bd\n"


def test_each_line_told_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    screen.tell("a\n#43 forged", "b")
    screen.remark("beside")
    assert capsys.readouterr() == ("a\\u000a#43 forged\nb\n", "beside\n")


def test_json_hides_nothing_and_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": "a\u202eb\x1b\x9b\U000e0041 Inès 👩\u200d🚀", "n": 7}
    screen.show_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert "Inès" in out
    assert "\\u202e" in out
    assert "\\udb40\\udc41" in out
    assert out.count("\n") == 1


def test_a_screen_without_accents_still_gets_valid_json(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    screen.prepare()
    screen.show_json({"name": "Inès"})
    screen.tell("Inès")
    screen.finish()
    first, second = written.getvalue().decode("ascii").splitlines()
    assert json.loads(first) == {"name": "Inès"}
    assert second == "In\\xe8s"


def test_a_question_takes_one_line_of_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("malachi ilias \no\nperhaps\n"))
    assert screen.ask("Who was lost?") == "malachi ilias"
    assert screen.agrees("Agreed?")
    assert not screen.agrees("Agreed?")
    assert capsys.readouterr() == ("", "Who was lost? Agreed? y/N Agreed? y/N ")


def test_a_question_that_nobody_can_answer_is_misuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with pytest.raises(Misused, match="ANSWER_MISSING"):
        screen.ask("Who was lost?")


def test_no_screen_at_all_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    screen.prepare()
    screen.show(MARKUP)
    screen.tell("Inès")
    screen.finish()
    screen.abandon()
