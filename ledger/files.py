"""Small files beside the book: read within bounds, written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ledger.errors import LedgerError, Misused, NotNow, Refused


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading its bytes.

    Raises `Misused`: `FILE_MISSING`, `FILE_IS_FOLDER`, `FILE_UNREADABLE`.
    """
    try:
        file = path.open("rb")
    except IsADirectoryError:
        raise Misused("FILE_IS_FOLDER", file=str(path)) from None
    except FileNotFoundError:
        raise Misused("FILE_MISSING", file=str(path)) from None
    except (OSError, ValueError) as error:
        raise Misused("FILE_UNREADABLE", file=_shown(path), detail=_reason(error)) from error
    with file:
        yield file


def read_bytes(path: Path, limit: int) -> bytes:
    """Return what a file holds.

    Raises what `opened` raises, and `Refused` `FILE_TOO_BIG`.
    """
    with opened(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise Refused("FILE_TOO_BIG", file=path.name, most=limit // 1024**2)
    return content


def read_text_file(path: Path, limit: int) -> str:
    """Return what a text file holds.

    Raises what `read_bytes` raises, and `Refused` `FILE_NOT_UTF8` with the line.
    """
    content = read_bytes(path, limit)
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Refused("FILE_NOT_UTF8", file=path.name, line=line) from error


def write_atomically(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Write a file so that either the old or the new one is there, also after a crash.

    Raises `NotNow` `FILE_NOT_WRITTEN`.
    """
    with replacing(path, mode) as file:
        file.write(content)


@contextmanager
def replacing(path: Path, mode: int = 0o644) -> Iterator[BinaryIO]:
    """Write a file beside its place; it takes the place whole and on disk at the end, or never.

    Raises `NotNow` `FILE_NOT_WRITTEN`.
    """
    import tempfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    except (OSError, ValueError) as error:
        raise not_written(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise not_written(path, error) from error
    finally:
        Path(name).unlink(missing_ok=True)  # Still there only when it did not take the other's place.


def sync_folder(folder: Path) -> None:
    """Make sure that a renamed file's new name is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def not_written(path: Path, error: Exception) -> LedgerError:
    """Return the error of a file that could not be written."""
    return NotNow("FILE_NOT_WRITTEN", file=_shown(path), detail=_reason(error))


def _shown(path: Path) -> str:
    return str(path).replace("\0", "\\0")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
