"""The rows of the charts over time of one flow: window with its cuts, round-trip times, queues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument

    Series = Mapping[str, Mapping[str, Sequence[Any]]]

MOST: Final = 4
"""Most flows with charts of their own."""
CUT: Final = "window cut"
TIMEOUT: Final = "timeout"
_CUT: Final = 0.8
"""A window that falls below this share of what it was is cut."""
_QUEUES: Final = 2
"""Most queues beside a flow."""


def flows(document: RunDocument, series: Series) -> list[dict[str, Any]]:
    """Return the charts of the first flows: rows by chart, beside the name of the flow.

    Args:
        document: The document of a run.
        series: Its series by table name, each a table as columns; empty if none was recorded.
    """
    if not series:
        return []
    windows, rtts, queues = (series[f"{name}_series"] for name in ("window", "rtt", "queue"))
    senders = rows.endpoint_names(_lists(windows), "in_flight_bytes")
    trips = rows.endpoint_names(_lists(rtts))
    names = [name for name in dict.fromkeys(senders) if name][:MOST]
    links = rows.busiest(list(queues["link"]), list(queues["queue_packets"]))
    first = list(dict.fromkeys(link for link in links if link))[:_QUEUES]
    waiting = rows.curves(
        [link if link in first else "" for link in links],
        list(queues["t_s"]),
        list(queues["queue_packets"]),
        1.0,
    )
    sizes = _segments(document)
    return [
        {
            "name": name,
            "window": _one(senders, windows, name, "cwnd_bytes", 1e-3, "cwnd"),
            "marks": marks(senders, windows, name, sizes.get(name.split(" (")[0], _SEGMENT)),
            "rtt": _one(trips, rtts, name, "rtt_s", 1e3, "rtt"),
            "queue": rows.lines(waiting, "packets"),
        }
        for name in names
    ]


_SEGMENT: Final = 1460


def _segments(document: RunDocument) -> dict[str, int]:
    """Return the largest segment of each flow, in bytes."""
    sizes: list[int] = []
    for flow in document["scenario"].get("flows", []):
        tcp: Mapping[str, Any] = flow.get("tcp") or {}
        size = tcp.get("mss") or _SEGMENT
        sizes += [int(size)] * int(flow.get("count") or 1)
    names = [flow["name"] for flow in document["summary"]["flows"]]
    return dict(zip(names, sizes, strict=False))


def _lists(series: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    return {key: list(values) for key, values in series.items()}


def _one(
    owners: Sequence[str],
    series: Mapping[str, Sequence[Any]],
    name: str,
    key: str,
    scale: float,
    drawn: str,
) -> list[dict[str, float]]:
    """Return the curve of one name."""
    mine = [owner if owner == name else "" for owner in owners]
    found = rows.curves(mine, list(series["t_s"]), list(series[key]), scale)
    curve: list[Any] = found[0][1] if found else []
    return [{"t": t, drawn: value} for t, value in curve]


def marks(
    owners: Sequence[str], series: Mapping[str, Sequence[Any]], name: str, segment: int
) -> list[dict[str, Any]]:
    """Return the cuts of a window: time, window after it in kB, and whether it was a timeout.

    After a timeout the window is one segment. What else cuts it, a loss, a mark or the model of a
    path, does not show.

    Args:
        owners: The sender of each row.
        series: The table `window_series`.
        name: The sender.
        segment: The largest segment, in bytes.

    >>> windows = {"t_s": [1, 2, 3, 4], "cwnd_bytes": [9000, 4500, 6000, 1460]}
    >>> marks(["a"] * 4, windows, "a", 1460)
    [{'t': 2, 'cwnd': 4.5, 'what': 'window cut'}, {'t': 4, 'cwnd': 1.46, 'what': 'timeout'}]
    """
    found: list[dict[str, Any]] = []
    before = 0.0
    for owner, time, window in zip(owners, series["t_s"], series["cwnd_bytes"], strict=True):
        if owner != name:
            continue
        timeout = window <= segment < before
        if timeout or window < _CUT * before:
            what = TIMEOUT if timeout else CUT
            found.append({"t": time, "cwnd": window * 1e-3, "what": what})
        before = window
    return found
