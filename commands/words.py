"""Words that stand for one of a few things, read in either language, and amounts written with what they count."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from aggregates.kinds import Role
from commands.arguments import whole_number
from ledger.errors import Misused
from ledger.wording import LANGUAGES, say_in

if TYPE_CHECKING:
    from aggregates.force.models import Figure

ROLES: tuple[Role, ...] = get_args(Role)


def role_named(word: str) -> Role:
    """Return the role a word stands for, in either language.

    Raises `Misused` `ROLE_UNKNOWN`.
    """
    for role in ROLES:
        if word.lower() in (role, *(say_in(language, f"word.role_{role}").lower() for language in LANGUAGES)):
            return role
    raise Misused("ROLE_UNKNOWN", role=word, known=ROLES)


def amounts(words: Sequence[str]) -> "tuple[Figure, ...]":
    """Return amounts typed as `gc=37`, or as `experience=+3`.

    Raises `Misused`: `AMOUNT_UNNAMED`, `NOT_AN_INTEGER`, `NUMBER_OUT_OF_RANGE`.
    """
    from aggregates.force.models import Figure

    found = []
    for word in words:
        name, equals, number = word.partition("=")
        if not equals or not name:
            raise Misused("AMOUNT_UNNAMED", text=word)
        found.append(Figure(name.strip().lower().replace("_", "-"), whole_number(number.strip())))
    return tuple(found)
