from pathlib import Path

import pytest

from ledger import compiled


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A made-up project with a catalogue, a table of a rule system and a file that is nobody's source."""
    for package in compiled.PACKAGES:
        (tmp_path / package).mkdir()
    for path in ("commands/locale/en.toml", "aggregates/systems/toll/tables/fees.toml", "ledger/notes/other.toml"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text('[row]\nname = "é"\ncost = 3\n', encoding="utf-8")
    return tmp_path


def test_every_generated_file_is_what_its_source_says_today() -> None:
    assert list(compiled.sources(compiled.root()))
    assert compiled.differing(compiled.root()) == []


def test_a_changed_source_is_found_until_its_file_is_written(project: Path) -> None:
    source = project / "commands/locale/en.toml"
    others = project / "aggregates/systems/toll/tables/fees.toml"
    assert compiled.write(project) == [others, source]
    assert compiled.differing(project) == []
    source.write_text("[row]\ncost = 4\n", encoding="utf-8")
    assert compiled.differing(project) == [source]


def test_a_generated_file_holds_what_was_written(project: Path) -> None:
    compiled.write(project)
    assert compiled.load(project / "commands/locale/en.json") == {"row": {"name": "é", "cost": 3}}


def test_a_file_in_another_folder_is_not_compiled(project: Path) -> None:
    compiled.write(project)
    assert not (project / "ledger/notes/other.json").exists()
