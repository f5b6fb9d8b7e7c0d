"""The project is kept as CONVENTIONS.md says; each checker is shown first something it must complain about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tidy

ROOT = Path(__file__).parent.parent
PACKAGES = ("ledger", "aggregates", "projections", "commands")

Checker = Callable[[str], list[str]]

BAD: list[tuple[Checker, str, str]] = [
    (tidy.missing_docstrings, "x = 1\n", "the module has no docstring"),
    (tidy.missing_docstrings, '"""M."""\nclass Force:\n    x: int\n', "line 2: Force has no docstring"),
    (
        tidy.missing_docstrings,
        '"""M."""\nclass Force:\n    """F."""\n    def name(self): ...\n',
        "line 4: Force.name has no docstring",
    ),
    (tidy.untidy_comments, "x = 1  # ---- state ----\n", "line 1: a banner"),
    (tidy.untidy_comments, "# ======\n", "line 1: a banner"),
    (tidy.untidy_comments, "x = 1\n# TODO later\n", "line 2: unfinished work is an issue, not a comment"),
    (tidy.long_lines, "short\n" + "x" * 121, "line 2 has 121 characters, at most 120"),
    (tidy.long_file, "x\n" * 500, "500 lines, fewer than 500 wanted"),
    (tidy.foreign_places, "fetched from files." + tidy.HOSTS[1], "line 1: " + tidy.HOSTS[1]),
    (tidy.foreign_places, "open('/" + "home/ana/campaign.db')", "line 1: /" + "home/ana/"),
    (tidy.foreign_places, "a\ncd /" + "tmp/x", "line 2: /" + "tmp/"),
    (tidy.print_calls, "def f():\n    print('hello')\n", "line 2: print()"),
    (tidy.random_imports, "import json, random\n", "line 1: import random"),
    (tidy.random_imports, "def f():\n    from random import randint\n", "line 2: from random import"),
    (tidy.clock_reads, "import datetime\nx = datetime.datetime.now(datetime.UTC)\n", "line 2: datetime.now"),
    (tidy.clock_reads, "from time import time\n", "line 1: from time import time"),
    (tidy.clock_reads, "import time\nx = time.time()\n", "line 2: time.time"),
]

GOOD: list[tuple[Checker, str]] = [
    (tidy.missing_docstrings, '"""M."""\nclass _Own: ...\ndef f():\n    """Do."""\n    def inner(): ...\n'),
    (tidy.untidy_comments, "x = '---- TODO ----'  # A word -- and a dash.\n"),
    (tidy.long_lines, "|" + "x" * 200 + "|\n" + "x" * 120),
    (tidy.long_file, "x\n" * 499),
    (tidy.foreign_places, "see tests/root/notes.md, ./work/x and https://example.org/home/ana/\n"),
    (tidy.print_calls, "page.print()\nfingerprint(1)\n"),
    (tidy.random_imports, "import secrets\nfrom randomised import order\n"),
    (tidy.clock_reads, "import time\nfrom time import monotonic\nx = time.perf_counter()\nlog.now()\n"),
]

START = "# campaign\n\n## Start\n\n```sh\nfirst && more\nsecond\n```\n\n## Then\n\n```sh\nthird\n```\n"

CHANGELOG = """# Changelog

## [Unreleased]

### Added

- A.

### Fixed

- B.

## [0.1.0] - 2026-05-01

### Added

