"""Westwood+ with delayed ACKs on the link of docs/models/kernel.md: the goodputs of docs/models/westwood.md.

    .venv/bin/python docs/figures/westwood.py

Profile `linux`, 10 Mb/s, a queue of 100 packets, independent losses behind it, eight runs of 60 s. Prints a
row for each count of what grows the window, in Mb/s with 95 % intervals.
"""

from __future__ import annotations

from typing import Final

import simulate

POINTS: Final = [(10, 0.05), (80, 0.005), (80, 0.01), (80, 0.02)]


def goodput(rtt_ms: int, loss: float, keys: str) -> str:
    """Mean and interval at a point."""
    link = (
        f'rate = "10 Mb/s"\ndelay = "{rtt_ms // 2} ms"\nqueue = {{ kind = "drop-tail", packets = 100 }}\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
        'reverse = { queue = { kind = "drop-tail" }, loss = { model = "none" } }'
    )
    tcp = f'profile = "linux", congestion = "westwood+"{keys}'
    text = simulate.transfer(link, tcp, seconds=60, runs=8)
    mean, low, high = simulate.summary(simulate.run(text), "flow")["goodput_bps"]
    return f"{mean / 1e6:.2f} ({low / 1e6:.2f} to {high / 1e6:.2f})"


def main() -> None:
    """Print the rows."""
    print("", *(f"{rtt} ms, {loss:.1%}" for rtt, loss in POINTS), sep=" | ")
    for name, keys in (("bytes", ""), ("ACKs", ', law_rules = "documents"')):
        print(name, *(goodput(rtt, loss, keys) for rtt, loss in POINTS), sep=" | ")


if __name__ == "__main__":
    main()
