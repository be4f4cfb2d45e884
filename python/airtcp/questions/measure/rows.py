"""The data of the charts of a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airtcp.questions.measure.document import MeasureDocument, Way

_MEGA: Final = 1e-6
_MILLI: Final = 1e3


def ways(document: MeasureDocument) -> Iterator[tuple[Way, str]]:
    """Yield both directions with their names.

    Args:
        document: The document.
    """
    yield document["down"], "from the server"
    yield document["up"], "to the server"


def losses(document: MeasureDocument) -> list[dict[str, Any]]:
    """Return a row an interval and direction: delays, and the share of lost packets."""
    return [
        {
            "t": row["t_s"],
            "name": name,
            "median": None if row["delay_median_s"] is None else row["delay_median_s"] * _MILLI,
            "most": None if row["delay_most_s"] is None else row["delay_most_s"] * _MILLI,
            "lost": 100 * row["lost"] / row["sent"],
        }
        for way, name in ways(document)
        for row in (way["losses"]["over_time"] if way["losses"] else ())
    ]


def runs(document: MeasureDocument) -> list[dict[str, Any]]:
    """Return a row a length and direction: how many runs of losses have it."""
    return [
        {"packets": row["packets"], "count": row["count"], "name": name}
        for way, name in ways(document)
        for row in (way["losses"]["runs"] if way["losses"] else ())
    ]


def bursts(document: MeasureDocument) -> list[dict[str, Any]]:
    """Return a row a burst."""
    return [
        {"t": row["t_s"], "name": name, "mbps": row["bps"] * _MEGA}
        for way, name in ways(document)
        for row in (way["capacity"]["over_time"] if way["capacity"] else ())
    ]


def load(document: MeasureDocument) -> list[dict[str, Any]]:
    """Return a row for each time that TCP was looked at."""
    return [
        {
            "t": row["t_s"],
            "name": name,
            "mbps": row["goodput_bps"] * _MEGA,
            "rtt": row["rtt_s"] * _MILLI,
        }
        for way, name in ways(document)
        for row in (way["load"]["over_time"] if way["load"] else ())
    ]
