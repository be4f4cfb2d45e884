"""Correlated losses of netem: what one asks for, and what its random numbers give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKETS: Final = 100_000_000
#: With no loss among n packets, the 95 % limit of the share is 3/n.
LIMIT: Final = 3.0


def drawn(*_inputs: str) -> dict[str, str]:
    """Count losses and bursts."""
    return {"netem.csv": simulate.example("airtcp-link", "netem", str(PACKETS))}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the shares of losses and the mean bursts, one row for a probability."""
    rows = data["netem.csv"]
    correlations = rows["correlation"].unique().sort().to_list()
    heads = ["`probability`"]
    heads += [f"lost, correlation {c:g} %" for c in correlations]
    heads += [f"burst, {c:g} %" for c in correlations if c]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for (probability,), group in rows.group_by("probability", maintain_order=True):
        cells = [f"{probability:g} %"]
        by = {row["correlation"]: row for row in group.to_dicts()}
        cells += [_share(by[c]) for c in correlations]
        cells += [_burst(by[c]) for c in correlations if c]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _share(row: Mapping[str, float]) -> str:
    if not row["lost"]:
        return f"< {100 * LIMIT / row['packets']:.0e} %"
    return f"{100 * row['lost'] / row['packets']:.3g} %"


def _burst(row: Mapping[str, float]) -> str:
    return f"{row['lost'] / row['bursts']:.3g}" if row["lost"] >= 100 else "-"
