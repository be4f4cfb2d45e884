"""Estimated durations of reproductions, from the processor time of kept results.

`papers/costs.json` has the processor time of each table and figure by itself, without alternatives,
as `scripts/papers` measured it. Alternatives count as runs of the figure, or fewer if they take
fewer. Figures with the same experiment share its runs, which count once. These are upper limits,
because cached results take no time, and experiments with other variants may share runs too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from airtcp_papers.drivers import read_figure
from airtcp_papers.runs import Options, tasks_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from airtcp_papers.library import Library
    from airtcp_papers.runs import Task

FILE: Final = "costs.json"
_MEASURING: Final = {"measure", "extremes", "wanted"}
"""Parameters that choose what is taken from the runs of an experiment."""


def known(root: Path) -> dict[str, float]:
    """Return the processor seconds of figures by id; nothing if there is no file to read."""
    try:
        found = json.loads((root / FILE).read_text("utf-8"))
        return {str(id_): float(seconds) for id_, seconds in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def keep(root: Path, costs: Mapping[str, float]) -> None:
    """Write the known costs."""
    (root / FILE).write_text(json.dumps(dict(costs), indent=1) + "\n", "utf-8")


def estimates(
    library: Library, wanted: Sequence[str], *, sensitivity: bool, runs: int | None = None
) -> dict[str, float]:
    """Return the processor seconds of the wanted figures with known costs, by paper."""
    costs = known(library.root)
    longest: dict[tuple[str, str], float] = {}
    for id_ in library.choose(wanted) if costs else []:
        figure = read_figure(library, id_)
        said = figure.parameters.get("runs", 1)
        scale = 1.0 if runs is None else runs / said
        for task in tasks_of(figure, Options(sensitivity=sensitivity)):
            share = _share(task) if runs is None else 1.0
            seconds = costs.get(id_, 0.0) * scale * share
            work = (figure.paper.id, _work(task))
            longest[work] = max(seconds, longest.get(work, 0.0))
    found: dict[str, float] = {}
    for (paper, _), seconds in longest.items():
        found[paper] = found.get(paper, 0.0) + seconds
    return found


def _work(task: Task) -> str:
    """Describe the runs of a task, which tasks that measure something else share."""
    parameters = {key: value for key, value in task.parameters.items() if key not in _MEASURING}
    return json.dumps([task.figure.driver, parameters], sort_keys=True, default=str)


def _share(task: Task) -> float:
    """Return the runs of a task over those of its figure."""
    whole = task.figure.parameters.get("runs")
    return task.parameters.get("runs", whole) / whole if whole else 1.0


_LEAST_MINUTES = 0.1


def said(found: Mapping[str, float]) -> str:
    """Write the estimated duration.

    >>> said({"S1": 130.0, "S3": 20.0})
    'about 2.5 minutes of processor time (S1 2.2, S3 0.3), less what the cache has'
    >>> said({"S1": 1.2})
    'less than 0.1 minutes of processor time'
    """
    if not found:
        return ""
    parts = ", ".join(f"{paper} {seconds / 60:.1f}" for paper, seconds in found.items())
    whole = sum(found.values()) / 60
    if whole < _LEAST_MINUTES:
        return "less than 0.1 minutes of processor time"
    by_paper = f" ({parts})" if len(found) > 1 else ""
    return f"about {whole:.1f} minutes of processor time{by_paper}, less what the cache has"
