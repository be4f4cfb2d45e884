"""Findings of a sweep: how far it is, what failed, and which key matters most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.findings.words import Finding, count, counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.sweep_document import SweepDocument, SweepPoints

_CLEAR: Final = 0.5
"""Share of the variance from which a key is named."""


def findings(document: SweepDocument, label: Callable[[str], str] = str) -> list[Finding]:
    """Return the findings.

    Args: document: The document of a sweep. label: Returns the name of a measure.
    """
    points = document["points"]
    finished, distinct = points["finished"], points["distinct"]
    found: list[Finding] = []
    if finished < distinct:
        left = counted(distinct - finished, "point")
        tone = "plain" if document["running"] else "warn"
        what = "still to run" if document["running"] else "without a result"
        found.append(Finding(f"{left} {what}", _progress(points), tone))
    else:
        found.append(Finding("The sweep is complete", _progress(points), "good"))
    if document["failures"]:
        first = document["failures"][0]["message"]
        text = f"The first: {first} The next call runs failed points again."
        found.append(Finding(f"{counted(len(document['failures']), 'point')} failed", text, "bad"))
    if wide := points["wide"]:
        text = (
            "At these points, an interval was still wider than [until] asks after "
            f"max_replications ({count(document['sweep']['max_replications'] or 0)}). "
            "The column narrow is false."
        )
        found.append(Finding(f"{counted(wide, 'point')} too uncertain", text, "warn"))
    if zero := points["zero"]:
        text = (
            "At these points, a measure that [until] names was 0 in every replication. No width "
            "is a share of a mean of 0, so that this measure adds no replications. "
            "The column narrow is false."
        )
        found.append(Finding(f"{counted(zero, 'point')} with a measure of 0", text, "warn"))
    for of in document["sensitivity"][:1]:
        keys = sorted(of["keys"], key=lambda key: -key["first"]["mean"])
        share = keys[0]["first"]["mean"]
        if share >= _CLEAR and len(keys) > 1:
            other = keys[1]["first"]["mean"]
            text = (
                f"{keys[0]['column']} explains {100 * share:.0f} % of the variance of "
                f"{label(of['measure'])} by itself, and {keys[1]['column']} explains "
                f"{100 * max(other, 0.0):.0f} %."
            )
            found.append(Finding(f"{keys[0]['column']} matters most", text))
    return found


def _progress(points: SweepPoints) -> str:
    before = points["finished"] - points["run"]
    said = f"{count(points['finished'])} of {counted(points['distinct'], 'point')} finished"
    if before and points["run"]:
        return f"{said}, {count(points['run'])} of them in this call."
    if before:
        return f"{said}, all of them by earlier calls."
    equal = points["number"] - points["distinct"]
    return f"{said}." + (f" {counted(equal, 'more point')} equal one of them." if equal else "")
