"""Makes the data of the air's timeline from the document of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LINKS: Final = 6
"""Links with lines of their own."""
STATIONS: Final = 8
"""Transmitters with lines of their own."""
_FEWEST: Final = 2
"""Intervals below which there is nothing to see over time."""


def timeline(document: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return what happened on the air over time; empty lists if it is too short.

    Returns: `links`, a row for each interval and busy link: time since the first interval, attempts
        in a second, share of them without captured MAC ACK, mean rate in Mb/s, mean signal in dBm.
        `stations`, a row for each interval and busy transmitter: share of the airtime.
    """
    air: Mapping[str, Any] = document.get("air") or {}
    interval = air.get("interval_s") or 0.0
    links = sorted(document["links"], key=lambda link: -link["attempts"])[:LINKS]
    stations = air.get("stations", [])[:STATIONS]
    series = [one.get("over_time", []) for one in [*links, *stations]]
    times = [point["time_s"] for points in series for point in points]
    if not times or interval <= 0 or round((max(times) - min(times)) / interval) < _FEWEST:
        return {"links": [], "stations": []}
    start, steps = min(times), round((max(times) - min(times)) / interval) + 1

    def placed(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any] | None]:
        by_place = {round((point["time_s"] - start) / interval): point for point in points}
        return [by_place.get(place) for place in range(steps)]

    return {
        "links": [
            {"name": f"{link['transmitter']} -> {link['receiver']}", "t": round(i * interval, 6)}
            | _attempts(point, interval)
            for link in links
            for i, point in enumerate(placed(link.get("over_time", [])))
        ],
        "stations": [
            {
                "name": station["address"],
                "t": round(i * interval, 6),
                "airtime": point["airtime_s"] / interval if point else 0.0,
            }
            for station in stations
            for i, point in enumerate(placed(station.get("over_time", [])))
        ],
    }


def _attempts(point: Mapping[str, Any] | None, interval: float) -> dict[str, Any]:
    """Return the values of an interval; without attempts, nothing but their number is known."""
    if point is None:
        return {"attempts": 0.0, "loss": None, "rate": None, "signal": None}
    rate = point["rate_mean_bps"]
    return {
        "attempts": point["attempts"] / interval,
        "loss": 1 - point["acknowledged"] / point["attempts"],
        "rate": None if rate is None else rate / 1e6,
        "signal": point["signal_mean_dbm"],
    }
