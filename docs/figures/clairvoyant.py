"""What no sender can do better in a transfer of 100 kB: a bound beside the results.

A sender with the schedule of our sliding transport without losses (opening at 0, 10, 20, 30, 50, 90,
170 ms and so on; ten packets in the first round trip, twice as many in each that follows, at twice the
pace of the window, at most at the link's), which is told of the loss of a packet when it
leaves. It sends something else in its place at once, no packet in vain, and no loss takes room in its window.
Real senders learn a round trip later, or send more than is needed beforehand.
"""

from __future__ import annotations

import random
from typing import Final

PACKETS: Final = 70
PACKET_MS: Final = 1.2
ROUND_TRIP_MS: Final = 80.0
OPENINGS: Final = [0, 10, 20, 30, 50, 90, *(170 + 160 * n for n in range(40))]
INITIAL_WINDOW: Final = 10
TRANSFERS: Final = 4000


class _Channel:
    """Exponential stays in time, all lost in bad ones; or independent losses."""

    def __init__(self, loss: float, burst_ms: float | None, draws: random.Random) -> None:
        self.loss, self.burst, self.draws = loss, burst_ms, draws
        self.bad = draws.random() < loss
        self.until = 0.0
        if burst_ms and loss > 0:
            self.until = self._stay()

    def _stay(self) -> float:
        burst = self.burst or 1.0
        mean = burst if self.bad else burst * (1 - self.loss) / self.loss
        return self.draws.expovariate(1 / mean)

    def takes(self, now: float) -> bool:
        if self.burst is None or self.loss <= 0:
            return self.draws.random() < self.loss
        while now >= self.until:
            self.bad = not self.bad
            self.until += self._stay()
        return self.bad


def _transfer(loss: float, burst_ms: float | None, seed: int) -> float:
    channel = _Channel(loss, burst_ms, random.Random(seed))
    opened = next(at for at in OPENINGS if not channel.takes(at)) + ROUND_TRIP_MS
    now, window, got = float(opened), INITIAL_WINDOW, 0
    begin = now
    while True:
        gap = max(ROUND_TRIP_MS / (2 * window), PACKET_MS)
        room = window
        while now < begin + ROUND_TRIP_MS and room > 0:
            if not channel.takes(now + PACKET_MS):
                got += 1
                room -= 1
                if got == PACKETS:
                    return now + PACKET_MS + ROUND_TRIP_MS / 2
            now += gap
        begin += ROUND_TRIP_MS
        now = max(now, begin)
        window *= 2


def percentile90(loss: float, burst_ms: float | None) -> tuple[float, float]:
    """90th percentile of the transfer time in seconds, and over that without loss."""
    times = sorted(_transfer(loss, burst_ms, seed) for seed in range(TRANSFERS))
    found = times[int(0.9 * TRANSFERS)]
    return found / 1e3, found / _transfer(0.0, None, 0)
