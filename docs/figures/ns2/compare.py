"""Compares goodput with ns-2's: the scenarios of goodput.tcl here."""

from __future__ import annotations

import subprocess
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
RECOVERY = {"Sack1": "sack-ns2", "Newreno": "newreno"}
RTTS = (10, 80, 200)
LOSSES = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
SECONDS, RUNS = 200, 10


def ours(
    flavour: str, rtt: int, loss: float, limited: int, more: str = ""
) -> list[dict[str, float]]:
    """Goodput and timeouts of ten runs."""
    text = (
        f'duration = "{SECONDS} s"\nreplications = {RUNS if loss else 1}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{500 * rtt} us"\n'
        'queue = { kind = "drop-tail", packets = 100 }\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
        f'tcp = {{ profile = "s0", recovery = "{RECOVERY[flavour]}", '
        f"limited_transmit = {str(bool(limited)).lower()}{more} }}\n"
    )
    flows = airtcp.run("ns2", text=text).flows.to_polars()
    return flows.select("goodput_bps", "timeouts", "retransmissions").to_dicts()


def measure_ns2() -> dict[str, str]:
    """Run goodput.tcl at every point."""
    lines = ["limited_transmit,flavour,rtt_ms,loss,seed,goodput_bps,sent,retransmitted,timeouts"]
    for limited, flavour, rtt, loss in product((1, 0), RECOVERY, RTTS, LOSSES):
        for seed in range(1, RUNS + 1 if loss else 2):
            words = [flavour, rtt, loss, seed, SECONDS, limited]
            command = ["ns", str(HERE / "goodput.tcl"), *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            lines.append(f"{limited},{next(x for x in done.stdout.split() if x.count(',') == 7)}")
    return {"ns2/goodput.csv": "\n".join(lines) + "\n"}


def interval(values: pl.Series) -> float:
    """Half the width of the 95 % interval of the mean of ten values."""
    return 2.262 * values.std() / len(values) ** 0.5 if len(values) > 1 else 0.0


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run every point that ns-2 ran."""
    rows = []
    for key, runs in numbers["ns2/goodput.csv"].group_by(
        "limited_transmit", "flavour", "rtt_ms", "loss", maintain_order=True
    ):
        limited, flavour, rtt, loss = key
        mine = pl.DataFrame(ours(flavour, rtt, loss, limited))
        a, b = mine["goodput_bps"] / 1e6, runs["goodput_bps"] / 1e6
        rows.append(
            {
                "limited_transmit": limited,
                "flavour": flavour,
                "rtt_ms": rtt,
                "loss_percent": 100 * loss,
                "airtcp_mbps": a.mean(),
                "airtcp_ci": interval(a),
                "ns2_mbps": b.mean(),
                "ns2_ci": interval(b),
                "ratio": a.mean() / b.mean(),
                "airtcp_timeouts": mine["timeouts"].mean(),
                "ns2_timeouts": runs["timeouts"].mean(),
            }
        )
    return {"ns2/comparison.csv": pl.DataFrame(rows).write_csv(float_precision=6)}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The points with limited transmit."""
    lines = [
        "| | RTT ms | loss % | airtcp Mb/s | ns-2 Mb/s | ratio | timeouts, airtcp / ns-2 |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in numbers["ns2/comparison.csv"].filter(pl.col("limited_transmit") == 1).to_dicts():
        lines.append(
            f"| {row['flavour']} | {row['rtt_ms']} | {row['loss_percent']:g} "
            f"| {row['airtcp_mbps']:.3f} ± {row['airtcp_ci']:.3f} | {row['ns2_mbps']:.3f} ± {row['ns2_ci']:.3f} "
            f"| {row['ratio']:.2f} | {row['airtcp_timeouts']:.1f} / {row['ns2_timeouts']:.1f} |"
        )
    return "\n".join(lines)
