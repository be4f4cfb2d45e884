"""Links of simulated 802.11 cells measured on the air, beside the counters of the runs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import coverage_table as coverage
import polars as pl

import airtcp
from airtcp.questions.diagnose.air import measured
from airtcp.questions.diagnose.transfer import transfer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

CELL = """
duration = "{duration} s"
warmup = "0 s"
[[cells]]
standard = "802.11a"
rate = "24 Mb/s"
layout = {{ kind = "star", stations = 1, radius_m = 5 }}
propagation.path_loss = {{ model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }}
noise.floor_dbm = -99
residual_error = "{error} %"
mac = {{ attempts = {attempts} }}
queue = {{ kind = "drop-tail", packets = {queue} }}
[[links]]
from = "ap"
to = "server"
rate = "1 Gb/s"
delay = "5 ms"
[[flows]]
name = "up"
from = "sta0"
to = "server"
tcp = "linux"
"""
QUANTITIES = ("loss", "rate_bps", "queue_packets")


def _run(cell: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Simulate a cell, measure its link on the air, and count what the run did."""
    with tempfile.TemporaryDirectory() as folder:
        host, air = Path(folder) / "host.pcapng", Path(folder) / "air"
        done = airtcp.run(
            "cell", text=CELL.format(**cell), seed=seed, replications=1, pcap=host, radiotap=air
        )
        captures = [host, next(path for path in air.iterdir() if "sta0" in path.name)]
        document = airtcp.capture(captures, events=True).json
    transfer = transfer_of(document, None)
    assert transfer is not None
    found = measured(document, transfer)
    assert found is not None
    station = done.json["replications"][0]["cells"][0]["stations"][1]
    row: dict[str, Any] = {"cell": cell["name"], "seed": seed, "used": found["not_used"] is None}
    row["run_loss"] = station["residual_loss"]
    row["run_service_s"] = station["service_mean_s"]
    row["queue_drops"] = station["queue_drops"]
    row["packet_bytes"] = transfer.packet_bytes
    for key in QUANTITIES:
        fit: Any = found[key] or {"value": None, "low": None, "high": None}
        row |= {key: fit["value"], f"{key}_low": fit["low"], f"{key}_high": fit["high"]}
    return row


def measure(cells: list[dict[str, Any]], seeds: int) -> dict[str, str]:
    """Measure each cell with different seeds; the truth is the mean over all runs."""
    rows: list[dict[str, Any]] = []
    for cell in cells:
        runs = [_run(cell, seed) for seed in range(1, seeds + 1)]
        loss = fmean(run["run_loss"] for run in runs)
        rate = 8 * runs[0]["packet_bytes"] / fmean(run["run_service_s"] for run in runs)
        for run in runs:
            run["loss_true"] = loss
            run["rate_bps_true"] = rate if cell["saturated"] else None
            run["queue_packets_true"] = float(cell["queue"])
        rows += runs
    return {"diagnosis-air.csv": pl.DataFrame(rows, infer_schema_length=None).write_csv()}


UNITS = {
    "loss": ("loss (%)", 100.0),
    "rate_bps": ("rate (Mb/s)", 1e-6),
    "queue_packets": ("queue (packets)", 1.0),
}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out truth, median measurement and coverage."""
    return coverage.table(numbers["diagnosis-air.csv"], ("cell", "quantity", "median"), UNITS)
