"""Statistics of several drivers, in plain Python, since the sets are small."""

from __future__ import annotations

from math import sqrt
from statistics import mean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ranks(values: Sequence[float]) -> list[float]:
    """Rank values from 1; equal values share the mean of their ranks.

    >>> ranks([3.0, 1.0, 3.0])
    [2.5, 1.0, 2.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for i in order[start:end]:
            found[i] = (start + end + 1) / 2
        start = end
    return found


def correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None if one side does not vary."""
    if len(x) < 3:  # noqa: PLR2004 - two points always lie on a line
        return None
    a, b = mean(x), mean(y)
    xx = sum((v - a) ** 2 for v in x)
    yy = sum((v - b) ** 2 for v in y)
    if xx <= 0 or yy <= 0:
        return None
    return sum((v - a) * (w - b) for v, w in zip(x, y, strict=True)) / sqrt(xx * yy)


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation.

    >>> round(rank_correlation([1, 2, 3, 4], [1, 4, 9, 16]), 6)
    1.0
    """
    return correlation(ranks(x), ranks(y))


def percent(part: int, whole: int) -> float | None:
    """Return a share in percent; None if the whole is 0."""
    return 100 * part / whole if whole else None


def jain(values: Sequence[float]) -> float | None:
    """Return Jain's index; None if all values are 0.

    >>> jain([1.0, 1.0]), jain([1.0, 0.0]), jain([0.0])
    (1.0, 0.5, None)
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None
