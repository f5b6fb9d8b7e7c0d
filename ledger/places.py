"""Places where a book is not safe: folders that a service synchronises, and disks that another computer serves.

Two computers that write one file there overwrite each other, and what the disk acknowledged may not be kept.
"""

from pathlib import Path

SYNCHRONISED = (
    *("dropbox", "onedrive", "google drive", "googledrive", "my drive", "icloud drive", "mobile documents"),
    *("com~apple~clouddocs", "nextcloud", "owncloud", "pcloud drive", "megasync", "box sync", "kdrive"),
)
"""Beginnings of the names that such services give their folders, in lower case: `Dropbox (Club)`, `OneDrive - Club`."""

MARKS = (".stfolder", ".dropbox.cache", ".nextcloudsync.log")
"""What such services leave in a folder that may be called anything."""

NETWORKS = ("nfs", "cifs", "smb", "fuse.sshfs", "afs", "9p", "glusterfs", "davfs", "fuse.rclone")
"""Beginnings of the names of file systems that another computer serves."""

MOUNTS = Path("/proc/self/mounts")


def unsafe(book: Path, mounts: Path = MOUNTS) -> bool:
    """Tell whether a book lies where two computers could write it."""
    folder = book.absolute().parent
    parents = (folder, *folder.parents)
    named = any(part.lower().startswith(SYNCHRONISED) for part in folder.parts)
    return named or any((parent / mark).exists() for parent in parents for mark in MARKS) or _served(folder, mounts)


def _served(folder: Path, mounts: Path) -> bool:
    """Tell whether the nearest mount above a folder is a network's; systems without a list of mounts say no."""
    try:
        rows = [line.split(" ") for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return False
    kinds = {row[1].replace("\\040", " "): row[2] for row in rows if len(row) > 2}
    nearest = next((str(parent) for parent in (folder, *folder.parents) if str(parent) in kinds), "")
    return kinds.get(nearest, "").startswith(NETWORKS)
