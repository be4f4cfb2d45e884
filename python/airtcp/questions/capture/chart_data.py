"""The data of the charts of a capture's page, as `capture.js` puts them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.study.chart_data import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST: Final = 2500
"""Marks of a kind that a diagram has at once."""


def capture(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the data of every chart.

    Args: payload: The payload of the page.
    """
    found: dict[str, Any] = {}
    for number, connection in enumerate(payload["connections"]):
        found[f"sequence{number}"] = _sequence(unpacked(connection["points"]))
        for name in ("rtt", "window", "gaps"):
            found[f"{name}{number}"] = {name: connection[name]}
    if payload["flight"]:
        found["flight"] = payload["flight"]
    for name in ("rates", "rate_losses"):
        found[name] = {"rates": payload["rates"]}
    for name, rows in payload["air"].items():
        found[name] = {"stations" if name == "air_airtime" else "links": rows}
    for name in ("timeout_attempts", "timeout_latency"):
        found[name] = {"packets": payload["packets"]}
    return found


def _grouped(total: int, row: Callable[[int, int], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of consecutive groups, so many that they can be drawn."""
    size = max(1, -(-total // _MOST))
    return [row(i, min(i + size, total) - 1) for i in range(0, total, size)]


def _sequence(points: dict[str, Any]) -> dict[str, Any]:
    first, again, acks, sacks = (points[key] for key in ("first", "again", "acks", "sacks"))

    def fate(i: int) -> str:
        spurious = again["spurious"][i]
        return "not sent again" if spurious is None else "spurious" if spurious else "needed"

    lines = [
        {"what": what, "t": acks["t"][i], "b": acks[key][i]}
        for what, key in (("ACK", "ack_offset_bytes"), ("receive window", "edge"))
        for i in range(0, len(acks["t"]), max(1, -(-len(acks["t"]) // _MOST)))
    ]
    return {
        "segments": _grouped(
            len(first["t"]),
            lambda i, last: {
                "what": "first",
                "t": first["t"][i],
                "t2": first["t"][last],
                "b": first["offset_bytes"][i],
                "e": first["offset_bytes"][last] + first["length"][last],
            },
        ),
        "again": _grouped(
            len(again["t"]),
            lambda i, _: {
                "what": again["what"][i],
                "t": again["t"][i],
                "t2": again["t"][i],
                "fate": fate(i),
                "b": again["offset_bytes"][i],
                "e": again["offset_bytes"][i] + again["length"][i],
            },
        ),
        "blocks": _grouped(
            len(sacks["t"]),
            lambda i, _: {
                "what": "duplicate SACK" if sacks["duplicate"][i] else "SACK block",
                "t": sacks["t"][i],
                "t2": sacks["t"][i],
                "b": sacks["start_offset_bytes"][i],
                "e": sacks["end_offset_bytes"][i],
            },
        ),
        "lines": lines,
    }
