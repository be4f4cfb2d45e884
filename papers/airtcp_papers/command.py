"""`airtcp reproduce`: repeat published experiments and compare the results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report_on_request

if TYPE_CHECKING:
    from airtcp.data.table import Table
    from airtcp_papers.paper import Figure
    from airtcp_papers.result import PapersResult

_TITLE: Final = 44


def _ids(incomplete: str) -> list[complete.Word]:
    """Complete the id of a published table or figure, or of a publication."""
    from airtcp import AirtcpError
    from airtcp_papers.library import Library, default_root

    try:
        ids = list(Library(default_root()).files)
    except (AirtcpError, OSError):
        return []
    whole = dict.fromkeys(id_.partition(".")[0] for id_ in ids)
    return complete.fitting([(name, "") for name in (*whole, *ids)], incomplete)


@writes_report_on_request
def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Papers, tables, figures (S1, S1.fig13), or the beginning of ids; by default all.",
            show_default=False,
            autocompletion=_ids,
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the tables and figures, and run nothing.")
    ] = False,
    papers: Annotated[
        Path | None,
        typer.Option(help="Folder of paper files; by default those of airtcp.", show_default=False),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            help="Number of independent repeats; by default that of the files.", min=1, max=1000
        ),
    ] = None,
    seed: opt.Seed = 1,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity/--no-sensitivity",
            help="Also run the alternatives to what a publication leaves open.",
        ),
    ] = True,
    cache: Annotated[
        bool,
        typer.Option("--cache/--no-cache", help="Keep results, and use those of earlier runs."),
    ] = True,
    workers: opt.Workers = None,
    output: Output = STANDARD,
) -> None:
    """Repeat published experiments, and compare published values with the values here.

    AIRTCP_DATA names the folder of measured data. Without it, rows that need such data are
    skipped.
    """
    from airtcp.cli import write
    from airtcp_papers import call

    wanted = list(ids or [])
    if listed:
        with refusals():
            _list(call.published(wanted, papers=papers), output.format)
        return
    where = output.places([] if papers is None else [papers])
    if not output.quiet:
        with refusals():
            _announce(wanted, papers, runs, sensitivity=sensitivity)
    with refusals(), progress(quiet=output.quiet) as tell:
        result = call.reproduce(
            wanted,
            papers=papers,
            runs=runs,
            seed=seed,
            sensitivity=sensitivity,
            cache=cache,
            workers=workers,
            progress=tell,
        )
    output.finish(
        result,
        where,
        rows=lambda: (result.table, result.rows),
        stopped=write.finished(len(result.figures), "figure") if result.interrupted else None,
        finished=len(result.figures),
        rest=lambda: _put_counts(result),
    )


def _announce(
    wanted: list[str], papers: Path | None, runs: int | None, *, sensitivity: bool
) -> None:
    """Print the estimated processor time on standard error, if it is known."""
    from airtcp_papers import costs
    from airtcp_papers.library import Library, default_root

    library = Library(papers or default_root())
    found = costs.estimates(library, wanted, sensitivity=sensitivity, runs=runs)
    if text := costs.said(found):
        more = "; --no-sensitivity leaves out the alternatives" if sensitivity else ""
        sys.stderr.write(f"{text}{more}\n")


def _list(figures: list[Figure], form: opt.Format) -> None:
    """Print the tables and figures that could be reproduced."""
    from airtcp.cli import write

    rows = [
        {
            "id": figure.id,
            "kind": figure.kind,
            "item": figure.item,
            "title": figure.title,
            "paper": figure.paper.title,
            "driver": figure.driver,
            "published": len(figure.published),
            "claims": len(figure.claims),
            "path": str(figure.path),
        }
        for figure in figures
    ]

    def table() -> Table:
        from airtcp.data.table import Table

        return Table.from_rows(rows)

    write.printed(
        form,
        table=lambda: _put_list(figures),
        text=lambda write: write(json.dumps(rows, ensure_ascii=False, indent=1)),
        rows=lambda: (table(), rows),
    )


def _put_list(figures: list[Figure]) -> None:
    from airtcp.cli import show
    from airtcp.words.grid import Column, Grid, elided

    titles = [f.title for f in figures]
    columns = [
        Column("item", [f.item for f in figures], rank=3, left=True),
        Column("what", titles, [elided(title, _TITLE) for title in titles], left=True),
        Column("driver", [f.driver for f in figures], rank=4, left=True),
        Column("values", [str(len(f.published)) for f in figures], rank=1),
        Column("orderings", [str(len(f.claims)) for f in figures], rank=2),
    ]
    console = screen()
    show.put_grid(console, Grid("id", [f.id for f in figures], columns), wide=console.width)


def _put_counts(result: PapersResult) -> None:
    """Print the counts; the answer has the rows."""
    from rich.text import Text

    from airtcp.data import extension
    from airtcp_papers.rows import said_counts

    console = screen()
    for line in said_counts(result.rows) or ["No rows."]:
        console.print(Text(line), soft_wrap=True)
    console.print(f"seed {result.seed}, airtcp {extension.version()}")


__all__ = ["reproduce"]
