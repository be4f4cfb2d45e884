"""Schemes in four cells that share badly: the examples of the guide.

Each cell runs under every scheme with the same random draws. Rates are in Mb/s, times in ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
from declared import ROOT

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

CELLS: Final = {
    "starved-uploads": ["ftca", "leith-clifford", "tap", "fq-codel", "ack-filter"],
    "slow-station": ["ftca", "fq-codel", "airtime-fair", "rts"],
    "up-down": [
        "ftca",
        "leith-clifford",
        "tap",
        "fq-codel",
        "airtime-fair",
        "ack-filter",
        "ftca+fq-codel",
    ],
    "voice": ["ftca", "tap", "codel", "fq-codel", "airtime-fair", "ack-filter", "ftca+fq-codel"],
}
METRICS: Final = {
    "goodput": ("total_goodput_bps", 1e-6),
    "fairness": ("jain_index", 1.0),
    "slowest": ("slowest_flow_bps", 1e-6),
    "exchange_p95": ("exchange_p95_s", 1e3),
}


def cells() -> dict[str, pl.DataFrame]:
    """Means of each scheme with the ends of their intervals."""
    rows: list[dict[str, object]] = []
    for cell, schemes in CELLS.items():
        found = airtcp.compare_schemes([ROOT / "scenarios" / f"wifi-{cell}.toml"], schemes=schemes)
        for outcome in found.json["subjects"][0]["outcomes"]:
            row: dict[str, object] = {"cell": cell, "scheme": outcome["variant"]}
            for name, (key, scale) in METRICS.items():
                estimate = outcome.get(key) or {}
                for end in ("mean", "ci_low", "ci_high"):
                    value = estimate.get(end)
                    row[f"{name}_{end}"] = None if value is None else scale * value
            rows.append(row)
    return {"cell-schemes.csv": pl.DataFrame(rows, infer_schema_length=None)}


def _number(value: float) -> str:
    """Three digits; nothing here can be negative."""
    return f"{value:.0f}" if value >= 1000 else f"{max(value, 0.0):.3g}"


def _estimate(row: Mapping[str, float], name: str) -> str:
    mean, low, high = (_number(row[f"{name}_{end}"]) for end in ("mean", "ci_low", "ci_high"))
    return f"{mean} [{low}, {high}]"


def _table(data: Mapping[str, pl.DataFrame], cell: str, columns: Mapping[str, str]) -> str:
    rows = data["cell-schemes.csv"].filter(pl.col("cell") == cell).to_dicts()
    head = f"| scheme | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"
    lines = [
        f"| {row['scheme']} | {' | '.join(_estimate(row, name) for name in columns.values())} |"
        for row in rows
    ]
    return "\n".join([head, *lines])


SHARED: Final = {
    "goodput (Mb/s)": "goodput",
    "Jain's index": "fairness",
    "slowest flow (Mb/s)": "slowest",
}


def starved(data: Mapping[str, pl.DataFrame]) -> str:
    """Ten uploads."""
    return _table(data, "starved-uploads", SHARED)


def slow(data: Mapping[str, pl.DataFrame]) -> str:
    """One slow station."""
    return _table(data, "slow-station", SHARED)


def both(data: Mapping[str, pl.DataFrame]) -> str:
    """Uploads and downloads."""
    return _table(data, "up-down", SHARED)


def voice(data: Mapping[str, pl.DataFrame]) -> str:
    """A call beside bulk."""
    more = {"95 % of exchanges (ms)": "exchange_p95"}
    return _table(data, "voice", SHARED | more)
