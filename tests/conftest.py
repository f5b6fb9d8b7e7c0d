"""What every test stands on: an environment that knows nothing of the person who runs it."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import settings

from ledger import wording

# The same games in every run, however busy the machine; `--hypothesis-profile=explore` looks for others.
settings.register_profile("default", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def nobody_in_particular(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speak English, live in UTC, and keep pending commands and known heads in a folder of the test's own."""
    for name in os.environ:
        if name.startswith(("CAMPAIGN_", "LC_")) or name in {"LANGUAGE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}:
            monkeypatch.delenv(name)
    own = {"LANG": "C.UTF-8", "TZ": "UTC", "XDG_STATE_HOME": str(tmp_path / ".state")}
    for name, value in {**own, "XDG_CONFIG_HOME": str(tmp_path / ".config")}.items():
        monkeypatch.setenv(name, value)
    time.tzset()
    wording.use(None)
