"""Intervals of means, for values that are gathered here; the statistics are the core's.

Which interval a quantity has, and how often it covers the truth: docs/models/intervals.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None
) -> tuple[float, float] | None:
    """Give the 95 % interval of the mean of independent values: Student's.

    Args:
        values: At least two; with fewer there is no interval.
        weights: Of counts and of rates of events, what a value is multiplied by to give its
            events: 1 for a count. Below 30 events in all, Student's interval is widened to the
            exact interval of independent events (Garwood 1936).

    Six repeats without an event have no scatter; their true mean may be 0.6:

    >>> low, high = mean_interval([0.0] * 6, [1.0] * 6)
    >>> low, round(high, 3)
    (0.0, 0.615)
    """
    return _core.mean_interval(values, weights)


def once(_run: object) -> float:
    """Say that a measure counts its events one by one: as many events as its value."""
    return 1.0
