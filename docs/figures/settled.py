"""How many traces mu has settled on: what docs/models/trace-metrics.md says in "Has mu converged?"."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl
import simulate
import style

import airtcp

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


def count() -> None:
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
    style.numbers("settled", pl.DataFrame(rows))
