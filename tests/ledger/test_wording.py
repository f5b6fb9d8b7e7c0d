import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import wording
from ledger.wording import day, fill, has, language, moment, say, say_in, use

ENGLISH = {
    "error": {"SHORT": "{who} lacks {count:one point|# points}."},
    "role": {"organiser": "organiser"},
    "told": "{who} is {role@role}, not {others@role}",
    "many": "{names}",
}
FRENCH = {
    "error": {"SHORT": "Il manque {count:un point|# points} à {who}."},
    "role": {"organiser": "orga"},
    "told": "{who} est {role@role}, pas {others@role}",
    "many": "{names}",
}


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up catalogue beside those of the program."""
    folder = tmp_path / "text"
    folder.mkdir()
    for name, texts in (("en", ENGLISH), ("fr", FRENCH)):
        (folder / f"{name}.json").write_text(json.dumps(texts), encoding="utf-8")
    monkeypatch.setattr(wording, "_folders", [*wording._folders])
    monkeypatch.setattr(wording, "_catalogues", {})
    monkeypatch.setattr(wording, "_chosen", [])
    wording.add_catalogue(folder)
    return folder


@pytest.mark.usefixtures("catalogue")
def test_a_text_is_told_in_the_language_in_use() -> None:
    use("en")
    assert say("error.SHORT", who="Ana", count=3) == "Ana lacks 3 points."
    use("fr")
    assert say("error.SHORT", who="Ana", count=3) == "Il manque 3 points à Ana."


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize(
    ("spoken", "number", "told"),
    [
        ("en", 0, "0 points"),
        ("en", 1, "one point"),
        ("en", 2, "2 points"),
        ("fr", 0, "un point"),
        ("fr", 1, "un point"),
        ("fr", 2, "2 points"),
        ("fr", -2, "-2 points"),
    ],
)
def test_each_language_counts_in_its_way(spoken: wording.Language, number: int, told: str) -> None:
    use(spoken)
    assert told in say("error.SHORT", who="Ana", count=number)


@pytest.mark.usefixtures("catalogue")
def test_a_value_may_have_a_text_of_its_own() -> None:
    use("fr")
    assert say("told", who="organiser", role="organiser", others=("organiser", "umpire")) == (
        "organiser est orga, pas orga, umpire"
    )


@pytest.mark.usefixtures("catalogue")
def test_another_language_can_be_spoken_for_one_text() -> None:
    use("en")
    assert say_in("fr", "error.SHORT", who="Ana", count=0) == "Il manque un point à Ana."
    assert say_in("fr", "told", who="Ana", role="organiser", others="") == "Ana est orga, pas "


@pytest.mark.usefixtures("catalogue")
def test_several_values_are_listed() -> None:
    assert say("many", names=("Ana", "Marc")) == "Ana, Marc"


@given(st.text())
def test_a_name_is_put_in_literally_whatever_it_looks_like(name: str) -> None:
    assert fill("en", "<{who}>", {"who": name}) == f"<{name}>"


def test_a_name_in_braces_is_not_taken_for_another_value() -> None:
    assert fill("en", "{who} and {other}", {"who": "{other}", "other": "{count:a|b}"}) == "{other} and {count:a|b}"
    assert fill("en", "{count:one|#}", {"count": 12, "who": "#"}) == "12"


@pytest.mark.usefixtures("catalogue")
def test_telling_never_fails() -> None:
    assert say("error.NONE", who="Ana") == "error.NONE"
    assert say("many") == "{names}"
    assert (has("many"), has("error.NONE"), has("error")) == (True, False, False)


@pytest.mark.parametrize(
    ("environment", "spoken"),
    [
        ({}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "en_GB", "LC_ALL": "fr"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "CAMPAIGN_LANG": "en"}, "en"),
        ({"LANG": "en_GB", "CAMPAIGN_LANG": "FR"}, "fr"),
        ({"LANG": "fr_CA", "CAMPAIGN_LANG": "klingon"}, "fr"),
    ],
)
def test_the_language_is_what_was_asked_for_else_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], spoken: str
) -> None:
    for name in ("LANG", "LC_ALL", "LC_MESSAGES", "CAMPAIGN_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(wording, "_chosen", [])
    assert language() == spoken


def test_only_our_languages_are_known() -> None:
    assert [wording.known(name) for name in ("fr", "EN", "fr_FR.UTF-8", "french", "de", "")] == [
        "fr", "en", "fr", None, None, None,
    ]  # fmt: skip


def test_dates_are_written_as_people_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "_chosen", ["en"])
    assert (day("2026-02-03"), day("2026-02-01")) == ("3 Feb", "1 Feb")
    assert (day("2026-02-03", "2026-11-30"), day("2025-12-31", "2026-01-01")) == ("3 Feb", "31 Dec 2025")
    use("fr")
    assert (day("2026-02-03"), day("2026-08-01")) == ("3 févr.", "1er août")


def test_moments_are_told_in_local_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setattr(wording, "_chosen", ["en"])
    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    assert moment("2026-03-03T20:40:00Z") == "3 Mar 22:40"
    assert day("2025-12-31T22:30:00Z", "2025-12-31T10:00:00Z") == "1 Jan 2026"
    monkeypatch.undo()
    time.tzset()
