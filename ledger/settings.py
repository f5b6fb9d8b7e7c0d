"""Named limits of the book and the places on this machine where it keeps what is not in it."""

import os
from pathlib import Path

LINE_BYTES_MAX = 256 * 1024
"""Bytes of one stored line."""

LINE_DEPTH_MAX = 32
"""Nested arrays and objects of one stored line."""

INTEGER_MAX = 2**53 - 1
"""Largest absolute value of an integer in a line: what every JSON reader keeps exactly."""

IMPORT_LINES_MAX = 5_000_000
"""Lines of one imported history, unless the reader raises the limit."""

IMPORT_BYTES_MAX = 4 * 1024**3
"""Bytes of one imported history, unless the reader raises the limit."""

APPLY_BYTES_MAX = 64 * 1024**2
"""Bytes of one file of actions."""

FILE_BYTES_MAX = 4 * 1024**2
"""Bytes of one roster, pack or overlay file."""

CHUNK_LINES = 2000
"""Lines read or written at once."""

BUSY_SECONDS = 10
"""How long a writer waits for another one."""

RECORD_ATTEMPTS = 50
"""How often an action is decided again when somebody else was first."""


def state_folder() -> Path:
    """Return where this machine keeps pending commands and the newest heads it saw (`XDG_STATE_HOME`)."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "campaign"


def config_folder() -> Path:
    """Return where this machine keeps who speaks on it (`XDG_CONFIG_HOME`)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "campaign"
