"""How many packets CoDel, FQ-CoDel and PIE mark: an independent simulation, with what could differ as options.

Reno senders over one link of 10 Mb/s, 1500-byte packets, an ACK for each. CoDel after RFC 8289 5 and 8290 4,
PIE after RFC 8033 4 and 5, written from these without a look at the program's own. Marks and mean
packets waiting from 10 s to 60 s.

`edge`: whether a queue of exactly one MTU may be marked ("<", as ns-3) or not ("<=", as the RFC and Linux).
`sum`: whether a mark sets PIE's sum of probabilities back, as a drop does, or not (ns-3).
`cut`: how a sender halves its window: at once to half the window, to half of what is in flight (ns-3), or
spread over a round trip (Linux).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from math import sqrt

import polars as pl

PACKET = 1500 * 8 / 10e6
SCALES = [(1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (0.01, 8), (0.1, 2)]


class CoDel:
    """RFC 8289's control of one line of packets, which marks."""

    def __init__(self, edge: str) -> None:
        self.line: deque[list[float]] = deque()
        self.edge, self.above_at, self.next_at = edge, 0.0, 0.0
        self.count = self.last_count = 0
        self.marking = False

    def take(self, now: float) -> list[float] | None:
        """Take the next packet; its last entry is 1 if it is marked."""
        if not self.line:
            self.above_at = 0.0
            self.marking = False
            return None
        packet = self.line.popleft()
        left = len(self.line)
        small = left < 1 if self.edge == "<" else left <= 1
        above = False
        if now - packet[0] < 0.005 or small:
            self.above_at = 0.0
        elif not self.above_at:
            self.above_at = now + 0.1
        else:
            above = now >= self.above_at
        if self.marking:
            self.marking = above
            if above and now >= self.next_at:
                packet[2] = 1
                self.count += 1
                self.next_at += 0.1 / sqrt(self.count)
        elif above:
            packet[2] = 1
            self.marking = True
            added = self.count - self.last_count
            recent = now - self.next_at < 1.6
            self.count = added if added > 1 and recent else 1
            self.last_count = self.count
            self.next_at = now + 0.1 / sqrt(self.count)
        return packet


class Pie:
    """RFC 8033's control, which marks."""

    def __init__(self, back: bool, draw: random.Random) -> None:
        self.line: deque[list[float]] = deque()
        self.p = self.delay = self.old = self.total = 0.0
        self.burst, self.back, self.draw = 0.15, back, draw

    def update(self) -> None:
        """Move the probability, every 15 ms."""
        step = 0.125 * (self.delay - 0.015) + 1.25 * (self.delay - self.old)
        step /= next((by for below, by in SCALES if self.p < below), 1)
        self.p = max(0.0, min(1.0, self.p + (min(step, 0.02) if self.p >= 0.1 else step)))
        if self.delay == self.old == 0.0:
            self.p *= 0.98
        self.burst = max(0.0, self.burst - 0.015)
        if self.p == 0.0 and self.delay < 0.0075 and self.old < 0.0075:
            self.burst = 0.15
        self.old = self.delay

    def enter(self, packet: list[float]) -> None:
        """Let a packet in, marked if it is unlucky."""
        small = len(self.line) * 1500 <= 2 * 1024
        if not (self.burst > 0 or (self.old < 0.0075 and self.p < 0.2) or small):
            self.total = self.total + self.p if self.p else 0.0
            unlucky = self.draw.random() < self.p
            if self.total >= 0.85 and (self.total >= 8.5 or unlucky):
                packet[2] = 1
                if self.back:
                    self.total = 0.0
        self.line.append(packet)

    def take(self, now: float) -> list[float] | None:
        """Take the next packet."""
        if not self.line:
            return None
        packet = self.line.popleft()
        self.delay = now - packet[0] if self.line else 0.0
        return packet


