"""How many traces mu has converged on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import simulate

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

LINKS: Final = 300
PACKETS: Final = 100_000
KINDS: Final = (
    # PRR, mu of the first half, mu of the second half, packets
    (0.5, 0.6, 0.6, PACKETS),
    (0.9, 0.9, 0.9, PACKETS),
    (0.98, 0.8, 0.8, PACKETS),
    (0.5, 0.6, 0.6, 300),
    (0.5, 0.2, 0.8, PACKETS),
)


def _settled(prr: float, mus: tuple[float, float], packets: int) -> int:
    with simulate.folder() as home:
        for seed in range(1, LINKS + 1):
            path = Path(home) / f"{seed:03}.txt"
            if mus[0] == mus[1]:
                airtcp.synth(path, prr=prr, mu=mus[0], packets=packets, seed=seed)
                continue
            halves: list[str] = []
            for i, mu in enumerate(mus):
                half = Path(home) / "half"
                number = 2 * seed + i
                airtcp.synth(half, prr=prr, mu=mu, packets=packets // 2, seed=number, force=True)
                halves += [x for x in half.read_text().splitlines() if not x.startswith("#")]
                half.unlink()
            path.write_text("\n".join(halves) + "\n")
        return sum(link["converged"] for link in airtcp.stats(home)["links"])


def count() -> dict[str, Any]:
    """Count the traces of each kind whose mu has settled."""
    rows = [
        {
            "prr": prr,
            "mu_first_half": first,
            "mu_second_half": second,
            "packets": packets,
            "links": LINKS,
            "settled": _settled(prr, (first, second), packets),
        }
        for prr, first, second, packets in KINDS
    ]
    return {"settled.csv": pl.DataFrame(rows)}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The counts as the page has them."""
    lines = ["| PRR | mu | packets | converged |", "|---|---|---|---|"]
    for row in numbers["settled.csv"].iter_rows(named=True):
        first, second = row["mu_first_half"], row["mu_second_half"]
        mu = f"{first:g}" if first == second else f"{first:g}, then {second:g}"
        lines.append(f"| {row['prr']:g} | {mu} | {row['packets']:,} | {row['settled']} |")
    return "\n".join(lines)
