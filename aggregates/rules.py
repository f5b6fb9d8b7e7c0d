"""Rules as data: options of a campaign, tables with stable row keys, and overlays that a campaign pins.

Tables are written as TOML for people; the program reads the JSON made from them. What a row does is code of its system.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from aggregates.kinds import Refused

Setting: TypeAlias = str | int | tuple[str, ...]
Row = TypeVar("Row", bound=msgspec.Struct)


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a campaign may play this way or that: its key, what it takes, what it is when nobody set it.

    `values` are the words a `choice` takes or a `list` is limited to (empty: any key); `least` and `most` bound a
    `number`; `counts_from` says when a change takes effect.
    """

    key: str
    takes: Literal["choice", "number", "list"]
    default: Setting
    values: tuple[str, ...] = ()
    least: int = 0
    most: int = 1_000_000
    counts_from: Literal["now", "battle", "round"] = "now"
    rule: str = ""

    def read(self, text: str) -> Setting:
        """Return the setting that the text stands for.

        Raises `Refused` `OPTION_VALUE` with what would be accepted.
        """
        match self.takes:
            case "choice":
                word = text.strip().lower().replace("_", "-")
                if word in self.values:
                    return word
            case "number":
                if text.strip().removeprefix("-").isascii() and text.strip().removeprefix("-").isdigit():
                    number = int(text) if len(text) < 12 else self.most + 1
                    if self.least <= number <= self.most:
                        return number
            case "list":
                words = tuple(word.strip().lower().replace("_", "-") for word in text.split(",") if word.strip())
                if len(set(words)) == len(words) and all(map(self._takes, words)):
                    return words
        raise Refused("OPTION_VALUE", rule=self.rule, option=self.key, value=text, accepted=self.accepted)

    def _takes(self, word: str) -> bool:
        return word in self.values if self.values else _is_key(word)

    @property
    def accepted(self) -> str:
        """What the option takes, for a person: the words, or the bounds."""
        match self.takes:
            case "number":
                return f"{self.least} … {self.most}"
            case "choice" | "list":
                return ", ".join(self.values) or "a-z 0-9 -"

    def of(self, settings: Mapping[str, Setting]) -> Setting:
        """Return what a campaign plays: what it set, else the default."""
        return settings.get(self.key, self.default)

    def words_of(self, settings: Mapping[str, Setting]) -> tuple[str, ...]:
        """Return a list option's words."""
        words = self.of(settings)
        assert isinstance(words, tuple)
        return words


def _is_key(word: str) -> bool:
    return 0 < len(word) <= 40 and word.isascii() and word.replace("-", "").isalnum() and word[0].isalnum()


def find_option(options: Mapping[str, Option], typed: str) -> Option:
    """Return the option a person means: its key, with `_` for `-` or without its prefix where only one fits.

    Raises `Refused` `CAMPAIGN_OPTION_UNKNOWN` with the nearest key.
    """
    word = typed.strip().lower().replace("_", "-")
    if word in options:
        return options[word]
    fits = [key for key in options if key.rpartition(".")[2] == word]
    if len(fits) == 1:
        return options[fits[0]]
    raise Refused("CAMPAIGN_OPTION_UNKNOWN", option=typed, nearest=nearest(word, fits or options))


def nearest(word: str, known: Mapping[str, Any] | list[str] | tuple[str, ...]) -> str:
    """Return the known word that looks most like the given one, or the first few when none does."""
    from difflib import get_close_matches

    words = list(known)
    close = get_close_matches(word, words, n=1, cutoff=0.5)
    return close[0] if close else ", ".join(words[:8]) or "-"


class Table(msgspec.Struct, Generic[Row], frozen=True):
    """Rows of one kind under stable keys, as released at a revision."""

    name: str
    revision: int
    rows: dict[str, Row]

    def __getitem__(self, key: str) -> Row:
        """Return the row.

        Raises `Refused` `ROW_UNKNOWN` with the nearest key.
        """
        try:
            return self.rows[key]
        except KeyError:
            raise Refused("ROW_UNKNOWN", table=self.name, row=key, nearest=nearest(key, self.rows)) from None


def read_table(path: Path, row: type[Row]) -> Table[Row]:
    """Read a released table from its JSON file, strictly."""
    kind: Any = Table[row]  # type: ignore[valid-type]  # a type made at run time from the row asked for
    table: Table[Row] = msgspec.json.decode(path.read_bytes(), type=kind)
    return table


def overlay(table: Table[Row], changes: Mapping[str, Mapping[str, Any]]) -> Table[Row]:
    """Return the table with the rows that an overlay changes or adds; it names only what differs.

    Raises `Refused` `OVERLAY_MALFORMED` with the row and what is wrong with it.
    """
    rows = dict(table.rows)
    for key, change in changes.items():
        if not isinstance(change, Mapping):
            raise Refused("OVERLAY_MALFORMED", table=table.name, row=key, detail=str(change)[:40])
        known = rows.get(key)
        plain = {**(msgspec.to_builtins(known) if known is not None else {}), **change}
        kind = type(next(iter(table.rows.values())))
        try:
            rows[key] = msgspec.convert(plain, kind)
        except msgspec.ValidationError as error:
            raise Refused("OVERLAY_MALFORMED", table=table.name, row=key, detail=str(error)) from error
    return msgspec.structs.replace(table, rows=rows)
