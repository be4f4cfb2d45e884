"""Many flows of a kind on short queues, by the example `matrix` of the crate `sliding`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Transport, flows, packets of queue, losses, seeds.
RUNS: Final = [
    ("sliding", "2,5,10,20,50", "10,20,100", "0,0.1,0.3", 10),
    ("sliding", "1", "3", "0.1,0.5", 10),
    ("sliding", "5", "3", "0", 10),
    ("sliding", "10", "5", "0", 10),
    ("tcp", "2,5,10,20,50", "10,20,100", "0,0.1,0.3", 5),
    ("lt", "2,5,10,20,50", "10,20,100", "0,0.1,0.3", 5),
]
#: Packets of 1496 bytes that a link of 10 Mb/s carries in 80 ms.
PIPE: Final = 10e6 * 0.08 / 8 / 1496
ROW: Final = re.compile(
    r"\| *(\d+) \| *(\d+) \| ([\d.]+) \| ([\d.]+) \(([\d.]+)\) \| ([\d.]+) \| ([\d.]+) \(([\d.]+)\) \| ([\d.]+) \|"
)
COLUMNS: Final = ["queue", "flows", "loss", "sent", "most", "got", "jain", "least", "queued"]


def rows(name: str, seeds: int, printed: str) -> list[dict[str, str | float]]:
    """Read what the example printed."""
    return [
        {"transport": name, "seeds": seeds}
        | dict(zip(COLUMNS, map(float, found.groups()), strict=True))
        for found in ROW.finditer(printed)
    ]


def measure() -> dict[str, pl.DataFrame]:
    """Run the example over every list."""
    found = [
        row
        for name, *at, seeds in RUNS
        for row in rows(
            name, seeds, simulate.example("airtcp-sliding", "matrix", name, *at, str(seeds))
        )
    ]
    frame = pl.DataFrame(found).sort("transport", "queue", "flows", "loss")
    return {"many-flows.csv": frame.with_columns(pl.col("queue", "flows").cast(pl.Int64))}


def _numbers(frame: pl.DataFrame, name: str) -> dict[tuple[float, ...], dict[str, float]]:
    """Rows of a transport on ten packets of queue and more, by queue, flows and loss."""
    shown = frame.filter((pl.col("transport") == name) & (pl.col("queue") >= 10))
    keys = ("queue", "flows", "loss")
    return {tuple(row[key] for key in keys): row for row in shown.sort(keys).iter_rows(named=True)}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out a row for each queue and number of flows, with a column for each share of losses."""
    frame = numbers["many-flows.csv"]
    sliding, tcp, lt = (_numbers(frame, name) for name in ("sliding", "tcp", "lt"))
    losses = sorted({loss for _, _, loss in sliding})
    heads = [f"{100 * loss:.0f} %" if loss else "0" for loss in losses]
    own = [
        "| queue, flows, share | " + " | ".join(heads) + " |",
        "|---" * (1 + len(heads)) + "|",
    ]
    others = [
        "| queue, flows | "
        + " | ".join(f"{name}, {head}" for name in ("SACK", "LT-TCP") for head in heads)
        + " |",
        "|---" * (1 + 2 * len(heads)) + "|",
    ]
    for queue, flows in dict.fromkeys((queue, flows) for queue, flows, _ in sliding):
        share = (queue + PIPE) / flows
        at = [(queue, flows, loss) for loss in losses]
        cells = [_own(sliding[key], share) for key in at]
        own.append(f"| {queue:.0f}, {flows:.0f}, {share:.1f} | {' | '.join(cells)} |")
        cells = [f"{tcp[key]['got']:.2f}, {tcp[key]['jain']:.2f}" for key in at]
        cells += [
            f"{lt[key]['sent']:.1f}, {lt[key]['got']:.2f}, {lt[key]['jain']:.2f}" for key in at
        ]
        others.append(f"| {queue:.0f}, {flows:.0f} | {' | '.join(cells)} |")
    return "\n".join(
        [
            *own,
            "",
            "Goodput and Jain's index of SACK; sent, goodput and Jain's index of LT-TCP:",
            "",
            *others,
        ]
    )


def _own(row: Mapping[str, float], share: float) -> str:
    """Give what flows sent, their goodput, Jain's index and the queue; what is bad is bold."""
    sent, jain = f"{row['sent']:.1f}", f"{row['jain']:.2f}"
    if row["sent"] > 13:
        sent = f"**{sent}**"
    if row["jain"] < 0.8 and share >= 4:
        jain = f"**{jain}**"
    return f"{sent} ({row['most']:.1f}), {row['got']:.2f}, {jain} ({row['least']:.2f}), {row['queued']:.1f}"
