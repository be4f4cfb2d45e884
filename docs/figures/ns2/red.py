"""Compares RED with ns-2's on wires and in a cell (red.tcl, red-cell.tcl), with and without ECN.

Mean goodput in Mb/s and timeouts of each point, over the seeds.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
SEEDS, SECONDS = 3, 100
# ns-2's queue of 100 packets holds 100 with RED.
RED = 'kind = "red", min = 25, max = 90, limit = 100'
WIDE = 11000
FAR = 0.05
"""A ratio this far from one is bold."""
Point = dict[str, object]


def points() -> list[Point]:
    """What is compared: path, round trip in ms, gentle, ecn, wait, window in packets."""
    wires = [
        {"path": "wire", "rtt_ms": rtt, "gentle": gentle, "ecn": ecn, "wait": wait, "window": WIDE}
        for gentle, wait in ((1, 0), (0, 0), (1, 1))
        for ecn in (0, 1)
        for rtt in (10, 40, 80, 200)
    ]
    cells = [
        {"path": "cell", "rtt_ms": rtt, "gentle": 1, "ecn": ecn, "wait": 1, "window": window}
        for window in (100, WIDE)
        for ecn in (0, 1)
        for rtt in (10, 80, 200)
    ]
    return wires + cells


def theirs(p: Point) -> tuple[float, float]:
    """Mean goodput in Mb/s and timeouts of ns-2."""
    goodput = timeouts = 0.0
    for seed in range(1, SEEDS + 1):
        if p["path"] == "wire":
            order, keys = "red.tcl", ("rtt_ms", "gentle", "ecn", "wait")
            tail = [seed, SECONDS]
        else:
            order, keys = "red-cell.tcl", ("rtt_ms", "ecn", "wait")
            tail = [1, seed, SECONDS, p["window"]]
        words = ["ns", str(HERE / order), *(str(p[k]) for k in keys), *map(str, tail)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        line = next(row for row in done.stdout.splitlines() if row.count(",") >= 8)
        fields = line.split(",")
        goodput += float(fields[-4]) / 1e6
        timeouts += float(fields[-3])
    return goodput / SEEDS, timeouts / SEEDS


def ours(p: Point, more: str = "") -> tuple[float, float]:
    """The same here; `more` goes into the queue's table."""
    flag = {k: str(bool(p[k])).lower() for k in ("gentle", "ecn", "wait")}
    red = ", ".join([RED, *(f"{k} = {v}" for k, v in flag.items())])
    half = f"{500 * int(str(p['rtt_ms']))} us"
    window = "" if p["window"] == WIDE else f", max_window = {p['window']}"
    tcp = f'tcp = {{ profile = "s0", ecn = {flag["ecn"]}{window} }}\n'
    head = f'duration = "{SECONDS} s"\nreplications = {SEEDS}\n'
    if p["path"] == "wire":
        text = (
            f'{head}[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{half}"\n'
            f'queue = {{ {red}{more} }}\nreverse = {{ queue = {{ kind = "drop-tail", packets = 1000 }} }}\n'
            f'[[flows]]\nfrom = "a"\nto = "b"\n{tcp}'
        )
    else:
        text = (
            f'{head}[[cells]]\nstandard = "802.11b"\naccess_point = "bs"\nprefix = "node"\n'
            'layout = { kind = "star", stations = 1, radius_m = 5 }\n'
            'timing.ack_rate.fixed = "11 Mb/s"\nmac.attempts = 7\n'
            f"queue = {{ {red}{more} }}\n"
            f'[[links]]\nfrom = "bs"\nto = "server"\nrate = "100 Mb/s"\ndelay = "{half}"\n'
            f'queue = {{ kind = "drop-tail", packets = 1000 }}\nreverse = {{ rate = "100 Mb/s" }}\n'
            f'[[flows]]\nfrom = "node0"\nto = "server"\n{tcp}'
        )
    flows = airtcp.run("red", text=text).flows.to_polars()
    return float(flows["goodput_bps"].mean()) / 1e6, float(flows["timeouts"].mean())  # type: ignore[arg-type]


def measure_ns2() -> dict[str, str]:
    """Run every point in ns-2."""
    rows = []
    for p in points():
        goodput, timeouts = theirs(p)
        rows.append(p | {"ns2_mbps": f"{goodput:.3f}", "ns2_timeouts": f"{timeouts:.1f}"})
    return {"ns2/red-ns2.csv": pl.DataFrame(rows).write_csv()}


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run every point here."""
    rows = []
    for peer in numbers["ns2/red-ns2.csv"].iter_rows(named=True):
        # Nothing tells a queue of ns-2's wireless nodes a rate.
        as_ns2 = ", idle_decay = false" if peer["path"] == "cell" else ""
        goodput, timeouts = ours(peer, as_ns2)
        row = peer | {
            "ns2_mbps": f"{peer['ns2_mbps']:.3f}",
            "ns2_timeouts": f"{peer['ns2_timeouts']:.1f}",
        }
        row |= {"airtcp_mbps": f"{goodput:.3f}", "airtcp_timeouts": f"{timeouts:.1f}"}
        row["ratio"] = f"{goodput / peer['ns2_mbps']:.3f}"
        row["with_idle_decay_mbps"] = f"{ours(peer)[0]:.3f}" if as_ns2 else row["airtcp_mbps"]
        rows.append(row)
    return {"ns2/red.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Goodput here over that of ns-2, by setting and round trip."""
    frame = numbers["ns2/red.csv"]
    trips = sorted(set(frame["rtt_ms"]))
    lines = [
        "| | " + " | ".join(f"{rtt} ms" for rtt in trips) + " |",
        "|---" * (len(trips) + 1) + "|",
    ]
    for key, own in frame.group_by("path", "gentle", "wait", "window", "ecn", maintain_order=True):
        path, gentle, wait, window, ecn = key
        if path == "wire":
            name = "10 Mb/s, " + ("`wait`" if wait else "gentle" if gentle else "not gentle")
        else:
            name = "S0's cell, " + (
                "no limit of the window" if window == WIDE else f"window {window}"
            )
        ratios = dict(own.select("rtt_ms", "ratio").iter_rows())
        texts = {
            rtt: f"{x:.3f}" if abs(x - 1) < FAR else f"**{x:.3f}**" for rtt, x in ratios.items()
        }
        cells = (texts.get(rtt, "") for rtt in trips)
        lines.append(f"| {name}, {'marks' if ecn else 'drops'} | {' | '.join(cells)} |")
    return "\n".join(lines)
