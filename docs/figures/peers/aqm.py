"""Compares CoDel, FQ-CoDel and PIE under TCP with ns-3 (aqm.cc).

    .venv/bin/python docs/figures/peers/aqm.py

Reads aqm-ns3.csv beside it, which `run` makes, and writes aqm.csv: goodput in Mb/s, drops, marks and mean
packets waiting, of both; and the table of docs/models/queues.md.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import airtcp

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "models" / "queues.md"
PLACE = re.compile(r"(?<=<!-- aqm -->\n).*(?=<!-- end of aqm -->)", re.DOTALL)
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
    link = result.links.filter(result.links["name"] == "air").mean()
    goodput = float(result.flows["goodput_bps"].sum()) / 3e6
    row = link.row(0, named=True)
    drops = row["dropped_queue_early_packets"] + row["dropped_queue_full_packets"]
    return goodput, drops, row["marked_packets"], row["mean_queue_packets"]


def table(rows: list[dict[str, str]]) -> str:
    """What the page has of the rows: those without ECN, but for FQ-CoDel with one flow, which is CoDel."""
    lines = [
        "| | flows, RTT | goodput, Mb/s | drops | mean packets waiting |",
        "|---|---|---|---|---|",
    ]
    for disc, name in NAMES.items():
        own = [r for r in rows if r["discipline"] == disc and r["ecn"] == "0"]
        for row in sorted(own, key=lambda r: (int(r["flows"]), float(r["rtt_ms"]))):
            if disc == "FqCoDel" and row["flows"] == "1":
                continue
            pairs = [
                f"{float(row[f'airtcp_{what}']):.{digits}f} / {float(row[f'ns3_{what}']):.{digits}f}"
                for what, digits in (("mbps", 2), ("dropped", 0), ("waiting", 1))
            ]
            lines.append(
                f"| {name} | {row['flows']}, {row['rtt_ms']} ms | " + " | ".join(pairs) + " |"
            )
    return "\n".join(lines) + "\n"


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
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    page = PAGE.read_text()
    PAGE.write_text(PLACE.sub(lambda _: "\n" + table(rows) + "\n", page))


if __name__ == "__main__":
    main()
