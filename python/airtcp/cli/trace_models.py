"""`airtcp trace models`: how well models of bursty links imitate given links."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report_on_request
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.inputs.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.cli.tables import Column


@reads_traces
@writes_report_on_request
def models(
    links: opt.Links,
    profile: opt.Profile = "s1",
    slot: opt.Slot = None,
    replicas: Annotated[
        int, typer.Option(help="Number of synthetic links for each trace and model.", min=1)
    ] = 10,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    reading: Reading = DEFAULT_READING,
    output: Output = STANDARD,
) -> None:
    """Score models of bursty links by TCP's throughput and the longest burst.

    --html or --out writes a report.
    """
    from airtcp.cli import write
    from airtcp.questions.trace import call_stats
    from airtcp.questions.trace.model_scores import ModelScores

    where = output.places(links)
    with refusals("trace models", links), progress(quiet=output.quiet) as tell:
        scores = ModelScores(
            call_stats.models(
                links,
                profile=profile,
                slot=slot,
                replicas=replicas,
                seed=seed,
                workers=workers,
                progress=tell,
                **reading,
            )
        )
    done = len(scores.json["links"])
    output.finish(
        scores,
        where,
        table=lambda: _table(scores.shown().json),
        rows=lambda: (scores.table, scores.rows),
        stopped=write.finished(done, "link") if scores.json["interrupted"] else None,
        finished=done,
    )


def _table(document: dict[str, Any]) -> None:
    from airtcp.cli.remarks import put_lines
    from airtcp.cli.tables import put
    from airtcp.words import sentences as words
    from airtcp.words.notes import models_notes

    console = screen()
    overall: list[dict[str, Any]] = document["overall"]
    if overall:
        put(console, "model", [row["synthesiser"] for row in overall], _columns(overall))
        console.print(_LEGEND)
        if len({row["links"] for row in overall}) > 1:
            console.print(_UNLIKE)
    put_lines(console, models_notes(document["links"]))
    console.print(
        f"\n{words.counted(len(document['links']), 'link')}, "
        f"{words.counted(document['replicas'], 'replica')}, seed {document['seed']}, "
        f"airtcp {document['airtcp_version']}"
    )


def _columns(overall: list[dict[str, Any]]) -> list[Column]:
    from airtcp.cli.tables import Column
    from airtcp.words import sentences as words

    def each(key: str, write: Callable[[float], str]) -> list[str]:
        return ["-" if row[key] is None else write(row[key]) for row in overall]

    def percent(share: float) -> str:
        return f"{100 * share:.0f} %"

    def percent_1(share: float) -> str:
        return f"{100 * share:.1f} %"

    def factor(log: float) -> str:
        return f"x {exp(log):.2f}"

    return [
        Column("links", each("links", words.count), rank=2),
        Column("throughput error", each("mean_normalised_error", percent_1)),
        Column("median", each("median_absolute_throughput_error", percent), rank=1),
        Column("within 10 %", each("within_ten_percent", percent), rank=1),
        Column("longest-burst error", each("mean_absolute_burst_log_ratio", factor)),
        Column("keeps", each("description", str), rank=3, left=True),
    ]


_LEGEND: Final = (
    "throughput error: mean over links of |throughput over the model - over the trace|, in\n"
    "percent of one packet a slot, the maximum that TCP can get; median: of the same difference,\n"
    "in percent of the throughput over the trace; within 10 %: share of the links for which the\n"
    "latter is at most 10 %, of those over which the trace delivers something.\n"
    "longest-burst error: factor, either way, by which the longest run of received packets differs."
)
_UNLIKE: Final = (
    "Some models do not apply to every link (links): compare models over the same number of\n"
    "links only."
)
