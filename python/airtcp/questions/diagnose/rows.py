"""The data of the charts of a diagnosis: predictions beside the transfer, and lost packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument

_MOST_LOST: Final = 5000
"""Most losses of the chart."""
_MEGA: Final = 1e-6


def predictions(document: DiagnoseDocument) -> dict[str, Any]:
    """Return a row for each TCP, and the goodput of the transfer, if something is predicted."""
    seen = document["observed"]
    if not document["predictions"] or seen is None:
        return {}
    rows = [
        {
            "variant": row["variant"],
            "middle": scaled(row["goodput_bps"], _MEGA),
            "low": scaled(row["low"], _MEGA),
            "high": scaled(row["high"], _MEGA),
            "end": scaled(row["high"] or row["low"], _MEGA),
        }
        for row in document["predictions"]
    ]
    return {"predictions": rows, "observed": [{"goodput": seen["goodput_bps"] * _MEGA}]}


def backlog(document: DiagnoseDocument) -> dict[str, Any]:
    """Return a row for each lost packet, at most some thousand; nothing if none was lost."""
    lost = document["lost_packets"]
    if not lost:
        return {}
    begin = lost[0]["time_s"]
    every = -(-len(lost) // _MOST_LOST)
    rows = [
        {
            "time": each["time_s"] - begin,
            "backlog": each["backlog_packets"],
            "origin": each["origin"],
        }
        for each in lost[::every]
    ]
    return {"lost": rows}


def scaled(value: float | None, scale: float) -> float | None:
    """Return a value in the unit of a chart, if there is one."""
    return None if value is None else value * scale
