"""Slips of the keyboard that look like something else are not taken for it."""

from pathlib import Path

import pytest

from tests.commands.running import run
from tests.projections.season import record_season


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The season as the book of this folder."""
    monkeypatch.chdir(tmp_path)
    return record_season(tmp_path / "campaign.db")


def test_none_of_a_group_is_not_all_of_it(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "model", "kill", "raphael", "--count", "0")

    assert (told.status, "[NUMBER_OUT_OF_RANGE]" in told.err) == (2, True)


def test_a_file_that_opens_a_force_on_paper_is_not_mustered(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its record and its reason would be dropped without a word."""
    (book.parent / "old.toml").write_text('[force]\nname = "Old"\n[record]\nplayed = 2\n', encoding="utf-8")
    told = run(capsys, "force", "muster", "old.toml")

    assert told.status == 3
    assert "campaign force transcribe old.toml [FILE_IS_TRANSCRIPTION]" in told.err
    assert run(capsys, "force", "transcribe", "old.toml", "--because", "paper").status == 0


def test_a_name_left_out_means_nobody(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of the shell that was never set is an empty word."""
    assert run(capsys, "points", "grant", "", "points", "3").status == 3
    assert run(capsys, "battle", "schedule", "ba:").status == 3


def test_a_key_typed_whole_means_what_it_is_the_key_of(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another's name may look the same, and then its key is the only way to say which."""
    assert run(capsys, "player", "add", "Zoé").status == 0
    assert run(capsys, "player", "add", "Zoe").status == 0

    assert run(capsys, "player", "withdraw", "zoe").status == 0
    assert run(capsys, "player", "withdraw", "zoe-2").status == 0
