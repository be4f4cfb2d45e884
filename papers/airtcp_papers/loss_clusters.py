"""Times between losses: their period, and their dependence on the packets in between (S4).

The losses are those that a sender repaired: the segments that a capture shows sent again. Segments
sent again within 200 ms (the least retransmission timeout of Linux) belong to one loss *event*,
whose time is that of its first segment. An *interval* is the time between two events.

A period T of an external cause is found by folding: each event is a point on a circle of
circumference T. The length of the mean vector is near 1 if all events have the same phase, and near
1 / sqrt(events) if their phases are random (N. Fisher, *Statistical Analysis of Circular Data*,
section 2.3). The sawtooth of a congestion window has intervals of similar length, too, but it keeps
no phase, because the deviations of its intervals add up.
"""

from __future__ import annotations

from cmath import exp, pi
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.statistics import correlation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_APART_S: Final = 0.2
_NEAR: Final = 0.1
"""Intervals within this share of a period count as near it."""
_SEQUENCES: Final = 2**32
_LEAST: Final = 3
"""Events below which nothing is periodic."""


@dataclass(frozen=True)
class LossClusters:
    """Loss events of a transfer."""

    times_s: Sequence[float]
    intervals_s: Sequence[float]
    packets: Sequence[float]
    """Segments of new data between two events."""

    def folded(self, period_s: float) -> float | None:
        """Return the length of the mean vector of the events' phases, from 0 to 1.

        >>> even = LossClusters([0.5, 2.5, 4.5, 8.5], [], [])
        >>> round(even.folded(2.0), 6), round(even.folded(8.0), 6)
        (1.0, 0.353553)
        """
        if len(self.times_s) < _LEAST:
            return None
        return abs(sum(exp(2j * pi * t / period_s) for t in self.times_s)) / len(self.times_s)

    def near(self, period_s: float) -> float | None:
        """Return the share of the intervals that are near a period, in %."""
        if not self.intervals_s:
            return None
        near = [one for one in self.intervals_s if abs(one / period_s - 1) <= _NEAR]
        return 100 * len(near) / len(self.intervals_s)

    @property
    def interval_s(self) -> float | None:
        """The median interval."""
        return median(self.intervals_s) if self.intervals_s else None

    @property
    def packets_between(self) -> float | None:
        """The median of the segments between two events."""
        return median(self.packets) if self.packets else None

    @property
    def dependence(self) -> float | None:
        """Pearson's correlation of the intervals with the segments in between."""
        return correlation(self.intervals_s, self.packets)


def clusters(events: Sequence[Mapping[str, Any]], segment: float) -> LossClusters:
    """Group the segments that were sent again into loss events.

    Args: events: The segments in the order of time, with `time_s` and `sequence`. segment: Bytes of
        a segment.

    >>> sent = [(1.0, 4_294_960_000), (1.1, 4_294_961_460), (3.0, 7_304), (3.05, 7_304)]
    >>> found = clusters([{"time_s": t, "sequence": n} for t, n in sent], 1460)
    >>> found.times_s, found.intervals_s, found.packets
    ([1.0, 3.0], [2.0], [10.0])
    """
    first: list[Mapping[str, Any]] = []
    last: float | None = None
    for event in events:
        if last is None or event["time_s"] - last > _APART_S:
            first.append(event)
        last = event["time_s"]
    return LossClusters(
        [one["time_s"] for one in first],
        [then["time_s"] - one["time_s"] for one, then in pairwise(first)],
        [_between(one["sequence"], then["sequence"]) / segment for one, then in pairwise(first)],
    )


def _between(one: int, then: int) -> int:
    """Return the bytes from one sequence number to a later one; 0 if the later one is not ahead."""
    ahead = (then - one) % _SEQUENCES
    return ahead if ahead < _SEQUENCES // 2 else 0


def repeated_segments(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return how often each segment was sent again.

    >>> sorted(repeated_segments([{"sequence": n} for n in (1, 5, 5, 5)]))
    [1, 3]
    """
    counts: dict[int, int] = {}
    for event in events:
        counts[event["sequence"]] = counts.get(event["sequence"], 0) + 1
    return list(counts.values())
