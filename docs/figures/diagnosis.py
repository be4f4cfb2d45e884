"""Links measured from captures of simulated transfers, beside the links' true parameters."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage_table as coverage
import polars as pl

import airtcp
from airtcp.questions.capture.call import logged
from airtcp.questions.diagnose.link import fitted
from airtcp.questions.diagnose.transfer import transfer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

SCENARIO = """
duration = "{duration} s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = "{rate} Mb/s"
delay = "{delay} ms"
queue = {{ kind = "drop-tail", packets = {queue} }}
{loss}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "{law}" }}
"""
SLOT = "1.2 ms"
_WORKERS = 6


def _text(link: Mapping[str, Any]) -> str:
    share, burst = link["loss"], link.get("burst", 1)
    loss = ""
    if share and burst > 1:
        keys = f'mean_loss = {share}, mean_burst = {burst}, slot = "{SLOT}"'
        loss = f'loss = {{ model = "gilbert-elliott", {keys} }}'
    elif share:
        loss = f'loss = {{ model = "bernoulli", probability = {share} }}'
    return SCENARIO.format(**{**link, "loss": loss})


def fit(link: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Simulate a transfer, and measure its link from the capture."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "made.pcapng"
        done = airtcp.run("made", text=_text(link), seed=seed, replications=1, pcap=place)
        read = logged(place)
    transfer = transfer_of(read.json, None)
    assert transfer is not None
    seen = read.bottleneck(transfer.number, transfer.sender)
    assert seen is not None
    found: Any = fitted(seen, transfer, None, told=False)
    drops = done.json["replications"][0]["links"][0]["drops"]
    truth = {
        "rate_bps": link["rate"] * 1e6,
        "delay_s": link["delay"] / 1e3,
        "queue_packets": link["queue"],
        "link_loss": link["loss"],
    }
    row: dict[str, Any] = {"link": link["name"], "seed": seed}
    for key, true in truth.items():
        ends = found[key]
        low, high = ends["low"] or 0.0, ends["high"]
        row |= {
            f"{key}_true": float(true),
            f"{key}": float(ends["value"]),
            f"{key}_low": float(low),
            f"{key}_high": None if high is None else float(high),
        }
    origins = [each["origin"] for each in seen["lost_packets"]]
    row |= {f"origin_{name}": origins.count(name) for name in ("queue", "link", "unknown")}
    return row | {"dropped_by_queue": drops["queue_full"], "dropped_by_link": drops["loss"]}


def measure(links: list[dict[str, Any]], seeds: int) -> dict[str, str]:
    """Measure each link from transfers with different seeds."""
    every = [(link, seed) for link in links for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(_WORKERS) as pool:
        rows = list(pool.map(fit, *zip(*every, strict=True)))
    return {"diagnosis.csv": pl.DataFrame(rows, infer_schema_length=None).write_csv()}


UNITS = {
    "rate_bps": ("rate (Mb/s)", 1e-6),
    "delay_s": ("delay (ms)", 1e3),
    "queue_packets": ("queue (packets)", 1.0),
    "link_loss": ("loss (%)", 100.0),
}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out truth, median estimate and coverage."""
    return coverage.table(
        numbers["diagnosis.csv"], ("link", "parameter", "median"), UNITS, slack=1e-9
    )


def origins(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Compare the origins of the losses with what dropped the packets."""
    out = [
        "| link | dropped by the queue | found | dropped by the link | found | not told |",
        "|---|---|---|---|---|---|",
    ]
    frame = numbers["diagnosis.csv"]
    keys = ("dropped_by_queue", "origin_queue", "dropped_by_link", "origin_link", "origin_unknown")
    for name in frame["link"].unique(maintain_order=True):
        sums = frame.filter(pl.col("link") == name)
        out.append(f"| {name} | {' | '.join(str(sums[key].sum()) for key in keys)} |")
    return "\n".join(out)
