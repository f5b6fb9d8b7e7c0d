import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands.app import main
from commands.arguments import entry_number, take, whole_number
from ledger.errors import Misused

pytestmark = pytest.mark.usefixtures("toll")

ROOT = Path(__file__).parents[2]

STARTER = """
import sys
from commands import app
app.NOUNS = {nouns!r}
status = app.main()
sys.stderr.write("\\n".join(sorted(sys.modules)))
sys.exit(status)
"""


def run(nouns: dict[str, dict[str, str]], *words: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run the program with these commands in a process of its own; its standard error ends with what it imported."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(path), str(ROOT))), "CAMPAIGN_LANG": "en"}
    starter = STARTER.format(nouns=nouns)
    return subprocess.run(
        [sys.executable, "-c", starter, *words], capture_output=True, text=True, env=environment, check=False
    )


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def test_a_verb_of_a_noun_runs_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "pay", "ana", "3", "--gift") == (0, "ana pays 3 gold  gift=True\n", "")


def test_a_single_command_runs_without_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "pass", "ana", "--toll", "a", "--toll", "b") == (0, "ana passes ['a', 'b']\n", "")


def test_a_noun_may_be_a_command_and_have_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "bell", "ring")[1] == "ring\n"
    assert told(capsys, "bell")[1] == "bell of nobody\n"
    assert told(capsys, "bell", "--who", "ana")[1] == "bell of ana\n"


def test_a_verb_may_have_verbs_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "chest", "open", "brass") == (0, "opened with brass\n", "")


def test_what_a_command_returns_is_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "close", "now")[0] == 5
    assert told(capsys, "toll", "close", "left")[0] == 7


@pytest.mark.parametrize(
    "words",
    [
        ("--book", "a.db", "--me=Ana", "--for", "Bo", "--id", "x-1", "--follow-link", "toll", "show", "4"),
        ("toll", "--book=a.db", "--me", "Ana", "show", "--follow-link", "--for=Bo", "--id=x-1", "4"),
        ("toll", "show", "4", "--id", "x-1", "--for", "Bo", "--me", "Ana", "--follow-link", "--book", "a.db"),
    ],
)
def test_the_common_options_stand_anywhere(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    status, out, _ = told(capsys, *words)
    assert (status, out) == (0, "#4 book=a.db me=Ana behalf=Bo id=x-1\njson=False follow=True\n")


def test_behind_two_dashes_every_word_is_an_argument(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "pass", "--", "--json")[1] == "--json passes []\n"
    assert told(capsys, "pass", "--", "--help")[1] == "--help passes []\n"
    assert told(capsys, "toll", "pay", "--", "ana", "-5")[1] == "ana pays -5 gold  gift=False\n"


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (("toll", "pay", "--book"), "OPTION_VALUE_MISSING", "--book"),
        (("toll", "pay", "--me", "--json"), "OPTION_VALUE_MISSING", "--me"),
        (("--book=", "toll", "pay"), "OPTION_VALUE_MISSING", "--book"),
        (("--follow-link=yes", "pass"), "OPTION_WITHOUT_VALUE", "--follow-link"),
        (("--lang", "de", "pass"), "LANGUAGE_UNKNOWN", "de"),
        (("--id", "two words", "pass"), "ID_MALFORMED", "two words"),
        (("pass", "\udcff"), "TEXT_NOT_UTF8", "UTF-8"),
        (("tol", "pay"), "COMMAND_UNKNOWN_NEAR", "`toll`"),
        (("zzz",), "COMMAND_UNKNOWN", "`zzz`"),
        (("--zzz", "pass"), "OPTION_UNKNOWN", "`--zzz`"),
        (("toll", "pya", "ana"), "VERB_UNKNOWN_NEAR", "`pay`"),
        (("toll", "xyzzy"), "VERB_UNKNOWN", "pay, show, close, look, chest"),
        (("toll",), "VERB_MISSING", "pay, show, close, look, chest"),
        (("toll", "chest"), "VERB_MISSING", "open, fill"),
        (("toll", "pay"), "ARGUMENT_MISSING", "WHO is missing: a traveller"),
        (("toll", "pay", "ana"), "NUMBER_MISSING", "write 42"),
        (("toll", "show"), "NUMBER_MISSING", "ENTRY is missing: the number of an entry"),
        (("toll", "pay", "ana", "3", "four"), "ARGUMENT_UNEXPECTED", "`four`"),
        (("toll", "pay", "ana", "3", "--giftt"), "OPTION_UNKNOWN_NEAR", "`--gift`"),
        (("toll", "pay", "ana", "3", "--bok", "x"), "OPTION_UNKNOWN_NEAR", "`--book`"),
        (("toll", "pay", "ana", "3", "--zzzzz"), "OPTION_UNKNOWN", "`--zzzzz`"),
        (("toll", "pay", "ana", "3", "--because"), "OPTION_VALUE_MISSING", "`--because`"),
        (("toll", "pay", "ana", "3", "--gift=1"), "OPTION_WITHOUT_VALUE", "`--gift`"),
        (("toll", "pay", "ana", "3", "--coin", "lead"), "CHOICE_UNKNOWN", "gold, silver"),
        (("toll", "pay", "ana", "-12"), "LEADING_DASH", "`-12`"),
        (("toll", "pay", "-ana", "3"), "LEADING_DASH", "`-ana`"),
        (("toll", "pay", "ana", "3.5"), "NOT_AN_INTEGER", "`3.5`"),
        (("toll", "pay", "ana", "1000001"), "NUMBER_OUT_OF_RANGE", "-1000000 to 1000000"),
        (("toll", "show", "four"), "NOT_A_NUMBER", "`four`"),
    ],
)  # fmt: skip
def test_a_command_typed_wrongly_is_told_in_one_line_with_status_2(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: str, named: str
) -> None:
    status, out, err = told(capsys, *words)
    assert (status, out) == (2, "")
    assert err.endswith(f" [{code}]\n")
    assert err.count("\n") == 1
    assert named in err


