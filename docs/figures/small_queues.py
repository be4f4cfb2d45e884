"""TCP small queues: what a sender keeps in its own device, beside a kernel, and the aggregates of a station of 802.11n.

Tables of docs/models/kernel.md and docs/models/tcp.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
import simulate

if TYPE_CHECKING:
    from collections.abc import Mapping

LAWS: Final = {"cubic": "cubic", "bbr": "bbr1"}
"""Kernel's name of a law, and ours."""
SHIFTS: Final = ["10", "8", "7", "6", "off"]
CELLS: Final = {
    "20 MHz": 'mcs = 7\nwidth = "20 MHz"',
    "40 MHz, 2 streams": 'mcs = 7\nwidth = "40 MHz"\nstreams = 2',
}
KERNEL: Final = "kernel/device.csv"
SIMULATED: Final = "kernel/device-simulated.csv"


def _first(text: str) -> dict[str, Any]:
    return simulate.run(text, why="no").json["replications"][0]


def device(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run the points of the kernel: a sender whose device is the bottleneck, 20 ms."""
    rows = []
    for law, mbps in numbers[KERNEL].select("law", "rate_mbps").iter_rows():
        link = (
            f'forward = {{ rate = "{mbps} Mb/s", delay = "10 ms", sender_device = true }}\n'
            'reverse = { rate = "1 Gb/s", sender_device = false }'
        )
        tcp = f'profile = "linux", congestion = "{LAWS[law]}"'
        found = _first(simulate.transfer(link, tcp, seconds=9, warmup=3))["links"][0]
        # The kernel's count has the packet in transmission.
        below = found["mean_queue_packets"] + found["utilisation"]
        rows.append((law, mbps, round(below, 3), found["max_queue_packets"] + 1))
    names = ["law", "rate_mbps", "below_packets", "below_packets_max"]
    return {SIMULATED: pl.DataFrame(rows, schema=names, orient="row").write_csv()}


def device_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Packets below the sender in the kernel and here."""
    both = numbers[KERNEL].join(numbers[SIMULATED], on=["law", "rate_mbps"], suffix="_here")
    lines = [
        "| law | rate | kernel: mean | model: mean | kernel: most |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| `{LAWS[r['law']]}` | {r['rate_mbps']} Mb/s | {r['below_packets']:.1f} | {r['below_packets_here']:.1f} "
        f"| {r['below_packets_max']} |"
        for r in both.iter_rows(named=True)
    ]
    return "\n".join(lines)


def aggregates() -> dict[str, pl.DataFrame]:
    """Run an upload of one station with every shift, and without the limit."""
    rows = []
    for cell, keys in CELLS.items():
        for law in LAWS.values():
            for shift in SHIFTS:
                limit = "tsq = false" if shift == "off" else f"pacing_shift = {shift}"
                text = (
                    'duration = "20 s"\nwarmup = "5 s"\n[[cells]]\nstandard = "802.11n"\n'
                    f'{keys}\nlayout = {{ kind = "star", stations = 1, radius_m = 2 }}\n'
                    '[[links]]\nfrom = "ap"\nto = "server"\nrate = "1 Gb/s"\ndelay = "10 ms"\n'
                    '[[flows]]\nfrom = "sta0"\nto = "server"\n'
                    f'tcp = {{ profile = "linux", congestion = "{law}", {limit} }}\n'
                )
                run = _first(text)
                flow, station = run["flows"][0], run["cells"][0]["stations"][1]
                rows.append(
                    {
                        "cell": cell,
                        "law": law,
                        "shift": shift,
                        "mpdus": round(station["aggregate_mean_mpdus"], 2),
                        "goodput_mbps": round(flow["goodput_bps"] / 1e6, 2),
                        "rtt_ms": round(flow["rtt_mean_s"] * 1e3, 2),
                    }
                )
    return {"small-queues.csv": pl.DataFrame(rows)}


def aggregates_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """MPDUs an aggregate, goodput and round-trip time by shift."""
    lines = [
        "| cell | law | " + " | ".join("no limit" if s == "off" else s for s in SHIFTS) + " |",
        "|---|---|" + "---|" * len(SHIFTS),
    ]
    table = numbers["small-queues.csv"]
    for (cell, law), part in table.group_by(["cell", "law"], maintain_order=True):
        found = [
            f"{r['mpdus']:.1f}, {r['goodput_mbps']:.1f} Mb/s, {r['rtt_ms']:.0f} ms"
            for r in part.iter_rows(named=True)
        ]
        lines.append(f"| {cell} | `{law}` | " + " | ".join(found) + " |")
    return "\n".join(lines)
