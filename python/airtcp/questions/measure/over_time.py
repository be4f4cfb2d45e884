"""What each part of a measurement met as time passed, from what `airtcp-live measure` wrote."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.measure.document import Burst, LoadNow, LossesNow, LossRuns

INTERVAL_S: Final = 0.1
"""Time of a row of small packets."""


def losses(sent_s: Sequence[float], delay_s: Sequence[float | None]) -> list[LossesNow]:
    """Return a row an interval: how many small packets were lost, and how late the others came.

    Args:
        sent_s: When each was sent.
        delay_s: Its delay above the least; nothing if it was lost.

    >>> [row["lost"] for row in losses([0.0, 0.05, 0.3], [0.001, None, None])]
    [1, 1]
    """
    rows: list[LossesNow] = []
    pairs = zip(sent_s, delay_s, strict=True)
    for number, group in groupby(pairs, lambda pair: int(pair[0] / INTERVAL_S)):
        each = [delay for _, delay in group]
        came = [delay for delay in each if delay is not None]
        rows.append(
            {
                "t_s": round(number * INTERVAL_S, 1),
                "sent": len(each),
                "lost": len(each) - len(came),
                "delay_median_s": median(came) if came else None,
                "delay_most_s": max(came, default=None),
            }
        )
    return rows


def runs(outcomes: str) -> list[LossRuns]:
    """Return how many runs of losses there are of each length.

    Args:
        outcomes: A character a packet: 0 is a loss.

    >>> runs("1001001011")
    [{'packets': 1, 'count': 1}, {'packets': 2, 'count': 2}]
    """
    lengths = Counter(map(len, filter(None, outcomes.split("1"))))
    return [{"packets": length, "count": count} for length, count in sorted(lengths.items())]


def bursts(found: Sequence[Sequence[float]]) -> list[Burst]:
    """Return a row a burst.

    Args:
        found: When each arrived, and its rate.
    """
    first = found[0][0] if found else 0.0
    return [{"t_s": round(at - first, 7), "bps": bps} for at, bps in found]


def load(samples: Sequence[Sequence[float]]) -> list[LoadNow]:
    """Return a row for each time that a TCP connection was looked at.

    Args:
        samples: Time, bytes acknowledged so far, segments sent again, round-trip time, window.

    >>> [row["goodput_bps"] for row in load([(0.1, 1000, 0, 0.02, 10), (0.2, 3000, 0, 0.02, 10)])]
    [80000.0, 160000.0]
    """
    rows: list[LoadNow] = []
    for before, now in pairwise([(0.0, 0, 0, 0.0, 0), *samples]):
        took = now[0] - before[0]
        if took > 0:
            bps = 8 * (now[1] - before[1]) / took
            rows.append({"t_s": before[0], "goodput_bps": round(bps, 3), "rtt_s": now[3]})
    return rows
