"""Reproduces papers: runs the experiments of their files, and compares.

Figures are processed in parallel; the core does one piece of work at a time on all cores. The cache
(`airtcp_papers.cache`) keeps the outcome of each figure and alternative, and the links with TCP
over them, which figures share (`airtcp_papers.context`). A stopped reproduction continues where it
was.
"""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers import cache as kept
from airtcp_papers import drivers
from airtcp_papers.context import Context, StoppedError
from airtcp_papers.ensembles import DATA
from airtcp_papers.library import Library, default_root
from airtcp_papers.outcome import Outcome
from airtcp_papers.paper import Term
from airtcp_papers.rows import Row, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from airtcp_papers.paper import Assumption, Figure

_AT_ONCE: Final = 4
_PATIENCE: Final = 0.1


def data_folder() -> Path | None:
    """Return the folder of measured data, if the environment names one."""
    said = os.environ.get(DATA)
    return Path(said) if said else None


@dataclass(frozen=True)
class Task:
    """One run of a figure's driver: the figure itself, or under an alternative."""

    figure: Figure
    parameters: Mapping[str, Any]
    assumption: Assumption | None = None
    alternative: Any = None


@dataclass(frozen=True)
class Reproduced:
    """A figure with all its outcomes."""

    figure: Figure
    outcome: Outcome
    rows: list[Row]


@dataclass
class Options:
    """Options of a reproduction."""

    papers: Path | None = None
    runs: int | None = None
    seed: int = 1
    cache: Path | None = None
    sensitivity: bool = True
    workers: int | None = None
    data: Path | None = None


def reproduce(
    wanted: Sequence[str],
    options: Options,
    tell: Callable[[int, int, str], object] | None = None,
) -> tuple[list[Reproduced], bool]:
    """Reproduce tables and figures.

    Args: wanted: Ids, or beginnings of ids; all if empty. options: The options. tell: Called with
        done, total and a label.

    Returns: The finished figures, and whether the user stopped the work.

    Raises: PaperError: If a file is invalid.
    """
    library = Library(options.papers or default_root())
    figures = [drivers.read_figure(library, id_) for id_ in library.choose(wanted)]
    tasks = [task for figure in figures for task in tasks_of(figure, options)]
    cache = kept.Cache(options.cache)
    context = Context(
        library,
        seed=options.seed,
        runs=options.runs,
        workers=options.workers,
        data=options.data,
        cache=cache,
    )
    try:
        found = _all(tasks, context, options, tell)
    finally:
        context.close()
        cache.trim()
    return list(_assembled(figures, tasks, found)), len(found) < len(tasks)


def tasks_of(figure: Figure, options: Options) -> Iterator[Task]:
    """Yield the tasks of a figure."""
    parameters = figure.parameters
    yield Task(figure, parameters)
    if not options.sensitivity:
        return
    for assumption in figure.assumptions:
        for alternative in assumption.alternatives:
            other = drivers.replaced(parameters, assumption.parameter, alternative)
            yield Task(figure, _fewer(figure, other), assumption, alternative)


def _fewer(figure: Figure, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Reduce an alternative to the conditions that rows use, and to its number of runs."""
    if "axis" not in parameters:
        return parameters
    few = parameters.get("alternative_runs")
    runs: dict[str, Any] = {}
    if few is not None:
        runs = {"runs": min(few, parameters["runs"]), "more": []}
    terms = [published.term for published in figure.published]
    for claim in figure.claims:
        terms += [term for term in (claim.left, claim.right) if isinstance(term, Term)]
    ats = [dict(term.at) for term in terms]
    wanted = [at for i, at in enumerate(ats) if at not in ats[:i]]
    return {**parameters, **runs, "wanted": wanted}


def _all(
    tasks: Sequence[Task],
    context: Context,
    options: Options,
    tell: Callable[[int, int, str], object] | None,
) -> dict[int, Outcome]:
    """Run tasks; on Ctrl-C stop, and return the finished ones."""
    found: dict[int, Outcome] = {}
    if tell is not None:
        tell(0, len(tasks), "reproducing")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        waiting: dict[Future[Outcome], int] = {
            pool.submit(_one, task, context, options): i for i, task in enumerate(tasks)
        }
        try:
            while waiting:
                done, _ = wait(waiting, _PATIENCE, FIRST_COMPLETED)
                for future in done:
                    found[waiting.pop(future)] = future.result()
                if done and tell is not None:
                    tell(len(found), len(tasks), "reproducing")
        except KeyboardInterrupt:
            context.stop.set()
            for future, i in waiting.items():
                if not future.cancel():
                    try:
                        found[i] = future.result()
                    except StoppedError:
                        continue
        except BaseException:
            context.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _one(task: Task, context: Context, options: Options) -> Outcome:
    context.check()
    if context.cache.folder is None:
        return _measured(task, context)
    key = kept.key(depends_on(task, context, options))
    known = context.cache.get(key)
    if known is not None:
        return Outcome.from_json(known)
    outcome = _measured(task, context)
    context.cache.put(key, outcome.to_json())
    return outcome


def _measured(task: Task, context: Context) -> Outcome:
    driver = drivers.driver(task.figure.driver)
    return driver.measure(context, task.parameters, task.assumption is None)


def depends_on(task: Task, context: Context, options: Options) -> list[Any]:
    """List the dependencies of an outcome, except the program."""
    library, figure = context.library, task.figure
    data = list(drivers.data_of(figure, library, options.data))
    files = [*drivers.files(figure, library), *data]
    return [
        figure.driver,
        task.parameters,
        task.assumption is None,
        options.seed,
        options.runs,
        [(path.name, context.digest(path)) for path in files],
    ]


def _assembled(
    figures: Sequence[Figure], tasks: Sequence[Task], found: Mapping[int, Outcome]
) -> Iterator[Reproduced]:
    """Assemble the figures; a figure whose own run is not finished is left out."""
    for figure in figures:
        outcome: Outcome | None = None
        others: list[tuple[Assumption, Any, Outcome]] = []
        for i, task in enumerate(tasks):
            if task.figure is not figure or i not in found:
                continue
            if task.assumption is None:
                outcome = found[i]
            else:
                others.append((task.assumption, task.alternative, found[i]))
        if outcome is not None:
            yield Reproduced(figure, outcome, rows_of(figure, outcome, others))
