"""Why FTCA costs goodput over 802.11ac, and fewer ACKs beside queues for each station.

The cell of modern_wifi: ten stations and a server behind the access point, which holds 1000 packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from aggregates import QUEUE, SENDERS, document, estimate, laid_out, shown, slowest, wire

if TYPE_CHECKING:
    from collections.abc import Mapping

STATIONS: Final = 10
RUN: Final = {"duration": "6 s", "warmup": "2 s", "replications": 8}
FTCA: Final = {"schemes": [{"scheme": "ftca"}]}
AS_BEST_EFFORT: Final = {
    "edca": {"voice": {"aifsn": 3, "cw_min": 15, "cw_max": 1023}},
    "edca_access_point": {"voice": {"aifsn": 3, "cw_min": 15, "cw_max": 63}},
}
"""Stations and the access point have tables of their own; all TXOP limits are zero here."""
RTS: Final = {"rts_threshold": "1000 B"}
"""RTS before data, and before longer aggregates of ACKs."""
FILTER: Final = {
    "access_point_queue": {"kind": "ack-filter", "packets": 1000},
    "queue": {"kind": "ack-filter", "packets": 1000},
}
"""As long as the queues that it replaces."""
FAIR: Final = {"access_point_queue": {"kind": "airtime-fair"}}

CHANGES: Final[dict[str, dict[str, Any]]] = {
    "base": {},
    "FTCA": FTCA,
    "FTCA, voice with best effort's parameters": FTCA | {"mac": AS_BEST_EFFORT},
    "RTS": {"mac": RTS},
    "FTCA and RTS": FTCA | {"mac": RTS},
    "`fq-codel`": {"access_point_queue": {"kind": "fq-codel"}},
    "`airtime-fair`": FAIR,
    "`airtime-fair` and FTCA": FAIR | FTCA,
    "`ack-filter`": FILTER,
    "an ACK for 8 segments": {"ack_every": 8},
    "an ACK for 16 segments": {"ack_every": 16},
    "`airtime-fair`, an ACK for 8": FAIR | {"ack_every": 8},
    "stations hold 100 packets": {"queue": {"kind": "drop-tail", "packets": 100}},
}
WAYS: Final = {"up": ("up",), "down": ("down",), "both": ("up", "down")}
ENDS: Final = {"up": {"from": "sta*", "to": "server"}, "down": {"from": "server", "to": "sta*"}}
OF_SENDERS: Final = ("base", "FTCA", "`airtime-fair`")


def _run(way: str, change: Mapping[str, Any], flow: Mapping[str, Any]) -> Any:
    mac: dict[str, Any] = {"access": "edca", "txop_limits": "zero"}
    own = {key: value for key, value in change.items() if key not in ("mac", "ack_every")}
    cell = {
        "standard": "802.11ac",
        "streams": 2,
        "layout": {"kind": "star", "stations": STATIONS, "radius_m": 5},
        "noise": {"floor_dbm": -99},
        "access_point_queue": QUEUE,
    }
    cell |= own | {"mac": mac | change.get("mac", {})}
    if "ack_every" in change:
        flow = {"tcp": {**flow["tcp"], "ack_every": change["ack_every"]}}
    flows = [{"count": STATIONS, **ENDS[one], **flow} for one in WAYS[way]]
    return document(RUN | {"cells": [cell], "links": [wire()], "flows": flows})


def _downloads(run: Any, way: str) -> list[float]:
    """Goodput of all downloads, which follow the uploads, of each replication."""
    first = STATIONS if way == "both" else 0
    return [
        sum(flow["goodput_bps"] for flow in one["flows"][first:]) for one in run["replications"]
    ]


def _row(run: Any, way: str) -> dict[str, float]:
    summary, seconds = run["summary"], 4.0
    cell = summary["cells"][0]
    row = estimate("goodput", summary["total_goodput_bps"], 1e-6)
    if way != "up":
        row |= estimate("downloads", _downloads(run, way), 1e-6)
    row |= estimate("fairness", summary["jain_index"], 1)
    row |= estimate("slowest", slowest(run), 1e-6)
    for kind in ("data", "tcp_ack"):
        for name, scale in (("error_rate", 100), ("airtime_share", 100), ("sent", 1 / seconds)):
            if f"{kind}_{name}" in cell:
                row |= estimate(f"{kind}_{name}", cell[f"{kind}_{name}"], scale)
    row |= estimate("answers", cell["mac_ack_sent"], 1 / seconds)
    point, *stations = cell["stations"]
    mpdus = point.get("aggregate_mean_mpdus")
    if mpdus is not None and mpdus["ci_low"] is not None:
        row |= estimate("point_mpdus", mpdus, 1)
    of_stations = [
        [one["cells"][0]["stations"][i + 1]["mean_queue_packets"] for one in run["replications"]]
        for i in range(len(stations))
    ]
    return row | estimate("waiting", [sum(one) for one in zip(*of_stations, strict=True)], 1)


def cells() -> dict[str, pl.DataFrame]:
    """Rates in Mb/s, shares in %, frames per second."""
    rows: list[dict[str, object]] = [
        {"way": way, "change": name} | _row(_run(way, change, SENDERS["CUBIC"]), way)
        for way in WAYS
        for name, change in CHANGES.items()
    ]
    laws: list[dict[str, object]] = [
        {"sender": sender, "change": name, "way": way} | _row(_run(way, CHANGES[name], flow), way)
        for sender, flow in SENDERS.items()
        for way in ("up", "down")
        for name in OF_SENDERS
    ]
    return {
        "modern-acks.csv": pl.DataFrame(rows, infer_schema_length=None),
        "modern-acks-senders.csv": pl.DataFrame(laws, infer_schema_length=None),
    }


def _cells(row: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    return ["" if row.get(f"{name}_mean") is None else shown(row, name) for name in names]


def cause(data: Mapping[str, pl.DataFrame]) -> str:
    """Frames and airtime of ten uploads."""
    heads = ["scheme", "goodput (Mb/s)", "data on the air (%)", "ACKs on the air (%)"]
    heads += ["data MPDUs lost (%)", "MPDUs in an aggregate of ACKs", "packets waiting at stations"]
    names = ("goodput", "data_airtime_share", "tcp_ack_airtime_share", "data_error_rate")
    names += ("point_mpdus", "waiting")
    rows = [
        [row["change"], *_cells(row, names)]
        for row in data["modern-acks.csv"].filter(pl.col("way") == "up").to_dicts()
    ]
    return laid_out(heads, rows[:5])


def schemes(data: Mapping[str, pl.DataFrame]) -> str:
    """Ten uploads, ten downloads, and both at once."""
    heads = ["flows", "scheme", "goodput (Mb/s)", "of downloads (Mb/s)", "Jain's index"]
    heads += ["slowest flow (Mb/s)"]
    names = ("goodput", "downloads", "fairness", "slowest")
    rows = [
        [row["way"], row["change"], *_cells(row, names)]
        for row in data["modern-acks.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def senders(data: Mapping[str, pl.DataFrame]) -> str:
    """Each sender with three of the schemes."""
    heads = ["flows", "sender", *OF_SENDERS]
    found = data["modern-acks-senders.csv"].to_dicts()
    rows = []
    for way in ("up", "down"):
        for sender in SENDERS:
            same = [row for row in found if (row["way"], row["sender"]) == (way, sender)]
            rows.append([way, sender, *(shown(row, "goodput") for row in same)])
    return laid_out(heads, rows)
