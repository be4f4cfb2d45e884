#!/usr/bin/env -S .venv/bin/python
"""Writes docs/models/intervals.md from docs/figures/intervals.csv, the results of the sweep.

`cargo run --release -p airtcp-study --example coverage -- 1000 > docs/figures/intervals.csv`
makes the results again. With --check nothing is written: it fails if the page differs.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "intervals.csv"
PAGE = FOLDER.parent / "models" / "intervals.md"

INTERVALS = {
    "PRR": (
        "`trace stats`, `study`",
        "exact (Clopper-Pearson) for the equivalent number of independent packets, n (1 - mu)/(1 + mu),"
        " divided by the excess variance between stretches. A trace without a loss, or with losses only,"
        " has no information about bursts: it has the bound for independent packets, and this table"
        " excludes it",
    ),
    "mu": (
        '`trace stats`, `study`, "settled"',
        "exact intervals of both transition probabilities, combined by squares (Newcombe, MOVER), with"
        " counts divided by the excess variance between stretches",
    ),
    "mean over replications": (
        "`run`, `compare`, means of a study's replicas, `trace models`, papers",
        "Student's t",
    ),
    "count over replications": (
        "timeouts, retransmissions, drops and other counts in `run`, `compare`, `study`",
        "Student's t; below 30 events widened to the exact interval of Poisson events (Garwood)",
    ),
    "share of packets": (
        "residual loss in `compare` and remedies",
        "linearised ratio of totals; if fewer than 30 packets were lost, or fewer than 30 were not,"
        " widened to the exact interval (Garwood)",
    ),
    "share over replications": (
        "retransmitted shares in `run`, `compare` and `study`; loss rates of links and error rates of"
        " frames in `run`",
        "Student's t of the replications' shares, widened as for a share of packets. A link without a"
        " loss model has exactly 0",
    ),
    "paired difference": (
        "`compare`, remedies",
        "Student's t of the differences. For traces there is no interval where a replication delivers"
        " fewer than 30 packets on average or leaves fewer than 200 slots without a packet. The corners"
        " over slots show its coverage there; their truth is the mean of the 4,000 replications from"
        " which they are drawn",
    ),
    "paired difference in percent": ("`compare`, remedies", "Fieller's interval of a ratio"),
    "ranking": ("`compare`: which variants are worse than the best", "Bonferroni over the others"),
    "prediction of one more link": (
        "`study`: whether a difference is significant",
        "Student's t in ln(slots used / slots unused), widened to the range of the replicas",
    ),
    "gain in percent": (
        "`study`",
        "the trace's rate over either limit of the interval of the replicas' mean (Student's t). There is"
        " no interval where a replica leaves fewer than 200 slots unused or delivers fewer than 30 packets"
        " on average, because rare replicas dominate the mean there. The draws of the table are sets out of"
        " 6,000 replicas of one trace (PRR as named, mu 0.9), those with an interval",
    ),
}


LEAST = 50
"""Draws from which on a share is given."""


def bound(misses: int, draws: int) -> bool:
    """Say whether so many misses are within four binomial errors of 5 %."""
    return misses <= 0.05 * draws + 4 * (0.05 * 0.95 * draws) ** 0.5


def page() -> str:
    """Write the page."""
    with RESULTS.open() as lines:
        rows = list(csv.DictReader(lines))
    out = [
        "# Intervals",
        "",
        "This page lists every interval that `airtcp` prints, its method, and its measured coverage. All are",
        "95 % intervals.",
        "",
        "`docs/figures/intervals.py` generates the page from [`intervals.csv`](../figures/intervals.csv), the",
        "results of `cargo run --release -p airtcp-study --example coverage -- 1000`. A reduced sweep is a test",
        "(`crates/study/tests/coverage.rs`): every corner may miss 5 % plus four binomial errors, and an",
        "exception what its table shows. `tests/python/test_intervals.py` applies the same rule to the",
        "intervals of reproductions.",
        "",
        "- *Corner*: one combination of parameters with a known true value.",
        "- *Covered*: the share of draws whose interval contains the true value. Draws without an interval (a",
        "  trace without losses has no mu) do not count.",
        "- *below*: more intervals miss than 5 % plus four binomial errors.",
        "- *outside*: the corner is outside the method's assumptions; it shows the effect.",
    ]
    out += ["", "Exceptions within a method's assumptions:", ""]
    for row in rows:
        draws, covered = int(row["draws"]), int(row["covered"])
        if row["holds"] == "true" and draws >= LEAST and not bound(draws - covered, draws):
            share = f"{100 * covered / draws:.1f} %"
            out.append(f"- {row['interval']}: {row['corner']}: {share}")
    for name, (where, method) in INTERVALS.items():
        of = [row for row in rows if row["interval"] == name]
        if not of:
            out += ["", f"## {name[0].upper()}{name[1:]}", "", f"Printed in: {where}.", ""]
            out += [f"Method: {method}.", "", "Not in the results yet."]
            continue
        out += ["", f"## {name[0].upper()}{name[1:]}", "", f"Printed in: {where}.", ""]
        out += [f"Method: {method}.", "", "| corner | draws | covered | |", "|---|---|---|---|"]
        for row in of:
            draws, covered = int(row["draws"]), int(row["covered"])
            said = "outside" if row["holds"] == "false" else ""
            if draws >= LEAST and not bound(draws - covered, draws):
                said = f"{said}, below".removeprefix(", ")
            share = f"{100 * covered / draws:.1f} %" if draws >= LEAST else "-"
            out.append(f"| {row['corner']} | {draws} | {share} | {said} |")
    return "\n".join([*out, ""])


def main() -> int:
    """Write or check the page."""
    made = page()
    if "--check" in sys.argv:
        if made != PAGE.read_text():
            print(f"{PAGE} differs from what {RESULTS} gives: run docs/figures/intervals.py")
            return 1
        return 0
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
