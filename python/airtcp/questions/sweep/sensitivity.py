"""Which keys matter: the share of the variance of a measure that each key explains.

If the points are all combinations of values (a grid), main effects and interactions divide the
variance (`sweeps.decomposition`). For Sobol points, SALib estimates first-order and total indices
(Saltelli et al. 2010; Jansen 1999). For a Latin hypercube, the share of a key is that of its main
effect: epsilon squared (Kelley 1935) over eight groups of equal size, in which the other keys are
drawn independently. The points of a list that is no grid move several keys at once, so that they do
not show which of them matters: they have no shares.

A point's value is that of the whole run, or the mean over its flows, links or variants. Of more
than 200 000 points, a share that their keys choose is analysed, except for Sobol points.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import lru_cache
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import mean_interval
from airtcp.questions.sweep.chunks import read_chunk
from airtcp.questions.sweep.decomposition import Share, percentiles, shares
from airtcp.questions.sweep.measures import forward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from airtcp.questions.sweep.plan import Plan

_GROUPS: Final = 8
_LEAST: Final = 8
"""Fewest points that are analysed."""
_MOST: Final = 200_000
"""Most points that are analysed, but for Sobol points."""
_ROUNDS: Final = 200
_RESAMPLED: Final = 20_000
"""Most points of a Latin hypercube whose shares have intervals."""

Value = tuple[float, float | None]
"""Value of a measure at a point, and its standard error."""


def sensitivity(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """Return the shares of the axes and their interactions, for each measure.

    Args: plan: The points. folder: The dataset.
    """
    found: list[dict[str, Any]] = []
    measures = plan.sweep.measures
    if len(plan) < _LEAST:
        return []
    kept = _chosen(0 if plan.sweep.design == "sobol" else (len(plan) - 1) // _MOST)
    values = _values(folder, measures, kept)
    if len(values) < _LEAST:
        return []
    points = [(point.cells, values.get(point.key)) for point in plan if kept(point.key)]
    complete = all(one is not None for _, one in points)
    for place, measure in enumerate(measures):
        ys = [(cells, one[place]) for cells, one in points if one is not None]
        known = [(cells, y) for cells, y in ys if y is not None]
        means = [mean for _, (mean, _) in known]
        if len(known) < _LEAST or min(means) == max(means):
            continue
        whole = complete and len(known) == len(points)
        of = of_design(plan, known, whole=whole)
        if of is not None:
            found.append({"measure": measure} | of)
    return found


def of_design(
    plan: Plan, known: Sequence[tuple[tuple[Any, ...], Value]], *, whole: bool
) -> dict[str, Any] | None:
    """Return the shares of a measure by the method of its design; None if it shows none.

    Args: plan: The points. known: Levels and value of each point with a value. whole: Whether every
        point has one.
    """
    design, seed = plan.sweep.design, plan.sweep.seed or 1
    if design == "sobol":
        return _sobol(plan, [mean for _, (mean, _) in known]) if whole else None
    if design == "latin-hypercube":
        return _hypercube(plan, [(cells, mean) for cells, (mean, _) in known], seed)
    points = {cells: value for cells, (value, _) in known}
    errors = {cells: error for cells, (_, error) in known}
    varied = [i for i in range(len(plan.columns)) if len({cells[i] for cells in points}) > 1]

    def pick(cells: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(cells[i] for i in varied)

    found = shares(
        {pick(cells): value for cells, value in points.items()},
        {pick(cells): error for cells, error in errors.items()},
        seed,
    )
    if found is None:
        return None
    columns = [plan.columns[i] for i in varied]
    keys = [
        {"column": column, "first": _estimate(first), "total": _estimate(total)}
        for column, first, total in zip(columns, found.main, found.total, strict=True)
    ]
    interactions = [
        {"columns": [columns[i] for i in effect], "share": _estimate(share)}
        for effect, share in found.pairs.items()
    ]
    if found.higher is not None:
        interactions.append({"columns": columns, "share": _estimate(found.higher)})
    return {"method": "anova", "keys": keys, "interactions": interactions}


def _estimate(share: Share) -> dict[str, float | None]:
    return {"mean": share.mean, "ci_low": share.low, "ci_high": share.high}


def _chosen(times: int) -> Callable[[str], bool]:
    """Return whether a key is chosen: each, or a share of the keys below 1 / `times`."""
    last = (1 << 32) >> times.bit_length()
    return lambda key: int(key[:8], 16) < last


def _values(
    folder: Path, measures: Sequence[str], kept: Callable[[str], bool]
) -> dict[str, list[Value | None]]:
    """Return value and standard error of each measure by point, for the chosen points."""
    sums: dict[str, list[list[Value]]] = defaultdict(lambda: [[] for _ in measures])
    for path in sorted(folder.glob("*.parquet")):
        table = read_chunk(path)
        heads = ("key", "kind", "name", "replications")
        columns = [table.column(name).to_pylist() for name in heads]
        rows = [
            (key, number) if kept(key) and forward({"kind": kind, "name": name}) else None
            for key, kind, name, number in zip(*columns, strict=True)
        ]
        for place, measure in enumerate(measures):
            names = (measure, f"{measure}_ci_low", f"{measure}_ci_high")
            estimates = zip(*(table.column(name).to_pylist() for name in names), strict=True)
            for row, (mean, low, high) in zip(rows, estimates, strict=True):
                if mean is not None and row is not None:
                    sums[row[0]][place].append((mean, _error(mean, low, high, row[1])))
    return {key: [_joined(one) for one in of] for key, of in sums.items()}


def _joined(values: Sequence[Value]) -> Value | None:
    """Return the mean of the rows of a point.

    Its standard error is at most the mean of theirs, since they depend on each other.
    """
    if not values:
        return None
    errors = [error for _, error in values if error is not None]
    error = fmean(errors) if len(errors) == len(values) else None
    return fmean(mean for mean, _ in values), error


def _error(mean: float, low: float | None, high: float | None, number: int) -> float | None:
    """Return the standard error that a 95 % interval of a mean over replications follows from.

    The shorter side counts: rare events and skew widen the other.
    """
    if low is None or high is None or number < 2:  # noqa: PLR2004 - an interval needs two
        return None
    return max(min(mean - low, high - mean), 0.0) / _quantile(number)


@lru_cache(maxsize=64)
def _quantile(number: int) -> float:
    """Return the 97.5 % quantile of Student's t for a mean of so many values.

    >>> round(_quantile(5), 3)
    2.776
    """
    values = [1.0, *([0.0] * (number - 1))]
    ends = mean_interval(values)
    half = 0.0 if ends is None else (ends[1] - ends[0]) / 2
    return half * math.sqrt(number) / stdev(values)


def _sobol(plan: Plan, values: list[float]) -> dict[str, Any]:
    import numpy as np  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
    from SALib.analyze import sobol  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    from airtcp.questions.sweep.designs import problem_of

    analyze: Any = sobol.analyze  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    found = analyze(
        problem_of(plan.sweep),
        np.asarray(values),
        calc_second_order=False,
        print_to_console=False,
        keep_resamples=True,
        seed=plan.sweep.seed or 1,
    )

    def within(value: Any) -> float:
        return min(max(float(value), 0.0), 1.0)

    drawn = {name: found[f"{name}_conf_all"] for name in ("S1", "ST")}
    rows: list[dict[str, Any]] = []
    for place, column in enumerate(plan.columns):
        row: dict[str, Any] = {"column": column}
        for name, said in (("S1", "first"), ("ST", "total")):
            mean = within(found[name][place])
            ends = sorted(within(one) for one in drawn[name][:, place])
            row[said] = _estimate(Share(mean, *percentiles(ends, mean)))
        rows.append(row)
    interactions: list[dict[str, Any]] = []
    if len(rows) == 2:  # noqa: PLR2004 - of two keys, the rest is their interaction
        rest = within(1 - found["S1"][0] - found["S1"][1])
        ends = sorted(within(1 - one[0] - one[1]) for one in drawn["S1"])
        share = Share(rest, *percentiles(ends, rest))
        interactions.append({"columns": list(plan.columns), "share": _estimate(share)})
    return {"method": "sobol", "keys": rows, "interactions": interactions}


def _hypercube(
    plan: Plan, points: list[tuple[tuple[Any, ...], float]], seed: int
) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for place, column in enumerate(plan.columns):
        groups = grouped([(cells[place], y) for cells, y in points])
        share = epsilon_squared(groups)
        ends: list[float] = []
        if len(points) <= _RESAMPLED:
            random = Random(f"{seed} {place}")  # noqa: S311 - a bootstrap
            rounds = min(_ROUNDS, max(400_000 // len(points), 40))
            ends = [
                epsilon_squared([random.choices(one, k=len(one)) for one in groups])
                for _ in range(rounds)
            ]
        first = Share(share, *percentiles(sorted(ends), share))
        rows.append({"column": column, "first": _estimate(first), "total": None})
    return {"method": "anova", "keys": rows, "interactions": []}


def grouped(points: list[tuple[Any, float]]) -> list[list[float]]:
    """Return the values of a measure in groups of equal, or of neighbouring, values of a key."""
    by: dict[Any, list[float]] = defaultdict(list)
    for level, y in points:
        by[level].append(y)
    if len(by) <= max(_GROUPS, len(points) // _GROUPS) or isinstance(points[0][0], str):
        return list(by.values())
    ordered = [y for _, y in sorted(points)]
    size = len(ordered)
    return [ordered[i * size // _GROUPS : (i + 1) * size // _GROUPS] for i in range(_GROUPS)]


def epsilon_squared(groups: Iterable[Sequence[float]]) -> float:
    """Return the share of the variance between groups, reduced by what chance explains.

    The other keys count as chance, which holds only where they are drawn independently.

    >>> epsilon_squared([[1.0, 1.0], [3.0, 3.0]])
    1.0
    >>> epsilon_squared([[1.0, 3.0], [1.0, 3.0]])
    0.0
    """
    groups = [one for one in groups if one]
    every = [y for one in groups for y in one]
    mean, number = fmean(every), len(every)
    total = sum((y - mean) ** 2 for y in every)
    between = sum(len(one) * (fmean(one) - mean) ** 2 for one in groups)
    free = number - len(groups)
    if total <= 0:
        return 0.0
    within = (total - between) / free if free else 0.0
    return min(max((between - (len(groups) - 1) * within) / total, 0.0), 1.0)
