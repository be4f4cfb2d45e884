"""Running scenarios and traces for the figures."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

import polars as pl

import airtcp

ROOT: Final = Path(__file__).parents[2]


def run(text: str, **options: Any) -> airtcp.RunResult:
    """Run a scenario given as text; `options` are those of `airtcp.run`."""
    return airtcp.run("figure", text=text, **options)


def summary(result: airtcp.RunResult, kind: str) -> dict[str, tuple[float, float, float]]:
    """Mean and interval of every quantity of the first flow or link."""
    name = result.summary.to_polars().filter(pl.col("kind") == kind)["name"][0]
    table = result.summary.to_polars().filter((pl.col("kind") == kind) & (pl.col("name") == name))
    return {
        row["quantity"]: (row["mean"], row["ci_low"], row["ci_high"]) for row in table.to_dicts()
    }


def goodput(text: str, runs: int) -> dict[str, float]:
    """Mean and interval of the goodput of the first flow in Mb/s, over so many runs."""
    mean, low, high = summary(run(text), "flow")["goodput_bps"]
    return {"runs": runs, "mbps": mean / 1e6, "low": low / 1e6, "high": high / 1e6}


def example(crate: str, name: str, *arguments: str) -> str:
    """Build and run an example of a crate; give what it prints."""
    command = ["cargo", "run", "--release", "-q", "-p", crate, "--example", name, "--", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def transfer(link: str, tcp: str, *, seconds: float, warmup: float = 0, runs: int = 1) -> str:
    """Write the scenario of one endless transfer over one link."""
    return (
        f'duration = "{seconds:.0f} s"\nwarmup = "{warmup:.0f} s"\nreplications = {runs}\n'
        f'[[links]]\nfrom = "a"\nto = "b"\n{link}\n'
        f'[[flows]]\nfrom = "a"\nto = "b"\ntcp = {{ {tcp} }}\n'
    )


def folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder for traces that goes when it is done with."""
    return tempfile.TemporaryDirectory(prefix="airtcp-figures-")


def acknowledged(path: Path) -> set[int]:
    """Acknowledgement numbers that reached the sender of the only flow of a capture.

    Counted from the sender's initial sequence number. Reads as much of pcapng (little-endian,
    raw IPv4) as the program writes.
    """
    raw = path.read_bytes()
    at = 0
    sender, first, seen = None, 0, set[int]()
    while at < len(raw):
        kind = int.from_bytes(raw[at : at + 4], "little")
        length = int.from_bytes(raw[at + 4 : at + 8], "little")
        if kind == 6:
            packet = raw[at + 28 : at + 28 + int.from_bytes(raw[at + 20 : at + 24], "little")]
            tcp = packet[4 * (packet[0] & 15) :]
            if sender is None:
                sender, first = packet[12:16], int.from_bytes(tcp[4:8], "big")
            elif packet[12:16] != sender:
                seen.add((int.from_bytes(tcp[8:12], "big") - first) % 2**32)
        at += length
    return seen
