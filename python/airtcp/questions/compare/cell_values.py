"""Values of a comparison of schemes, and what a scheme may cost beyond what its verdict claims.

The verdict claims a cost only if it is significant for all schemes and rankings together. A scheme
helps only if it has no such cost, and none by the 95 % interval of its own difference either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import (
        Estimate,
        PairedDifference,
        SchemeOutcome,
        SchemeQuestion,
        SchemesSubject,
        SchemeStation,
    )

_STATION_MATTERS: Final = 0.05
"""A share of a station's goodput that counts, as in the verdict."""


_NAMED: Final = 6
"""Most schemes that are named in a sentence."""


def outcome_of(subject: SchemesSubject, variant: str) -> SchemeOutcome:
    """Give the outcome of a variant."""
    return next(o for o in subject["outcomes"] if o["variant"] == variant)


def mean_of(outcome: SchemeOutcome, quantity: str) -> Estimate:
    """Give the estimate of a quantity of an outcome."""
    return outcome[quantity]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]


def difference(outcome: SchemeOutcome, quantity: str, *, interval: bool = True) -> str:
    """Write the difference of a quantity to the reference: in percent, of an index as it is.

    A tilde stands before a difference that is not significant by itself.
    """
    found = outcome["differences"].get(quantity)
    if found is None:
        return ""
    if found["standing"] == "equal":
        return "0"
    if quantities.untested(found):
        return "not tested"
    text = _amount(found, quantity, interval=interval)
    return text if found["standing"] in {"more", "less"} or not text else f"~ {text}"


def _amount(found: PairedDifference, quantity: str, *, interval: bool) -> str:
    if quantity.endswith("jain_index"):
        absolute = found["absolute"]
        return index_text(absolute, interval=interval)
    percent = found["percent"]
    if percent is None or percent["mean"] is None:
        return ""
    return words.measured(words.change(percent)) if interval else words.signed(percent["mean"])


def index_text(estimate: Estimate, *, interval: bool) -> str:
    """Write a difference of two indices, which are below 1.

    >>> index_text({"mean": 0.0512, "ci_low": 0.041, "ci_high": 0.061}, interval=True)
    '+0.051 [+0.041, +0.061]'
    """
    mean, low, high = estimate["mean"], estimate["ci_low"], estimate["ci_high"]
    if mean is None:
        return ""
    text = _signed(mean)
    if not interval or low is None or high is None:
        return text
    return f"{text} [{_signed(low)}, {_signed(high)}]"


def _signed(difference: float) -> str:
    text = f"{abs(difference):.3f}"
    if not text.strip("0."):
        return "0"
    return ("+" if difference > 0 else "\N{MINUS SIGN}") + text


def doubtful_costs(subject: SchemesSubject, variant: str) -> list[SchemeQuestion]:
    """Give what a variant makes worse by its own interval, but not for all comparisons together.

    Args:
        subject: The scenario.
        variant: The variant; the reference has no costs.
    """
    outcome = outcome_of(subject, variant)
    return [
        question
        for question in subject["verdict"]["questions"]
        if variant not in question["worse"] and _is_worse(subject, outcome, question)
    ]


def _is_worse(subject: SchemesSubject, outcome: SchemeOutcome, question: SchemeQuestion) -> bool:
    """Tell whether the interval excludes zero on the bad side, and the mean matters."""
    return _differs(subject, outcome, question, better=False)


def _differs(
    subject: SchemesSubject, outcome: SchemeOutcome, question: SchemeQuestion, *, better: bool
) -> bool:
    """Tell whether the interval excludes zero on one side, and the mean matters."""
    quantity = question["quantity"]
    found = outcome["differences"].get(quantity)
    side = "more" if question["more_is_better"] == better else "less"
    if found is None or found["standing"] != side:
        return False
    reference = next(o for o in subject["outcomes"] if not o["differences"])
    means = [mean_of(each, quantity)["mean"] or 0.0 for each in (outcome, reference)]
    scale = max(means) if question["relative"] else 1.0
    return abs(found["absolute"]["mean"] or 0.0) >= question["matters"] * scale


def own_gains(subject: SchemesSubject, variant: str) -> list[SchemeQuestion]:
    """Give what a variant makes better by its own interval, by as much as matters.

    Args:
        subject: The scenario.
        variant: The variant; the reference gains nothing.
    """
    outcome = outcome_of(subject, variant)
    return [
        question
        for question in subject["verdict"]["questions"]
        if _differs(subject, outcome, question, better=True)
    ]


def promising(subject: SchemesSubject) -> str | None:
    """Name the best candidate that no verdict on all schemes together shows to help.

    It gains by its own interval, in most of what is asked for, and has no cost: neither one that
    the verdict claims, nor one by its own interval, nor a station that gets less.
    """
    questions = subject["verdict"]["questions"]
    worse = {name for question in questions for name in question["worse"]}
    better = {name for question in questions for name in question["better"]}
    gains = {
        name: len(own_gains(subject, name))
        for name in undecided(subject)
        if name not in worse | better
        and not doubtful_costs(subject, name)
        and not doubtful_stations(subject, name)
    }
    most = max(gains.values(), default=0)
    order = questions[-1]["ranking"]["order"] if questions else []
    found = [name for name in gains if most and gains[name] == most]
    return min(found, key=lambda name: order.index(name) if name in order else 0, default=None)


def doubtful_stations(subject: SchemesSubject, variant: str) -> list[SchemeStation]:
    """Give the stations that get less by their own intervals, but not for all together."""
    claimed = {
        name
        for change in subject["verdict"]["stations"]
        if change["variant"] == variant
        for name in change["lose"]
    }
    return [
        station
        for station in subject["stations"]
        if station["variant"] == variant
        and not station["is_access_point"]
        and station["station"] not in claimed
        and (found := station["goodput_difference"]) is not None
        and found["standing"] == "less"
        and found["percent"] is not None
        and (found["percent"]["mean"] or 0.0) <= -100 * _STATION_MATTERS
    ]


def undecided(subject: SchemesSubject) -> list[str]:
    """Name the variants that may be better than the reference without being shown to be."""
    questions = subject["verdict"]["questions"]
    worse = {name for question in questions for name in question["worse"]}
    found = {name for question in questions for name in question.get("undecided", [])} - worse
    return [v["variant"] for v in subject["variants"] if v["variant"] in found]
