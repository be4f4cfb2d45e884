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
    from airtcp.cli.tables import Column
    from airtcp.questions.sweep.result import SweepResult

_ROWS: Final = 20
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
        int | None,
        typer.Option(
            help="Root seed of all points; by default the file's.", min=0, max=opt.MAX_SEED
        ),
    ] = None,
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications",
            "-n",
            help="Number of replications, instead of the file's number or rule.",
            min=1,
            max=opt.MAX_REPLICATIONS,
        ),
    ] = None,
    retry: Annotated[
        int,
        typer.Option(help="How often a failed point runs again in this call.", min=0, max=100),
    ] = 0,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Run one point, print the estimated time, and stop."),
    ] = False,
    as_json: opt.Json = False,
    report: opt.Report = True,
    figures: opt.Figures = None,
    figure_width: opt.Wide = opt.FigureWidth.COLUMN,
    show: opt.Open = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run a scenario, study or comparison at many points, in parallel.

    The results stream into a folder of Parquet files. The same command goes on where it was
    stopped, and runs new points only.
    """
    from airtcp.cli import figures as drawing
    from airtcp.questions.sweep import call
    from airtcp.questions.sweep.run import estimate
    from airtcp.questions.sweep.sweep_file import read

    asked: dict[str, Any] = {
        "overrides": replaced(overrides or []),
        "seed": seed,
        "replications": replications,
    }
    folder = out or Path(f"{file.stem}.sweep")
    if figures is not None and not dry_run:
        # The same command goes on with a sweep, and draws its figures anew.
        drawing.check(figures, force=True)
    if dry_run:
        with refusals("sweep", [file]), progress(quiet=quiet) as tell:
            said = estimate(read(file, **asked), folder, workers, tell)
        _dry(said, as_json=as_json)
        return
    with refusals("sweep", [file]), progress(quiet=quiet) as tell:
        result = call.sweep(
            file,
            out=folder,
            workers=workers,
            on=on,
            retry=retry,
            report=report,
            progress=tell,
            **asked,
        )
    with to_stdout():
        if as_json:
            sys.stdout.write(result.text + "\n")
        else:
            _print(result)
    note(f"results: {folder / 'points'} (Parquet)", quiet=quiet)
    if figures is not None:
        drawing.write(result, figures, figure_width, quiet=quiet)
    if report:
        note(f"report: {folder / 'report.html'}", quiet=quiet)
    if show and report:
        typer.launch((folder / "report.html").resolve().as_uri())
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


def _print(result: SweepResult) -> None:
    """Print the findings and the first points."""
    from airtcp.cli.tables import Column, put
    from airtcp.questions.sweep.findings import findings
    from airtcp.questions.sweep.measures import metric_of

    console = screen()
    kind = result.json["sweep"]["kind"]
    for finding in findings(result.json, lambda key: metric_of(kind, key).label):
        console.print(f"{finding.headline}: {finding.text}", soft_wrap=False)
    rows = result.first(_ROWS)
    if not rows:
        return
    head, *heads = result.heads
    axes = [
        Column(name, [row["at"][place] for row in rows], rank=0)
        for place, name in enumerate(heads, 1)
    ]
    put(console, head, [row["at"][0] for row in rows], [*axes, *_columns(result, rows)])
    points = result.json["points"]
    if points["finished"] > len(rows):
        console.print(
            f"{len(rows)} of {points['finished']} points; all are in the dataset and the report"
        )
    seed = result.json["seed"]
    drawn = "the seed varies" if seed is None else f"seed {seed}"
    console.print(f"{drawn}, airtcp {result.json['airtcp_version']}")


def _columns(result: SweepResult, rows: list[dict[str, Any]]) -> list[Column]:
    from airtcp.cli.tables import Column, broken
    from airtcp.questions.sweep.measures import metric_of
    from airtcp.words.sentences import count, estimate

    kind = result.json["sweep"]["kind"]
    found = [Column("runs", [count(row["replications"]) for row in rows], rank=2)]
    shown: list[list[float | None]] = []
    for rank, key in enumerate(result.json["sweep"]["measure"]):
        metric = metric_of(kind, key)
        values = [row["values"].get(key) for row in rows]
        means = [value and value["mean"] for value in values]
        same = len(rows) > 1 and (len(set(means)) == 1 and key == "jain_index")
        if any(mean is not None for mean in means) and means not in shown and not same:
            shown.append(means)
            found.append(
                Column(
                    broken(metric.label),
                    [estimate(value, metric.scale, metric.limits) for value in values],
                    [estimate(value, metric.scale, short=True) for value in values],
                    rank + 2 if rank else 0,
                )
            )
    return found
