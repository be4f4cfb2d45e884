"""Goodput of every TCP on one link, beside ns-2's and ns-3's: writes goodput.csv and the tables
of docs/models/goodput.md.

    .venv/bin/python docs/figures/peers/table.py

Reads ns2.csv and ns3.csv beside it, which `run` made. 10 Mb/s, a queue of 100 packets, random
losses behind it; an ACK per segment, minimum timeout 200 ms (profile s0).
"""

from __future__ import annotations

from pathlib import Path

import airtcp
import polars as pl

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "models" / "goodput.md"
RTTS = (10, 80, 200)
LOSSES = (0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
SECONDS = 100
RUNS = 6
FAR = 0.15
"""A difference above this share is marked and explained in the page."""

RECOVERIES = ("tahoe", "reno", "newreno", "sack")
PEERS = {
    "tahoe": ("Tahoe", None),
    "reno": ("Reno", None),
    "newreno": ("Newreno", None),
    "sack": ("Sack1", "TcpLinuxReno"),
    "vegas": ("Vegas", None),
    "vegas-linux": ("linux:vegas", "TcpVegas"),
    "veno": ("linux:veno", "TcpVeno"),
    "westwood": (None, "TcpWestwood"),
    "westwood+": ("linux:westwood", "TcpWestwoodPlus"),
    "bic": ("linux:bic", "TcpBic"),
    "cubic-2008": ("linux:cubic", None),
    "cubic": (None, "TcpCubic"),
    "bbr1": (None, "TcpBbr"),
}
"""For each TCP here the agent of ns-2 and the type of ns-3 that is meant to be the same."""


def names() -> list[str]:
    """Recoveries under Reno's law, then the laws, all with SACK."""
    laws = [entry["name"] for entry in airtcp.registry("congestion") if entry["name"] != "reno"]
    both = []
    for law in laws:
        both += [law, "vegas-linux"] if law == "vegas" else [law]
    return [*RECOVERIES, *both]


def keys(name: str) -> str:
    """The TCP keys of a name."""
    if name in RECOVERIES:
        return f'recovery = "{name}"'
    law = '{ law = "vegas", set = "linux" }' if name == "vegas-linux" else f'"{name}"'
    return f'recovery = "sack", congestion = {law}'


def ours(name: str, rtt: int, loss: float) -> pl.Series:
    """Goodput of some runs in Mb/s."""
    text = (
        f'duration = "{SECONDS} s"\nreplications = {RUNS if loss else 1}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{500 * rtt} us"\n'
        'queue = { kind = "drop-tail", packets = 100 }\n'
        f'loss = {{ model = "bernoulli", probability = {loss} }}\n'
        f'[[flows]]\nfrom = "a"\nto = "b"\ntcp = {{ profile = "s0", {keys(name)} }}\n'
    )
    return airtcp.run("table", text=text).flows["goodput_bps"] / 1e6


def peers(file: str) -> dict[tuple[str, int, float], float]:
    """Mean goodput in Mb/s by name, round-trip time and loss."""
    frame = pl.read_csv(HERE / file).group_by("tcp", "rtt_ms", "loss").agg(pl.mean("goodput_bps"))
    return {(t, int(r), float(p)): g / 1e6 for t, r, p, g in frame.iter_rows()}


def main() -> None:
    """Run everything, write the CSV, and put the tables into the page."""
    ns2, ns3 = peers("ns2.csv"), peers("ns3.csv")
    rows, tables = [], []
    for rtt in RTTS:
        head = " | ".join(f"{100 * loss:g} %" for loss in LOSSES)
        tables.append(f"\n### {rtt} ms\n\n| TCP | {head} |\n|---|{'---|' * len(LOSSES)}\n")
        for name in names():
            cells = []
            for loss in LOSSES:
                runs = ours(name, rtt, loss)
                mean = float(runs.mean())  # pyright: ignore[reportArgumentType]
                row = {"tcp": name, "rtt_ms": rtt, "loss": loss, "airtcp_mbps": mean}
                row["airtcp_sd"] = float(runs.std() or 0.0)  # pyright: ignore[reportArgumentType]
                cell = f"**{mean:.2f}**"
                for label, table, peer in zip(
                    ("ns2", "ns3"), (ns2, ns3), PEERS.get(name, (None, None)), strict=True
                ):
                    theirs = None if peer is None else table.get((peer, rtt, loss))
                    row[f"{label}_mbps"] = theirs
                    if theirs is not None:
                        far = abs(mean / theirs - 1) > FAR if theirs > 0 else mean > 0
                        cell += f" {'' if label == 'ns2' else '/'}{theirs:.2f}{'!' if far else ''}"
                    elif peer is None and PEERS.get(name, (None, None)) != (None, None):
                        cell += " -" if label == "ns2" else " /-"
                rows.append(row)
                cells.append(cell)
            tables[-1] += f"| {name} | {' | '.join(cells)} |\n"
    pl.DataFrame(rows, infer_schema_length=None).write_csv(HERE / "goodput.csv", float_precision=4)
    page = PAGE.read_text("utf-8")
    before, rest = page.split("<!-- tables -->", 1)
    _, after = rest.split("<!-- end of tables -->", 1)
    middle = "".join(tables)
    PAGE.write_text(
        f"{before}<!-- tables -->\n{middle}\n<!-- end of tables -->{after}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
