"""Airtime fairness against a slow station: what `run` has tried of it, in one sentence.

Each station gets the same part of the airtime of the access point, so that a slow one keeps only
its own flows back. Linux does so by itself for drivers that use its queues (mac80211). It schedules
what the access point sends: uploads gain nothing, and the trial decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import groups, prices
from airtcp.questions.run.limit_words import options, places
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.documents import RunDocument

_LEAST: Final = 1.1
"""Least factor by which it raises all flows together, to be advised."""
_QUEUE: Final = '{ kind = "airtime-fair" }'


def change(document: RunDocument, limit: Mapping[str, Any]) -> list[str]:
    """Return the change that shares the airtime of a slow station's cell; empty if none does.

    Args:
        document: The document of a run.
        limit: A limit, or the shortage of a slow flow: its cause and `where` are read.
    """
    if (limit.get("cause") or limit.get("short_of")) != "slow-station":
        return []
    slow = {*places(limit["where"])}
    cells: list[dict[str, Any]] = document["scenario"].get("cells") or []
    summary: list[dict[str, Any]] = document["summary"].get("cells") or []
    for number, (cell, shown) in enumerate(zip(cells, summary, strict=False)):
        stations = {station["name"] for station in shown.get("stations") or ()}
        queue: dict[str, Any] = cell.get("access_point_queue") or cell.get("queue") or {}
        if slow & stations and queue.get("kind") != "airtime-fair":
            return [f"cells[{number}].access_point_queue={_QUEUE}"]
    return []


def said(document: RunDocument, limit: Mapping[str, Any]) -> str:
    """Say what airtime fairness gives all flows, and leaves those of the slow station.

    Empty if it was not tried, or does not raise all flows together.
    """
    tried = change(document, limit)
    trial = prices.of_change(document, tried) if tried else None
    if trial is None:
        return ""
    without, with_it = prices.others(trial, ())
    if with_it < _LEAST * without:
        return ""
    rows = document["replications"][0]["flows"]
    slow = {*places(limit["where"])}
    own = [row["name"] for row in rows if {row.get("from"), row.get("to")} & slow]
    left = [row["with_bps"] or 0.0 for row in trial["flows"] if row["flow"] in own]
    together = " together" if len(rows) > 1 else ""
    text = f"Airtime fairness at the access point gives {_mbps(with_it)} Mb/s{together}"
    if left and len(left) < len(rows):
        each = "" if len(left) == 1 else " each"
        text += f", of which {groups.named(document, own)} {_gets(len(left))}"
        text += f" {_mbps(groups.mean(left))}{each}"
    return f"{text}: {options(tried)}."


def _gets(flows: int) -> str:
    return "gets" if flows == 1 else "get"


def _mbps(bps: float) -> str:
    return words.number(bps * 1e-6, 2)
