"""`airtcp study`: metrics of a link and TCP over it, from its delivery trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals
from airtcp.cli.output import STANDARD, Output, writes_report_on_request
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.inputs.reading import Reading

if TYPE_CHECKING:
    from airtcp.questions.study.result import StudyResult


@reads_traces
@writes_report_on_request
def study(
    links: opt.Links,
    profile: opt.Profile = "s1",
    slot: opt.Slot = None,
    replicas: Annotated[
        int, typer.Option(help="Number of synthetic links of each kind.", min=1, max=10_000)
    ] = 20,
    seed: opt.Seed = 1,
    compare: Annotated[
        bool | None,
        typer.Option(
            "--compare/--no-compare",
            help="Compare TCPs over each link; by default for up to 20 links.",
            show_default=False,
        ),
    ] = None,
    remedies: Annotated[
        bool | None,
        typer.Option(
            "--remedies/--no-remedies",
            help="Try remedies against losses on each link; by default for up to 20 links.",
            show_default=False,
        ),
    ] = None,
    workers: opt.Workers = None,
    reading: Reading = DEFAULT_READING,
    output: Output = STANDARD,
) -> None:
    """Report what links are, and what TCP delivers over them.

    Each trace is compared with independent losses of the same packet reception ratio (PRR), and
    with Gilbert-Elliott chains of the same PRR and burstiness (mu).
    """
    from airtcp.cli import show, write
    from airtcp.questions.study import call

    where = output.places(links)
    with refusals("study", links), progress(quiet=output.quiet) as tell:
        result = call.study(
            links,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            compare=compare,
            remedies=remedies,
            workers=workers,
            progress=tell,
            **reading,
        )
    output.finish(
        result,
        where,
        rows=lambda: _rows(result),
        stopped=write.finished(len(result), "link") if result.interrupted else None,
        finished=len(result),
        rest=lambda: show.put_seed(result.json),
    )


def _rows(result: StudyResult) -> tuple[Any, list[Any]]:
    """Return the rows of links, or of capacities if there are no other links."""
    if result.json["capacities"] and not result.json["links"]:
        return result.table("capacities"), list(result.json["capacities"])
    return result.links, list(result.json["links"])
