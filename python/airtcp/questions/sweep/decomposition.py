"""The variance of a measure over a factorial design, divided among its keys.

Each key has a number of levels, and each combination of levels has one value. The classical sums
of squares of main effects and interactions are orthogonal and add up to that of all values
(Montgomery, "Design and Analysis of Experiments", chapter 5). An effect with d degrees of freedom
also collects d times the variance of a value between its replications, which is taken out (Hays'
omega squared). The shares of what is left add up to 1.

The random numbers of a replication are the same at all points. Their common part cancels in an
effect, so that the part taken out is an upper limit.

Intervals are those of a parametric bootstrap: normal errors of the size of each value's standard
error are added, and the shares are computed again, with twice the variance taken out. The ends are
percentiles, which cannot leave the range from 0 to 1.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Cells = tuple[Any, ...]
Effect = tuple[int, ...]
"""Places of the keys of an effect: one for a main effect."""

_ROUNDS: Final = 400
_MOST: Final = 10_000
"""Most values with intervals: between more values the errors average out."""
_MISSING: Final = 0.2
"""Largest share of combinations without a value."""
_IMPUTATIONS: Final = 60


@dataclass(frozen=True)
class Share:
    """The share of an effect, with its 95 % interval."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Shares:
    """The shares of all effects; without the rounding of sums they add up to 1."""

    main: list[Share]
    pairs: dict[Effect, Share]
    higher: Share | None
    """Of the interactions of three or more keys; None with fewer keys."""
    total: list[Share]
    """Of each key with all its interactions."""


def completed(points: Mapping[Cells, float]) -> dict[Cells, float] | None:
    """Return the values of all combinations of levels, or None if the design is no factorial.

    Missing values, of points that failed, are those of the main effects alone (Yates' method), if
    they are at most a fifth.

    Args: points: Value by levels.
    """
    levels = [list(dict.fromkeys(column)) for column in zip(*points, strict=True)]
    number = math.prod(len(one) for one in levels)
    missing = number - len(points)
    if missing > _MISSING * number:
        return None
    grand = fmean(points.values())
    full = {cells: points.get(cells, grand) for cells in itertools.product(*levels)}
    if missing:
        gaps = [cells for cells in full if cells not in points]
        for _ in range(_IMPUTATIONS):
            grand = fmean(full.values())
            means = [_means(full, (place,)) for place in range(len(levels))]
            for cells in gaps:
                parts = (mean[(cells[place],)] - grand for place, mean in enumerate(means))
                full[cells] = grand + sum(parts)
    return full


def _means(values: Mapping[Cells, float], effect: Effect) -> dict[Cells, float]:
    """Return the mean by levels of the keys of an effect."""
    found: dict[Cells, list[float]] = defaultdict(list)
    for cells, value in values.items():
        found[tuple(cells[place] for place in effect)].append(value)
    return {levels: fmean(of) for levels, of in found.items()}


def sums_of_squares(values: Mapping[Cells, float]) -> dict[Effect, tuple[float, int]]:
    """Return sum of squares and degrees of freedom of each main effect and pair of keys.

    With three or more keys, the entry of all keys has the rest.

    Args: values: Value by levels, of all combinations.

    >>> found = sums_of_squares({(0, 0): 0.0, (0, 1): 0.0, (1, 0): 0.0, (1, 1): 4.0})
    >>> found[(0,)], found[(0, 1)]
    ((4.0, 1), (4.0, 1))
    """
    keys, number = len(next(iter(values))), len(values)
    grand = fmean(values.values())
    levels = [len({cells[place] for cells in values}) for place in range(keys)]
    found: dict[Effect, tuple[float, int]] = {}
    for size in (1, 2):
        for effect in itertools.combinations(range(keys), size):
            means = _means(values, effect).values()
            square = number / len(means) * sum((mean - grand) ** 2 for mean in means)
            inner = sum(found[(place,)][0] for place in effect) if size > 1 else 0.0
            free = math.prod(levels[place] - 1 for place in effect)
            found[effect] = (max(square - inner, 0.0), free)
    if keys > 2:  # noqa: PLR2004 - interactions beyond pairs
        whole = sum((value - grand) ** 2 for value in values.values())
        rest = whole - sum(square for square, _ in found.values())
        free = number - 1 - sum(free for _, free in found.values())
        found[tuple(range(keys))] = (max(rest, 0.0), free)
    return found


def _divided(values: Mapping[Cells, float], noise: float) -> dict[Effect, float] | None:
    """Return the share of each effect; None if nothing but noise is left."""
    left = {
        effect: max(square - free * noise, 0.0)
        for effect, (square, free) in sums_of_squares(values).items()
    }
    whole = sum(left.values())
    return {effect: part / whole for effect, part in left.items()} if whole > 0 else None


def shares(
    points: Mapping[Cells, float], errors: Mapping[Cells, float | None], seed: int
) -> Shares | None:
    """Return the shares of a measure over a factorial design; None without a factorial or variance.

    Args: points: Value by levels. errors: Standard error of each value; None if unknown. seed: Seed
        of the bootstrap.
    """
    full = completed(points)
    if full is None:
        return None
    known = [error for error in errors.values() if error is not None]
    noise = fmean(error**2 for error in known) if known else 0.0
    found = _divided(full, noise)
    if found is None:
        return None
    drawn: list[dict[Effect, float]] = []
    if len(known) == len(points) and len(points) <= _MOST:
        rounds = max(min(_ROUNDS, 400_000 // len(full)), 40) if noise > 0 else 0
        random = Random(seed)  # noqa: S311 - a bootstrap
        for _ in range(rounds):
            moved = {
                cells: value + random.gauss(0.0, errors.get(cells) or 0.0)
                for cells, value in full.items()
            }
            if (again := _divided(moved, 2 * noise)) is not None:
                drawn.append(again)
        if noise == 0:
            # Without scatter between replications the shares are exact.
            drawn = [found]

    def share(*effects: Effect) -> Share:
        ends = sorted(sum(one.get(effect, 0.0) for effect in effects) for one in drawn)
        mean = sum(found[effect] for effect in effects)
        return Share(mean, *percentiles(ends, mean))

    keys = len(next(iter(points)))
    everything: Effect = tuple(range(keys))
    pairs = [effect for effect in found if len(effect) == 2]  # noqa: PLR2004 - pairs
    return Shares(
        main=[share((place,)) for place in range(keys)],
        pairs={effect: share(effect) for effect in pairs},
        higher=share(everything) if keys > 2 else None,  # noqa: PLR2004 - beyond pairs
        total=[share(*(e for e in found if place in e)) for place in range(keys)],
    )


def percentiles(ends: Sequence[float], mean: float) -> tuple[float | None, float | None]:
    """Return the ends of a 95 % percentile interval that contains the mean.

    Args: ends: Values of the bootstrap in ascending order; none without an interval. mean: The
        estimate.

    >>> percentiles([0.1, 0.2, 0.3], 0.2), percentiles([], 0.5)
    ((0.1, 0.3), (None, None))
    """
    if not ends:
        return None, None
    last = len(ends) - 1
    low, high = ends[math.floor(0.025 * last)], ends[math.ceil(0.975 * last)]
    return min(low, mean), max(high, mean)
