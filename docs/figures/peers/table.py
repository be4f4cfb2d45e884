"""Goodput of every TCP on one link, beside ns-2's and ns-3's, which `run` runs.

10 Mb/s, a queue of 100 packets, random losses behind it; an ACK per segment, minimum timeout 200 ms
(profile s0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    return airtcp.run("table", text=text).flows.to_polars()["goodput_bps"] / 1e6


def peers(frame: pl.DataFrame) -> dict[tuple[str, int, float], float]:
    """Mean goodput in Mb/s by name, round-trip time and loss."""
    found = frame.group_by("tcp", "rtt_ms", "loss").agg(pl.mean("goodput_bps"))
    return {(t, int(r), float(p)): g / 1e6 for t, r, p, g in found.iter_rows()}


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run every TCP at every point; its peers' means stand beside it."""
    found = {label: peers(numbers[f"peers/{label}.csv"]) for label in ("ns2", "ns3")}
    rows = []
    for rtt in RTTS:
        for name in names():
            for loss in LOSSES:
                runs = ours(name, rtt, loss)
                row = {"tcp": name, "rtt_ms": rtt, "loss": loss}
                row |= {"airtcp_mbps": runs.mean(), "airtcp_sd": runs.std() or 0.0}
                for (label, means), peer in zip(
                    found.items(), PEERS.get(name, (None, None)), strict=True
                ):
                    row[f"{label}_mbps"] = means.get((peer, rtt, loss)) if peer else None
                rows.append(row)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return {"peers/goodput.csv": frame.write_csv(float_precision=4)}


def cell(mean: float, theirs: float | None, label: str) -> str:
    """A peer's number behind ours, marked if far; nothing if the peer has no such TCP."""
    if theirs is None:
        return ""
    bar = "" if label == "ns2" else "/"
    far = abs(mean / theirs - 1) > FAR if theirs > 0 else mean > 0
    return f" {bar}{theirs:.2f}{'!' if far else ''}"


def tables(numbers: Mapping[str, pl.DataFrame]) -> str:
    """A table for each round-trip time; a peer's number stands behind ours."""
    found = {
        (tcp, rtt, loss): mean
        for tcp, rtt, loss, mean, *_ in numbers["peers/goodput.csv"].iter_rows()
    }
    theirs = {label: peers(numbers[f"peers/{label}.csv"]) for label in ("ns2", "ns3")}
    lines = []
    for rtt in RTTS:
        head = " | ".join(f"{100 * loss:g} %" for loss in LOSSES)
        lines += ["", f"### {rtt} ms", "", f"| TCP | {head} |", f"|---|{'---|' * len(LOSSES)}"]
        for name in dict.fromkeys(tcp for tcp, _, _ in found):
            cells = []
            for loss in LOSSES:
                mean = found[name, rtt, loss]
                text = f"**{mean:.2f}**"
                for (label, means), peer in zip(theirs.items(), PEERS.get(name, ()), strict=False):
                    text += cell(mean, means.get((peer, rtt, loss)) if peer else None, label)
                cells.append(text)
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines[1:])
