"""Which keys matter: the share of the variance of a measure that each key explains.

For Sobol points, SALib estimates first-order and total indices with bootstrap intervals (Saltelli
et al. 2010; Jansen 1999). For other designs, the share is that of the main effect of a key in an
analysis of variance, reduced by what chance explains: epsilon squared (Kelley 1935). A key with
many values is cut into eight groups of equal size. Shares of main effects do not show interactions.

A point's value is that of the whole run, or the mean over its flows, links or variants. Of more
than 200 000 points, a share that their keys choose is analysed, except for Sobol points.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from airtcp.sweeps.chunks import read_chunk
from airtcp.sweeps.measures import forward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from airtcp.sweeps.plan import Plan

_GROUPS: Final = 8
_LEAST: Final = 8
"""Fewest points that are analysed."""
_MOST: Final = 200_000
"""Most points that are analysed, but for Sobol points."""


def sensitivity(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """Return the share of each axis, for each measure.

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
        if len(known) < _LEAST or min(y for _, y in known) == max(y for _, y in known):
            continue
        sobol = plan.sweep.design == "sobol" and complete and len(known) == len(points)
        rows = _sobol(plan, [y for _, y in known]) if sobol else _shares(plan, known)
        found.append({"measure": measure, "method": "sobol" if sobol else "anova", "keys": rows})
    return found


def _chosen(times: int) -> Callable[[str], bool]:
    """Return whether a key is chosen: each, or a share of the keys below 1 / `times`."""
    last = (1 << 32) >> times.bit_length()
    return lambda key: int(key[:8], 16) < last


def _values(
    folder: Path, measures: Sequence[str], kept: Callable[[str], bool]
) -> dict[str, list[float | None]]:
    """Return the value of each measure by point, for the chosen points."""
    sums: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in measures])
    for path in sorted(folder.glob("*.parquet")):
        table = read_chunk(path)
        heads = [table.column(name).to_pylist() for name in ("key", "kind", "name")]
        keys = [
            key if kept(key) and forward({"kind": kind, "name": name}) else None
            for key, kind, name in zip(*heads, strict=True)
        ]
        for place, measure in enumerate(measures):
            for key, value in zip(keys, table.column(measure).to_pylist(), strict=True):
                if value is not None and key is not None:
                    sums[key][place].append(value)
    return {key: [fmean(one) if one else None for one in of] for key, of in sums.items()}


def _sobol(plan: Plan, values: list[float]) -> list[dict[str, Any]]:
    import numpy as np  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
    from SALib.analyze import sobol  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    from airtcp.sweeps.designs import problem_of

    analyze: Any = sobol.analyze  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    found = analyze(
        problem_of(plan.sweep),
        np.asarray(values),
        calc_second_order=False,
        print_to_console=False,
        seed=plan.sweep.seed or 1,
    )
    rows: list[dict[str, Any]] = []
    for place, column in enumerate(plan.columns):
        row: dict[str, Any] = {"column": column}
        for name, said in (("S1", "first"), ("ST", "total")):
            mean, half = float(found[name][place]), float(found[f"{name}_conf"][place])
            row[said] = {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}
        rows.append(row)
    return rows


def _shares(plan: Plan, points: list[tuple[tuple[Any, ...], float]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for place, column in enumerate(plan.columns):
        groups = grouped([(cells[place], y) for cells, y in points])
        share = epsilon_squared(groups)
        rows.append(
            {
                "column": column,
                "first": {"mean": share, "ci_low": None, "ci_high": None},
                "total": None,
            }
        )
    return rows


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
