"""From the document of a run, and its series, to what its page carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp import words
from airtcp.report.rows import thin

if TYPE_CHECKING:
    from airtcp.documents import RunDocument

_POINTS: Final = 1200
_MOST_NAMES: Final = 12

FLOW_COLUMNS: Final = (
    ("Goodput (Mb/s)", "goodput_bps", 1e-6),
    ("Sent (Mb/s)", "throughput_bps", 1e-6),
    ("RTT (ms)", "rtt_mean_s", 1e3),
    ("Retransmitted (%)", "retransmission_ratio", 100.0),
    ("Timeouts", "timeouts", 1.0),
    ("Fast retransmits", "fast_retransmits", 1.0),
    ("Completion (s)", "completion_s", 1.0),
)
LINK_COLUMNS: Final = (
    ("Carried (Mb/s)", "delivered_bps", 1e-6),
    ("Busy (%)", "utilisation", 100.0),
    ("Lost (%)", "loss_rate", 100.0),
    ("Mean queue (packets)", "mean_queue_packets", 1.0),
    ("Longest queue (packets)", "max_queue_packets", 1.0),
)


def estimate(value: dict[str, Any] | None, scale: float) -> str:
    """Write a mean with its interval, in the unit of its column.

    >>> estimate({"mean": 2.5e6, "ci_low": 2.4e6, "ci_high": 2.6e6}, 1e-6)
    '2.50 [2.40, 2.60]'
    """
    if value is None or value["mean"] is None:
        return "\N{EN DASH}"
    text = words.number(value["mean"] * scale)
    if value["ci_low"] is None:
        return text
    low, high = (words.number(value[end] * scale) for end in ("ci_low", "ci_high"))
    return f"{text} [{low}, {high}]"


def table(
    rows: list[dict[str, Any]], columns: tuple[tuple[str, str, float], ...]
) -> dict[str, list[Any]]:
    """Lay out the estimates of flows or links; a column with nothing in it is left out."""
    used = [
        c for c in columns if any((row.get(c[1]) or {}).get("mean") is not None for row in rows)
    ]
    return {
        "head": [title for title, _, _ in used],
        "rows": [
            [row["name"], *(estimate(row.get(key), scale) for _, key, scale in used)]
            for row in rows
        ],
    }


def curves(series: dict[str, list[Any]], who: str, value: str, scale: float) -> list[list[Any]]:
    """Split a series by name and thin each part; beyond a dozen names the rest is left out."""
    names = list(dict.fromkeys(series[who]))[:_MOST_NAMES]
    parts: list[list[Any]] = []
    for name in names:
        chosen = [i for i, owner in enumerate(series[who]) if owner == name]
        times = [series["t_s"][i] for i in chosen]
        values = [series[value][i] * scale for i in chosen]
        parts.append([name, thin(times, values, _POINTS)])
    return parts


def run_payload(document: RunDocument, series: dict[str, dict[str, list[Any]]]) -> dict[str, Any]:
    """Gather everything that the page of a run carries."""
    means = [
        {
            "name": flow["name"],
            **{
                key: None if flow["goodput_bps"][end] is None else flow["goodput_bps"][end] * 1e-6
                for key, end in (("mean", "mean"), ("low", "ci_low"), ("high", "ci_high"))
            },
        }
        for flow in document["summary"]["flows"]
    ]
    replications = [
        {"name": flow["name"], "goodput": flow["goodput_bps"] * 1e-6}
        for replication in document["replications"]
        for flow in replication["flows"]
    ]
    payload: dict[str, Any] = {"kind": "run", "means": means, "replications": replications}
    if series:
        payload |= {
            "window": curves(series["window_series"], "flow", "cwnd_bytes", 1e-3),
            "rtt": curves(series["rtt_series"], "flow", "rtt_s", 1e3),
            "queue": curves(series["queue_series"], "link", "queue_packets", 1.0),
        }
    return payload
