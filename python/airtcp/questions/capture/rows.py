"""Makes the data of a page from the document of a capture and its series."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import charts
from airtcp.questions.capture import findings as capture_words
from airtcp.questions.capture import findings_air as capture_air
from airtcp.questions.capture import findings_points as capture_between
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.table import Table

DRAWN: Final = 4
"""Connections with diagrams."""
LISTED: Final = 200
"""Rows of a table."""
_POINTS: Final = 1500
"""Points of a line over time."""
_GAPS: Final = 2000
_LINKS: Final = 6
_LEAST_S: Final = 1e-6
_NONE: Final = "\N{EN DASH}"
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


def drawn(
    place: int,
    connection: Mapping[str, Any],
    series: Mapping[str, Directions],
    losses: Directions,
) -> Any:
    """Collect the points of the busier direction of a connection, or None without data.

    Args: place: Its number. connection: Its part of the document. series: The tables of series.
        losses: The table of losses.
    """
    direction = capture_words.bulk(connection)
    start = connection["start_s"]
    mine = (place, direction["from"])
    of = {
        name: [row | {"t": round(row["time_s"] - start, 7)} for row in found.get(mine, [])]
        for name, found in series.items()
    }
    segments, acks, sacks = of["segment_series"], of["ack_series"], of["sack_series"]
    if not segments:
        return None
    first = [row for row in segments if row["kind"] == "first"]
    again = [row for row in segments if row["kind"] != "first"]
    what = [_name(row["kind"], row["cause"]) for row in again]
    columns = {
        "first": _columns(first, "offset_bytes", "length"),
        "again": _columns(again, "offset_bytes", "length", "spurious") | {"what": what},
        "acks": _columns(acks, "ack_offset_bytes") | {"edge": [_edge(row) for row in acks]},
        "sacks": _columns(sacks, "start_offset_bytes", "end_offset_bytes", "duplicate"),
    }
    occurring = {charts.FIRST, charts.ACK, charts.WINDOW, *what}
    occurring |= {charts.DSACK if row["duplicate"] else charts.SACK for row in sacks}
    gaps = [row for row in losses.get(mine, []) if row["since_loss_s"] is not None][:_GAPS]
    return {
        "names": [name for name in charts.COLOURED if name in occurring],
        "end_s": max((row["t"] for row in (*segments, *acks)), default=0) or 1,
        "top": max(row["offset_bytes"] + row["length"] for row in segments) or 1,
        "points": packed(columns),
        "rtt": _lines(of["rtt_series"], {"sample": "rtt_s", "smoothed": "srtt_s"}, 1e3, "ms"),
        "window": _lines(
            of["window_series"],
            {
                "in flight": "in_flight_bytes",
                "congestion window": "cwnd_bytes",
                "receive window": "receive_window_bytes",
            },
            1e-3,
            "kb",
        ),
        "gaps": [
            {
                "dt": max(row["since_loss_s"], _LEAST_S),
                "dn": row["segments_since_loss"],
                "what": charts.CAUSES[row["cause"]],
            }
            for row in gaps
        ],
        "one_of": max(row["one_of"] for row in segments) or 1,
    }


def _edge(ack: Mapping[str, Any]) -> int | None:
    """Return the right edge of the window that an acknowledgement announces, if it is known."""
    window = ack["receive_window_bytes"]
    return None if window is None else ack["ack_offset_bytes"] + window


def _name(kind: str, cause: str | None) -> str:
    return charts.KINDS[kind] if cause is None else charts.CAUSES[cause]


def _columns(rows: Rows, *names: str) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in ("t", *names)}


def _lines(points: Rows, names: dict[str, str], scale: float, unit: str) -> Rows:
    """Return at most `_POINTS` points of each line; a missing value or zero has none."""
    rows: Rows = []
    for name, column in names.items():
        # The axis of windows is logarithmic.
        known = [row for row in points if (row[column] or 0) > 0]
        few = known[:: -(-len(known) // _POINTS) or 1]
        rows += [{"name": name, "t": row["t"], unit: row[column] * scale} for row in few]
    return rows


def packed(value: Any) -> str:
    """Encode for `Page.unpack`: JSON, gzip, base64; equal values give equal text."""
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _cell(value: float | None, scale: float = 1.0) -> str:
    return _NONE if value is None else words.number(value * scale)


def connections(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Lay out the connections, those with the most bytes first."""
    head = [
        "goodput (Mb/s)", "data (MB)", "segments", "sent again", "fast", "timeout",
        "after a timeout", "probes", "spurious", "timeouts", "out of order", "duplicates",
        "RTT p50 (ms)", "RTT p95 (ms)", "cwnd mean (kB)", "cwnd max (kB)",
        "receive window mean (kB)", "W/RTT (Mb/s)", "W/RTT by goodput",
    ]  # fmt: skip
    rows: list[list[str]] = []
    for _, connection in ordered(document)[:LISTED]:
        d = capture_words.bulk(connection)
        causes, window = d["retransmissions"], d["receive_window"]
        cwnd: dict[str, Any] = d["cwnd_bytes"] or {}
        counts = [
            d["data_segments"], d["retransmitted_segments"], causes["fast"], causes["timeout"],
            causes["after_timeout"], causes["tail_loss_probe"], d["spurious_retransmissions"],
            d["timeouts"], d["out_of_order"], d["network_duplicates"],
        ]  # fmt: skip
        rows.append(
            [
                capture_words.ends(connection),
                _cell(d["goodput_bps"], 1e-6),
                _cell(d["unique_bytes"], 1e-6),
                *map(words.count, counts),
                _cell(d["rtt_s"]["p50"], 1e3),
                _cell(d["rtt_s"]["p95"], 1e3),
                _cell(cwnd.get("mean"), 1e-3),
                _cell(cwnd.get("max"), 1e-3),
                _cell(window["mean_bytes"], 1e-3),
                _cell(window["bound_bps"], 1e-6),
                _cell(window["bound_by_goodput"]),
            ]
        )
    return {"head": head, "rows": rows}


