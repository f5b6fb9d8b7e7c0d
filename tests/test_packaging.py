"""What is installed is the whole program and nothing but the program."""

import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy import project_files

ROOT = Path(__file__).parent.parent
PACKAGES = {"ledger", "aggregates", "projections", "commands"}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel in this process: pip would fetch the build tool anew."""
    [built] = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    return Path(built)


def names_in(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def test_the_wheel_is_configured_for_every_package_there_is(project: dict[str, Any]) -> None:
    assert set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == PACKAGES | {"tests"}


def test_the_wheel_holds_every_module_and_data_file_of_the_packages_and_no_other(wheel: Path) -> None:
    expected = {path.relative_to(ROOT).as_posix() for package in PACKAGES for path in project_files(ROOT / package)}
    assert names_in(wheel) == expected


def test_the_wheel_holds_data_files_beside_the_modules(wheel: Path) -> None:
    assert {Path(name).suffix for name in names_in(wheel)} >= {".py", ".toml", ".json"}


def test_the_wheel_gives_the_program_and_its_licence(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        told = {name.partition(".dist-info/")[2]: name for name in archive.namelist() if ".dist-info/" in name}
        assert "campaign = commands.app:main" in archive.read(told["entry_points.txt"]).decode()
        assert b"Name: campaign-ledger" in archive.read(told["METADATA"])
        assert archive.read(told["licenses/LICENSE"]) == (ROOT / "LICENSE").read_bytes()


def test_every_dependency_has_its_version_in_the_constraints(project: dict[str, Any]) -> None:
    """Otherwise the two commands of the README would install something else every month."""
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(pin.partition("==")[0]) for pin in pins}
    declared = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["dev"]
    assert {canonicalize_name(Requirement(text).name) for text in declared} - pinned == set()


def test_every_version_in_the_constraints_is_one_the_project_takes(project: dict[str, Any]) -> None:
    pins = [Requirement(pin) for pin in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()]
    versions = {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}
    declared = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["dev"]
    refused = [
        text
        for text in declared
        if not Requirement(text).specifier.contains(versions[canonicalize_name(Requirement(text).name)])
    ]
    assert refused == []
