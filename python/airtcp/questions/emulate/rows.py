"""The data of the charts of an emulated run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from airtcp.questions.emulate.document import EmulateDocument

_MEGA: Final = 1e-6
_MILLI: Final = 1e3


def rates(document: EmulateDocument) -> list[dict[str, Any]]:
    """Return a row an interval and node: its start, and the rate to the node."""
    names = [f"to {port['node']}" for port in document["ports"]]
    return [
        {"t": _start(row), "name": name, "mbps": rate * _MEGA}
        for row in document["series"]
        for name, rate in zip(names, row["rate_bps"], strict=False)
    ]


def queue(document: EmulateDocument) -> list[dict[str, Any]]:
    """Return a row an interval: packets that waited and were dropped, and the greatest lateness."""
    return [
        {
            "t": _start(row),
            "waiting": row["waiting"],
            "dropped": row["dropped"],
            "late": row["late_max_s"] * _MILLI,
        }
        for row in document["series"]
    ]


def air(document: EmulateDocument) -> list[dict[str, Any]]:
    """Return a row an interval and cell: the share of the time with frames on the air."""
    return [
        {"t": _start(row), "name": name, "percent": 100 * share}
        for row in document["series"]
        for name, share in zip(document["cells"], row["airtime_share"], strict=False)
    ]


def end(document: EmulateDocument) -> float:
    """Return the end of the last interval."""
    return document["series"][-1]["t_s"] if document["series"] else 0.0


def _start(row: Any) -> float:
    return max(0.0, row["t_s"] - row["duration_s"])
