"""BBR and Reno under independent losses.

10 Mb/s, 80 ms, a queue of 100 packets, profile `linux`, four runs of 60 s; shares of the link's rate of
payload.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

LOSSES: Final = [0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
DRAFT: Final = '{ law = "bbr1", rules = "documents" }'
LAWS: Final = {
    "`bbr1`": f"congestion = {DRAFT}",
    "`bbr1` by Linux's rules": 'congestion = "bbr1"',
    "`bbr1`, `rack = false`": f"congestion = {DRAFT}, rack = false, tlp = false",
    "`bbr`": 'congestion = "bbr"',
    "`reno`": 'congestion = "reno"',
}
PAYLOAD_BPS: Final = 10e6 * 1448 / 1500


def measure() -> dict[str, str]:
    """Run every point."""
    rows = []
    for name, keys in LAWS.items():
        for loss in LOSSES:
            link = (
                'rate = "10 Mb/s"\ndelay = "40 ms"\nqueue = { kind = "drop-tail", packets = 100 }\n'
                f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
                'reverse = { queue = { kind = "drop-tail" }, loss = { model = "none" } }'
            )
            tcp = f'profile = "linux", {keys}'
            result = simulate.run(simulate.transfer(link, tcp, seconds=60, runs=4))
            share = simulate.summary(result, "flow")["goodput_bps"][0] / PAYLOAD_BPS
            rows.append({"law": name, "loss": loss, "share": round(share, 3)})
    return {"bbr-losses.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The rows as the page has them."""
    title = " | ".join(f"{100 * loss:g}" + (" %" if loss else "") for loss in LOSSES)
    lines = [f"| loss | {title} |", "|---" * (len(LOSSES) + 1) + "|"]
    for (name,), own in numbers["bbr-losses.csv"].group_by("law", maintain_order=True):
        lines.append(f"| {name} | " + " | ".join(f"{x:.3f}" for x in own["share"]) + " |")
    return "\n".join(lines)
