"""What the verdict supports of remedies against losses: which helps, or may, or was not tested.

Each remedy is compared with plain TCP over the same channel. No remedy is said to help if its
paired interval includes zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from airtcp.questions.compare import quantities
from airtcp.questions.compare.effects import reference
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import Outcome, Remedies


def _sides(remedies: Remedies) -> dict[str, list[Outcome]]:
    """Group the remedies by the difference of their goodput to the reference, the best first."""
    sides: dict[str, list[Outcome]] = {
        side: [] for side in ("more", "less", "alike", "undecided", "equal")
    }
    order = remedies["ranking"]["order"]
    for outcome in sorted(remedies["outcomes"], key=lambda o: order.index(o["variant"])):
        difference = outcome["difference"]
        if difference is None:
            continue
        side = difference["standing"]
        told = side in {"more", "less"} and not words.negligible(difference["percent"])
        sides[side if told or side in {"undecided", "equal"} else "alike"].append(outcome)
    return sides


TITLES: Final = {
    "losses": "Remedies against losses",
    "delay": "Remedies against queueing delay",
}
"""Headings of a table of remedies, by their aim."""


def helpful(remedies: Remedies) -> str | None:
    """Name the remedy that the verdict ranks first, if its gain reaches the threshold."""
    first, plain = remedies["verdict"]["first"], remedies["reference"]
    if first is None or first == plain or plain in remedies["verdict"]["not_distinguishable"]:
        return None
    outcome = quantities.outcome_of(remedies, first)
    if outcome["difference"] is None or outcome["difference"]["standing"] != "more":
        return None
    # Without goodput of plain TCP there is no percentage, and any goodput is more.
    return None if _counts(remedies, outcome) is False else first


def _counts(remedies: Remedies, outcome: Outcome) -> bool | None:
    """Return whether the mean gain in goodput reaches the threshold, if known."""
    percent, measure = quantities.percent(outcome), quantities.measure(remedies, "goodput")
    mean = None if percent is None else percent["mean"]
    if mean is None or measure is None:
        return None
    return mean >= measure["matters"] * (100 + mean)


def raises(remedies: Remedies, outcome: Outcome) -> bool:
    """Return whether a remedy is shown to raise goodput, by at least the threshold."""
    difference = outcome["difference"]
    more = difference is not None and difference["standing"] == "more"
    return more and _counts(remedies, outcome) is not False


def unhelpful(remedies: Remedies) -> Literal["untested", "open", "nothing"]:
    """Return whether gains were not tested, cannot be excluded, or are excluded."""
    higher = may_raise(remedies)
    if not higher:
        return "nothing"
    # "Not shown" would suggest that a test was made.
    return "untested" if all(_untested(o) for o in higher) else "open"


def may_raise(remedies: Remedies) -> list[Outcome]:
    """Return the remedies whose intervals contain a gain in goodput that matters."""
    plain, sides = reference(remedies), _sides(remedies)
    if plain["residual_loss"]["mean"] == 0 and not sides["more"]:
        # Where nothing is lost, there is nothing to repair, however wide the intervals.
        return []
    return [o for o in (*sides["undecided"], *sides["more"]) if _may_count(remedies, o)]


def _may_count(remedies: Remedies, outcome: Outcome) -> bool:
    """Return whether the interval of the gain in goodput contains one that matters."""
    percent, measure = quantities.percent(outcome), quantities.measure(remedies, "goodput")
    high = None if percent is None else percent["ci_high"]
    if high is None or measure is None:
        return _counts(remedies, outcome) is not False
    return high >= measure["matters"] * (100 + high)


def _untested(outcome: Outcome) -> bool:
    difference = outcome["difference"]
    return difference is not None and quantities.untested(difference)
