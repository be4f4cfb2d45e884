"""Intervals of means: Student's, and the wider one of counts where events are few.

Six repeats without a timeout have no scatter, and Student's interval of their mean is [0, 0]. The
true mean may be 0.6. Below `FEW` events in all repeats, Student's interval is widened to the exact
interval of independent events (Garwood 1936), as the core does for its own summaries
(docs/models/intervals.md).
"""

from __future__ import annotations

from math import exp
from typing import Final

FEW: Final = 30
"""Events in all repeats below which a count gets the exact interval, too."""
_TAIL: Final = 0.025
_STEPS: Final = 60


# Student's t at 97.5 % for 1, 2 ... degrees of freedom.
_T: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_NORMAL: Final = 1.96


def student(freedom: int) -> float:
    """Give Student's t at 97.5 %; the normal value plus its first correction beyond ten.

    >>> student(5), round(student(30), 3)
    (2.571, 2.039)
    """
    if freedom <= len(_T):
        return _T[freedom - 1]
    return _NORMAL + 2.37 / freedom


def poisson_interval(events: int) -> tuple[float, float]:
    """Give the means under which so many events are neither too many nor too few, 2.5 % each.

    >>> [round(end, 3) for events in (0, 1, 10) for end in poisson_interval(events)]
    [0.0, 3.689, 0.025, 5.572, 4.795, 18.39]
    """
    low = _mean_with(events - 1, 1 - _TAIL) if events else 0.0
    return low, _mean_with(events, _TAIL)


def _mean_with(most: int, level: float) -> float:
    """Give the mean with which at most so many events have a probability."""
    low, high = 0.0, 10.0 * (most + 5)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _at_most(most, middle) > level:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _at_most(most: int, mean: float) -> float:
    term = whole = exp(-mean)
    for k in range(1, most + 1):
        term *= mean / k
        whole += term
    return whole


def widened(
    low: float, high: float, values: list[float], weights: list[float]
) -> tuple[float, float]:
    """Widen the interval of a mean of counts, or of rates of events, where events are few.

    Args:
        low: Lower end of Student's interval.
        high: Upper end of it.
        values: A count or a rate of each repeat.
        weights: What a repeat's value is multiplied by to give its events: 1 for a count.

    Six repeats without an event, and a share of 0 % of 4000 frames:

    >>> low, high = widened(0.0, 0.0, [0.0] * 6, [1.0] * 6)
    >>> round(high, 3), round(widened(0.0, 0.0, [0.0, 0.0], [20.0, 20.0])[1], 4)
    (0.615, 0.0922)
    """
    exposure = sum(weights)
    events = round(sum(value * weight for value, weight in zip(values, weights, strict=True)))
    low = max(low, 0.0)
    if events >= FEW or exposure <= 0:
        return low, high
    exact_low, exact_high = (end / exposure for end in poisson_interval(events))
    return min(low, exact_low), max(high, exact_high)


def once(_run: object) -> float:
    """Say that a measure counts its events one by one: as many events as its value."""
    return 1.0
