"""Compares packet by packet with ns-2 where the same packets are lost (scripted.tcl).

For each recovery and list of lost packets how many packets both
sent, how many of them at the same time, and how many repeats agree in number and time.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
SECONDS = 4
# Time of a packet of 1500 B at 10 Mb/s, and a little.
PACKET = 1.25e-3
# ns-2's flavour of each recovery.
FLAVOUR = {
    "sack": "Sack1",
    "sack-ns2": "Sack1",
    "newreno": "Newreno",
    "reno": "Reno",
    "tahoe": "Tahoe",
}
Sent = list[tuple[float, int]]


def drops() -> dict[str, list[int]]:
    """The lists of lost packets: chosen ones, and thirty at random."""
    lists = {
        "none": [],
        "one": [150],
        "three of a window": [150, 153, 156],
        "ten in a row": list(range(150, 160)),
        "a packet and its repeat": [150, 277],
        "the first": [1],
        "seven apart": list(range(150, 163, 2)),
        "fifty in a row": list(range(150, 200)),
        "two windows": [150, 153, 400, 404, 409],
    }
    for seed in range(30):
        rng, loss = random.Random(seed), (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)[seed % 6]
        lists[f"{loss:.1%} at random, {seed}"] = [i for i in range(5, 6000) if rng.random() < loss]
    return lists


def ours(recovery: str, lost: list[int]) -> Sent:
    """Time and number of every data segment the sender sends."""
    # ns-2's queue of 100 packets holds 99.
    text = (
        f'duration = "{SECONDS} s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "40 ms"\n'
        'queue = { kind = "drop-tail", packets = 99 }\n'
        f'loss = {{ model = "script", only = "data", drop = {lost} }}\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
        f'tcp = {{ profile = "s0", recovery = "{recovery}", limited_transmit = true }}\n'
    )
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "run.pcapng"
        airtcp.run("ns2", text=text, pcap=path)
        return list(_sent(path.read_bytes()))


def _sent(raw: bytes) -> Iterator[tuple[float, int]]:
    at, sender, first = 0, None, 0
    while at < len(raw):
        kind, length = (int.from_bytes(raw[at + i : at + i + 4], "little") for i in (0, 4))
        if kind == 6:
            high, low, kept, size = (
                int.from_bytes(raw[at + i : at + i + 4], "little") for i in (12, 16, 20, 24)
            )
            packet = raw[at + 28 : at + 28 + kept]
            tcp = packet[4 * (packet[0] & 15) :]
            number = int.from_bytes(tcp[4:8], "big")
            if sender is None:
                sender, first = packet[12:16], number
            elif packet[12:16] == sender and size > 100:
                yield ((high << 32 | low) / 1e9, ((number - first) % 2**32 - 1) // 1460 + 1)
        at += length


def theirs(flavour: str, lost: list[int]) -> Sent:
    """The same from ns-2."""
    done = subprocess.run(
        ["ns", str(HERE / "scripted.tcl"), flavour, str(SECONDS), *map(str, lost)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [(float(t), int(n)) for t, n in (line.split() for line in done.stdout.splitlines())]


def repeats(sent: Sent) -> Sent:
    """Those sent for the second time or later."""
    seen, again = set(), []
    for t, n in sent:
        if n in seen:
            again.append((t, n))
        seen.add(n)
    return again


def agreeing(a: Sent, b: Sent) -> int:
    """How many of `b` have a packet in `a` of the same number, at most a packet's time apart."""
    times: dict[int, list[float]] = {}
    for t, n in a:
        times.setdefault(n, []).append(t)
    found = 0
    for t, n in b:
        near = [s for s in times.get(n, []) if abs(s - t) <= PACKET]
        if near:
            times[n].remove(near[0])
            found += 1
    return found


def compare(a: Sent, b: Sent) -> dict[str, int]:
    """The counts of one comparison."""
    common = Counter(n for _, n in a) & Counter(n for _, n in b)
    return {
        "airtcp_packets": len(a),
        "ns2_packets": len(b),
        "same_packets": sum(common.values()),
        "same_packets_and_time": agreeing(a, b),
        "ns2_repeats": len(repeats(b)),
        "same_repeats_and_time": agreeing(repeats(a), repeats(b)),
    }


def measure() -> dict[str, str]:
    """Run every list of losses under every recovery, in both."""
    rows = [
        {"recovery": recovery, "lost": name} | compare(ours(recovery, lost), theirs(flavour, lost))
        for recovery, flavour in FLAVOUR.items()
        for name, lost in drops().items()
    ]
    return {"ns2/scripted.csv": pl.DataFrame(rows).write_csv()}


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """The sums over all lists."""
    lines = [
        "| `recovery` | packets, airtcp / ns-2 | equal packets | at equal times "
        "| ns-2's retransmissions at equal times |",
        "|---|---|---|---|---|",
    ]
    sums = numbers["ns2/scripted.csv"].group_by("recovery").agg(pl.exclude("lost").sum())
    found = {row["recovery"]: row for row in sums.to_dicts()}
    for recovery in ("sack-ns2", "sack", "newreno", "reno", "tahoe"):
        row = found[recovery]
        lines.append(
            f"| `{recovery}` | {row['airtcp_packets']} / {row['ns2_packets']} | {row['same_packets']} "
            f"| {row['same_packets_and_time']} | {row['same_repeats_and_time']} of {row['ns2_repeats']} |"
        )
    return "\n".join(lines)
