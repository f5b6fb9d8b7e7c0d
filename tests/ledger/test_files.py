"""Small files beside the book: read within bounds, and written whole or not at all."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.errors import LedgerError, Misused, NotNow, Refused
from ledger.files import opened, read_bytes, read_text_file, write_atomically
from tests.ledger.notebook import ROOT

MIB = 1024**2


def refused(read: Callable[[], object]) -> LedgerError:
    with pytest.raises(LedgerError) as met:
        read()
    return met.value


def test_a_file_is_read_up_to_the_bound_and_refused_beyond_it(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(b"x" * MIB)
    assert read_bytes(path, MIB) == b"x" * MIB
    path.write_bytes(b"x" * (MIB + 1))
    found = refused(lambda: read_bytes(path, MIB))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("FILE_TOO_BIG", {"file": "list.txt", "most": 1})


def test_a_file_without_end_is_refused_without_being_read_to_its_end() -> None:
    assert refused(lambda: read_bytes(Path("/dev/zero"), MIB)).code == "FILE_TOO_BIG"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("none.txt", "FILE_MISSING"),
        ("none/at/all.txt", "FILE_MISSING"),
        ("", "FILE_IS_FOLDER"),
        ("file/below.txt", "FILE_UNREADABLE"),
        ("nul\0byte", "FILE_UNREADABLE"),
        ("x" * 300, "FILE_UNREADABLE"),
        ("loop", "FILE_UNREADABLE"),
        ("lost", "FILE_MISSING"),
    ],
)
def test_a_name_that_leads_to_no_file_is_told_as_what_is_wrong_with_it(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "lost").symlink_to("nowhere")
    for found in (
        refused(lambda: read_bytes(tmp_path / name, MIB)),
        refused(lambda: opened(tmp_path / name).__enter__()),
    ):
        assert isinstance(found, Misused)
        assert found.code == code
        assert "\0" not in str(found.values)


def test_a_text_is_read_whatever_ends_its_lines_and_with_or_without_a_mark_before_it(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes("\ufeffÉric\r\nAna\nTom\r\n".encode())
    assert read_text_file(path, MIB) == "Éric\nAna\nTom\n"


@pytest.mark.parametrize(
    ("content", "line"), [(b"\xff\xfea\0", 1), (b"Ana\nTom\nA\xe9\n", 3), (b"\n\n\n\xc3", 4), (b"a\xed\xa0\x80", 1)]
)
def test_a_text_that_is_no_utf_8_is_refused_with_the_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    found = refused(lambda: read_text_file(path, MIB))
    assert isinstance(found, Refused)
    assert (found.code, found.values) == ("FILE_NOT_UTF8", {"file": "list.txt", "line": line})


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_is_written_in_the_place_of_the_old_one_with_the_rights_asked_for(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "me"
    path.write_bytes(b"a longer text than the new one")
    path.chmod(0o666)
    write_atomically(path, b"ana\n", mode)
    assert path.read_bytes() == b"ana\n"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [one.name for one in tmp_path.iterdir() if one.name != ".state"] == ["me"]


def test_who_reads_the_old_file_meanwhile_reads_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "me"
    write_atomically(path, b"paul\n")
    with path.open("rb") as old:
        write_atomically(path, b"ana\n")
        assert (old.read(), path.read_bytes()) == (b"paul\n", b"ana\n")


def test_a_link_is_replaced_and_what_it_led_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"somebody else's")
    (tmp_path / "me").symlink_to("other")
    write_atomically(tmp_path / "me", b"ana\n")
    assert (tmp_path / "other").read_bytes() == b"somebody else's"
    assert (tmp_path / "me").read_bytes() == b"ana\n"


@pytest.mark.parametrize("name", ["none/me", "folder", "file/me", "x" * 300, "nul\0byte"])
def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    (tmp_path / "file").write_bytes(b"kept")
    found = refused(lambda: write_atomically(tmp_path / name, b"ana\n"))
    assert isinstance(found, NotNow)
    assert found.code == "FILE_NOT_WRITTEN"
    assert "\0" not in str(found.values)
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != ".state") == ["file", "folder"]
    assert (tmp_path / "file").read_bytes() == b"kept"


@pytest.mark.parametrize("name", ["é" * 120, "👩" * 60, "a" * 250])
def test_a_long_name_has_room_for_the_file_that_is_made_first(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"ana\n")
    assert (tmp_path / name).read_bytes() == b"ana\n"


BOUND = """
import resource, sys
from pathlib import Path
from ledger.errors import LedgerError
from ledger.files import write_atomically

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_atomically(Path(sys.argv[1]), b"x" * 2000)
except LedgerError as error:
    print(error.code, error.status, error.values["detail"])
"""
"""Writes where no file may have more than a thousand bytes, as on a full disk."""


def test_a_disk_that_takes_no_more_keeps_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", BOUND, str(path)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert done.stdout == "FILE_NOT_WRITTEN 4 File too large\n"
    assert path.read_bytes() == b"old"
    assert [one.name for one in tmp_path.iterdir() if one.name != ".state"] == ["export.jsonl"]


def test_an_interrupted_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "me", b"ana\n")
    assert [one.name for one in tmp_path.iterdir() if one.name != ".state"] == []


def test_a_file_is_on_disk_before_its_name_and_its_name_before_it_is_said_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync
    synced: list[tuple[str, bool]] = []

    def watched(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        synced.append((kind, (tmp_path / "me").exists()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_atomically(tmp_path / "me", b"ana\n")
    assert synced == [("file", False), ("folder", True)]
