"""Fading of several coherence times over aggregates of 802.11ac; and the measured links of ENS Lyon.

The mean SNR is 21 dB, and MCS 4 needs 16 dB: with Rayleigh fading the channel is too weak for 27 % of the
time, whatever the coherence time. A probe counts the MPDUs that a channel loses: UDP with one attempt for
each MPDU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
from aggregates import QUEUE, SENDERS, document, estimate, laid_out, losses_db, shown, wire

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN: Final = {"duration": "32 s", "warmup": "2 s", "replications": 8}
COHERENCE: Final = ("100 us", "1 ms", "3 ms", "10 ms", "30 ms", "100 ms", "300 ms")
INDEPENDENT: Final = "independent losses"
LOST: Final = 0.29
PROBE: Final = {
    "transport": "udp",
    "app": {"kind": "constant-rate", "rate": "5 Mb/s", "message": "1448 B"},
}


def _download(kind: str, flow: Mapping[str, Any], mac: Mapping[str, Any], mpdus: int = 64) -> Any:
    cell: dict[str, Any] = {
        "standard": "802.11ac",
        "mcs": 4,
        "layout": {"kind": "star", "stations": 1, "radius_m": 5},
        "propagation": losses_db(60.0 if kind == INDEPENDENT else 85.0),
        "queue": QUEUE,
        "mac": {"access": "edca", "aggregation": {"max_mpdus": mpdus}} | mac,
    }
    if kind == INDEPENDENT:
        cell["residual_error"] = LOST
    else:
        cell["fading"] = {"model": "rayleigh", "coherence_time": kind}
    flows = [{"from": "server", "to": "sta0", **flow}]
    return document(RUN | {"cells": [cell], "links": [wire()], "flows": flows})["summary"]


def cells() -> dict[str, pl.DataFrame]:
    """Rates in Mb/s, shares in %."""
    rows: list[dict[str, object]] = []
    for kind in (INDEPENDENT, *COHERENCE):
        probe = _download(kind, PROBE, {"attempts": 1})["cells"][0]["stations"][0]
        row: dict[str, object] = {"channel": kind}
        row |= estimate("lost", probe["data_error_rate"], 100)
        for sender, flow in SENDERS.items():
            found = _download(kind, flow, {})
            station = found["cells"][0]["stations"][0]
            row |= estimate(sender, found["total_goodput_bps"], 1e-6)
            if sender == "CUBIC":
                row |= estimate("given_up", station["residual_loss"], 100)
            if sender in ("CUBIC", "BBR"):
                mpdus = station["aggregate_mean_mpdus"]
                row |= estimate(f"{sender}_mpdus", mpdus, 1)
        single = _download(kind, SENDERS["CUBIC"], {}, mpdus=1)
        row |= estimate("single", single["total_goodput_bps"], 1e-6)
        rows.append(row)
    return {"modern-fading.csv": pl.DataFrame(rows)}


def fading(data: Mapping[str, pl.DataFrame]) -> str:
    """Goodput for each coherence time."""
    heads = ["coherence time", "MPDUs lost, probe (%)", *SENDERS, "CUBIC, single MPDUs"]
    heads += ["given up, CUBIC (%)", "MPDUs in an aggregate, CUBIC", "BBR"]
    names = ["lost", *SENDERS, "single", "given_up", "CUBIC_mpdus", "BBR_mpdus"]
    rows = [
        [row["channel"], *(shown(row, name) for name in names)]
        for row in data["modern-fading.csv"].to_dicts()
    ]
    return laid_out(heads, rows)