def test_the_words_of_the_parser_are_french_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "pay", "ana", "--lang", "fr")[2] == (
        "Il manque AMOUNT\u00a0: pièces à payer. Un #42 sans guillemets n'arrive jamais, le shell en fait une "
        "remarque\u00a0: écrivez 42. [NUMBER_MISSING]\n"
    )
    assert "La plus proche" in told(capsys, "--lang=fr", "tol")[2]
    assert "demande une valeur" in told(capsys, "--lang", "fr", "toll", "--book")[2]


@pytest.mark.parametrize("text", ["abc", "1.5", "1e3", "٣", "0x10", "1_000", "", " 5", "5 ", "+", "\u22125", "²"])
def test_an_amount_is_digits_and_nothing_else(text: str) -> None:
    with pytest.raises(Misused) as misused:
        whole_number(text)
    assert misused.value.code == "NOT_AN_INTEGER"


def test_an_amount_of_5000_digits_is_out_of_range() -> None:
    with pytest.raises(Misused) as misused:
        whole_number("9" * 5000)
    assert misused.value.code == "NUMBER_OUT_OF_RANGE"


def test_amounts_go_from_minus_a_million_to_a_million() -> None:
    assert [whole_number(text) for text in ("-1000000", "+7", "007", "1000000")] == [-1_000_000, 7, 7, 1_000_000]
    for text in ("-1000001", "1000001"):
        with pytest.raises(Misused, match="NUMBER_OUT_OF_RANGE"):
            whole_number(text)


def test_entries_are_typed_with_or_without_their_sign() -> None:
    assert (entry_number("42"), entry_number("#42")) == (42, 42)
    with pytest.raises(Misused, match="NOT_A_NUMBER"):
        entry_number("-42")


def test_a_refused_recording_begins_with_not_recorded_and_ends_with_the_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert told(capsys, "toll", "close", "refused") == (3, "", "Not recorded: Ana lacks 3 coins. [TOLL-01]\n")
    assert told(capsys, "toll", "close", "unruled")[2] == "Not recorded: Ana lacks 3 coins. [TOLL_TOO_DEAR]\n"
    assert told(capsys, "toll", "close", "refused", "--lang", "fr")[2] == (
        "Rien d'enregistré\u00a0: Il manque 3 pièces à Ana. [TOLL-01]\n"
    )


def test_a_reading_command_that_is_refused_recorded_nothing_anyway(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "look") == (3, "", "Ana lacks 3 coins. [TOLL_TOO_DEAR]\n")


def test_an_error_without_a_sentence_is_told_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "close", "unworded")[2] == "Not recorded: TOLL_UNWORDED. [TOLL_UNWORDED]\n"


