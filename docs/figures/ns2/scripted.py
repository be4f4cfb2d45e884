"""Compares packet by packet with ns-2 where the same packets are lost (scripted.tcl)."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import airtcp

HERE = Path(__file__).parent
SECONDS = 4
RECOVERY = {"Sack1": "sack", "Newreno": "newreno", "Reno": "reno", "Tahoe": "tahoe"}
DROPS = {
    "none": [],
    "one": [150],
    "three of a window": [150, 153, 156],
    "ten in a row": list(range(150, 160)),
    "a packet and its repeat": [150, 277],
    "the first": [1],
}


def ours(recovery: str, drops: list[int]) -> list[tuple[float, int]]:
    """Time and number of every data segment the sender sends."""
    text = (
        f'duration = "{SECONDS} s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "40 ms"\n'
        'queue = { kind = "drop-tail", packets = 100 }\n'
        f'loss = {{ model = "script", only = "data", drop = {drops} }}\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
        f'tcp = {{ profile = "s0", recovery = "{recovery}", limited_transmit = true }}\n'
    )
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "run.pcapng"
        airtcp.run("ns2", text=text, pcap=path)
        return list(_sent(path.read_bytes()))


def _sent(raw: bytes):
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


def theirs(flavour: str, drops: list[int]) -> list[tuple[float, int]]:
    """The same from ns-2."""
    done = subprocess.run(
        ["ns", str(HERE / "scripted.tcl"), flavour, str(SECONDS), *map(str, drops)],
        capture_output=True,
        text=True,
        check=True,
    )
    return [(float(t), int(n)) for t, n in (line.split() for line in done.stdout.splitlines())]


def repeats(sent: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Those sent for the second time or later."""
    seen, again = set(), []
    for t, n in sent:
        if n in seen:
            again.append((t, n))
        seen.add(n)
    return again


def main() -> None:
    """Print both lists of retransmissions and where the packet sequences part."""
    for flavour, recovery in RECOVERY.items():
        for name, drops in DROPS.items():
            a, b = ours(recovery, drops), theirs(flavour, drops)
            same = next(
                (
                    i
                    for i, (x, y) in enumerate(zip(a, b))
                    if x[1] != y[1] or abs(x[0] - y[0]) > 1e-3
                ),
                min(len(a), len(b)),
            )
            print(f"{recovery:8} {name:24} {len(a)} / {len(b)} packets, the first {same} equal")
            if same < min(len(a), len(b)):
                show = lambda s: " ".join(f"{t:.4f}:{n}" for t, n in s[:12])
                print("   airtcp again", show(repeats(a)), "\n   ns-2   again", show(repeats(b)))
                print("   parts at", a[same], b[same])


if __name__ == "__main__":
    main()
