"""When a Linux receiver acknowledges, against PSH on what it gets and the window reductions of the sender.

    cc -O2 -o link docs/figures/kernel/link.c
    ./link --flows reno --rate 2.5 --rtt 320 --mark 20 --seconds 110 --info info.csv --packets packets.csv
    .venv/bin/python docs/figures/kernel/push.py packets.csv info.csv

A link of a quarter of the rate and four times the round-trip time holds as many packets, and what the machine
is late by counts for a quarter. Segments behind the first 600 (slow start) are counted.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

MSS = 1448
PSH = 8
FIRST = 600
CWR = "2"


def main() -> None:
    """Read both records and print the counts."""
    packets, info = (Path(name).read_text().splitlines() for name in sys.argv[1:])
    lines = [line.split(",") for line in packets]
    port = next(p[2] for p in lines if p[0] == "S")
    sent = [p for p in lines if p[0] == "S" and p[2] == port and int(p[5]) > 0]
    begin, start = int(sent[0][3]), float(sent[0][1])
    push = {i for i, p in enumerate(sent) if int(p[6]) & PSH and i >= FIRST}
    acks = sorted({((int(p[4]) - begin) % 2**32) // MSS for p in lines if p[0] == "A"})
    late = [a for a in acks if a > FIRST]
    sizes = Counter(b - a for a, b in zip(late, late[1:], strict=False))
    alone = [b for a, b in zip(late, late[1:], strict=False) if b - a == 1]
    print(
        f"segments with PSH: {len(push)}, acknowledged at once: {len(push & {a - 1 for a in acks})}"
    )
    print(
        f"ACKs by segments: {dict(sizes)}, of single ones with PSH: {sum(a - 1 in push for a in alone)}"
    )
    before = None
    for line in info:
        t, state, window, threshold = line.split(",")[:4]
        reduced = before is not None and state == CWR != before[2]
        if before is not None and (reduced or threshold != before[1]):
            print(f"{float(t) - start:.2f} s: window {before[0]}, threshold {threshold}")
        before = (window, threshold, state)


if __name__ == "__main__":
    main()
