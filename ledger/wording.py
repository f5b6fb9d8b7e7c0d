"""Every text a person reads, in French and in English: one catalogue file a package and language, keys with values.

A text names its values in braces. `{who}` stands for the value as it is; `{count:one battle|# battles}` chooses by a
number and puts it where `#` stands; `{role@role}` is a value that has a text of its own, here `role.organiser`. What
is put in is never read again, so a name with braces in it stays a name.

Telling never fails: a missing text is told as its key, a missing value as its place. Tests find both.
"""

import os
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from ledger import compiled

Language = Literal["en", "fr"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

Value = str | int | tuple[str, ...]

PLACE = re.compile(r"\{(?P<name>[a-z_]+)(?:@(?P<words>[a-z-]+)|:(?P<one>[^{}|]*)\|(?P<many>[^{}|]*))?\}")
"""Where a text has room for a value."""

_chosen: list[Language] = []
_folders: list[Path] = [compiled.root() / package / "locale" for package in compiled.PACKAGES]
_catalogues: dict[Language, dict[str, str]] = {}


def use(language: Language | None) -> None:
    """Speak this language from now on; None goes back to what the environment says."""
    _chosen[:] = [] if language is None else [language]


def language() -> Language:
    """Return the language spoken: the one in use, else `CAMPAIGN_LANG`, else the locale's, else English."""
    if _chosen:
        return _chosen[0]
    asked = known(os.environ.get("CAMPAIGN_LANG", ""))
    if asked is not None:
        return asked
    names = (os.environ.get(variable, "") for variable in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return "fr" if next(filter(None, names), "").startswith("fr") else "en"


def known(name: str) -> Language | None:
    """Return the language of that name, written `fr`, `FR` or `fr_FR.UTF-8`; None for any other."""
    wanted = name.lower()[:2]
    return next((one for one in LANGUAGES if one == wanted and not name[2:3].isalpha()), None)


def say(key: str, /, **values: Value) -> str:
    """Return the text of a key in the language spoken, with its values in place."""
    return say_in(language(), key, **values)


def say_in(spoken: Language, key: str, /, **values: Value) -> str:
    """Return the text of a key in this language, with its values in place."""
    template = texts(spoken).get(key)
    return key if template is None else fill(spoken, template, values)


def has(key: str) -> bool:
    """Tell whether the language spoken has a text of that key."""
    return key in texts(language())


def fill(spoken: Language, template: str, values: dict[str, Value]) -> str:
    """Return a text of this language with its values in place."""
    return PLACE.sub(lambda place: _put(spoken, place, values), template)


def _put(spoken: Language, place: re.Match[str], values: dict[str, Value]) -> str:
    value = values.get(place["name"])
    if value is None:
        return place[0]
    if place["one"] is not None and isinstance(value, int):
        return place["one" if _is_single(spoken, value) else "many"].replace("#", str(value))
    parts = value if isinstance(value, tuple) else (str(value),)
    words = place["words"]
    return ", ".join(parts if words is None else (texts(spoken).get(f"{words}.{part}", part) for part in parts))


def _is_single(spoken: Language, number: int) -> bool:
    return abs(number) < 2 if spoken == "fr" else abs(number) == 1


def day(when: str, near: str = "") -> str:
    """Return a date, or the local date of a moment, as people write it: "3 Feb", "3 févr.".

    The year is added when it is another one than that of the date or moment `near`.
    """
    then = _local_date(when)
    months = say("date.months").split()
    number = say("date.first") if then.day == 1 else str(then.day)
    short = say("date.day", day=number, month=months[then.month - 1])
    return short if not near or _local_date(near).year == then.year else f"{short} {then.year}"


def moment(when: str, near: str = "") -> str:
    """Return a stored moment in local time as people write it: "3 Mar 22:40"."""
    return f"{day(when, near)} {_local(when):%H:%M}"


def _local_date(when: str) -> date:
    return date.fromisoformat(when) if len(when) == len("2026-02-03") else _local(when).date()


def _local(when: str) -> datetime:
    return datetime.fromisoformat(when).astimezone()


def add_catalogue(folder: Path) -> None:
    """Add the texts of an adopted rule system: a folder with `en.json` and `fr.json`."""
    if folder not in _folders:
        _folders.append(folder)
        _catalogues.clear()


def catalogue(folder: Path, spoken: Language) -> dict[str, str]:
    """Return the texts of one folder in one language by their dotted keys; none where it has no catalogue."""
    path = folder / f"{spoken}.json"
    return _flat(compiled.load(path)) if path.exists() else {}


def texts(spoken: Language) -> dict[str, str]:
    """Return every text of this language by its key; the catalogues are read when the first is needed."""
    if spoken not in _catalogues:
        _catalogues[spoken] = {key: text for folder in _folders for key, text in catalogue(folder, spoken).items()}
    return _catalogues[spoken]


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, str]:
    """Return nested sections as dotted keys."""
    flat: dict[str, str] = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat
