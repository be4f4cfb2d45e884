"""`airtcp trace models`: how well models of bursty links imitate given links."""

from __future__ import annotations

from typing import Annotated

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals
from airtcp.cli.output import STANDARD, Output, writes_report_on_request
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.inputs.reading import Reading


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
    from airtcp.cli import show, write
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
        rows=lambda: (scores.table, scores.rows),
        stopped=write.finished(done, "link") if scores.json["interrupted"] else None,
        finished=done,
        rest=lambda: show.put_seed(scores.json),
    )