def test_busy_and_unknown_outcomes_tell_the_command_to_repeat(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = told(capsys, "--id", "old", "toll", "close", "busy", "--who", "Ana B", "--me=x")
    assert status == 4
    assert err == (
        "Not recorded: Ana B lacks 3 coins. [TOLL_TOO_DEAR]\n"
        "Safe to repeat: campaign --id abc-1 toll close busy --who 'Ana B' --me=x\n"
    )
    status, _, err = told(capsys, "toll", "close", "unknown")
    assert status == 6
    assert err.splitlines() == [
        "Ana lacks 3 coins. [TOLL_TOO_DEAR]",
        "Safe to repeat: campaign --id abc-1 toll close unknown",
    ]


def test_damage_has_status_5(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "close", "damaged") == (5, "", "Ana lacks 3 coins. [TOLL_TOO_DEAR]\n")


def test_a_refusal_as_json_stands_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = told(capsys, "--json", "toll", "close", "refused")
    assert (status, err) == (3, "")
    assert json.loads(out) == {
        "code": "TOLL_TOO_DEAR",
        "rule": "TOLL-01",
        "values": {"who": "Ana", "amount": 3},
        "message": "Ana lacks 3 coins.",
    }
    assert json.loads(told(capsys, "toll", "pay", "--json", "--book")[1])["code"] == "OPTION_VALUE_MISSING"


@pytest.mark.parametrize("how", ["interrupted", "aborted"])
def test_an_interrupted_command_says_so_with_status_130(capsys: pytest.CaptureFixture[str], how: str) -> None:
    status, out, err = told(capsys, "toll", "close", how)
    assert (status, out) == (130, "")
    assert err == "Stopped. `campaign history` shows what is recorded. [INTERRUPTED]\n"


def test_a_fault_is_one_line_that_tells_the_kind_and_no_secret(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, out, err = told(capsys, "toll", "close", "fault")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "ZeroDivisionError at toll_house.py:" in err
    assert "secret" not in err
    monkeypatch.setenv("CAMPAIGN_TRACEBACK", "1")
    assert "Traceback" in told(capsys, "toll", "close", "fault")[2]


def test_names_in_messages_are_cut_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    err = told(capsys, "toll", "close", "refused", "--who", "\x1b[31m" + "x" * 100)[2]
    assert err == "Not recorded: \\u001b[31m" + "x" * 47 + "... lacks 3 coins. [TOLL-01]\n"
    err = told(capsys, "toll", "close", "refused", "--who", "{amount}[/nope]")[2]
    assert err == "Not recorded: {amount}[/nope] lacks 3 coins. [TOLL-01]\n"


def test_a_reader_that_leaves_ends_the_command_quietly(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "toll", "close", "pipe") == (0, "", "")


def test_a_closed_pipe_is_quiet_to_the_very_end(toll: Path) -> None:
    """What is held back until the end is written then, when nobody reads any more."""
    starter = STARTER.replace('sys.stderr.write("\\n".join(sorted(sys.modules)))', "").format(
        nouns={"look": {"pass": "toll_pass"}}
    )
    process = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read(1)\n" + starter, "pass"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(toll), str(ROOT)))},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full exists on Linux only")
def test_an_answer_that_cannot_be_written_is_told(toll: Path) -> None:
    starter = STARTER.format(nouns={"look": {"pass": "toll_pass"}})
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        process = subprocess.run(
            [sys.executable, "-c", starter, "pass"], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(toll), str(ROOT))), "CAMPAIGN_LANG": "en"},
        )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.startswith("The answer could not be written: ")


def test_only_the_module_of_the_command_is_imported_among_60(tmp_path: Path) -> None:
    nouns = {"look": {f"dummy-{number}": f"dummy_{number}" for number in range(60)}}
    for module in nouns["look"].values():
        (tmp_path / f"{module}.py").write_text("def run() -> None:\n    pass\n", encoding="utf-8")
    done = run(nouns, "dummy-7", path=tmp_path)
    assert done.returncode == 0
    assert [name for name in done.stderr.split() if name.startswith("dummy_")] == ["dummy_7"]


def test_the_help_of_the_program_imports_no_command(toll: Path) -> None:
    done = run({"look": {"pass": "toll_pass", "bell": "toll_bell"}}, "--help", path=toll)
    assert done.returncode == 0
    assert not {"toll_pass", "toll_bell", "typer"}.intersection(done.stderr.split())


def test_a_piped_command_imports_nothing_heavy(toll: Path) -> None:
    done = run({"look": {"pass": "toll_pass"}}, "pass", "ana", path=toll)
    assert (done.returncode, done.stdout) == (0, "ana passes []\n")
    roots = {name.partition(".")[0] for name in done.stderr.split()}
    heavy = {"rich", "eventsourcing", "pydantic", "tomllib", "jinja2", "psycopg", "asyncio", "email", "http"}
    assert heavy.isdisjoint(roots)
    assert "typer" in roots


def test_the_first_mistake_does_not_hide_the_language() -> None:
    line = take(["--id", "?", "--book", "--lang", "fr"])
    assert line.mistake is not None
    assert line.mistake.code == "OPTION_VALUE_MISSING"


def test_a_command_can_be_typed_again_without_its_id() -> None:
    assert take(["--id=a", "x", "--id", "b", "--book", "c d", "--json", "--", "--id", "e"]).options.typed == (
        "x", "--book=c d", "--json", "--", "--id", "e",
    )  # fmt: skip


def test_the_version_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"9.8 of {name}")
    assert told(capsys, "--version") == (0, "campaign 9.8 of campaign-ledger\n", "")
