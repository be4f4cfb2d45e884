"""Published experiments: which there are, and what comes out of them here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from airtcp.arguments import texts_of, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.arguments import PathLike, Progress
    from airtcp.papers.paper import Figure
    from airtcp.papers.result import PapersResult

_MOST_RUNS: Final = 1000


def published(ids: str | Iterable[str] = (), *, papers: PathLike | None = None) -> list[Figure]:
    """List the published tables and figures that can be reproduced.

    Args:
        ids: Ids, or what ids begin with; all if left out.
        papers: The folder of paper files, in place of airtcp's own.

    Raises:
        AirtcpError: If a file is not what it should be.

    Examples:
        >>> published("S1.fig13")[0].item
        'Figure 13'
    """
    from airtcp.papers.drivers import read_figure
    from airtcp.papers.library import Library, default_root

    library = Library(default_root() if papers is None else Path(papers))
    wanted = texts_of("ids", ids)
    return [read_figure(library, id_) for id_ in library.choose(wanted)]


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
    """Make published experiments again and compare what comes out with what was published.

    Args:
        ids: Papers, tables, figures, or what their ids begin with; everything if left out.
        papers: The folder of paper files, in place of airtcp's own.
        runs: Independent repeats, in place of what the files say.
        seed: Root seed; the same seed gives the same result.
        sensitivity: Whether to try the alternatives of what a publication leaves open.
        cache: Whether to keep and use what was worked out before, or the folder to keep it in.
        data: The folder of measured data, in place of what AIRTCP_DATA says.
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the work, and the figures that were
        finished are in it.

    Raises:
        AirtcpError: If a file is not what it should be.
    """
    from airtcp.papers import cache as kept
    from airtcp.papers.reproduce import Options, data_folder
    from airtcp.papers.reproduce import reproduce as run_all
    from airtcp.papers.result import PapersResult

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
