"""`airtcp trace models`: how well models of bursty links imitate given links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report_on_request
from airtcp.cli.reading import NOT_SAID, reads_traces
from airtcp.plain import printable_values
from airtcp.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable


@reads_traces
@writes_report_on_request
def models(
    links: opt.Links,
    profile: Annotated[
        str,
        typer.Option(
            help="TCP parameters: s1, or the name of a profile (airtcp list tcp-profile)."
        ),
    ] = "s1",
    slot: Annotated[
        str | None,
        typer.Option(help="Duration of a slot, such as '10 ms'; by default the trace's interval."),
    ] = None,
    replicas: Annotated[
        int, typer.Option(help="Number of synthetic links for each trace and model.", min=1)
    ] = 10,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    reading: Reading = NOT_SAID,
    output: Output = STANDARD,
) -> None:
    """Score models of bursty links by TCP's throughput and the longest burst.

    --html or --out writes a report.
    """
    from airtcp import api
    from airtcp.cli import write
    from airtcp.model_scores import ModelScores

    where = output.places(links)
    with refusals(), progress(quiet=output.quiet) as tell:
        document = api.models(
            links,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            progress=tell,
            **reading,
        )
    scores, done = ModelScores(document), len(document["links"])
    output.finish(
        scores,
        where,
        table=lambda: _table(printable_values(document, keep="")),
        rows=lambda: (scores.table, scores.rows),
        stopped=write.finished(done, "link") if document["interrupted"] else None,
        finished=done,
    )


def _table(document: dict[str, Any]) -> None:
    from airtcp.cli.study import put_lines
    from airtcp.cli.tables import Column, put
    from airtcp.findings import words
    from airtcp.findings.notes import models_notes

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
            "TCP off by: mean over links of |throughput over the model - over the trace|, in\n"
            "percent of one packet a slot, the most that TCP can get; median: of the same\n"
            "difference, in percent of the throughput over the trace; within 10 %: share of the\n"
            "links where that is at most 10 %, of those over which the trace delivers something.\n"
            "longest burst off by: the factor, either way, of the longest run of received packets."
        )
        if len({row["links"] for row in overall}) > 1:
            console.print(
                "Not every model can be made of every link (links): compare models over the same\n"
                "number of links only."
            )
    put_lines(console, models_notes(document["links"]))
    console.print(
        f"\n{words.counted(len(document['links']), 'link')}, "
        f"{words.counted(document['replicas'], 'replica')}, seed {document['seed']}, "
        f"airtcp {document['airtcp_version']}"
    )
