"""Another TCP instead of a remedy: a setting of the sender helps nearly as much, or helps at all.

A TCP is named beside a remedy only if its interval lies beyond that of plain TCP. The reference of
the comparison of TCPs may be another than plain TCP, so that there is no paired interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from airtcp.questions.compare import delay, effects, quantities
from airtcp.questions.compare import verdict as verdict_words
from airtcp.questions.compare.answer_remedies import beside
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, Outcome, Remedies

_NEARLY: Final = 0.95
"""Share of the goodput with a remedy from which a TCP gets nearly as much. [choice]"""
_MOST_OF: Final = 0.9
"""Share of a remedy's cut of the delivery time from which a TCP cuts nearly as much. [choice]"""


def enough(remedies: Remedies, case: CompareCase | None, best: Outcome) -> str | None:
    """Name the TCP that raises goodput nearly as much as the best remedy.

    Args:
        remedies: The remedies.
        case: The comparison of TCPs.
        best: The outcome of the best remedy.
    """
    own = effects.reference(remedies)
    most, low = best["goodput_bps"]["mean"] or 0.0, best["goodput_bps"]["ci_low"]
    least = most * _NEARLY if low is None else min(most * _NEARLY, low)
    found = [
        outcome
        for outcome in _ranked(remedies, case)
        if (outcome["goodput_bps"]["mean"] or 0.0) >= least and _apart(outcome, own, "goodput_bps")
    ]
    tcp = max(found, key=lambda o: o["goodput_bps"]["mean"] or 0.0, default=None)
    if tcp is None or not own["goodput_bps"]["mean"]:
        return None
    name = effects.tagged(best["variant"], own["variant"])
    ours, theirs = (
        100 * ((o["goodput_bps"]["mean"] or 0.0) / own["goodput_bps"]["mean"] - 1)
        for o in (tcp, best)
    )
    return (
        f"Another TCP is nearly enough: {tcp['variant']} gets {words.compared(ours)}"
        f" {own['variant']}, {name} {words.much(theirs).removesuffix(' more')}."
    )


def sooner(remedies: Remedies, case: CompareCase | None) -> str | None:
    """Name the TCP that shortens the delivery time nearly as much as the best remedy.

    It must get as much goodput as with the remedy.
    """
    shorter = delay.shorter(remedies)
    own = effects.reference(remedies)
    plain = own["delivery_p95_s"]["mean"]
    if not shorter or plain is None:
        return None
    best = shorter[0]
    time, goodput = best["delivery_p95_s"]["mean"], best["goodput_bps"]["mean"] or 0.0
    found = [
        outcome
        for outcome in _ranked(remedies, case)
        if (late := outcome["delivery_p95_s"]["mean"]) is not None
        and time is not None
        and plain - late >= _MOST_OF * (plain - time)
        and (outcome["goodput_bps"]["mean"] or 0.0) >= goodput
        and _apart(own, outcome, "delivery_p95_s")
    ]
    tcp = max(found, key=lambda o: o["goodput_bps"]["mean"] or 0.0, default=None)
    if tcp is None:
        return None
    name = effects.tagged(best["variant"], remedies["reference"])
    cut, most = (quantities.mean_text(o, "delivery_p95_s") for o in (tcp, best))
    said = f"{tcp['variant']} would cut it to {cut}, {name} to {most}"
    return f"Another TCP is nearly enough: {said}."


def _ranked(remedies: Remedies, case: CompareCase | None) -> list[Outcome]:
    """Return the TCPs over the same channel that are ranked, without the plain one."""
    if case is None or not beside(case, remedies):
        return []
    without = {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    without.add(remedies["reference"])
    return [o for o in case["outcomes"] if o["variant"] not in without]


def _apart(
    more: Outcome, less: Outcome, quantity: Literal["goodput_bps", "delivery_p95_s"]
) -> bool:
    """Return whether the interval of one outcome lies above that of another."""
    low, high = more[quantity]["ci_low"], less[quantity]["ci_high"]
    return low is not None and high is not None and low > high


def other(case: CompareCase | None) -> str | None:
    """Say that another TCP gets more than the reference, if the verdict shows it."""
    best = [] if case is None else verdict_words.best(case)
    if case is None or not best:
        return None
    outcome = quantities.outcome_of(case, best[0])
    difference, percent = outcome["difference"], quantities.percent(outcome)
    if difference is None or difference["standing"] != "more" or percent is None:
        return None
    reference, mean = quantities.reference_of(case), percent["mean"]
    if mean is None or words.negligible(percent):
        return None
    return f"Another TCP helps: {best[0]} gets {words.compared(mean)} {reference}."
