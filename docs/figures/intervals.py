"""Coverage of every interval that is printed, by the sweep `coverage` of the crate `study`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

INTERVALS = {
    "PRR": (
        "`trace stats`, `study`",
        "exact (Clopper-Pearson) for the equivalent number of independent packets, n (1 - mu)/(1 + mu),"
        " divided by the excess variance between stretches. A trace without a loss, or with losses only,"
        " has the bound for independent packets; this table excludes it",
    ),
    "mu": (
        '`trace stats`, `study`, "settled"',
        "exact intervals of both transition probabilities, combined by squares (Newcombe, MOVER), with"
        " counts divided by the excess variance between stretches",
    ),
    "mean over replications": (
        "`run`, `compare`, means of a study's replicas, `trace models`, papers",
        "Student's t, bent at the bounds of the quantity; if the values scatter by more than 30 % of their"
        " distance from a bound, the far end is that of Cox' interval of a lognormal mean, up to three"
        " halves of Student's (crates/sim/src/results/range.rs)",
    ),
    "goodput of a run": (
        "goodputs of flows and their sum in `run`, `compare` and sweeps",
        "as a mean over replications, below the rate of the slowest link; below 30 timeouts in all"
        " replications widened to what the exact interval of their number (Garwood) costs: one second, the"
        " initial timeout, of the active time for each. Student's interval alone covers about a third with five"
        " replications at 0.03 % loss, where a rare stall decides the mean. The truth is the mean of the 600"
        " replications from which the samples are drawn",
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


def measure() -> dict[str, str]:
    """Run the sweep, with 1000 draws of the cheapest corners."""
    return {"intervals.csv": simulate.example("airtcp-study", "coverage", "1000")}


def page(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the exceptions, and every interval with its corners."""
    rows = numbers["intervals.csv"].to_dicts()
    out = ["Exceptions within a method's assumptions:", ""]
    for row in rows:
        draws, covered = row["draws"], row["covered"]
        if row["holds"] and _is_below(row):
            out.append(f"- {row['interval']}: {row['corner']}: {100 * covered / draws:.1f} %")
    for name, (where, method) in INTERVALS.items():
        of = [row for row in rows if row["interval"] == name]
        out += ["", f"## {name[0].upper()}{name[1:]}", "", f"Printed in: {where}.", ""]
        out += [f"Method: {method}.", "", *_table(of)]
    return "\n".join(out)


SIZE = re.compile(r", (\d+) (replications|replicas|packets)(?=:|$)")
"""The size of the sample, at the end of a corner or of the corner without what is tested."""


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lay out the corners of an interval: a row each, with a column for each size of the sample."""
    corners: dict[str, dict[int, Mapping[str, Any]]] = {}
    unit = ""
    for row in rows:
        found = SIZE.search(row["corner"])
        if found is None:
            raise ValueError(f"corner {row['corner']!r} ends in no size of a sample")
        size, unit = int(found[1]), found[2]
        corners.setdefault(SIZE.sub("", row["corner"]), {})[size] = row
    sizes = sorted({size for of in corners.values() for size in of})
    # The draws stand in the heading of their column if all of its corners have the same.
    draws = {size: {of[size]["draws"] for of in corners.values() if size in of} for size in sizes}
    same = {size: len(of) == 1 for size, of in draws.items()}
    heads = [f"{n} {unit}" + (f" ({min(draws[n])})" if same[n] else "") for n in sizes]
    out = [f"| corner | {' | '.join(heads)} |", "|---" * (len(sizes) + 1) + "|"]
    for corner, of in corners.items():
        cells = [_cell(of[n], with_draws=not same[n]) if n in of else "" for n in sizes]
        out.append(f"| {corner} | {' | '.join(cells)} |")
    return out


def _is_below(row: Mapping[str, Any]) -> bool:
    draws, covered = row["draws"], row["covered"]
    return draws >= LEAST and not bound(draws - covered, draws)


def _cell(row: Mapping[str, Any], *, with_draws: bool) -> str:
    """Give the coverage, the draws if they are asked for, and the width if it is known."""
    draws, covered = row["draws"], row["covered"]
    share = f"{100 * covered / draws:.1f} %" if draws >= LEAST else "-"
    if _is_below(row):
        share = f"**{share}**"
    if not row["holds"]:
        share += "†"
    if with_draws:
        share += f" ({draws})"
    return share if row["width"] is None else f"{share}, {row['width']:.2g}"
