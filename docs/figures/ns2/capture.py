"""Runs S0's table V in ns-2 (red-cell.tcl): an upload whose base station is interfered with.

Goodput in Mb/s over the seeds, and timeouts.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from statistics import median

import polars as pl

HERE = Path(__file__).parent
SEEDS, SECONDS, WINDOW, ATTEMPTS = range(1, 7), 300, 100, 3
# ECN, wait, RED active.
QUEUE = ("0", "1", "1")


def once(rtt_ms: int, tick_s: str, seed: int) -> tuple[float, float]:
    """Give goodput in Mb/s and timeouts of one run."""
    words = ["ns", str(HERE / "red-cell.tcl"), str(rtt_ms), *QUEUE]
    words += [str(one) for one in (seed, SECONDS, WINDOW, ATTEMPTS, tick_s)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    fields = next(row for row in done.stdout.splitlines() if row.count(",") >= 8).split(",")
    return float(fields[-4]) / 1e6, float(fields[-3])


def measure() -> dict[str, str]:
    """Run every clock and round trip."""
    rows = []
    for tick_s in ("0.01", "0.05", "0.1"):
        for rtt_ms in (10, 80, 200):
            runs = [once(rtt_ms, tick_s, seed) for seed in SEEDS]
            goodput = [run[0] for run in runs]
            timeouts = sum(run[1] for run in runs) / len(runs)
            rows.append(
                {
                    "tcpTick_ (s)": tick_s,
                    "round trip (ms)": rtt_ms,
                    "least (Mb/s)": f"{min(goodput):.3f}",
                    "median": f"{median(goodput):.3f}",
                    "greatest": f"{max(goodput):.3f}",
                    "timeouts": f"{timeouts:.1f}",
                }
            )
    return {"ns2/capture.csv": pl.DataFrame(rows).write_csv()}
