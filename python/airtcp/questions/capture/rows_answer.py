"""The data of the chart beside the answer of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import charts_answer, findings, rows

if TYPE_CHECKING:
    from collections.abc import Mapping

_POINTS: Final = 1500
"""Points of the line, and most marks."""
_TIMEOUTS: Final = frozenset({"timeout", "after_timeout"})


def flight(
    document: Mapping[str, Any], series: Mapping[str, rows.Directions]
) -> dict[str, list[dict[str, Any]]]:
    """Return data in flight of the largest connection, and what was sent again.

    Args:
        document: The document of a capture.
        series: The rows of its tables of series, by connection and sender.

    Returns:
        `flight`, a row for each kept sample; `marks`, a row for each segment that was sent again,
        at the height of what was in flight. Nothing without series.
    """
    known = rows.ordered(document)
    if not known:
        return {}
    place, connection = known[0]
    mine = (place, findings.bulk(connection)["from"])
    start = connection["start_s"]
    samples = series.get("window_series", {}).get(mine, [])
    if not samples:
        return {}
    line = [
        {"t": round(each["time_s"] - start, 7), "kb": (each["in_flight_bytes"] or 0) * 1e-3}
        for each in _thinned(samples)
    ]
    again = [each for each in series.get("segment_series", {}).get(mine, []) if each["cause"]]
    return {charts_answer.NAME: line, "marks": _marks(_thinned(again), line, start)}


def _thinned(found: rows.Rows) -> rows.Rows:
    return found[:: -(-len(found) // _POINTS) or 1]


def _marks(again: rows.Rows, line: rows.Rows, start: float) -> rows.Rows:
    """Return a mark for each segment that was sent again, on the line."""
    marks: rows.Rows = []
    at = 0
    for each in sorted(again, key=lambda row: row["time_s"]):
        t = round(each["time_s"] - start, 7)
        while at + 1 < len(line) and line[at + 1]["t"] <= t:
            at += 1
        late = each["cause"] in _TIMEOUTS
        what = charts_answer.TIMEOUT if late else charts_answer.LOST
        marks.append({"t": t, "kb": line[at]["kb"], "what": what})
    return marks
