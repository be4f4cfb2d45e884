"""Makes the data of a page from the document of a capture and its series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import busiest, charts
from airtcp.questions.capture import findings as capture_words
from airtcp.questions.capture import findings_points as capture_between

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.table import Table

DRAWN: Final = 4
"""Connections with diagrams."""
_POINTS: Final = 1500
"""Points of a line over time."""
_GAPS: Final = 2000
_LINKS: Final = 6
_LEAST_S: Final = 1e-6
_FATES: Final = {None: "not sent again", True: "spurious", False: "needed"}
Rows = list[dict[str, Any]]
Directions = dict[tuple[int, str], Rows]
"""Rows of a table by connection and sender."""


def ordered(document: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the connections with their numbers, the one with the most bytes first.

    Of a connection that several points have, that of the point nearest its sender is taken.
    """
    places = capture_between.placed_at_senders(document)
    return sorted(places, key=lambda c: -capture_words.bulk(c[1])["unique_bytes"])


def by_direction(table: Table) -> Directions:
    """Return the rows of a table by connection and sender."""
    found: Directions = {}
    for row in table.rows():
        found.setdefault((row["connection"], row["from"]), []).append(row)
    return found


@dataclass(frozen=True)
class Drawn:
    """What the diagrams of a connection show, of its busier direction."""

    names: list[str]
    """What occurs in the time-sequence diagram, in the order of its key."""
    end_s: float
    top: int
    one_of: int
    """The capture has this many segments for each that was kept."""
    sequence: dict[str, Rows]
    rtt: Rows
    window: Rows
    gaps: Rows


def drawn(
    place: int,
    connection: Mapping[str, Any],
    series: Mapping[str, Directions],
    losses: Directions,
) -> Drawn | None:
    """Collect the points of the busier direction of a connection, or None without data."""
    direction = capture_words.bulk(connection)
    start = connection["start_s"]
    mine = (place, direction["from"])
    of = {
        name: [row | {"t": round(row["time_s"] - start, 7)} for row in found.get(mine, [])]
        for name, found in series.items()
    }
    segments, acks = of["segment_series"], of["ack_series"]
    if not segments:
        return None
    sequence = _sequence(segments, acks, of["sack_series"])
    occurring = {row["what"] for found in sequence.values() for row in found}
    occurring |= {charts.FIRST, charts.ACK, charts.WINDOW}
    gaps = [row for row in losses.get(mine, []) if row["since_loss_s"] is not None][:_GAPS]
    return Drawn(
        names=[name for name in charts.COLOURED if name in occurring],
        end_s=max((row["t"] for row in (*segments, *acks)), default=0) or 1,
        top=max(row["offset_bytes"] + row["length"] for row in segments) or 1,
        one_of=max(row["one_of"] for row in segments) or 1,
        sequence=sequence,
        rtt=_lines(of["rtt_series"], {"sample": "rtt_s", "smoothed": "srtt_s"}, 1e3, "ms"),
        window=_lines(
            of["window_series"],
            {
                "in flight": "in_flight_bytes",
                "congestion window": "cwnd_bytes",
                "receive window": "receive_window_bytes",
            },
            1e-3,
            "kb",
        ),
        gaps=[
            {
                "dt": max(row["since_loss_s"], _LEAST_S),
                "dn": row["segments_since_loss"],
                "what": charts.CAUSES[row["cause"]],
            }
            for row in gaps
        ],
    )


def _sequence(segments: Rows, acks: Rows, sacks: Rows) -> dict[str, Rows]:
    """Return the marks of a time-sequence diagram by the name of their data."""

    def bar(row: Mapping[str, Any], what: str, begin: int, end: int) -> dict[str, Any]:
        return {"what": what, "t": row["t"], "t2": row["t"], "b": begin, "e": end}

    def segment(row: Mapping[str, Any]) -> dict[str, Any]:
        what = charts.FIRST if row["kind"] == "first" else _name(row["kind"], row["cause"])
        return bar(row, what, row["offset_bytes"], row["offset_bytes"] + row["length"])

    return {
        "segments": [segment(row) for row in segments if row["kind"] == "first"],
        "again": [
            segment(row) | {"fate": _FATES[row["spurious"]]}
            for row in segments
            if row["kind"] != "first"
        ],
        "blocks": [
            bar(
                row,
                charts.DSACK if row["duplicate"] else charts.SACK,
                row["start_offset_bytes"],
                row["end_offset_bytes"],
            )
            for row in sacks
        ],
        "acks": [{"what": charts.ACK, "t": row["t"], "b": row["ack_offset_bytes"]} for row in acks],
        "edges": [{"what": charts.WINDOW, "t": row["t"], "b": _edge(row)} for row in acks],
    }


def _edge(ack: Mapping[str, Any]) -> int | None:
    """Return the right edge of the window that an acknowledgement announces, if it is known."""
    window = ack["receive_window_bytes"]
    return None if window is None else ack["ack_offset_bytes"] + window


def _name(kind: str, cause: str | None) -> str:
    return charts.KINDS[kind] if cause is None else charts.CAUSES[cause]


def _lines(points: Rows, names: dict[str, str], scale: float, unit: str) -> Rows:
    """Return at most `_POINTS` points of each line; a missing value or zero has none."""
    rows: Rows = []
    for name, column in names.items():
        # The axis of windows is logarithmic.
        known = [row for row in points if (row[column] or 0) > 0]
        few = known[:: -(-len(known) // _POINTS) or 1]
        rows += [{"name": name, "t": row["t"], unit: row[column] * scale} for row in few]
    return rows


def rates(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the attempts of the busiest links by rate."""
    return [
        {
            "link": capture_words.link_name(link),
            "rate": rate["rate_bps"] / 1e6,
            "attempts": rate["attempts"],
            "loss": rate["raw_loss"],
        }
        for link in busiest.links(document)[:_LINKS]
        for rate in link["rates"]
        if rate["rate_bps"] is not None
    ]
