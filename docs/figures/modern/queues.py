"""Compares TCP through queues of 100 to 1000 packets with ns-3 (cell.cc, which `run-queues` runs).

Goodput with the rules of ns-3 and TCP's defaults, with RACK, and with RACK and the law of ns-3's default, CUBIC.
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
SENDERS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    "rack": {"rack": True},
    "cubic_rack": {"congestion": "cubic", "rack": True},
}


def _ours(peer: Mapping[str, Any], tcp: Mapping[str, Any]) -> float:
    cell = peers._cell(peer, as_ns3=True)
    cell["queue"] = {"kind": "drop-tail", "packets": peer["queue"]}
    cell["access_point_queue"] = cell["queue"]
    ends = {"up": {"from": "sta*", "to": "ap"}, "down": {"from": "ap", "to": "sta*"}}
    flow = {"count": 1, **ends[peer["way"]], "tcp": dict(tcp)}
    run = {"duration": f"{peer['seconds']} s", "warmup": "1 s", "replications": 8}
    run |= {"cells": [cell], "flows": [flow]}
    return airtcp.run(run).json["summary"]["total_goodput_bps"]["mean"] / 1e6


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run what ns-3 ran, with each sender."""
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
        row |= {name: f"{_ours(peer, tcp):.2f}" for name, tcp in SENDERS.items()}
        rows.append(row | {"ns3": f"{fmean(peer['goodput_mbps']):.2f}"})
    return {"modern/queues.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The goodputs, and their ratios to those of ns-3."""
    lines = [
        "| cell | way | queue | ns-3 (Mb/s) | Reno | ratio | Reno, RACK | ratio | CUBIC, RACK | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in numbers["modern/queues.csv"].to_dicts():
        cell = f"802.11{row['standard']}, {row['width_mhz']} MHz, MCS {row['mcs']}, streams: {row['streams']}"
        shown = [f"{row[name]:.4g} | {row[name] / row['ns3']:.3f}" for name in SENDERS]
        lines.append(
            f"| {cell} | {row['way']} | {row['queue']} | {row['ns3']:.4g} | {' | '.join(shown)} |"
        )
    return "\n".join(lines)
