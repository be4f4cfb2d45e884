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
        "exact (Clopper-Pearson) for as many independent packets as these are worth:"
        " n (1 - mu)/(1 + mu), over the excess of the scatter of stretches. Traces without a loss, or"
        " with nothing else, say nothing of bursts and are left out here: they have the bound for"
        " independent packets",
    ),
    "mu": (
        '`trace stats`, `study`, "settled"',
        "exact intervals of both transition probabilities, combined by squares (Newcombe, MOVER),"
        " counts over the excess of the scatter of stretches",
    ),
    "mean over replications": (
        "`run`, `compare`, means of a study's replicas, `trace models`, papers",
        "Student's t",
    ),
    "count over replications": (
        "timeouts, retransmissions, drops and other counts in `run`, `compare`, `study`",
        "Student's t, below 30 events widened to the exact interval of Poisson events (Garwood)",
    ),
    "share of packets": (
        "residual loss in `compare` and remedies",
        "linearised ratio of totals; where fewer than 30 packets were lost, or fewer than 30 were not,"
        " widened to the exact interval (Garwood)",
    ),
    "share over replications": (
        "retransmitted shares in `run`, `compare` and `study`; loss rates of links and error rates of"
        " frames in `run`",
        "Student's t of the replications' shares, widened likewise. A link without a loss model has 0,"
        " which is certain",
    ),
    "paired difference": (
        "`compare`, remedies",
        "Student's t of the differences; none over slots where a replication delivers fewer than 30"
        " packets in the mean or leaves fewer than 200 slots without one. The corners over slots show"
        " what it would hold there; their truth is the mean of the 4,000 replications that they draw from",
    ),
    "paired difference in percent": ("`compare`, remedies", "Fieller's interval of a ratio"),
    "ranking": ("`compare`: who is behind the best", "Bonferroni over the others"),
    "prediction of one more link": (
        "`study`: whether a difference is significant",
        "Student's t in ln(slots used / slots left), widened to what the replicas reached",
    ),
    "gain in percent": (
        "`study`",
        "the trace's rate over either end of the interval of the replicas' mean (Student's t); none"
        " where a replica leaves fewer than 200 slots unused or delivers fewer than 30 packets in the"
        " mean, because rare replicas make the mean there. The table's draws are sets out of 6,000 replicas of one trace (PRR as named, mu 0.9), those with an interval",
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
        "Every interval that `airtcp` prints, its method, and how often it holds a known truth. All are",
        "95 % intervals. This page is generated: `docs/figures/intervals.py` makes it from",
        "[`intervals.csv`](../figures/intervals.csv), the results of `cargo run --release -p airtcp-study",
        "--example coverage -- 1000`. A reduced sweep is a test (`crates/study/tests/coverage.rs`): it holds",
        "every corner to 5 % and four binomial errors, and the exceptions to what the table shows. The",
        "intervals of reproductions are swept in `tests/python/test_intervals.py` by the same rule.",
        "",
        "*Covered* is the share of draws whose interval holds the truth; draws without an interval (a",
        "trace without losses has no mu) do not count. *Below* marks corners where more intervals miss",
        "than 5 % plus four binomial errors. *Outside* marks corners outside the method's assumptions;",
        "they show what that costs.",
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
