"""`airtcp sweep`: a scenario, study or comparison at many points."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, fail, note, progress, refusals, screen, to_stdout
from airtcp.cli.overrides import replaced

if TYPE_CHECKING:
    from airtcp.questions.sweep.result import SweepResult

PageOnly = Annotated[
    Path | None,
    typer.Option(
        "--html",
        parser=opt.place,
        metavar=opt.SHOWN,
        help="File of the report, which grows while the sweep runs; by default in --out.",
        show_default=False,
    ),
]
_ROWS: Final = 200
"""Points with `--details`."""
_FAILURES: Final = 10
_FAILED: Final = 2
"""Exit code if points failed: their values are refused."""


def sweep(
    file: Annotated[Path, typer.Argument(metavar="SWEEP.toml", help="The sweep.")],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=opt.place,
            metavar=opt.SHOWN,
            help="Folder of the results; by default the file's name with the ending .sweep.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Number of processes; by default one per core. The results do not depend on it.",
            min=1,
            max=opt.MAX_WORKERS,
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="dask|tcp://HOST:PORT",
            help="Run on a Dask cluster: one that the command starts, or that of a scheduler.",
        ),
    ] = None,
    overrides: opt.Overrides = None,
    seed: Annotated[
        int | None, opt.root_seed("Root seed of all points; by default the file's.")
    ] = None,
    replications: Annotated[
        int | None,
        opt.replications(
            "Number of replications, instead of the file's number or rule.", opt.MAX_REPLICATIONS
        ),
    ] = None,
    law: opt.Law = None,
    law_timeout: opt.LawTimeout = "60 s",
    retry: Annotated[
        int,
        typer.Option(help="How often a failed point runs again in this call.", min=0, max=100),
    ] = 0,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Run one point, print the estimated time, and stop."),
    ] = False,
    as_json: opt.Json = False,
    details: opt.Details = False,
    html: PageOnly = None,
    figures: opt.Figures = None,
    figure_width: opt.Wide = opt.FigureWidth.COLUMN,
    open_page: opt.Open = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run a scenario, study or comparison at many points, in parallel.

    The results stream into a folder of Parquet files. The same command goes on where it was
    stopped, and runs new points only.
    """
    from airtcp.cli import figures as drawing
    from airtcp.cli import places, show
    from airtcp.laws.given import OwnLaws
    from airtcp.questions.result_files import REPORT
    from airtcp.questions.sweep import call
    from airtcp.questions.sweep.run import estimate
    from airtcp.questions.sweep.sweep_file import read
    from airtcp.words.sentences import counted

    asked: dict[str, Any] = {
        "overrides": replaced(overrides or []),
        "seed": seed,
        "replications": replications,
    }
    folder = out or Path(f"{file.stem}.sweep")
    page = html if html is not None or out is None else folder / REPORT
    if open_page and page is None:
        places.refuse_open()
    if html is not None:
        # The same command goes on with a sweep, and makes its page anew.
        places.check(html, force=False, inputs=[file], ours=True)
    if figures is not None and not dry_run:
        # The same command goes on with a sweep, and draws its figures anew.
        drawing.check(figures, force=True)
    if dry_run:
        with refusals("sweep", [file]), progress(quiet=quiet) as tell:
            laws = OwnLaws(law or (), timeout=law_timeout)
            said = estimate(read(file, **asked, laws=laws), folder, workers, tell)
        _dry(said, as_json=as_json)
        return
    with refusals("sweep", [file]), progress(quiet=quiet) as tell:
        result = call.sweep(
            file,
            out=folder,
            workers=workers,
            on=on,
            law=law or (),
            law_timeout=law_timeout,
            retry=retry,
            report=False if page is None else page,
            progress=tell,
            **asked,
        )
    with to_stdout():
        if as_json:
            sys.stdout.write(result.text + "\n")
        else:
            show.put_result(result.answer(), lambda: _points(result), details=details)
    note(f"results: {folder / 'points'} (Parquet)", quiet=quiet)
    if result.set_aside:
        points = counted(result.set_aside, "point")
        note(f"kept in {folder / 'unused'}: {points} that this sweep has not", quiet=quiet)
    if figures is not None:
        drawing.write(result, figures, figure_width, quiet=quiet)
    if page is not None:
        note(f"report: {page}", quiet=quiet)
        if open_page:
            typer.launch(page.resolve().as_uri())
    _end(result)


def _end(result: SweepResult) -> None:
    """End the command with its exit code."""
    from airtcp.words.sentences import counted

    points = result.json["points"]
    if result.interrupted:
        note(
            f"interrupted: {points['finished']} of {points['distinct']} points are finished; "
            "the same command goes on",
            quiet=False,
        )
        raise SystemExit(INTERRUPTED)
    if result.failures:
        for one in result.failures[:_FAILURES]:
            values = ", ".join(f"{path}={text}" for path, text in one["values"].items())
            note(f"failed: {values}: {one['message']}", quiet=False)
        more = len(result.failures) - _FAILURES
        rest = f" (and {more} more, in sweep.json)" if more > 0 else ""
        fail(
            f"{len(result.failures)} of {counted(points['distinct'], 'point')} failed{rest}; "
            f"the same command runs {'it' if len(result.failures) == 1 else 'them'} again",
            _FAILED,
        )


def _dry(said: dict[str, Any], *, as_json: bool) -> None:
    from airtcp.words.sentences import count, counted

    with to_stdout():
        if as_json:
            sys.stdout.write(json.dumps(said) + "\n")
            return
        left = said["points"] - said["finished"]
        each = said["point_s"]
        sys.stdout.write(
            f"{counted(said['points'], 'point')}, {count(said['finished'])} of them finished\n"
        )
        if left:
            sys.stdout.write(
                f"one point of {counted(said['replications'], 'replication')} took "
                f"{_duration(each)}\n"
                f"{counted(left, 'point')} with {counted(said['workers'], 'worker')}: about "
                f"{_duration(left * each / said['workers'])}\n"
            )


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s" if seconds >= 1 else f"{max(1000 * seconds, 1):.0f} ms"


def _points(result: SweepResult) -> None:
    """Print the first points, in the order of the sweep, with all measures."""
    from airtcp.cli.show import put_grid
    from airtcp.questions.sweep import tables

    console = screen()
    rows = result.first(_ROWS)
    if rows:
        put_grid(console, tables.points(result.json, result.heads, rows), whole=True)
    seed = result.json["seed"]
    drawn = "the seed varies" if seed is None else f"seed {seed}"
    console.print(f"{drawn}, airtcp {result.json['airtcp_version']}")
