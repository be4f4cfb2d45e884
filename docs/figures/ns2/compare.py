"""Compares goodput with ns-2's: runs the scenarios of goodput.tcl here and prints the table.

    .venv/bin/python docs/figures/ns2/compare.py

Reads goodput.csv beside it, which `run` made.
"""

from __future__ import annotations

from pathlib import Path

import airtcp
import polars as pl

HERE = Path(__file__).parent
RECOVERY = {"Sack1": "sack-ns2", "Newreno": "newreno"}


def ours(
    flavour: str, rtt: int, loss: float, limited: int, more: str = ""
) -> list[dict[str, float]]:
    """Goodput and timeouts of ten runs."""
    text = (
        f'duration = "200 s"\nreplications = {10 if loss else 1}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{500 * rtt} us"\n'
        'queue = { kind = "drop-tail", packets = 100 }\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
        f'tcp = {{ profile = "s0", recovery = "{RECOVERY[flavour]}", '
        f"limited_transmit = {str(bool(limited)).lower()}{more} }}\n"
    )
    flows = airtcp.run("ns2", text=text).flows
    return flows.select("goodput_bps", "timeouts", "retransmissions").to_dicts()


def interval(values: pl.Series) -> float:
    """Half the width of the 95 % interval of the mean of ten values."""
    return 2.262 * values.std() / len(values) ** 0.5 if len(values) > 1 else 0.0


def main() -> None:
    """Print the table in Markdown and write it as CSV."""
    theirs = pl.read_csv(HERE / "goodput.csv")
    table = []
    for key, runs in theirs.group_by(
        "limited_transmit", "flavour", "rtt_ms", "loss", maintain_order=True
    ):
        limited, flavour, rtt, loss = key
        mine = pl.DataFrame(ours(flavour, rtt, loss, limited))
        a, b = mine["goodput_bps"] / 1e6, runs["goodput_bps"] / 1e6
        table.append(
            {
                "limited_transmit": limited,
                "flavour": flavour,
                "rtt_ms": rtt,
                "loss_percent": 100 * loss,
                "airtcp_mbps": a.mean(),
                "airtcp_ci": interval(a),
                "ns2_mbps": b.mean(),
                "ns2_ci": interval(b),
                "ratio": a.mean() / b.mean(),
                "airtcp_timeouts": mine["timeouts"].mean(),
                "ns2_timeouts": runs["timeouts"].mean(),
            }
        )
    frame = pl.DataFrame(table)
    frame.write_csv(HERE / "comparison.csv", float_precision=4)
    print("| | RTT ms | loss % | airtcp Mb/s | ns-2 Mb/s | ratio | timeouts, airtcp / ns-2 |")
    print("|---|---|---|---|---|---|---|")
    for row in frame.filter(pl.col("limited_transmit") == 1).to_dicts():
        print(
            f"| {row['flavour']} | {row['rtt_ms']} | {row['loss_percent']:g} "
            f"| {row['airtcp_mbps']:.3f} ± {row['airtcp_ci']:.3f} | {row['ns2_mbps']:.3f} ± {row['ns2_ci']:.3f} "
            f"| {row['ratio']:.2f} | {row['airtcp_timeouts']:.1f} / {row['ns2_timeouts']:.1f} |"
        )


if __name__ == "__main__":
    main()
