"""What limits the flows of a run, in words.

Every sentence follows from a run with one thing taken away: `limits` and `why` of the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import words
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.documents import RunDocument

    Limit = Mapping[str, Any]

_LARGEST: Final = 100.0
"""Largest factor that is written."""
_FULL: Final = 0.8
"""Use of a link from which it is called full."""
_NAMED: Final = 3
"""Most flows that are named one by one."""

_WHAT: Final = {
    "link-losses": ("Losses of {where}", "without them"),
    "air-losses": ("Losses on the air of {where}", "without them"),
    "queue": ("The queue of {where}", "if it dropped and marked nothing"),
    "link-rate": ("The rate of {where}", "at twice the rate"),
    "return-path": ("The return path {where}", "with a faster one"),
    "medium": ("The airtime of {where}", "if every frame took half the time"),
    "other-flows": ("The traffic of {where}", "without it"),
    "receive-window": ("The receive buffer of {where}", "with a larger one"),
    "send-buffer": ("The send buffer of {where}", "with a larger one"),
    "application": ("The application of {where}", "if it sent all the time"),
    "slow-station": ("The slow station {where}", "if it were near the access point"),
    "distance": ("The distance of {where}", "at 1 m from the access point"),
    "reordering": ("Reordering on {where}", "in order"),
    "hidden-stations": (
        "Stations of {where} that do not sense each other",
        "if all sensed each other",
    ),
    "interference": ("Interference in {where}", "without it"),
    "other-cells": ("Other cells on the medium, {where},", "on channels of their own"),
    "round-trip-time": ("The round-trip time over {where}", "with a quarter of the delays"),
}
"""By cause: what limits, and how its removal is said."""
_NOUN: Final = {
    "link-losses": "losses of the link",
    "air-losses": "losses on the air",
    "queue": "drops of the queue",
    "link-rate": "the rate of the link",
    "return-path": "the return path",
    "medium": "the airtime of the medium",
    "other-flows": "other flows",
    "receive-window": "the receive buffer",
    "send-buffer": "the send buffer",
    "application": "the application",
    "slow-station": "a slow station",
    "distance": "its distance",
    "reordering": "reordering",
    "hidden-stations": "stations that do not sense each other",
    "interference": "interference",
    "other-cells": "other cells",
    "round-trip-time": "the round-trip time",
}
_PLURAL: Final = frozenset({"link-losses", "air-losses", "hidden-stations", "other-cells"})


def findings(document: RunDocument) -> list[Finding]:
    """Return what limits the flows, the answer first.

    Args:
        document: The document of a run.
    """
    why: dict[str, Any] = dict(document.get("why") or {})
    limits: Sequence[Limit] = document.get("limits") or []
    found = [_limit(document, limit) for limit in limits if not _follows(limit, limits)]
    if not limits:
        found = [_none(why)]
    found += [_then(document, limit) for limit in limits if limit.get("after")]
    found += [said for flow in why.get("slow_flows", []) if (said := _slow(flow)) is not None]
    if limits and why.get("verdict") == "stopped":
        found.append(Finding("The search was stopped", "More limits may exist.", "warn"))
    return found


def _follows(limit: Limit, limits: Sequence[Limit]) -> bool:
    """Tell whether a limit is said along with another: what stands behind it, or goes with it."""
    if limit.get("after"):
        return True
    first = next(other for other in limits if other["change"] == limit["change"])
    return bool(limit.get("with")) and first is not limit


def _limit(document: RunDocument, limit: Limit) -> Finding:
    """Say one limit, with the goodput with and without it."""
    cause: str = limit["cause"]
    what, without = _WHAT[cause]
    what = what.format(where=limit["where"])
    verb = "limit" if cause in _PLURAL else "limits"
    headline = f"{what} {verb} {_flows(document, limit)}"
    if others := limit.get("with"):
        nouns = words.listed([_NOUN[other] for other in others])
        headline = f"{what} and {nouns} together limit {_flows(document, limit)}"
        without = "without both" if len(others) == 1 else "without all of them"
    if cause == "link-rate" and not others and _use(document, limit["where"]) >= _FULL:
        headline = f"The link {limit['where']} is full"
    if cause == "medium" and not others:
        headline = f"The medium of {limit['where']} is full"
    if cause == "application":
        return Finding(
            f"{_flows(document, limit, start=True)} gets what the application asks for",
            f"{_mbps(limit['goodput_bps'])} Mb/s; {_mbps(limit['without_bps'])} {without}.",
        )
    text = f"{_both(limit, without)}{_or(limit)}"
    return Finding(headline, text, "bad" if limit["of"] == "slowest-of-each-run" else "warn")


def _both(limit: Limit, without: str) -> str:
    """Return the goodput with and without a limit."""
    whose = {
        "sum": "",
        "flows": " of these flows",
        "slowest-of-each-run": " of the slowest flow of each run",
    }[limit["of"]]
    goodput, after = _mbps(limit["goodput_bps"]), _mbps(limit["without_bps"])
    return f"{goodput} Mb/s{whose}, and {after} {without}."


def _or(limit: Limit) -> str:
    """Name other removals that lift the same limit."""
    others = [_NOUN[cause] for cause in limit.get("or", []) if cause != limit["cause"]]
    if not others:
        return ""
    return f" Without {words.listed(others)} it would be lifted as well."


def _then(document: RunDocument, limit: Limit) -> Finding:
    """Say what limits once the first limit is gone."""
    if limit["cause"] == "application":
        return Finding(
            "Then the application gets what it asks for", f"{_mbps(limit['goodput_bps'])} Mb/s."
        )
    what, without = _WHAT[limit["cause"]]
    what = what.format(where=limit["where"])
    what = what[0].lower() + what[1:]
    verb = "limit" if limit["cause"] in _PLURAL else "limits"
    return Finding(f"Then {what} {verb} {_flows(document, limit)}", _both(limit, f"{without}, too"))


def _none(why: Mapping[str, Any]) -> Finding:
    """Say why no limit is named."""
    verdict = why.get("verdict", "not-asked")
    if verdict == "stopped":
        return Finding("What limits the flows is not known", "The search was stopped.", "warn")
    if verdict == "not-asked":
        return Finding(
            "What limits the flows was not asked", "--why auto takes things away, one at a time."
        )
    if verdict == "cannot-tell":
        runs = words.counted(why["replications"], "replication")
        nearly = words.listed(
            [f"{_NOUN[one['cause']]} ({one['where']}, {_factor(one)})" for one in why["undecided"]]
        )
        return Finding(
            "Cannot tell what limits the flows",
            f"{runs} of {words.number(why['measured_s'])} s do not decide: {nearly}."
            " --why yes takes the whole time.",
            "warn",
        )
    return Finding("Nothing single limits the flows", "No removal raises the goodput by a tenth.")


def _factor(one: Mapping[str, Any]) -> str:
    """Write the ratio of an undecided removal with its interval."""
    low, high = one["low"], one["high"]
    ratio = f"{words.number(one['ratio'])} times the goodput without"
    if low is None or high is None or high > _LARGEST:
        return ratio
    return f"{ratio}, {words.number(low, 2)} to {words.number(high, 2)}"


def _slow(flow: Mapping[str, Any]) -> Finding | None:
    """Say what a slow flow is short of, unless a limit of its own says so."""
    short = flow["short_of"]
    gets = f"{_mbps(flow['goodput_bps'])} Mb/s, and the median flow {_mbps(flow['median_bps'])}"
    if short is not None:
        return None
    alone = flow["alone_bps"]
    text = "No removal doubles its goodput: the others have the rest of the link or medium."
    if alone is not None:
        text += f" Alone it would get {_mbps(alone)} Mb/s."
    return Finding(f"{flow['flow']} is slow: {gets}", text)


def _flows(document: RunDocument, limit: Limit, *, start: bool = False) -> str:
    """Name the flows that a removal raises."""
    names: list[str] = list(limit["flows"])
    total = len(document["summary"]["flows"])
    if len(names) == total or not names:
        if total == 1:
            return "The flow" if start else "the flow"
        return "All flows" if start else "the flows"
    if len(names) <= _NAMED:
        return words.listed(names)
    return f"{len(names)} of {total} flows"


def _use(document: RunDocument, name: str) -> float:
    """Return the share of its time or capacity that a link uses; 0 for another name."""
    links: list[dict[str, Any]] = document["summary"]["links"]
    return max(
        (link["utilisation"]["mean"] or 0.0 for link in links if link["name"] == name), default=0.0
    )


def _mbps(bps: float) -> str:
    """Write a rate in Mb/s."""
    return words.number(bps * 1e-6, 2)
