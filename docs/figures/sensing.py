"""Stations that sense a frame whose start they missed as a frame, or only by its energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

RULES: Final = ("carrier-sense", "energy")
#: File, number of cells, and what its flows are called in the table.
SCENARIOS: Final = {
    "wifi-exposed": (3, {"left": "outer station", "middle": "middle station", "right": ""}),
    "wifi-chain": (1, {"flow0": "flow over eight hops"}),
}


def rules(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Run both scenarios with both rules."""
    rows = []
    for name, (cells, flows) in SCENARIOS.items():
        for rule in RULES:
            keys = {f"cells[{i}].sensing.unreceived_frames": rule for i in range(cells)}
            done = airtcp.run(simulate.ROOT / "scenarios" / f"{name}.toml", overrides=keys)
            found = done.summary.to_polars().filter(
                (pl.col("kind") == "flow") & (pl.col("quantity") == "goodput_bps")
            )
            rows += [
                {"scenario": name, "flow": row["name"], "rule": rule}
                | {key: row[key] / 1e6 for key in ("mean", "ci_low", "ci_high")}
                for row in found.to_dicts()
                if flows[row["name"]]
            ]
    return {"sensing.csv": pl.DataFrame(rows)}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the goodputs, one row for a flow."""
    lines = [
        "| scenario | flow | `carrier-sense` (Mb/s) | `energy` (Mb/s) | ratio |",
        "|---|---|---|---|---|",
    ]
    rows = data["sensing.csv"].to_dicts()
    for row in rows:
        if row["rule"] != RULES[0]:
            continue
        same = ("scenario", "flow")
        other = next(r for r in rows if r["rule"] == RULES[1] and all(r[k] == row[k] for k in same))
        what = SCENARIOS[row["scenario"]][1][row["flow"]]
        goodputs = [
            f"{one['mean']:.3g} [{one['ci_low']:.3g}, {one['ci_high']:.3g}]" for one in (row, other)
        ]
        ratio = f"{other['mean'] / row['mean']:.3g}"
        lines.append(f"| `{row['scenario']}` | {what} | {goodputs[0]} | {goodputs[1]} | {ratio} |")
    return "\n".join(lines)
