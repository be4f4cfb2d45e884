"""Compares cells of 802.11n, ac and ax with ns-3 (cell.cc, which `run` runs).

Goodput in Mb/s of all flows together, each with its interval: ns-3's, and ours with airtcp's defaults and with
the rules of ns-3.
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp
from airtcp.data.extension import mean_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = ["standard", "stations", "mcs", "width_mhz", "streams", "guard_ns", "max_bytes", "rts_bytes"]
KEYS += ["kind", "transport", "way", "seconds"]
MAC_OF_NS3: Final = {
    "after_timeout": "ifs-again",
    "immediate_access": "at-arrival",
    "attempts": 255,
}
"""ns-3 repeats a BlockAckReq until its MPDUs expire, so attempts do not end it."""
EDCA_OF_NS3: Final = {"txop_limits": "2012", "edca_access_point_table": "stations"}
"""The defaults of ns-3.37."""
RADIO_OF_NS3: Final = {
    "sensing": {"preamble_detection_sinr_db": 4},
    "capture": {"model": "preamble-window", "late_db": 4},
}


def _cell(peer: Mapping[str, Any], *, as_ns3: bool) -> dict[str, Any]:
    count = peer["stations"]
    loss: dict[str, Any] = {"model": "log-distance", "exponent": 3.5, "reference_loss_db": 46.67}
    if peer["kind"] == "hidden":
        pairs = [{"between": ["ap", f"sta{i}"], "loss_db": 60} for i in range(count)]
        loss = {"model": "matrix", "losses": pairs}
    aggregation = {"max_bytes": f"{peer['max_bytes']} B"}
    mac: dict[str, Any] = {"access": "edca"} | EDCA_OF_NS3
    if peer["rts_bytes"] != "never":
        mac["rts_threshold"] = f"{peer['rts_bytes']} B"
    if as_ns3:
        aggregation["after_missed_block_ack"] = "bar"
        mac |= MAC_OF_NS3
    cell = {
        "standard": f"802.11{peer['standard']}",
        "mcs": peer["mcs"],
        "width": f"{peer['width_mhz']} MHz",
        "streams": peer["streams"],
        "guard_interval": f"{peer['guard_ns']} ns",
        "layout": {"kind": "star", "stations": count, "radius_m": 5},
        "propagation": {"path_loss": loss},
        "queue": {"kind": "drop-tail", "packets": 500},
        "mac": mac | {"aggregation": aggregation},
    }
    if peer["kind"] == "slow":
        cell["stations"] = [{"name": "sta0", "mcs": 0}]
    return cell | (RADIO_OF_NS3 if as_ns3 else {})


def _ours(peer: Mapping[str, Any], *, as_ns3: bool) -> Mapping[str, float]:
    count = peer["stations"]
    ends = {"up": {"from": "sta*", "to": "ap"}, "down": {"from": "ap", "to": "sta*"}}
    flows: list[dict[str, Any]] = []
    for way in ends if peer["way"] == "both" else [peer["way"]]:
        flow: dict[str, Any] = {"count": count, **ends[way]}
        if peer["transport"] == "UDP":
            app = {"kind": "constant-rate", "rate": f"{700 / count} Mb/s", "message": "1472 B"}
            flow |= {"transport": "udp", "app": app}
        flows.append(flow)
    run = {"duration": f"{peer['seconds']} s", "warmup": "1 s", "replications": 8}
    run |= {"cells": [_cell(peer, as_ns3=as_ns3)], "flows": flows}
    return airtcp.run(run).json["summary"]["total_goodput_bps"]


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run what ns-3 ran."""
    peers = numbers["modern/ns3.csv"].group_by(KEYS, maintain_order=True).agg("goodput_mbps")
    rows = []
    for peer in peers.to_dicts():
        for key in ("stations", "mcs", "width_mhz", "streams", "guard_ns", "max_bytes", "seconds"):
            peer[key] = int(peer[key])
        row = {key: peer[key] for key in KEYS}
        for rules in ("airtcp", "as_ns3"):
            found = _ours(peer, as_ns3=rules == "as_ns3")
            row |= {
                f"{rules}_{end}": f"{found[end] / 1e6:.2f}" for end in ("mean", "ci_low", "ci_high")
            }
        theirs = peer["goodput_mbps"]
        low, high = mean_interval(theirs) or (math.nan, math.nan)
        row |= {"ns3_mean": f"{fmean(theirs):.2f}", "ns3_ci_low": f"{low:.2f}"}
        rows.append(row | {"ns3_ci_high": f"{high:.2f}"})
    return {"modern/goodput.csv": pl.DataFrame(rows).write_csv()}


WORDS: Final = {
    "star": "",
    "slow": ", one at MCS 0",
    "hidden": ", hidden from each other",
}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Both goodputs."""
    lines = ["| cell | traffic | airtcp (Mb/s) | with ns-3's rules (Mb/s) | ns-3 (Mb/s) |"]
    lines.append("|---|---|---|---|---|")
    for row in numbers["modern/goodput.csv"].to_dicts():
        cell = (
            f"802.11{row['standard']}, {row['width_mhz']} MHz, MCS {row['mcs']}, streams: {row['streams']}, "
            f"{row['guard_ns']} ns, at most {row['max_bytes']} B; "
            f"stations: {row['stations']}{WORDS[row['kind']]}"
        )
        cell += "" if row["rts_bytes"] == "never" else f"; RTS above {row['rts_bytes']} B"
        way = "both ways" if row["way"] == "both" else row["way"]
        shown = []
        for rules in ("airtcp", "as_ns3", "ns3"):
            mean, low, high = (row[f"{rules}_{end}"] for end in ("mean", "ci_low", "ci_high"))
            shown.append(f"{mean:.4g} [{low:.4g}, {high:.4g}]")
        lines.append(f"| {cell} | {row['transport']} {way} | {' | '.join(shown)} |")
    return "\n".join(lines)