- C.
"""


def modules(*folders: str, but: str = "") -> list[Path]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) >= len(folders)
    return [path for path in paths if path != ROOT / but]


def complaints(check: Checker, paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {what}" for path in paths for what in check(tidy.text_of(path))]


@pytest.mark.parametrize(("check", "text", "complaint"), BAD)
def test_a_checker_names_what_it_is_there_for(check: Checker, text: str, complaint: str) -> None:
    assert check(text) == [complaint]


@pytest.mark.parametrize(("check", "text"), GOOD)
def test_a_checker_leaves_in_peace_what_only_looks_alike(check: Checker, text: str) -> None:
    assert check(text) == []


def test_every_public_module_class_and_function_tells_what_it_is() -> None:
    assert complaints(tidy.missing_docstrings, modules(*PACKAGES)) == []


def test_no_comment_is_a_banner_or_a_promise() -> None:
    assert complaints(tidy.untidy_comments, modules(*PACKAGES, "tests")) == []


def test_no_line_is_too_long() -> None:
    texts = [ROOT / ".ci" / "run", ROOT / "pyproject.toml", *ROOT.glob("*.md")]
    assert complaints(tidy.long_lines, modules(*PACKAGES, "tests") + texts) == []


def test_every_module_can_be_read_in_one_go() -> None:
    assert complaints(tidy.long_file, modules(*PACKAGES, "tests")) == []


def test_no_file_names_a_registry_or_a_place_on_somebodys_machine() -> None:
    assert complaints(tidy.foreign_places, list(tidy.project_files(ROOT))) == []


def test_versions_are_pinned_by_name_and_not_by_a_lock_file() -> None:
    names = {path.name for path in tidy.project_files(ROOT)}
    assert names & tidy.LOCK_FILES == set()
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [pin for pin in pins if not tidy.PIN.fullmatch(pin)] == []
    names_pinned = [pin.partition("==")[0].casefold() for pin in pins]
    assert names_pinned == sorted(set(names_pinned))


def test_only_the_screen_prints() -> None:
    assert complaints(tidy.print_calls, modules(*PACKAGES, but="commands/screen.py")) == []


def test_no_die_comes_from_the_module_random() -> None:
    assert complaints(tidy.random_imports, modules(*PACKAGES)) == []


def test_only_the_context_looks_at_the_clock() -> None:
    assert complaints(tidy.clock_reads, modules(*PACKAGES, but="commands/context.py")) == []


def test_the_readme_starts_the_project_with_two_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert tidy.start_complaints(readme) == []
    install, run_tests = tidy.start_commands(readme)
    assert install.endswith("campaign demo")
    assert "pytest" in run_tests


def test_a_start_of_two_commands_is_told_from_any_other() -> None:
    assert tidy.start_commands(START) == ["first && more", "second"]
    assert tidy.start_complaints(START) == []
    assert tidy.start_complaints(START.replace("second\n", "")) == ["1 commands under ## Start, wanted 2"]
    assert tidy.start_complaints(START.replace("second", "second\nmore")) == ["3 commands under ## Start, wanted 2"]
    assert tidy.start_complaints(START.replace("first &&", "first \\\n")) != []
    assert tidy.start_complaints(START.replace("## Then", "### Then")) == [
        "4 fences under ## Start, one block has 2",
        "3 commands under ## Start, wanted 2",
    ]


def test_the_changelog_keeps_its_shape() -> None:
    assert tidy.changelog_complaints((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("# Changelog", "# Changes", "the first line is not '# Changelog'"),
        ("[Unreleased]", "[0.2.0]", "the first version is not '## [Unreleased]'"),
        ("- 2026-05-01", "(May)", "not a version with its day: ## [0.1.0] (May)"),
        ("### Fixed", "### Mended", "not a kind of change: ### Mended"),
        ("### Fixed", "### Added", "out of order or twice: ### Added"),
        ("- B.", "", "nothing under: ### Fixed"),
        ("- C.\n", "- C.\n\n## [0.2.0] - 2026-06-01\n", "the versions are not newest first"),
    ],
)
def test_a_changelog_out_of_shape_is_named(old: str, new: str, complaint: str) -> None:
    assert tidy.changelog_complaints(CHANGELOG) == []
    assert tidy.changelog_complaints(CHANGELOG.replace(old, new, 1)) == [complaint]


def test_no_rule_system_speaks_of_another() -> None:
    systems = ROOT / "aggregates" / "systems"
    assert not systems.exists() or tidy.strangers(systems) == []


def test_a_rule_system_that_speaks_of_another_is_named(tmp_path: Path) -> None:
    for system in ("sea_battle", "sky_war"):
        (tmp_path / system / "text").mkdir(parents=True)
        (tmp_path / system / "state.py").write_text(f"from aggregates.systems.{system} import rules\n")
    assert tidy.strangers(tmp_path) == []
    (tmp_path / "sea_battle" / "text" / "en.toml").write_text('help = "as in sky-war"\n')
    (tmp_path / "sky_war" / "rules.py").write_text("import aggregates.systems.sea_battle.state\n")
    assert tidy.strangers(tmp_path) == [
        "sea_battle/text/en.toml speaks of sky_war",
        "sky_war/rules.py speaks of sea_battle",
    ]


def test_every_folder_of_tests_is_a_package(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "test_rules.py").touch()
    assert tidy.folders_without_init(tmp_path) == ["systems has no __init__.py"]
    assert tidy.folders_without_init(ROOT / "tests") == []
