"""Findings of a sweep: how far it is, what failed, and which key matters most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.sentences import Finding, count, counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airtcp.questions.sweep.document import Sensitivity, SweepDocument, SweepPoints

_CLEAR: Final = 0.1
"""Share of the variance from which a key is named."""
_INTERACTION: Final = 0.05
"""Share of the variance from which an interaction is named."""


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
    if document["sensitivity"]:
        of = document["sensitivity"][0]
        said = _matters(of, label(of["measure"]))
        found += [] if said is None else [said]
    return found


def _matters(of: Sensitivity, measure: str) -> Finding | None:
    """Name the keys that explain a measure. A key is ranked first only if its interval is above."""
    keys = sorted(of["keys"], key=lambda key: -key["first"]["mean"])
    if len(keys) < 2 or keys[0]["first"]["mean"] < _CLEAR:  # noqa: PLR2004 - a rank needs two
        return None
    said = [f"{key['column']} explains {_share(key['first'])}" for key in keys[:_NAMED]]
    text = f"Of the variance of {measure}, {listed(said)} by itself."
    joint = max(of.get("interactions", []), key=lambda one: one["share"]["mean"], default=None)
    if joint is not None and joint["share"]["mean"] >= _INTERACTION:
        text += f" The interaction of {listed(joint['columns'])} explains {_share(joint['share'])}."
    first, low = keys[0]["column"], keys[0]["first"]["ci_low"]
    if low is None:
        known = "One replication" if of["method"] == "anova" else "No interval"
        return Finding(
            f"{first} has the largest share",
            f"{text} {known} does not show whether the order is chance.",
        )
    near = [key["column"] for key in keys if (key["first"]["ci_high"] or 0.0) >= low]
    if len(near) > 1:
        return Finding(
            "Cannot tell which key matters most",
            f"{text} The intervals of {listed(near)} overlap; more replications may separate them.",
        )
    return Finding(f"{first} matters most", text)


_NAMED: Final = 4


def _share(share: Mapping[str, float | None]) -> str:
    """Write a share of the variance in percent, with its interval.

    >>> _share({"mean": 0.514, "ci_low": 0.49, "ci_high": 0.54})
    '51 % [49, 54]'
    """
    mean, low, high = (share[name] for name in ("mean", "ci_low", "ci_high"))
    text = f"{100 * (mean or 0.0):.0f} %"
    if low is None or high is None or f"{100 * low:.0f}" == f"{100 * high:.0f}":
        return text
    return f"{text} [{100 * low:.0f}, {100 * high:.0f}]"


def _progress(points: SweepPoints) -> str:
    before = points["finished"] - points["run"]
    said = f"{count(points['finished'])} of {counted(points['distinct'], 'point')} finished"
    if before and points["run"]:
        return f"{said}, {count(points['run'])} of them in this call."
    if before:
        return f"{said}, all of them by earlier calls."
    equal = points["number"] - points["distinct"]
    return f"{said}." + (f" {counted(equal, 'more point')} equal one of them." if equal else "")
