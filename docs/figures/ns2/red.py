"""Compares RED with ns-2's on wires and in a cell (red.tcl, red-cell.tcl), with and without ECN.

    .venv/bin/python docs/figures/ns2/red.py [--ours]

Writes red.csv beside it: mean goodput in Mb/s and timeouts of each point, over the seeds. With `--ours` it
takes ns-2's columns from the file that is there.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import airtcp

HERE = Path(__file__).parent
SEEDS, SECONDS = 3, 100
# ns-2's queue of 100 packets holds 100 with RED.
RED = 'kind = "red", min = 25, max = 90, limit = 100'
Point = dict[str, object]


def points() -> list[Point]:
    """What is compared: path, round trip in ms, gentle, ecn, wait, window in packets."""
    wires = [
        {"path": "wire", "rtt_ms": rtt, "gentle": gentle, "ecn": ecn, "wait": wait, "window": 11000}
        for gentle, wait in ((1, 0), (0, 0), (1, 1))
        for ecn in (0, 1)
        for rtt in (10, 40, 80, 200)
    ]
    cells = [
        {"path": "cell", "rtt_ms": rtt, "gentle": 1, "ecn": ecn, "wait": 1, "window": window}
        for window in (100, 11000)
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
    window = "" if p["window"] == 11000 else f", max_window = {p['window']}"
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
    flows = airtcp.run("red", text=text).flows
    return float(flows["goodput_bps"].mean()) / 1e6, float(flows["timeouts"].mean())  # type: ignore[arg-type]


def main() -> None:
    """Write the table."""
    rows = []
    known = {}
    if "--ours" in sys.argv:
        with (HERE / "red.csv").open() as file:
            known = {tuple(row.values())[:6]: row for row in csv.DictReader(file)}
    for p in points():
        row = dict(p)
        before = known.get(tuple(str(v) for v in p.values()))
        if before:
            row |= {k: before[k] for k in ("ns2_mbps", "ns2_timeouts")}
        else:
            goodput, timeouts = theirs(p)
            row |= {"ns2_mbps": f"{goodput:.3f}", "ns2_timeouts": f"{timeouts:.1f}"}
        # Nothing tells a queue of ns-2's wireless nodes a rate.
        as_ns2 = ", idle_decay = false" if p["path"] == "cell" else ""
        goodput, timeouts = ours(p, as_ns2)
        row |= {"airtcp_mbps": f"{goodput:.3f}", "airtcp_timeouts": f"{timeouts:.1f}"}
        row["ratio"] = f"{goodput / float(row['ns2_mbps']):.3f}"
        row["with_idle_decay_mbps"] = f"{ours(p)[0]:.3f}" if as_ns2 else row["airtcp_mbps"]
        rows.append(row)
        print(*row.values(), sep=",", flush=True)
    with (HERE / "red.csv").open("w", newline="") as out:
        table = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
