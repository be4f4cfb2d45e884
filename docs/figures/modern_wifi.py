"""TCP over aggregates of 802.11ac: schemes for ACKs, and losses that BlockAck leaves.

Uploads: the cell of wifi-starved-uploads, whose access point holds 20 or 1000 packets. Losses: one
download from a server 10 ms away; each MPDU is lost independently, up to 7 attempts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from declared import ROOT

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

STANDARDS: Final[dict[str, dict[str, Any]]] = {
    "802.11a": {"cells[0].standard": "802.11a"},
    "802.11ac": {"cells[0].standard": "802.11ac", "cells[0].streams": 2},
}
QUEUES: Final = (20, 1000)
SCHEMES: Final = ("ftca", "fq-codel", "airtime-fair", "ack-filter")
LOSSES: Final = (0.0, 0.1, 0.3, 0.5)
CUBIC: Final = {"tcp": {"profile": "linux", "congestion": "cubic"}}
SENDERS: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "CUBIC": (CUBIC, {}),
    "CUBIC, reorder timeout 5 ms": (CUBIC, {"reorder_timeout": "5 ms"}),
    "CUBIC, BlockAckReq first": (CUBIC, {"after_missed_block_ack": "bar"}),
    "CUBIC, no BlockAckReq": (CUBIC, {"after_missed_block_ack": "no-bar"}),
    "BBR": ({"tcp": {"profile": "linux", "congestion": "bbr"}}, {}),
    "LT-TCP": ({"transport": "lt-tcp"}, {}),
    "sliding": ({"transport": "sliding"}, {}),
}
RUN: Final = {"duration": "12 s", "warmup": "2 s", "replications": 8}


def _download(loss: float, flow: Mapping[str, Any], aggregation: Mapping[str, Any]) -> Any:
    cell = {
        "standard": "802.11ac",
        "streams": 2,
        "layout": {"kind": "star", "stations": 1, "radius_m": 5},
        "noise": {"floor_dbm": -99},
        "residual_error": loss,
        "access_point_queue": {"kind": "drop-tail", "packets": 1000},
        "mac": {"access": "edca", "aggregation": aggregation},
    }
    wire = {"from": "server", "to": "ap", "rate": "1 Gb/s", "delay": "5 ms"}
    wire["queue"] = {"kind": "drop-tail", "packets": 1000}
    return RUN | {
        "cells": [cell],
        "links": [wire],
        "flows": [{"from": "server", "to": "sta0", **flow}],
    }


def _ends(name: str, estimate: Mapping[str, float], scale: float) -> dict[str, float]:
    return {f"{name}_{end}": scale * estimate[end] for end in ("mean", "ci_low", "ci_high")}


def cells() -> dict[str, pl.DataFrame]:
    """Means with the ends of their intervals; rates in Mb/s."""
    uploads: list[dict[str, object]] = []
    scenario = ROOT / "scenarios" / "wifi-starved-uploads.toml"
    for standard, keys in STANDARDS.items():
        for packets in QUEUES:
            queue = {
                "cells[0].access_point_queue.packets": packets,
                "cells[0].noise.floor_dbm": -99,
            }
            found = airtcp.compare_schemes(
                [scenario], schemes=SCHEMES, overrides={**keys, **queue, "duration": "12 s"}
            )
            for outcome in found.json["subjects"][0]["outcomes"]:
                row: dict[str, object] = {"standard": standard, "queue": packets}
                row |= {"scheme": outcome["variant"]}
                row |= _ends("goodput", outcome["total_goodput_bps"], 1e-6)
                row |= _ends("fairness", outcome["jain_index"], 1.0)
                uploads.append(row | _ends("slowest", outcome["slowest_flow_bps"], 1e-6))
    lost: list[dict[str, object]] = []
    for sender, (flow, aggregation) in SENDERS.items():
        for loss in LOSSES:
            summary = airtcp.run(_download(loss, flow, aggregation)).json["summary"]
            row = {"sender": sender, "loss": loss}
            row |= _ends("mpdus", summary["cells"][0]["stations"][0]["aggregate_mean_mpdus"], 1.0)
            lost.append(row | _ends("goodput", summary["total_goodput_bps"], 1e-6))
    return {
        "modern-wifi-schemes.csv": pl.DataFrame(uploads),
        "modern-wifi-losses.csv": pl.DataFrame(lost),
    }


def _estimate(row: Mapping[str, float], name: str) -> str:
    mean, low, high = (max(row[f"{name}_{end}"], 0.0) for end in ("mean", "ci_low", "ci_high"))
    return f"{mean:.3g} [{low:.3g}, {high:.3g}]"


def schemes(data: Mapping[str, pl.DataFrame]) -> str:
    """Ten uploads with each scheme."""
    lines = ["| standard | queue | scheme | goodput (Mb/s) | Jain's index | slowest flow (Mb/s) |"]
    lines.append("|---|---|---|---|---|---|")
    for row in data["modern-wifi-schemes.csv"].to_dicts():
        shown = " | ".join(_estimate(row, name) for name in ("goodput", "fairness", "slowest"))
        lines.append(f"| {row['standard']} | {row['queue']} | {row['scheme']} | {shown} |")
    return "\n".join(lines)


def losses(data: Mapping[str, pl.DataFrame]) -> str:
    """One download with each share of lost MPDUs."""
    head = " | ".join(f"{100 * loss:.0f} %" for loss in LOSSES)
    lines = [f"| sender | {head} |", f"|---|{'---|' * len(LOSSES)}"]
    rows = data["modern-wifi-losses.csv"].to_dicts()
    for sender in SENDERS:
        shown = " | ".join(_estimate(row, "goodput") for row in rows if row["sender"] == sender)
        lines.append(f"| {sender} | {shown} |")
    first = next(iter(SENDERS))
    shown = " | ".join(_estimate(row, "mpdus") for row in rows if row["sender"] == first)
    lines.append(f"| MPDUs in an aggregate ({first}) | {shown} |")
    return "\n".join(lines)
