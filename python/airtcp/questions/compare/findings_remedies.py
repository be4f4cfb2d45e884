"""What the verdict supports of remedies against losses: which helps, or may, or was not tested.

Each remedy is compared with plain TCP over the same channel. No remedy is said to help if its
paired interval, corrected for the number of remedies, includes zero.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal

from airtcp.data.exact import student
from airtcp.questions.compare import quantities
from airtcp.questions.compare.effects import reference
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, Outcome, PairedDifference, Remedies


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
    """Name the remedy that helps most; None if none is shown to raise goodput.

    Of those that raise goodput it is the one that the verdict ranks first, which weighs delay and
    bytes as well, else the one with the most goodput.
    """
    found = [outcome for outcome in remedies["outcomes"] if raises(remedies, outcome)]
    names = [outcome["variant"] for outcome in found]
    if remedies["verdict"]["first"] in names:
        return remedies["verdict"]["first"]
    best = max(found, key=lambda o: o["goodput_bps"]["mean"] or 0.0, default=None)
    return None if best is None else best["variant"]


def _counts(remedies: CompareCase, outcome: Outcome) -> bool | None:
    """Return whether the mean gain in goodput reaches the threshold, if known."""
    percent, measure = quantities.percent(outcome), quantities.measure(remedies, "goodput")
    mean = None if percent is None else percent["mean"]
    if mean is None or measure is None:
        return None
    return mean >= measure["matters"] * (100 + mean)


def raises(remedies: CompareCase, outcome: Outcome) -> bool:
    """Return whether a remedy, or a TCP, is shown to raise goodput, by at least the threshold.

    The paired interval of its difference must exclude zero, with Bonferroni's correction for the
    number of remedies. Delay and bytes are no part of the claim and need no correction.
    """
    difference, claims = outcome["difference"], len(remedies["outcomes"]) - 1
    if difference is None or not beyond(difference, "more", claims, remedies["replications"]):
        return False
    # Without goodput of plain TCP there is no percentage, and any goodput is more.
    return _counts(remedies, outcome) is not False


def beyond(
    difference: PairedDifference, side: Literal["more", "less"], claims: int, samples: int
) -> bool:
    """Return whether a difference excludes zero with the correction for so many claims.

    Args:
        difference: The difference with its 95 % interval.
        side: The side on which it must lie.
        claims: Number of differences of which the same is asked.
        samples: Number of pairs.
    """
    of = difference["absolute"]
    mean, end = of["mean"], of["ci_low" if side == "more" else "ci_high"]
    if difference["standing"] != side or mean is None or end is None:
        return False
    return abs(mean) > abs(mean - end) * _wider(claims, samples)


def _wider(claims: int, samples: int) -> float:
    """Return how much longer a 95 % interval is if so many claims hold together.

    >>> round(_wider(1, 10), 3), round(_wider(5, 10), 2)
    (1.0, 1.44)
    """
    if claims <= 1 or samples <= 1:
        return 1.0
    one, each = (NormalDist().inv_cdf(1 - _ALPHA / 2 / k) for k in (1, claims))
    return student(each, samples - 1) / student(one, samples - 1)


_ALPHA: Final = 0.05


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
