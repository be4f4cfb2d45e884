"""Compares cells of 802.11n, ac and ax with ns-3 (cell.cc, which `run` runs).

Goodput in Mb/s of all flows together: the mean of ns-3's runs, and ours with its interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = ["standard", "stations", "mcs", "width_mhz", "streams", "guard_ns", "max_bytes", "udp", "down"]


def _ours(peer: Mapping[str, Any]) -> Mapping[str, float]:
    count = peer["stations"]
    cell = {
        "standard": f"802.11{peer['standard']}",
        "mcs": peer["mcs"],
        "width": f"{peer['width_mhz']} MHz",
        "streams": peer["streams"],
        "guard_interval": f"{peer['guard_ns']} ns",
        "layout": {"kind": "star", "stations": count, "radius_m": 5},
        "propagation": {
            "path_loss": {"model": "log-distance", "exponent": 3.5, "reference_loss_db": 46.67}
        },
        "queue": {"kind": "drop-tail", "packets": 500},
        "mac": {
            "access": "edca",
            # The defaults of ns-3.37.
            "txop_limits": "2012",
            "edca_access_point_table": "stations",
            "aggregation": {"max_bytes": f"{peer['max_bytes']} B"},
        },
    }
    ends = {"from": "ap", "to": "sta*"} if peer["down"] else {"from": "sta*", "to": "ap"}
    flow: dict[str, Any] = {"count": count, **ends}
    if peer["udp"]:
        rate = f"{700 / count} Mb/s"
        flow |= {
            "transport": "udp",
            "app": {"kind": "constant-rate", "rate": rate, "message": "1472 B"},
        }
    run = {"duration": "3 s", "warmup": "1 s", "replications": 8, "cells": [cell], "flows": [flow]}
    return airtcp.run(run).json["summary"]["total_goodput_bps"]


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run what ns-3 ran."""
    peers = numbers["modern/ns3.csv"].group_by(KEYS, maintain_order=True).mean()
    rows = []
    for peer in peers.to_dicts():
        found = _ours(peer)
        ends = {f"airtcp_{end}": f"{found[end] / 1e6:.2f}" for end in ("mean", "ci_low", "ci_high")}
        row = {key: int(peer[key]) if key != "standard" else peer[key] for key in KEYS}
        rows.append(row | ends | {"ns3_mean": f"{peer['goodput_mbps']:.2f}"})
    return {"modern/goodput.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Both goodputs."""
    lines = ["| cell | traffic | airtcp (Mb/s) | ns-3 (Mb/s) |", "|---|---|---|---|"]
    for row in numbers["modern/goodput.csv"].to_dicts():
        cell = (
            f"802.11{row['standard']}, {row['width_mhz']} MHz, MCS {row['mcs']}, streams: {row['streams']}, "
            f"{row['guard_ns']} ns, at most {row['max_bytes']} B; stations: {row['stations']}"
        )
        traffic = f"{'UDP' if row['udp'] else 'TCP'} {'down' if row['down'] else 'up'}"
        mean, low, high = (row[f"airtcp_{end}"] for end in ("mean", "ci_low", "ci_high"))
        ours = f"{mean:.4g} [{low:.4g}, {high:.4g}]"
        lines.append(f"| {cell} | {traffic} | {ours} | {row['ns3_mean']:.4g} |")
    return "\n".join(lines)
