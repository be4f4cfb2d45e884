"""Intervals of means of values collected in Python; the core computes them.

The methods and their coverage are in docs/models/intervals.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of independent values: Student's.

    Args: values: The values; with fewer than two there is no interval. weights: For counts and
        rates of events, the events of each value over the value: 1 for a count. Below 30 events in
        all, Student's interval is widened to the exact interval of independent events (Garwood
        1936).

    Six repeats without an event have no scatter; their true mean may be 0.6:

    >>> low, high = mean_interval([0.0] * 6, [1.0] * 6)
    >>> low, round(high, 3)
    (0.0, 0.615)
    """
    return _core.mean_interval(values, weights)


def once(_run: object) -> float:
    """Return the weight of a plain count, whose value is its number of events."""
    return 1.0
