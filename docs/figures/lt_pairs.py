"""Two flows behind RED that marks.

10 Mb/s, 80 ms, RED 25 and 90 of 100 packets, eight runs of 200 s of which the first 20 are left out; the
second flow begins 3.7 to 3.9 s later.
"""

from __future__ import annotations

from typing import Final

import polars as pl
import simulate

LT: Final = 'transport = "lt-tcp"'
CUBIC: Final = 'tcp = { congestion = "cubic", ecn = true }'
SACK: Final = "tcp = { ecn = true }"
PAIRS: Final = {
    "LT-TCP and SACK": (LT, SACK),
    "LT-TCP and CUBIC": (LT, CUBIC),
    "LT-TCP with CUBIC's law and CUBIC": (f"{LT}\n{CUBIC}", CUBIC),
    "LT-TCP and LT-TCP": (LT, LT),
    "SACK and CUBIC": (SACK, CUBIC),
}


def measure() -> dict[str, pl.DataFrame]:
    """Run the pairs."""
    rows = []
    for name, pair in PAIRS.items():
        text = (
            'duration = "200 s"\nwarmup = "20 s"\nreplications = 8\n[[links]]\nfrom = "a"\nto = "b"\n'
            'rate = "10 Mb/s"\ndelay = "40 ms"\n'
            'queue = { kind = "red", limit = 100, min = 25, max = 90, ecn = true }\n'
        )
        for k, keys in enumerate(pair):
            text += f'[[flows]]\nname = "f{k}"\nfrom = "a"\nto = "b"\n{keys}\n'
            if k:
                text += 'app = { kind = "bulk", start = "3.7 s" }\nstart_spread = "200 ms"\n'
        flows = simulate.run(text).flows.to_polars()
        means = {
            f"{which}_mbps": flows.filter(pl.col("name") == f"f{k}")["goodput_bps"].mean() / 1e6
            for k, which in enumerate(("first", "second"))
        }
        rows.append({"pair": name} | means)
    return {"lt-pairs.csv": pl.DataFrame(rows)}
