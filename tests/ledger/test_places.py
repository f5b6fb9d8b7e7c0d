"""A book where two computers could write it is told of."""

from pathlib import Path

import pytest

from ledger import places


@pytest.mark.parametrize("name", ["Dropbox", "Dropbox (Club)", "OneDrive - Club", "iCloud Drive", "Nextcloud"])
def test_a_folder_of_a_service_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    assert places.unsafe(tmp_path / name / "season" / "campaign.db")
    assert not places.unsafe(tmp_path / f"not {name}" / "campaign.db")


@pytest.mark.parametrize("mark", places.MARKS)
def test_a_folder_of_a_service_is_known_by_what_it_leaves_there(mark: str, tmp_path: Path) -> None:
    folder = tmp_path / "season"
    folder.mkdir()
    assert not places.unsafe(folder / "campaign.db")
    (tmp_path / mark).touch()
    assert places.unsafe(folder / "campaign.db")


@pytest.mark.parametrize(("kind", "served"), [("nfs4", True), ("cifs", True), ("fuse.sshfs", True), ("ext4", False)])
def test_a_disk_that_another_computer_serves_is_known_by_its_mount(kind: str, served: bool, tmp_path: Path) -> None:
    folder = tmp_path / "club disk"
    folder.mkdir()
    mounts = tmp_path / "mounts"
    place = str(folder).replace(" ", "\\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nclub:/season {place} {kind} rw 0 0\n", encoding="utf-8")

    assert places.unsafe(folder / "campaign.db", mounts) is served
    assert not places.unsafe(tmp_path / "campaign.db", mounts)


def test_a_system_without_a_list_of_mounts_has_no_served_disks(tmp_path: Path) -> None:
    assert not places.unsafe(tmp_path / "campaign.db", tmp_path / "missing")
