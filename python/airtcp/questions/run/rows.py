"""Makes the data of a page from the document of a run and its series."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import thin
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.documents import RunDocument

_POINTS: Final = 1200
MAX_NAMES: Final = 24
"""Most lines of a chart over time, all of which look different."""
_MOST_QUEUES: Final = 6
_STRETCHES: Final = 120


def drawn(
    value: Mapping[str, Any], scale: float, limits: tuple[float, float] = words.NOT_NEGATIVE
) -> dict[str, float | None]:
    """Return a mean and the ends of its interval for a picture, in the unit of its axis."""
    low, high = words.bounded(value, limits)
    found = {"mean": value["mean"], "low": low, "high": high}
    return {key: None if end is None else end * scale for key, end in found.items()}


def endpoint_names(series: dict[str, list[Any]], sends: str | None = None) -> list[str]:
    """Name the flow's end of each row; "" for an end that never had data in flight."""
    owners = list(zip(series["flow"], series["side"], strict=True))
    active = set(owners)
    if sends is not None:
        active = {who for who, amount in zip(owners, series[sends], strict=True) if amount > 1}
    return [
        "" if (flow, side) not in active else flow if side == "client" else f"{flow} ({side})"
        for flow, side in owners
    ]


def busiest(names: list[str], values: list[float]) -> list[str]:
    """Keep the names of the links with the longest queues; "" for the others.

    >>> busiest(["a", "b", "a", "b"], [0, 2, 1, 5])
    ['', 'b', '', 'b']
    """
    longest: dict[str, float] = {}
    for name, value in zip(names, values, strict=True):
        longest[name] = max(longest.get(name, 0.0), value)
    order = sorted(longest, key=lambda name: -longest[name])
    # A single packet in transit is no queue, unless there is no longer one.
    kept = {name for name in order[:_MOST_QUEUES] if longest[name] > 1} or set(order[:1])
    return [name if name in kept else "" for name in names]


def curves(
    names: list[str], times: list[float], values: list[float], scale: float
) -> list[list[Any]]:
    """Split a series by name and thin each part; the first `MAX_NAMES` names are kept."""
    parts: list[list[Any]] = []
    for name in list(dict.fromkeys(name for name in names if name))[:MAX_NAMES]:
        chosen = [i for i, owner in enumerate(names) if owner == name]
        points = thin([times[i] for i in chosen], [values[i] * scale for i in chosen], _POINTS)
        parts.append([name, points])
    return parts


def shares(
    names: list[str], times: list[float], totals: list[float], stretches: int = _STRETCHES
) -> list[list[Any]]:
    """Turn totals since the start into their growth in each stretch of time, in percent.

    Args: names: The name of each total. times: The time of each total, in seconds; not falling for
        each name. totals: The totals, in seconds. stretches: Number of stretches from time zero to
        the last total.

    >>> shares(["a", "a"], [1.0, 4.0], [0.5, 1.0], stretches=2)
    [['a', [[0.0, 25.0], [2.0, 25.0], [4.0, 25.0]]]]
    """
    last = max(times, default=0.0)
    if last <= 0.0:
        return []
    edges = [last * i / stretches for i in range(stretches + 1)]
    parts: list[list[Any]] = []
    for name in list(dict.fromkeys(name for name in names if name))[:MAX_NAMES]:
        own = [i for i, owner in enumerate(names) if owner == name]
        at = [times[i] for i in own]
        reached = [0.0, *(totals[i] for i in own)]
        values = [reached[bisect_right(at, edge)] for edge in edges]
        grown = [100.0 * (after - before) * stretches / last for before, after in pairwise(values)]
        # A step holds until the next point: the last stretch needs one at its end.
        parts.append(
            [name, [[edge, v] for edge, v in zip(edges, [*grown, grown[-1]], strict=True)]]
        )
    return parts


def left_out(names: list[str]) -> int:
    """Count the names that `curves` and `shares` leave out."""
    return max(0, len({name for name in names if name}) - MAX_NAMES)


def lines(parts: list[list[Any]], key: str) -> list[dict[str, Any]]:
    """Lay curves out as the rows of a chart.

    >>> lines([["a", [[0.0, 1.0]]]], "share")
    [{'name': 'a', 't': 0.0, 'share': 1.0}]
    """
    return [{"name": who, "t": t, key: value} for who, points in parts for t, value in points]


def goodputs(document: RunDocument) -> dict[str, list[dict[str, Any]]]:
    """Return the goodput of each flow in each replication, and their means."""
    return {
        "replications": [
            {"name": flow["name"], "goodput": flow["goodput_bps"] * 1e-6}
            for replication in document["replications"]
            for flow in replication["flows"]
        ],
        "means": [
            {"name": flow["name"], **drawn(flow["goodput_bps"], 1e-6)}
            for flow in document["summary"]["flows"]
        ],
    }
