"""Compares TCP through queues of 100 to 1000 packets with ns-3 (cell.cc, which `run-queues` runs).

Goodput with the rules of ns-3, with Reno, and with the law of ns-3's default, CUBIC.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp

from modern import peers

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS: Final = [*peers.KEYS, "queue"]
LAWS: Final = ("reno", "cubic")


def _ours(peer: Mapping[str, Any], law: str) -> float:
    cell = peers._cell(peer, as_ns3=True)
    cell["queue"] = {"kind": "drop-tail", "packets": peer["queue"]}
    cell["access_point_queue"] = cell["queue"]
    ends = {"up": {"from": "sta*", "to": "ap"}, "down": {"from": "ap", "to": "sta*"}}
    flow = {"count": 1, **ends[peer["way"]], "tcp": {"congestion": law}}
    run = {"duration": f"{peer['seconds']} s", "warmup": "1 s", "replications": 8}
    run |= {"cells": [cell], "flows": [flow]}
    return airtcp.run(run).json["summary"]["total_goodput_bps"]["mean"] / 1e6


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run what ns-3 ran, with both laws."""
    peers_ran = numbers["modern/ns3-queues.csv"].group_by(KEYS, maintain_order=True)
    rows = []
    for peer in peers_ran.agg("goodput_mbps").to_dicts():
        for key in (
            "stations",
            "mcs",
            "width_mhz",
            "streams",
            "guard_ns",
            "max_bytes",
            "seconds",
            "queue",
        ):
            peer[key] = int(peer[key])
        row = {key: peer[key] for key in KEYS}
        row |= {law: f"{_ours(peer, law):.2f}" for law in LAWS}
        rows.append(row | {"ns3": f"{fmean(peer['goodput_mbps']):.2f}"})
    return {"modern/queues.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The goodputs, and their ratios to those of ns-3."""
    lines = [
        "| cell | way | queue | ns-3 (Mb/s) | Reno (Mb/s) | ratio | CUBIC (Mb/s) | ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in numbers["modern/queues.csv"].to_dicts():
        cell = f"802.11{row['standard']}, {row['width_mhz']} MHz, MCS {row['mcs']}, streams: {row['streams']}"
        shown = [f"{row[law]:.4g} | {row[law] / row['ns3']:.3f}" for law in LAWS]
        lines.append(
            f"| {cell} | {row['way']} | {row['queue']} | {row['ns3']:.4g} | {' | '.join(shown)} |"
        )
    return "\n".join(lines)
