"""Intervals of rates over a trace, cut off at one packet per slot for tables and charts.

With few stretches, Student's interval of packets per second may exceed the slots per second. The
documents have the computed ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, CompareSubject, Estimate, Outcome, Remedies


def subject(subject: CompareSubject) -> CompareSubject:
    """Return a subject of a comparison with the intervals of its rates cut off."""
    slot_s = subject["slot_s"]
    cut: CompareSubject = {**subject, "cases": [case(each, slot_s) for each in subject["cases"]]}
    if subject["remedies"] is not None:
        cut["remedies"] = remedies(subject["remedies"], slot_s)
    return cut


def case(case: CompareCase, slot_s: float | None) -> CompareCase:
    """Return a case with the intervals of its rates cut off.

    Args: case: The case. slot_s: The slot of its trace in seconds; None for links with a rate.
    """
    return {**case, "outcomes": _outcomes(case["outcomes"], slot_s)}


def remedies(remedies: Remedies, slot_s: float | None) -> Remedies:
    """Return remedies with the intervals of their rates cut off; see `case`."""
    return {**remedies, "outcomes": _outcomes(remedies["outcomes"], slot_s)}


def _outcomes(outcomes: list[Outcome], slot_s: float | None) -> list[Outcome]:
    if not slot_s:
        return outcomes
    return [
        outcome
        if outcome["packets_per_second"] is None
        else {**outcome, "packets_per_second": _within(outcome["packets_per_second"], 1 / slot_s)}
        for outcome in outcomes
    ]


def _within(value: Estimate, most: float) -> Estimate:
    low, high = words.bounded(value, (0.0, most))
    return {**value, "ci_low": low, "ci_high": high}
