"""The options every campaign has, whatever it plays."""

from aggregates.accounts import RESERVED
from aggregates.kinds import Refused
from aggregates.rules import Option, Setting

PURSES = Option(key="campaign.purses", takes="list", default=("points",))
"""Names of what forces earn and spend."""

FIGURES = Option(key="campaign.figures", takes="list", default=("experience",))
"""Names of what is counted on a model."""

GRANTS = Option(key="campaign.grants", takes="choice", default="organiser", values=("organiser", "owner"))
"""Who writes down what a force earned."""

OVERDRAFT = Option(key="campaign.overdraft", takes="choice", default="refuse", values=("refuse", "debt"))
"""Whether a purse may go below zero."""

STANDINGS = Option(key="campaign.standings", takes="list", default=("won", "drawn"))
"""What forces are ranked by, first the most weighty: counts of battles or purses."""

OPTIONS = (PURSES, FIGURES, GRANTS, OVERDRAFT, STANDINGS)


def check(option: Option, value: Setting, settings: dict[str, Setting], purses: tuple[str, ...]) -> None:
    """Check what a list of names means beside its form.

    Raises `Refused` `OPTION_VALUE` for a name that counts something else already, or a criterion nobody counts.
    """
    if not isinstance(value, tuple):
        return
    if option in (PURSES, FIGURES):
        wrong = [word for word in value if word in RESERVED]
        accepted = f"≠ {', '.join(sorted(RESERVED))}"
    elif option == STANDINGS:
        known = ("won", "drawn", "played", *PURSES.words_of(settings), *purses)
        wrong = [word for word in value if word not in known]
        accepted = ", ".join(known)
    else:
        return
    if wrong:
        raise Refused("OPTION_VALUE", option=option.key, value=", ".join(wrong), accepted=accepted)
