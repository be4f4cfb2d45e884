"""Goodput of every TCP on one link, beside ns-2's and ns-3's: writes goodput.csv and the tables
of docs/models/goodput.md.

    .venv/bin/python docs/figures/peers/table.py [--peers]

Reads ns2.csv and ns3.csv beside it, which `run` made; with --peers our own numbers, too, come from
the goodput.csv of an earlier run. 10 Mb/s, a queue of 100 packets, random
losses behind it; an ACK per segment, minimum timeout 200 ms (profile s0).
"""

from __future__ import annotations

import sys
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
    "hybla": ("linux:hybla", "TcpHybla"),
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


def own(*, again: bool) -> dict[tuple[str, int, float], tuple[float, float]]:
    """Our mean goodput and its standard deviation in Mb/s, by name, round-trip time and loss."""
    if not again:
        frame = pl.read_csv(HERE / "goodput.csv")
        keys = ("tcp", "rtt_ms", "loss", "airtcp_mbps", "airtcp_sd")
        return {(t, r, p): (mean, sd) for t, r, p, mean, sd in frame.select(keys).iter_rows()}
    found = {}
    for name in names():
        for rtt in RTTS:
            for loss in LOSSES:
                runs = ours(name, rtt, loss)
                mean, sd = runs.mean(), runs.std() or 0.0
                found[name, rtt, loss] = (mean, sd)
    return found


def cell(mean: float, theirs: float | None, label: str) -> str:
    """A peer's number behind ours, marked if far."""
    bar = "" if label == "ns2" else "/"
    if theirs is None:
        return f" {bar}-"
    far = abs(mean / theirs - 1) > FAR if theirs > 0 else mean > 0
    return f" {bar}{theirs:.2f}{'!' if far else ''}"


def main() -> None:
    """Run everything, write the CSV, and put the tables into the page."""
    ns2, ns3 = peers("ns2.csv"), peers("ns3.csv")
    found = own(again="--peers" not in sys.argv[1:])
    rows, tables = [], []
    for rtt in RTTS:
        head = " | ".join(f"{100 * loss:g} %" for loss in LOSSES)
        tables.append(f"\n### {rtt} ms\n\n| TCP | {head} |\n|---|{'---|' * len(LOSSES)}\n")
        for name in names():
            cells = []
            for loss in LOSSES:
                mean, sd = found[name, rtt, loss]
                row = {"tcp": name, "rtt_ms": rtt, "loss": loss}
                row |= {"airtcp_mbps": mean, "airtcp_sd": sd}
                text = f"**{mean:.2f}**"
                for label, table, peer in zip(
                    ("ns2", "ns3"), (ns2, ns3), PEERS.get(name, (None, None)), strict=True
                ):
                    theirs = None if peer is None else table.get((peer, rtt, loss))
                    row[f"{label}_mbps"] = theirs
                    text += cell(mean, theirs, label) if name in PEERS else ""
                rows.append(row)
                cells.append(text)
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
