from collections.abc import Iterator

import pytest

from commands import app, dispatch
from commands.app import main
from ledger import wording
from ledger.wording import has

WORDS_OF_THE_PARSER = ("Usage:", "Options", "Arguments", "Commands", "required", "default:")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def commands(here: dispatch.Noun) -> Iterator[dispatch.Command]:
    """Yield every command of a noun."""
    if here.alone is not None:
        yield dispatch.Command(here.name, here.alone)
    waiting = [(here.name, here.verbs)]
    while waiting:
        path, verbs = waiting.pop()
        for name, found in verbs.items():
            if hasattr(found, "commands"):
                waiting.append((f"{path} {name}", found.commands))
            else:
                yield dispatch.Command(f"{path} {name}", found)


def missing(command: dispatch.Command) -> list[str]:
    """Return the texts that a command should have and has not in the language spoken."""
    wanted = [f"help.{command.path}", f"example.{command.path}", f"help.{command.path.split()[0]}"]
    wanted += [
        f"param.{parameter.name}"
        for parameter in command.parser.params
        if not has(f"param.{command.path} {parameter.name}")
    ]
    return [key for key in wanted if not has(key)]


def misplaced(paths: set[str]) -> list[str]:
    """Return the texts of help that belong to no command or name none."""
    known = paths | {" ".join(path.split()[:length]) for path in paths for length in (1, 2)}
    lost = [
        key
        for key in wording.texts(wording.language())
        if key.startswith(("help.", "related.")) and key.split(".")[1] not in known
    ]
    named = {path: wording.say(f"related.{path}").split(", ") for path in paths if has(f"related.{path}")}
    return lost + [f"{path}: {other}" for path, others in named.items() for other in others if other not in known]


def example_errors(path: str) -> list[str]:
    """Return what is wrong with the example of a command: it is a whole line that runs that very command."""
    example = wording.say(f"example.{path}")
    words = [word for word in example.split() if not word.startswith("--")]
    return [] if example.startswith("campaign ") and words[1 : 1 + len(path.split())] == path.split() else [example]


@pytest.mark.usefixtures("toll")
def test_a_command_without_its_texts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    toll = dispatch.noun("toll", "toll_house")
    assert {command.path for command in commands(toll)} == {
        "toll pay", "toll show", "toll close", "toll look", "toll chest open", "toll chest fill",
    }  # fmt: skip
    assert [missing(command) for command in commands(toll)] == [[]] * 6
    monkeypatch.setenv("CAMPAIGN_LANG", "fr")
    lacking = {key for command in commands(toll) for key in missing(command)}
    assert {"help.toll show", "example.toll pay", "param.gift"} <= lacking
    assert not {"help.toll pay", "param.who"} & lacking


@pytest.mark.usefixtures("toll")
def test_a_text_that_belongs_to_no_command_is_found() -> None:
    paths = {"toll pay", "pass"}
    assert "help.bell" in misplaced(paths)
    assert "help.toll pay" not in misplaced(paths)
    assert "pass: toll show" in misplaced(paths)
    assert example_errors("toll pay") == []
    assert example_errors("toll give") == ["example.toll give"]


@pytest.mark.parametrize("language", wording.LANGUAGES)
def test_every_command_has_its_texts_in_both_languages(
    language: wording.Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_LANG", language)
    everything = [
        command
        for nouns in app.NOUNS.values()
        for name, module in nouns.items()
        for command in commands(dispatch.noun(name, module))
    ]
    assert [key for command in everything for key in missing(command)] == []
    assert [example for command in everything for example in example_errors(command.path)] == []
    assert misplaced({command.path for command in everything}) == []


@pytest.mark.usefixtures("toll")
def test_the_help_of_the_program_groups_nouns_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    page = told(capsys)
    assert page == told(capsys, "--help") == told(capsys, "help") == told(capsys, "-h")
    lines = page.splitlines()
    assert lines.index("POINTS") < lines.index(" toll  The toll house.") < lines.index("LOOK")
    assert " pass  Passes by." in lines
    assert "SETTLE" not in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.usefixtures("toll")
def test_the_help_of_a_noun_lists_its_verbs(capsys: pytest.CaptureFixture[str]) -> None:
    page = told(capsys, "toll", "--help")
    assert page == told(capsys, "help", "toll")
    assert page.startswith("The toll house.\n\n campaign toll pay    Pays the toll.\n")
    assert " campaign bell       The bell.\n campaign bell ring  Rings the bell.\n" in told(capsys, "bell", "--help")
    assert " campaign toll chest open  Opens the chest.\n" in told(capsys, "toll", "chest", "--help")


@pytest.mark.usefixtures("toll")
def test_the_help_of_a_command_has_usage_words_one_example_and_related_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = told(capsys, "toll", "pay", "--help")
    assert page == told(capsys, "help", "toll", "pay") == told(capsys, "toll", "-h", "pay", "ana", "3")
    assert page == (
        "campaign toll pay WHO AMOUNT [--coin gold|silver] [--because TEXT] [--gift]\n"
        "Pays the toll.\n"
        "\n"
        " WHO                 a traveller\n"
        " AMOUNT              coins to pay\n"
        " --coin gold|silver  gold or silver\n"
        " --because TEXT      the reason\n"
        " --gift              a present\n"
        "\n"
        "Example:\n"
        " campaign toll pay ana 3\n"
        "\n"
        "See also: toll show, toll close, toll look, toll chest\n"
        "Everywhere: --book BOOK  --me NAME  --for NAME  --lang en|fr  --json  --id ID\n"
        " --follow-link  --help\n"
    )


@pytest.mark.usefixtures("toll")
def test_related_commands_are_those_named_for_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    page = told(capsys, "pass", "--help")
    assert "campaign pass [WHO] [--toll TEXT ..]\n" in page
    assert "See also: toll pay, toll show\n" in page
    assert "--who TEXT  the ringer" in told(capsys, "help", "bell", "--who")


@pytest.mark.usefixtures("toll")
def test_help_is_french_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    page = told(capsys, "toll", "pay", "--help", "--lang", "fr")
    assert "Paie le péage." in page
    assert "Exemple\u00a0:" in page
    assert "COMPTER" in told(capsys, "--lang=fr")
    assert [word for word in WORDS_OF_THE_PARSER if word in page] == []


@pytest.mark.usefixtures("toll")
def test_help_of_what_does_not_exist_is_misuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "tol"]) == 2
    assert main(["toll", "pya", "--help"]) == 2
    assert capsys.readouterr().err.count("Nearest") == 2
