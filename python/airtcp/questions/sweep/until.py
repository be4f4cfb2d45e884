"""Replications until intervals are narrow enough.

The first look is after `least` replications. If an interval is too wide, the needed number follows
from its width, because the half width falls with the square root of the number. Each look therefore
asks for a number that should suffice, and few looks are needed. A rule that looks after every
replication would stop too often at a chance small variance, and its intervals would cover the true
mean too rarely. docs/guide/sweep.md states the measured coverage.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARGIN: Final = 1.1
"""Share by which a step exceeds the estimated need, so that most points need one step."""
_GROWTH: Final = 8.0
"""The largest step: the variance of few replications is uncertain."""

Estimate = tuple[float | None, float | None, float | None]
"""Mean, and the ends of its 95 % interval."""


def half_width(estimate: Estimate) -> float:
    """Return the half width of an interval as a share of the mean; infinite if unknown.

    >>> half_width((100.0, 95.0, 105.0)), half_width((0.0, 0.0, 0.0)), half_width((1.0, None, None))
    (0.05, 0.0, inf)
    """
    mean, low, high = estimate
    if mean is None or low is None or high is None:
        return math.inf
    half = (high - low) / 2
    if half == 0:
        return 0.0
    return half / abs(mean) if mean else math.inf


def is_zero(estimate: Estimate) -> bool:
    """Return whether every replication had 0, and the interval still has a width.

    Counts and shares of few events have such intervals. No number of replications makes the width
    a share of a mean of 0, and the simulation does not show whether the mean is 0 or small.

    >>> is_zero((0.0, 0.0, 0.37)), is_zero((0.0, -1.0, 1.0)), is_zero((0.0, 0.0, 0.0))
    (True, False, False)
    """
    mean, low, high = estimate
    return mean == 0 and low == 0 and high is not None and high > 0


def excess(estimates: Iterable[tuple[str, Estimate]], until: dict[str, float]) -> float:
    """Return the widest interval over the width that it may have; at most 1 if all are narrow.

    An estimate that `is_zero` does not count, because more replications do not help.

    Args: estimates: Measure and estimate. until: The width by measure.

    >>> excess([("goodput_bps", (100.0, 96.0, 104.0))], {"goodput_bps": 0.02})
    2.0
    >>> excess([("timeouts", (0.0, 0.0, 0.37))], {"timeouts": 0.02})
    0.0
    """
    # A flow without a value, such as the round-trip time of UDP, cannot become narrower.
    known = [(name, one) for name, one in estimates if one[0] is not None]
    widths = [0.0 if is_zero(one) else half_width(one) / until[name] for name, one in known]
    return max(widths, default=math.inf)


def uncertain(
    rows: Iterable[tuple[str, Sequence[tuple[str, Estimate]]]], until: dict[str, float]
) -> tuple[int, int]:
    """Return the number of points with too wide intervals, and of others with a measure of 0.

    Args: rows: Key and estimates of each row that is not narrow. until: The width by measure.

    >>> zero, wide = (0.0, 0.0, 0.37), (100.0, 90.0, 110.0)
    >>> uncertain([("a", [("t", zero)]), ("b", [("t", wide)]), ("b", [("t", zero)])], {"t": 0.02})
    (1, 1)
    """
    found: dict[str, list[tuple[str, Estimate]]] = {}
    for key, estimates in rows:
        found.setdefault(key, []).extend(estimates)
    wide = sum(excess(estimates, until) > 1 for estimates in found.values())
    return wide, len(found) - wide


def needed(number: int, wider: float, most: int) -> int:
    """Return the number of replications for the next look.

    Args: number: The present number. wider: The excess. most: The greatest number.

    >>> needed(10, 2.0, 1000), needed(10, 1.01, 1000), needed(10, 100.0, 1000), needed(10, 2.0, 30)
    (44, 12, 80, 30)
    """
    factor = min(_MARGIN * wider * wider, _GROWTH)
    return min(max(math.ceil(number * factor), number + 1), most)
