"""Compares CoDel, FQ-CoDel and PIE under TCP with ns-3 (aqm.cc).

    .venv/bin/python docs/figures/peers/aqm.py

Reads aqm-ns3.csv beside it, which `run` makes, and writes aqm.csv: goodput in Mb/s, drops, marks and mean
packets waiting, of both.
"""

from __future__ import annotations

import csv
from pathlib import Path

import airtcp

HERE = Path(__file__).parent
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
    link = result.links.filter(result.links["name"] == "air").mean()
    goodput = float(result.flows["goodput_bps"].sum()) / 3e6
    row = link.row(0, named=True)
    drops = row["dropped_queue_early_packets"] + row["dropped_queue_full_packets"]
    return goodput, drops, row["marked_packets"], row["mean_queue_packets"]


def main() -> None:
    """Write the table."""
    with (HERE / "aqm-ns3.csv").open() as file:
        theirs = list(csv.DictReader(file))
    rows = []
    for peer in theirs:
        keys = {k: peer[k] for k in ("discipline", "flows", "rtt_ms", "ecn")}
        found = ours(
            peer["discipline"], int(peer["flows"]), float(peer["rtt_ms"]), int(peer["ecn"])
        )
        row = keys | {
            "airtcp_mbps": f"{found[0]:.3f}",
            "ns3_mbps": f"{float(peer['goodput_bps']) / 1e6:.3f}",
            "airtcp_dropped": f"{found[1]:.0f}",
            "ns3_dropped": peer["dropped"],
            "airtcp_marked": f"{found[2]:.0f}",
            "ns3_marked": peer["marked"],
            "airtcp_waiting": f"{found[3]:.2f}",
            "ns3_waiting": f"{float(peer['waiting']):.2f}",
        }
        print(*row.values(), sep=",")
        rows.append(row)
    with (HERE / "aqm.csv").open("w", newline="") as out:
        table = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