def limits(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Lay out the shares of time by what limited the senders."""
    names = capture_words.LIMITS
    rows = [
        [
            capture_words.ends(connection),
            *(
                words.share(capture_words.bulk(connection)["limited_by"].get(key, 0.0))
                for key in names
            ),
        ]
        for _, connection in ordered(document)[:LISTED]
    ]
    return {"head": list(names.values()), "rows": rows}


def links(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Lay out the 802.11 links, those with the most attempts first."""

    def share(value: float | None) -> str:
        return _NONE if value is None else words.share(value)

    head = ["attempts", "packets", "raw loss", "residual loss", "attempts per packet"]
    head += ["latency p50 (ms)", "latency p99 (ms)", "missed by the sniffer"]
    rows = [
        [
            capture_words.link_name(link),
            words.count(link["attempts"]),
            words.count(link["packets"]),
            share(link["raw_loss"]),
            share(link["residual_loss"]),
            _cell(link["mean_attempts"]),
            _cell(link["latency_s"]["p50"], 1e3),
            _cell(link["latency_s"]["p99"], 1e3),
            words.count(link["sniffer_misses"]),
        ]
        for link in _busiest(document)[:LISTED]
    ]
    return {"head": head, "rows": rows}


def sensing(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Lay out the pairs of stations with frames that carrier sensing forbids."""
    air: Mapping[str, Any] = document.get("air") or {}
    found: Mapping[str, Any] = air.get("carrier_sensing") or {}
    pairs: list[Mapping[str, Any]] = found.get("pairs", [])
    head = ["verdict", "frames", "overlaps", "early starts", "probability by chance"]
    rows = [
        [
            " and ".join(pair["stations"]),
            "hidden" if pair["hidden"] else "not shown",
            words.count(pair["frames"]),
            words.count(pair["overlaps"]),
            words.count(pair["early_starts"]),
            capture_air.chance(pair["p_value"]),
        ]
        for pair in pairs[:LISTED]
    ]
    return {"head": head, "rows": rows}


def rates(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the attempts of the busiest links by rate."""
    return [
        {
            "link": capture_words.link_name(link),
            "rate": rate["rate_bps"] / 1e6,
            "attempts": rate["attempts"],
            "loss": rate["raw_loss"],
        }
        for link in _busiest(document)[:_LINKS]
        for rate in link["rates"]
        if rate["rate_bps"] is not None
    ]


def _busiest(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return sorted(document["links"], key=lambda link: -link["attempts"])


def files(document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Lay out the files."""
    rows = [
        [
            file["path"],
            file["link_type"] or "no packets",
            words.count(file["packets"]),
            words.count(file["tcp_segments"]),
            words.count(file["air_frames"]),
            "; ".join(file["warnings"]) or _NONE,
        ]
        for file in document["files"]
    ]
    return {"head": ["link type", "packets", "TCP", "802.11", "notes"], "rows": rows}
