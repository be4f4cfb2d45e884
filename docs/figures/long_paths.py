"""What the sliding transport gets of a long fat path: numbers of docs/models/sliding.md.

100 Mb/s, a round trip of 300 ms and a drop-tail queue of 1000 packets, independent losses, five runs of which the
seconds from 60 to 120 count. Goodput as a share of (1-p)C.
"""

from __future__ import annotations

from typing import Final

import polars as pl
import simulate

RUNS: Final = 5
LOSSES: Final = (0.1, 0.3, 0.5)


def _row(loss: float) -> dict[str, float]:
    link = (
        'rate = "100 Mb/s"\ndelay = "150 ms"\nqueue = { kind = "drop-tail", packets = 1000 }\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}'
    )
    text = simulate.transfer(link, "", seconds=120, warmup=60, runs=RUNS)
    text = "seed = 301\n" + text.replace("tcp = {  }", 'transport = "sliding"')
    share = 1e8 * (1 - loss)
    mean, low, high = simulate.summary(simulate.run(text), "flow")["goodput_bps"]
    return {"loss": loss, "share": mean / share, "low": low / share, "high": high / share}


def measure() -> dict[str, pl.DataFrame]:
    """Run every loss."""
    return {"long-paths.csv": pl.DataFrame([_row(loss) for loss in LOSSES])}
