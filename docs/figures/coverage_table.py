"""The table of an experiment on intervals: truth, median estimate, median interval and coverage."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping


def table(
    frame: pl.DataFrame,
    heads: tuple[str, str, str],
    units: Mapping[str, tuple[str, float]],
    *,
    slack: float = 0.0,
) -> str:
    """Lay out a row for each case and quantity.

    Args: frame: One row per run, with `KEY`, `KEY_true`, `KEY_low` and `KEY_high` (null: no bound) for each
        quantity. heads: The column of the case, and the heads of quantity and estimate. units: Head and
        scale of each quantity. slack: Relative rounding of the ends of intervals.
    """
    case, quantity, estimate = heads
    out = [
        f"| {case} | {quantity} | true | {estimate} | median interval | covered |",
        "|---|---|---|---|---|---|",
    ]
    for name in frame[case].unique(maintain_order=True):
        rows = frame.filter(pl.col(case) == name).to_dicts()
        for key, (head, scale) in units.items():
            of = [row for row in rows if row[f"{key}_true"] is not None and row[key] is not None]
            if of:
                out.append(f"| {name} | {head} | {_line(of, key, scale, 1 + slack)} |")
    return "\n".join(out)


def _line(rows: list[dict[str, Any]], key: str, scale: float, within: float) -> str:
    inf = float("inf")
    highs = [inf if row[f"{key}_high"] is None else row[f"{key}_high"] for row in rows]
    inside = sum(
        row[f"{key}_low"] <= row[f"{key}_true"] * within and row[f"{key}_true"] <= high * within
        for row, high in zip(rows, highs, strict=True)
    )
    low, high = median(row[f"{key}_low"] for row in rows), median(highs)
    ends = (
        f"{low * scale:.3g} or more" if high == inf else f"{low * scale:.3g} to {high * scale:.3g}"
    )
    middle = median(row[key] for row in rows)
    true = rows[0][f"{key}_true"]
    return f"{true * scale:.3g} | {middle * scale:.3g} | {ends} | {inside} of {len(rows)}"
