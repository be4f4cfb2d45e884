"""What OFDMA costs the stations of the scenario wifi6-ofdma, and what it gives."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import simulate

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "as it ships": {},
    "without the downloads": {"without.flows": ["OFDMA: download", "single-user: download"]},
    "OFDMA without `uplink`": {"cells[0].mac.ofdma.uplink": False},
}
CELLS: Final = {"OFDMA": ("ap", "sta"), "single-user": ("ap2", "old")}


def measure(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Run the scenario, and what may be the cause."""
    rows = []
    path = simulate.ROOT / "scenarios" / "wifi6-ofdma.toml"
    for variant, keys in VARIANTS.items():
        summary = airtcp.run(path, overrides=keys).json["summary"]
        for cell, (access_point, prefix) in CELLS.items():
            if variant not in ("as it ships", "without the downloads") and cell != "OFDMA":
                continue
            found = next(one for one in summary["cells"] if one["name"] == cell)
            stations = {one["name"]: one for one in found["stations"]}
            own = [one for name, one in stations.items() if name.startswith(prefix)]
            downloads = [one for one in summary["flows"] if one["name"] == f"{cell}: download"]
            row: dict[str, Any] = {"variant": variant, "cell": cell}
            for key in ("queue_delay_mean_s", "queue_delay_p50_s", "queue_delay_p95_s"):
                name = key.removeprefix("queue_delay_").removesuffix("_s")
                row[f"stations_{name}_ms"] = round(1e3 * fmean(one[key]["mean"] for one in own), 2)
            row["access_point_mean_ms"] = round(
                1e3 * stations[access_point]["queue_delay_mean_s"]["mean"], 2
            )
            lost = [one["data_error_rate"]["mean"] for one in own]
            row["stations_lost_percent"] = round(100 * fmean(lost), 1)
            row["download_mbps"] = round(downloads[0]["goodput_bps"]["mean"] / 1e6, 2)
            rows.append(row)
    return {"ofdma-delays.csv": pl.DataFrame(rows)}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the delays, one row for a cell."""
    lines = [
        "| run | cell | stations' queue (ms): mean | median | 95 % | access point's queue (ms): mean "
        "| stations' data frames lost (%) | download (Mb/s) |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in data["ofdma-delays.csv"].to_dicts():
        download = f"{row['download_mbps']:.3g}" if row["download_mbps"] else "-"
        lines.append(
            f"| {row['variant']} | {row['cell']} | {row['stations_mean_ms']:.3g} "
            f"| {row['stations_p50_ms']:.2g} | {row['stations_p95_ms']:.3g} "
            f"| {row['access_point_mean_ms']:.3g} | {row['stations_lost_percent']:.3g} | {download} |"
        )
    return "\n".join(lines)