class Sender:
    """Reno with an ACK per packet, and a reduction per round trip at most."""

    def __init__(self, cut: str) -> None:
        self.window, self.threshold, self.cut = 10.0, 1e9, cut
        self.sent = self.acked = self.recover = 0
        self.spread = 0

    def ack(self, marked: bool) -> None:
        """Take an acknowledgement."""
        self.acked += 1
        within = self.acked <= self.recover
        if marked and not within:
            flight = self.sent - self.acked
            half = (flight if self.cut == "flight" else self.window) / 2
            self.threshold = max(2.0, half)
            self.recover = self.sent
            if self.cut == "spread":
                self.spread = 0
            else:
                self.window = self.threshold
        elif within and self.cut == "spread" and self.window > self.threshold:
            self.spread += 1
            if self.spread % 2 == 0:
                self.window = max(self.threshold, self.window - 1)
        elif not within:
            grows = self.window < self.threshold
            self.window += 1 if grows else 1 / self.window


def run(disc: str, flows: int, rtt: float, seed: int, **how: str) -> tuple[float, float]:
    """Give marks and mean packets waiting from 10 s to 60 s."""
    draw = random.Random(seed)
    senders = [Sender(how.get("cut", "spread")) for _ in range(flows)]
    if disc == "Pie":
        lines: list[CoDel | Pie] = [Pie(how.get("sum") != "stays", draw)]
    else:
        lines = [CoDel(how.get("edge", "<=")) for _ in range(flows if disc == "FqCoDel" else 1)]
    # Events: (time, number, what, flow); a flow of -1 is the link or PIE's timer.
    events: list[tuple[float, int, str, int, int]] = []
    number = 0

    def at(time: float, what: str, flow: int, marked: int = 0) -> None:
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, flow, marked))

    for i in range(flows):
        at(i * 0.1 * draw.random() + 0.001 * i, "start", i)
    at(0.015, "update", -1)
    busy, turn, waiting, area, last, marks = False, 0, 0, 0.0, 10.0, 0
    while events:
        now, _, what, flow, marked = heapq.heappop(events)
        if now > 60:
            break
        if now > 10:
            area += waiting * (now - last)
            last = now
        if what == "update":
            if disc == "Pie":
                lines[0].update()  # type: ignore[union-attr]
            at(now + 0.015, "update", -1)
            continue
        if what == "free":
            busy = False
        else:
            sender = senders[flow]
            if what == "ack":
                sender.ack(bool(marked))
            while sender.sent - sender.acked < int(sender.window):
                sender.sent += 1
                waiting += 1
                packet = [now, float(flow), 0]
                line = lines[flow % len(lines)]
                line.enter(packet) if isinstance(line, Pie) else line.line.append(packet)
        if not busy and waiting:
            packet = None
            for _ in range(len(lines)):
                turn = (turn + 1) % len(lines)
                packet = lines[turn].take(now)
                if packet is not None:
                    break
            if packet is None:
                continue
            waiting -= 1
            busy = True
            marks += int(packet[2]) if now > 10 else 0
            at(now + PACKET, "free", -1)
            at(now + PACKET + rtt, "ack", int(packet[1]), int(packet[2]))
    return marks, area / 50


def measure() -> dict[str, str]:
    """Run every discipline with every option."""
    rows = []
    for disc in ("CoDel", "FqCoDel", "Pie"):
        variants = [{"cut": cut} for cut in ("spread", "at once", "flight")]
        extra = {"sum": "stays"} if disc == "Pie" else {"edge": "<"}
        variants += [{"cut": cut, **extra} for cut in ("spread", "flight")]
        for flows in (1, 4):
            for rtt in (20, 80):
                for how in variants:
                    found = [run(disc, flows, rtt / 1e3, seed, **how) for seed in range(3)]
                    marks = sum(m for m, _ in found) / 3
                    wait = sum(w for _, w in found) / 3
                    row = {"discipline": disc, "flows": flows, "rtt_ms": rtt, "cut": how["cut"]}
                    row |= {"edge": how.get("edge"), "sum": how.get("sum")}
                    rows.append(row | {"marked": f"{marks:.0f}", "waiting": f"{wait:.2f}"})
    return {"peers/ecn.csv": pl.DataFrame(rows, infer_schema_length=None).write_csv()}
