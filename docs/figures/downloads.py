"""Three downloads of a law through an access point of 802.11ac, by queue discipline.

Flows that pace interleave their packets; a discipline from which aggregates are filled by receiver does not mind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

LAWS: Final = ("cubic", "bbr1", "bbr")
QUEUES: Final[dict[str, dict[str, Any]]] = {
    "per-station": {"kind": "per-station"},
    "drop-tail": {"kind": "drop-tail", "packets": 1000},
    "fq-codel": {"kind": "fq-codel"},
    "airtime-fair": {"kind": "airtime-fair"},
}


def _goodput(queue: dict[str, Any], law: str) -> float:
    cell = {
        "standard": "802.11ac",
        "width": "80 MHz",
        "streams": 1,
        "rate_control": {"control": "ideal"},
        "layout": {"kind": "star", "stations": 3, "radius_m": 10},
        "access_point_queue": queue,
    }
    tcp = {"profile": "linux", "congestion": law}
    link = {"from": "server", "to": "ap", "rate": "1 Gb/s", "delay": "10 ms"}
    link |= {"queue": {"kind": "drop-tail", "packets": 10_000}}
    run = {
        "duration": "12 s",
        "warmup": "2 s",
        "replications": 3,
        "cells": [cell],
        "links": [link],
        "flows": [{"count": 3, "from": "server", "to": "sta*", "tcp": tcp}],
    }
    return airtcp.run(run).json["summary"]["total_goodput_bps"]["mean"] / 1e6


def measure(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Run each law with each discipline."""
    rows = [
        {"queue": name} | {law: round(_goodput(queue, law), 1) for law in LAWS}
        for name, queue in QUEUES.items()
    ]
    return {"downloads.csv": pl.DataFrame(rows)}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the goodputs in Mb/s, one row for a discipline."""
    lines = ["| access point | " + " | ".join(f"`{law}`" for law in LAWS) + " |", "|---" * 4 + "|"]
    for row in data["downloads.csv"].iter_rows(named=True):
        lines.append(f"| `{row['queue']}` | " + " | ".join(f"{row[law]:.0f}" for law in LAWS) + " |")
    return "\n".join(lines)
