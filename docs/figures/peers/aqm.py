"""Compares CoDel, FQ-CoDel and PIE under TCP with ns-3 (aqm.cc, which `run` runs).

Goodput in Mb/s, drops, marks and mean packets waiting, of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMES = {"CoDel": "CoDel", "FqCoDel": "FQ-CoDel", "Pie": "PIE"}
KIND = {"CoDel": "codel", "FqCoDel": "fq-codel", "Pie": "pie"}


def ours(disc: str, flows: int, rtt: float, ecn: int) -> tuple[float, float, float, float]:
    """Goodput in Mb/s, drops, marks and mean packets waiting from 10 s to 60 s, mean of three runs."""
    capable = str(bool(ecn)).lower()
    text = (
        'duration = "50 s"\nwarmup = "10 s"\nreplications = 3\n'
        f'[[links]]\nname = "air"\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "{rtt / 2} ms"\n'
        f'queue = {{ kind = "{KIND[disc]}", ecn = {capable} }}\n'
        'reverse = { queue = { kind = "drop-tail", packets = 1000 } }\n'
    )
    for i in range(flows):
        text += (
            f'[[flows]]\nname = "f{i}"\nfrom = "a"\nto = "b"\nstart_spread = "{100 * i} ms"\n'
            f'tcp = {{ profile = "linux", congestion = "reno", ecn = {capable}, ack_every = 1 }}\n'
        )
    result = airtcp.run("aqm", text=text)
    link = result.links.to_polars().filter(result.links.to_polars()["name"] == "air").mean()
    goodput = float(result.flows.to_polars()["goodput_bps"].sum()) / 3e6
    row = link.row(0, named=True)
    drops = row["dropped_queue_early_packets"] + row["dropped_queue_full_packets"]
    return goodput, drops, row["marked_packets"], row["mean_queue_packets"]


def table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """What the page has of the rows: those without ECN, but for FQ-CoDel with one flow, which is CoDel."""
    rows = numbers["peers/aqm.csv"].sort("flows", "rtt_ms").to_dicts()
    lines = [
        "| | flows, RTT | goodput, Mb/s | drops | mean packets waiting |",
        "|---|---|---|---|---|",
    ]
    for disc, name in NAMES.items():
        for row in (r for r in rows if r["discipline"] == disc and not r["ecn"]):
            if disc == "FqCoDel" and row["flows"] == 1:
                continue
            pairs = [
                f"{row[f'airtcp_{what}']:.{digits}f} / {row[f'ns3_{what}']:.{digits}f}"
                for what, digits in (("mbps", 2), ("dropped", 0), ("waiting", 1))
            ]
            lines.append(
                f"| {name} | {row['flows']}, {row['rtt_ms']} ms | " + " | ".join(pairs) + " |"
            )
    return "\n".join(lines)


def measure(numbers: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Run what ns-3 ran."""
    rows = []
    for peer in numbers["peers/aqm-ns3.csv"].iter_rows(named=True):
        keys = {k: peer[k] for k in ("discipline", "flows", "rtt_ms", "ecn")}
        mbps, dropped, marked, waiting = ours(*keys.values())
        row = keys | {
            "airtcp_mbps": f"{mbps:.3f}",
            "ns3_mbps": f"{peer['goodput_bps'] / 1e6:.3f}",
            "airtcp_dropped": f"{dropped:.0f}",
            "ns3_dropped": peer["dropped"],
            "airtcp_marked": f"{marked:.0f}",
            "ns3_marked": peer["marked"],
            "airtcp_waiting": f"{waiting:.2f}",
            "ns3_waiting": f"{peer['waiting']:.2f}",
        }
        rows.append(row)
    return {"peers/aqm.csv": pl.DataFrame(rows).write_csv()}
