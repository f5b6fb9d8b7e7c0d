"""What a person can do wrong, or meet: every error that is told in words and ends with an exit status.

An error holds a stable code and the values its sentence names. The sentence itself is wording and lives in the
catalogues (`error.CODE`), so the same error can be told in French and in English. What the program did wrong is an
assertion, never one of these.
"""

from typing import ClassVar

Value = str | int | tuple[str, ...]


class LedgerError(Exception):
    """An error a person is told about.

    `code` is stable and documented; `rule` is the ID of the rule that stands in the way, where one does; `values` are
    what the sentence names. `status` is the exit status of the program.
    """

    status: ClassVar[int] = 1

    def __init__(self, code: str, *, rule: str = "", **values: Value) -> None:
        super().__init__(code, rule, values)
        self.code = code
        self.rule = rule
        self.values = values


class Misused(LedgerError):
    """The command was typed in a way the program does not take (status 2)."""

    status = 2


class Refused(LedgerError):
    """A rule or the data stands in the way; nothing was appended (status 3)."""

    status = 3


class NotNow(LedgerError):
    """Nothing was recorded and the same command may pass later: busy, outrun, disk full (status 4)."""

    status = 4


class Damaged(LedgerError):
    """The book or the file does not verify (status 5)."""

    status = 5


class OutcomeUnknown(LedgerError):
    """The storage reported an error: the entry may or may not be in the book (status 6)."""

    status = 6
