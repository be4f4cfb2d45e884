"""Two flows behind RED that marks: the first column of a table of docs/models/lt-tcp.md.

    .venv/bin/python docs/figures/lt_pairs.py

10 Mb/s, 80 ms, RED 25 and 90 of 100 packets, eight runs of 200 s of which the first 20 are left out; the
second flow begins 3.7 to 3.9 s later. Prints goodputs in Mb/s.
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


def main() -> None:
    """Run the pairs."""
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
        flows = simulate.run(text).flows
        means = [
            flows.filter(pl.col("name") == f"f{k}").select(pl.mean("goodput_bps")).item() / 1e6
            for k in range(2)
        ]
        print(f"| {name} | {means[0]:.2f}, {means[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
