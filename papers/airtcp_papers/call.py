"""Published experiments: a list of them, and their reproduction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from airtcp.inputs.arguments import texts_of, whole
from airtcp.inputs.progress import shows_progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp_papers.paper import Figure
    from airtcp_papers.result import PapersResult

_MOST_RUNS: Final = 1000


def published(ids: str | Iterable[str] = (), *, papers: PathLike | None = None) -> list[Figure]:
    """List the published tables and figures that can be reproduced.

    Args:
        ids: Ids, or the beginning of ids; by default all.
        papers: The folder of paper files; by default that of airtcp.

    Raises:
        AirtcpError: If a paper file is invalid.

    Examples:
        >>> published("S1.fig13")[0].item
        'Figure 13'
    """
    from airtcp_papers.drivers import read_figure
    from airtcp_papers.library import Library, default_root

    library = Library(default_root() if papers is None else Path(papers))
    wanted = texts_of("ids", ids)
    return [read_figure(library, id_) for id_ in library.choose(wanted)]


@shows_progress
def reproduce(
    ids: str | Iterable[str] = (),
    *,
    papers: PathLike | None = None,
    runs: int | None = None,
    seed: int = 1,
    sensitivity: bool = True,
    cache: bool | PathLike = True,
    data: PathLike | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PapersResult:
    """Repeat published experiments, and compare the results with the published ones.

    Args:
        ids: Papers, tables, figures, or the beginning of ids; by default all.
        papers: The folder of paper files; by default that of airtcp.
        runs: Number of independent repeats; by default that of the files.
        seed: Root seed. Equal seeds give equal results.
        sensitivity: Whether to run the alternatives to what a publication leaves open.
        cache: Whether to keep results and use those of earlier runs, or the folder for them.
        data: The folder of measured data; by default that of AIRTCP_DATA.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label.

    Returns:
        The result. If Ctrl-C stopped the work, `interrupted` is true and the result holds the
        finished figures.

    Raises:
        AirtcpError: If a paper file is invalid.
    """
    from airtcp_papers import cache as kept
    from airtcp_papers.result import PapersResult
    from airtcp_papers.runs import Options, data_folder
    from airtcp_papers.runs import reproduce as run_all

    folder = kept.default_folder() if cache is True else Path(cache) if cache else None
    options = Options(
        papers=None if papers is None else Path(papers),
        runs=whole("runs", runs, 1, _MOST_RUNS),
        seed=whole("seed", seed, 0, 2**64 - 1) or 0,
        cache=folder,
        sensitivity=sensitivity,
        workers=whole("workers", workers, 1, 2**32 - 1),
        data=data_folder() if data is None else Path(data),
    )
    wanted = texts_of("ids", ids)
    figures, interrupted = run_all(wanted, options, progress)
    return PapersResult(figures, seed=seed, interrupted=interrupted)
