"""The tables of a capture that only its page has: what limited senders, hidden stations, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import findings as capture_words
from airtcp.questions.capture import findings_air
from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import count, number, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LISTED: Final = 200
"""Rows of a table of the page."""
_CAUSES: Final = {
    "fast": "fast",
    "timeout": "timeout",
    "after_timeout": "after a timeout",
    "tail_loss_probe": "probes",
}


def limits(connections: Sequence[Mapping[str, Any]]) -> Grid:
    """Return the shares of time by what limited the senders."""
    columns = [
        _shares(head, [capture_words.waits(each).get(key) for each in connections[:LISTED]])
        for key, head in capture_words.LIMITS.items()
    ]
    names = [capture_words.ends(connection) for connection in connections[:LISTED]]
    return Grid("connection", names, columns, "Share of the time by what limited the sender")


def _shares(head: str, values: list[float | None]) -> Column:
    return Column(head, ["" if v is None else share(v) for v in values], keys=values)


def causes(connections: Sequence[Mapping[str, Any]]) -> Grid:
    """Return why segments were sent again, and the windows."""

    def of(head: str, value: Callable[[Mapping[str, Any]], float | None], scale: float) -> Column:
        return _numbers(head, connections, value, lambda found: number(found * scale))

    columns = [
        _numbers(head, connections, lambda d, key=key: d["retransmissions"][key], count)
        for key, head in _CAUSES.items()
    ]
    columns += [
        _numbers("duplicates", connections, lambda d: d["network_duplicates"], count),
        of("cwnd mean (kB)", lambda d: d["cwnd_bytes"] and d["cwnd_bytes"]["mean"], 1e-3),
        of("cwnd max (kB)", lambda d: d["cwnd_bytes"] and d["cwnd_bytes"]["max"], 1e-3),
        of("receive window mean (kB)", lambda d: d["receive_window"]["mean_bytes"], 1e-3),
        of("W/RTT (Mb/s)", lambda d: d["receive_window"]["bound_bps"], 1e-6),
        of("W/RTT by goodput", lambda d: d["receive_window"]["bound_by_goodput"], 1.0),
    ]
    names = [capture_words.ends(connection) for connection in connections[:LISTED]]
    return Grid("connection", names, columns, "Why segments were sent again, and the windows")


def _numbers(
    head: str,
    connections: Sequence[Mapping[str, Any]],
    value: Callable[[Mapping[str, Any]], float | None],
    to: Callable[[float], str],
) -> Column:
    values = [value(capture_words.bulk(connection)) for connection in connections[:LISTED]]
    return Column(head, ["" if v is None else to(v) for v in values], keys=values)


def sensing(document: Mapping[str, Any]) -> Grid | None:
    """Return the pairs of stations with frames that carrier sensing forbids; none without pairs."""
    air: Mapping[str, Any] = document.get("air") or {}
    found: Mapping[str, Any] = air.get("carrier_sensing") or {}
    pairs: list[Mapping[str, Any]] = found.get("pairs", [])[:LISTED]
    if not pairs:
        return None
    chances = [pair["p_value"] for pair in pairs]
    columns = [
        Column("verdict", ["hidden" if p["hidden"] else "not shown" for p in pairs], left=True),
        *(
            Column(
                key.replace("_", " "), [count(p[key]) for p in pairs], keys=[p[key] for p in pairs]
            )
            for key in ("frames", "overlaps", "early_starts")
        ),
        Column("probability by chance", [findings_air.chance(p) for p in chances], keys=chances),
    ]
    title = "Stations with frames that carrier sensing forbids, a lower bound"
    return Grid("stations", [" and ".join(pair["stations"]) for pair in pairs], columns, title)


def files(document: Mapping[str, Any]) -> Grid:
    """Return the files, with their notes."""
    found: list[Mapping[str, Any]] = document["files"]
    heads = {"packets": "packets", "tcp_segments": "TCP", "air_frames": "802.11"}
    columns = [
        Column("link type", [f["link_type"] or "no packets" for f in found], left=True),
        *(
            Column(head, [count(f[key]) for f in found], keys=[f[key] for f in found])
            for key, head in heads.items()
        ),
        Column("notes", ["; ".join(f["warnings"]) for f in found], left=True),
    ]
    return Grid("file", [file["path"] for file in found], columns)
