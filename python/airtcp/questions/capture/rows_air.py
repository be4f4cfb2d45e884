"""Makes the data of the air's timeline from the document of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import busiest
from airtcp.questions.capture.dropped import bands

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

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
    interval, links, stations = _drawn_lines(document)
    times = _times(links, stations)
    if not times or interval <= 0 or round((max(times) - min(times)) / interval) < _FEWEST:
        return {"links": [], "stations": []}
    start, steps = min(times), round((max(times) - min(times)) / interval) + 1

    def placed(
        points: Sequence[Mapping[str, Any]],
    ) -> Iterator[tuple[float, Mapping[str, Any] | None]]:
        by_place = {round((point["time_s"] - start) / interval): point for point in points}
        for place in _drawn(by_place, steps):
            yield round(place * interval, 6), by_place.get(place)

    return {
        "links": [
            {"name": f"{link['transmitter']} -> {link['receiver']}", "t": t}
            | _attempts(point, interval, has_loss=link["raw_loss"] is not None)
            for link in links
            for t, point in placed(link.get("over_time", []))
        ],
        "stations": [
            {
                "name": station["address"],
                "t": t,
                "airtime": point["airtime_s"] / interval if point else 0.0,
            }
            for station in stations
            for t, point in placed(station.get("over_time", []))
        ],
    }


def dropped(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the bands in which packets were dropped, by the time of `timeline`.

    Args:
        document: The document of a capture of the air.
    """
    interval, links, stations = _drawn_lines(document)
    times = _times(links, stations)
    return bands(document, min(times), max(times) - min(times) + interval) if times else []


def _drawn_lines(
    document: Mapping[str, Any],
) -> tuple[float, list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the interval in seconds, and the links and transmitters that have a line."""
    air: Mapping[str, Any] = document.get("air") or {}
    links = busiest.links(document)[:LINKS]
    return air.get("interval_s") or 0.0, links, air.get("stations", [])[:STATIONS]


def _times(links: list[dict[str, Any]], stations: list[dict[str, Any]]) -> list[float]:
    """Return the start of each interval of these lines, in seconds since 1970."""
    series = [one.get("over_time", []) for one in [*links, *stations]]
    return [point["time_s"] for points in series for point in points]


def _drawn(known: Collection[int], steps: int) -> list[int]:
    """Return the intervals with rows: those that are known, the first of each gap, and the last.

    The number of rows follows from what was captured, and not from how long that took.

    >>> _drawn([3, 4, 8_000_000], 9_000_000)
    [0, 3, 4, 5, 8000000, 8000001, 8999999]
    """
    gaps = {0, steps - 1, *(place + 1 for place in known)}
    return sorted(place for place in gaps.union(known) if place < steps)


def _attempts(
    point: Mapping[str, Any] | None, interval: float, *, has_loss: bool
) -> dict[str, Any]:
    """Return the values of an interval; without attempts, nothing but their number is known.

    Nobody acknowledges frames to a group (IEEE 802.11-2020, 10.3.6): such a link has no loss.
    """
    if point is None:
        return {"attempts": 0.0, "loss": None, "rate": None, "signal": None}
    rate = point["rate_mean_bps"]
    return {
        "attempts": point["attempts"] / interval,
        "loss": 1 - point["acknowledged"] / point["attempts"] if has_loss else None,
        "rate": None if rate is None else rate / 1e6,
        "signal": point["signal_mean_dbm"],
    }
