"""`airtcp trace models`: what the synthesisers of bursty links make of given links."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, progress, refusals, screen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import polars as pl


def models(
    links: opt.Links,
    profile: Annotated[
        str, typer.Option(help="TCP parameters (airtcp list tcp-profile), or s1.")
    ] = "s1",
    slot: Annotated[
        str | None,
        typer.Option(help="Duration of a slot, such as '10 ms'; the trace's own by default."),
    ] = None,
    replicas: Annotated[
        int, typer.Option(help="Synthetic links drawn for each trace.", min=1)
    ] = 10,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    interval: opt.Interval = None,
    layout: opt.TraceLayout = None,
    column: opt.Column = None,
    kind: opt.ColumnKind = None,
    time_column: opt.TimeColumn = None,
    time_unit: opt.TimeUnit = None,
    out: opt.Out = None,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    html: opt.HtmlOnly = None,
    show: opt.Open = False,
    quiet: opt.Quiet = False,
) -> None:
    """Score models of bursty links by TCP's throughput and the longest burst.

    A report is written where --html or --out says.
    """
    from airtcp import api
    from airtcp.cli import write

    write.check_out(out)
    place = write.report_path(html, out, wanted=out is not None, piped=True)
    with refusals(), progress(quiet=quiet) as tell:
        document = api.models(
            links,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            interval=interval,
            layout=layout,
            column=column,
            kind=None if kind is None else kind.value,
            time_column=time_column,
            time_unit=time_unit,
            progress=tell,
        )
    if as_json or form is opt.Format.JSON:
        json.dump(document, sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
    elif form is opt.Format.TABLE:
        _table(document)
    else:
        rows = list(_rows(document))
        write.table_to_stdout(_frame(rows), rows, form)
    sys.stdout.flush()
    write.files(_Scores(document), out, place, show=show, quiet=quiet)
    if document["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


class _Scores:
    """The document as files."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def write(self, folder: Path, *, report: bool = True) -> list[Path]:
        """Write the document, the table of scores, and the page."""
        from airtcp import output

        written = [folder / "models.json", folder / "scores.parquet"]
        output.write_text(written[0], json.dumps(self.document, ensure_ascii=False) + "\n")
        with output.whole(written[1]) as part:
            _frame(list(_rows(self.document))).write_parquet(part)
        return [*written, self.report(folder / "report.html")] if report else written

    def report(self, path: Path) -> Path:
        """Write the page."""
        from airtcp import output
        from airtcp.report.models import models_page

        output.write_text(path, models_page(self.document))
        return path


def _rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a link and synthesiser."""
    rows: list[dict[str, Any]] = []
    for link in document["links"]:
        for score in link["scores"]:
            row = {
                "link": link["name"],
                "synthesiser": score["synthesiser"],
                "trace_packets_per_second": link["empirical"]["packets_per_second"],
                "trace_longest_success_burst": link["empirical"]["longest_success_burst"],
                "throughput_error": score["throughput_error"],
                "longest_burst_log_ratio": score["longest_burst_log_ratio"],
            }
            for key in ("packets_per_second", "prr", "longest_success_burst", "success_excess"):
                row[key] = score[key]["mean"]
            rows.append(row)
    return rows


def _table(document: dict[str, Any]) -> None:
    from airtcp import words
    from airtcp.cli.tables import Column, put

    console = screen()
    overall: list[dict[str, Any]] = document["overall"]

    def each(make: Callable[[dict[str, Any]], str]) -> list[str]:
        return [make(row) for row in overall]

    def share(key: str) -> list[str]:
        return each(lambda row: "-" if row[key] is None else f"{100 * row[key]:.0f} %")

    columns = [
        Column("links", each(lambda row: words.count(row["links"])), rank=2),
        Column(
            "TCP off by",
            each(
                lambda row: (
                    "-"
                    if row["mean_normalised_error"] is None
                    else f"{100 * row['mean_normalised_error']:.1f} %"
                )
            ),
        ),
        Column("median", share("median_absolute_throughput_error"), rank=1),
        Column("within 10 %", share("within_ten_percent"), rank=1),
        Column(
            "longest burst off by",
            each(
                lambda row: (
                    "-"
                    if row["mean_absolute_burst_log_ratio"] is None
                    else f"x {2.718281828 ** row['mean_absolute_burst_log_ratio']:.2f}"
                )
            ),
        ),
        Column("keeps", each(lambda row: row["description"]), rank=3, left=True),
    ]
    if overall:
        put(console, "model", [row["synthesiser"] for row in overall], columns)
        console.print(
            "TCP off by: mean over links of |throughput over the model - over the trace|, of the\n"
            "most there can be; median of the same, of the throughput over the trace.\n"
            "longest burst off by: the factor, either way, of the longest run of received packets."
        )
        if len({row["links"] for row in overall}) > 1:
            console.print(
                "Not every model can be made of every link (links): compare models over the same\n"
                "number of links only."
            )
    console.print(
        f"\n{words.counted(len(document['links']), 'link')}, {document['replicas']} replicas, "
        f"seed {document['seed']}, airtcp {document['airtcp_version']}"
    )
