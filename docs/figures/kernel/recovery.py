"""What a Linux sender sent on each ACK of its fast recoveries, against the bounds of PRR.

    cc -O2 -o link docs/figures/kernel/link.c
    cd /sys/kernel/tracing; echo mono > trace_clock; echo 1 > events/tcp/tcp_probe/enable
    echo 1 > events/tcp/tcp_cong_state_set/enable; echo > trace; cd -
    ./link --flows reno --rtt 10 --loss 0.2 --info info.csv --packets packets.csv
    .venv/bin/python docs/figures/kernel/recovery.py /sys/kernel/tracing/trace packets.csv info.csv

SndCnt is the window after an ACK less what was in flight before anything left. An ACK counts only
if TCP_INFO was read between it and both neighbours. A recovery that no ACK began (RACK's timer)
has one segment delivered already.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect
from collections import Counter
from pathlib import Path

import polars as pl

COLUMNS = ["t", "state", "cwnd", "ssthresh", "unacked", "sacked", "lost", "retrans", "delivered"]
RECOVERY = 3
AFTER, BEFORE = 0.00025, 0.0002
"""Seconds from an ACK until its segments have left, and from the last one before it."""


def flight(row: dict[str, float]) -> int:
    """Segments in the network by TCP_INFO."""
    return int(row["unacked"] - row["sacked"] - row["lost"] + row["retrans"])


def main() -> None:
    """Read the three records and print how many ACKs each bound explains."""
    trace, packets, info = sys.argv[1:]
    rows = pl.read_csv(info, has_header=False).select(pl.nth(range(9))).rows()
    samples = [dict(zip(COLUMNS, r, strict=True)) for r in rows]
    times = [s["t"] for s in samples]
    lines = [line.strip().split(",") for line in Path(packets).read_text().splitlines()]
    port = next(p[2] for p in lines if p[0] == "S")
    sent = [float(p[1]) for p in lines if p[0] == "S" and int(p[5]) > 0]
    acks: list[tuple[float, int]] = []
    episodes: list[tuple[float, float]] = []
    begun = None
    for line in Path(trace).read_text().splitlines():
        if "tcp_probe" in line and f"src=10.77.0.1:{port} " in line:
            found = re.search(r" (\d+\.\d+): tcp_probe.*snd_una=0x(\w+)", line)
            if found:
                acks.append((float(found[1]), int(found[2], 16)))
        elif "cong_state_set" in line and f"sport={port} " in line and "saddr=10.77.0.1 " in line:
            found = re.search(r" (\d+\.\d+): tcp_cong.*cong_state=(\d)", line)
            if found and int(found[2]) == RECOVERY:
                begun = float(found[1])
            elif found and begun:
                episodes.append((begun, float(found[1])))
                begun = None
    at = [a[0] for a in acks]
    count: Counter[str] = Counter()
    for begin, end in episodes:
        k = bisect(at, begin) - 1
        by_ack = begin - at[k] < BEFORE + 0.0001
        start = at[k] if by_ack else begin
        prior = bisect(times, start) - 1
        if k < 1 or times[prior] < at[k - by_ack]:
            continue
        k += not by_ack
        while k < len(at) - 1 and at[k] < end - 1e-5:
            i, j = bisect(times, at[k] + AFTER), bisect(times, at[k]) - 1
            seen = i < len(times) and times[i] < min(at[k + 1] - 3e-5, end)
            if seen and times[j] > at[k - 1] + BEFORE:
                a, b = samples[i], samples[j]
                out = bisect(sent, at[k]) - bisect(sent, start)
                before = flight(a) - (bisect(sent, times[i]) - bisect(sent, at[k]))
                now = int(a["delivered"] - b["delivered"])
                delivered = int(a["delivered"] - samples[prior]["delivered"]) + (not by_ack)
                safe = acks[k + 1][1] != acks[k][1] and flight(b) - now <= before
                room, least = int(a["ssthresh"]) - before, 0 if out else 1
                if room < 0:
                    due = -(-int(a["ssthresh"]) * delivered // int(samples[prior]["cwnd"])) - out
                    bounds = {"proportional": max(due, least)}
                else:
                    banked = max(delivered - out, now)
                    limits = {"safe-ack": banked + safe, "ssrb": banked + 1, "crb": banked}
                    bounds = {n: max(min(x, room), least) for n, x in limits.items()}
                telling = len(set(bounds.values())) > 1
                count["ACKs"] += 1
                count["ACKs that tell the bounds apart"] += telling
                for name, x in bounds.items():
                    count[name] += x == int(a["cwnd"]) - before
                    count[f"{name}, telling"] += telling and x == int(a["cwnd"]) - before
            k += 1
    print(f"{len(episodes)} recoveries", *(f"{n}: {c}" for n, c in count.items()), sep="\n")


if __name__ == "__main__":
    main()
