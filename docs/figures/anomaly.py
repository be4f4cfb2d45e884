"""Two fast stations and a slow one behind an access point, with turns and with airtime fairness, beside a measurement.

Published: T. Høiland-Jørgensen, patch "ath9k: Add airtime fairness scheduler" on linux-wireless, its table "Before / After".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

PUBLISHED: Final = {"per-station": (19.17, 19.83, 2.58), "airtime-fair": (25.09, 25.21, 1.77)}
#: Name, index of MCS of two streams, guard interval in ns, and maximum number of MPDUs.
SETTINGS: Final = (
    ("MCS 15, 400 ns, 32 MPDUs", 7, 400, 32),
    ("MCS 15, 400 ns, 16 MPDUs", 7, 400, 16),
    ("MCS 15, 800 ns, 32 MPDUs", 7, 800, 32),
    ("MCS 13, 800 ns, 32 MPDUs", 5, 800, 32),
    ("MCS 13, 800 ns, 16 MPDUs", 5, 800, 16),
)


def _run(kind: str, mcs: int, guard: int, mpdus: int) -> dict[str, float]:
    aggregation = {"max_mpdus": mpdus, "max_time": "4 ms"}
    cell: dict[str, Any] = {
        "standard": "802.11n",
        "mcs": mcs,
        "streams": 2,
        "width": "20 MHz",
        "guard_interval": f"{guard} ns",
        "layout": {"kind": "star", "stations": 3, "radius_m": 3},
        "stations": [{"name": "sta2", "mcs": 0, "streams": 1}],
        "access_point_queue": {"kind": kind},
        "mac": {"access": "edca", "txop_limits": "2012", "aggregation": aggregation},
    }
    run = {
        "duration": "20 s",
        "warmup": "5 s",
        "replications": 4,
        "cells": [cell],
        "links": [{"from": "server", "to": "ap", "rate": "1 Gb/s", "delay": "1 ms"}],
        "flows": [{"count": 3, "from": "server", "to": "sta*", "tcp": {"profile": "linux"}}],
    }
    summary = airtcp.run(run).json["summary"]
    stations = [one for one in summary["cells"][0]["stations"] if one["name"] != "ap"]
    found = {
        f"goodput_{i}": one["goodput_bps"]["mean"] / 1e6 for i, one in enumerate(summary["flows"])
    }
    shares = [one["airtime_received_share"]["mean"] for one in stations]
    return found | {"turns": 2 * shares[2] / (shares[0] + shares[1])}


def measure(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Run each setting with both disciplines."""
    rows = []
    for name, *setting in SETTINGS:
        for kind in PUBLISHED:
            found = _run(kind, *setting)
            rows.append(
                {"setting": name, "kind": kind} | {key: round(x, 3) for key, x in found.items()}
            )
    return {"anomaly.csv": pl.DataFrame(rows)}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the goodputs, one row for a setting."""
    lines = [
        "| fast stations | `per-station` (Mb/s) | airtime, slow over fast | `airtime-fair` (Mb/s) |",
        "|---|---|---|---|",
    ]
    before, after = PUBLISHED["per-station"], PUBLISHED["airtime-fair"]
    # Goodput over goodput with a third of the airtime each.
    shares = [one / other for one, other in zip(before, after, strict=True)]
    ratio = 2 * shares[2] / (shares[0] + shares[1])
    words = [", ".join(f"{x:.3g}" for x in one) for one in (before, after)]
    lines.append(f"| published: before and after | {words[0]} | {ratio:.2f} | {words[1]} |")
    rows = data["anomaly.csv"].to_dicts()
    for name, *_setting in SETTINGS:
        turns, fair = (
            next(one for one in rows if (one["setting"], one["kind"]) == (name, kind))
            for kind in PUBLISHED
        )
        words = [", ".join(f"{one[f'goodput_{i}']:.3g}" for i in range(3)) for one in (turns, fair)]
        lines.append(f"| {name} | {words[0]} | {turns['turns']:.2f} | {words[1]} |")
    return "\n".join(lines)
