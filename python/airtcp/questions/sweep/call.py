"""Sweeps: one scenario, study or comparison at many points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.files import atomic_write
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.laws.given import OwnLaws
from airtcp.laws.limit import STANDARD
from airtcp.questions.sweep import run as runs
from airtcp.questions.sweep.live import PAGE
from airtcp.questions.sweep.sweep_file import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.questions.sweep.result import SweepResult


@reads("sweep")
@shows_progress
def sweep(
    source: PathLike | Mapping[str, Any],
    *,
    out: PathLike | None = None,
    workers: int | None = None,
    on: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    seed: int | None = None,
    replications: int | None = None,
    law: str | Iterable[str] = (),
    law_timeout: str = STANDARD,
    retry: int = 0,
    report: bool | PathLike = False,
    progress: Progress | None = None,
) -> SweepResult:
    """Run a scenario, study or comparison at many points, and keep the results in a folder.

    The folder may hold points of an earlier call. A point whose scenario, seed, replications,
    measures and version of airtcp are the same is not run again.

    Args:
        source: A TOML file, or its content as a dictionary (docs/guide/sweep.md lists the keys).
        out: The folder of the results; by default the name of the file with the ending `.sweep`.
        workers: Number of processes; by default one per core. The results do not depend on it.
        on: Where to run: None for processes of this machine, `dask` for a Dask cluster that the
            call starts here, or the address of a Dask scheduler (`tcp://HOST:PORT`).
        overrides: Values set at every point, by path; they replace those of the file.
        seed: Root seed; by default the file's, else the scenario's. All points have the same, so
            that they share random draws (common random numbers).
        replications: Number of replications, instead of the file's number or rule.
        law: Files with congestion controls of one's own that the scenario or `options.tcp` name.
            Their code runs, and their hashes belong to the points.
        law_timeout: Processor time that a replication with a law in Python may take.
        retry: How often a failed point runs again within this call.
        report: The file of the page, which is written again and again while the sweep runs; True
            for `report.html` in the folder.
        progress: Called with done, total and a label.

    Returns:
        The result. If Ctrl-C stopped the sweep, `interrupted` is true, and another call goes on.

    Raises:
        AirtcpError: If the sweep file is refused, or Dask or SALib is missing.
        LawError: If a law cannot be loaded, or is not the one of the results in the folder.
        PlaceError: If the folder belongs to something else, or another sweep runs in it.

    Examples:
        >>> lossy = {
        ...     "duration": "2 s",
        ...     "links": [{"from": "a", "to": "b", "rate": "5 Mb/s", "delay": "20 ms"}],
        ...     "flows": [{"from": "a", "to": "b"}],
        ... }
        >>> vary = {"links[0].rate": ["2 Mb/s", "4 Mb/s"], "links[0].delay": ["5 ms", "50 ms"]}
        >>> asked = {"scenario": lossy, "vary": vary, "replications": 2}
        >>> result = sweep(asked, out="rates", workers=1)
        >>> result
        SweepResult(4 of 4 points, rates)
        >>> again = sweep(asked, out="rates", workers=1)
        >>> again.json["points"]["run"]
        0
    """
    if out is None:
        out = "airtcp.sweep" if not isinstance(source, str | Path) else f"{Path(source).stem}.sweep"
    spec = read(
        source if not hasattr(source, "__fspath__") else Path(source),  # pyright: ignore[reportArgumentType]
        overrides=overrides,
        seed=seed,
        replications=replications,
        laws=OwnLaws(law, timeout=law_timeout),
    )
    with atomic_write.named(Path(out)):
        return runs.run(
            spec,
            Path(out),
            workers=workers,
            on=on,
            retry=retry,
            page=Path(out) / PAGE if report is True else Path(report) if report else None,
            progress=progress,
        )
