"""Westwood+ with delayed ACKs on the link of docs/models/kernel.md, by what grows the window.

Profile `linux`, 10 Mb/s, a queue of 100 packets, independent losses behind it, eight runs of 60 s.
"""

from __future__ import annotations

from typing import Final

import polars as pl
import simulate

RUNS: Final = 8
POINTS: Final = [(10, 0.05), (80, 0.005), (80, 0.01), (80, 0.02)]
COUNTS: Final = {"bytes": "", "ACKs": ', law_rules = "documents"'}


def goodput(rtt_ms: int, loss: float, keys: str) -> dict[str, float]:
    """Mean and interval at a point."""
    link = (
        f'rate = "10 Mb/s"\ndelay = "{rtt_ms // 2} ms"\nqueue = {{ kind = "drop-tail", packets = 100 }}\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
        'reverse = { queue = { kind = "drop-tail" }, loss = { model = "none" } }'
    )
    tcp = f'profile = "linux", congestion = "westwood+"{keys}'
    return simulate.goodput(simulate.transfer(link, tcp, seconds=60, runs=RUNS), RUNS)


def measure() -> dict[str, pl.DataFrame]:
    """Run every point."""
    rows = [
        {"counts": counts, "rtt_ms": rtt, "loss": loss} | goodput(rtt, loss, keys)
        for counts, keys in COUNTS.items()
        for rtt, loss in POINTS
    ]
    return {"westwood.csv": pl.DataFrame(rows)}
