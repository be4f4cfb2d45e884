"""Fits of links from captures of simulated transfers, beside the links' true parameters."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import coverage_table as coverage
import polars as pl

import airtcp
from airtcp.diagnosis import matching
from airtcp.diagnosis.delivery import delivery
from airtcp.diagnosis.linkfit import fitted, known_of
from airtcp.diagnosis.losses import fit_losses
from airtcp.diagnosis.model import sender_of
from airtcp.diagnosis.pipeline import fitting_replayer
from airtcp.diagnosis.transfer import transfer_of

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
    """Simulate a transfer, and fit its link from the capture."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "made.pcapng"
        airtcp.run("made", text=_text(link), seed=seed, replications=1, pcap=place)
        seen = airtcp.capture(place, events=True, series=True)
    transfer = transfer_of(seen.json, None)
    assert transfer is not None
    losses = fit_losses(transfer)
    replayer = fitting_replayer(transfer, sender_of(transfer, link["law"], None), 1)
    known = known_of(None, None, delivery(seen, transfer))
    match = matching.match(replayer, losses, known, lambda _done, _total: None)
    found = fitted(transfer, losses, match, told=False)
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
    # Independent losses have neighbours too. Where the queue overflows, bursts are not the link's.
    share = link["loss"]
    row["burst_true"] = None if link["overflows"] else float(link.get("burst", 1 / (1 - share)))
    row["burst"] = losses["mean_burst"]
    row["burst_low"], row["burst_high"] = losses["mean_burst_low"], losses["mean_burst_high"]
    parts = [each["part"] for each in found["origins"] if each["possible"]]
    row["least_part"], row["most_part"] = min(parts), max(parts)
    return row


def measure(links: list[dict[str, Any]], seeds: int) -> dict[str, str]:
    """Fit each link from transfers with different seeds."""
    every = [(link, seed) for link in links for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(_WORKERS) as pool:
        rows = list(pool.map(fit, *zip(*every, strict=True)))
    return {"diagnosis.csv": pl.DataFrame(rows, infer_schema_length=None).write_csv()}


UNITS = {
    "rate_bps": ("rate (Mb/s)", 1e-6),
    "delay_s": ("delay (ms)", 1e3),
    "queue_packets": ("queue (packets)", 1.0),
    "link_loss": ("loss (%)", 100.0),
    "burst": ("mean burst", 1.0),
}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out truth, median estimate and coverage."""
    return coverage.table(numbers["diagnosis.csv"], ("link", "parameter", "median fit"), UNITS, slack=1e-9)


def origins(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Count the origins of the losses that the fits leave possible."""
    out = [
        "| link | at most 10 % | not decided | all |",
        "|---|---|---|---|",
    ]
    frame = numbers["diagnosis.csv"]
    for name in frame["link"].unique(maintain_order=True):
        rows = frame.filter(pl.col("link") == name).to_dicts()
        queue = sum(row["most_part"] <= 0.1 for row in rows)
        link = sum(row["least_part"] == 1 for row in rows)
        out.append(f"| {name} | {queue} | {len(rows) - queue - link} | {link} |")
    return "\n".join(out)
