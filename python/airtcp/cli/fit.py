"""`airtcp trace fit`: TCP's throughput as a function of link metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals
from airtcp.cli.output import STANDARD, Output, writes_report_on_request
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.inputs.reading import Reading

if TYPE_CHECKING:
    pass


@reads_traces
@writes_report_on_request
def fit(
    links: Annotated[
        list[str],
        typer.Argument(
            metavar="LINK",
            help="Delivery traces as for study, or results of studies (study.json, "
            "links.parquet, the folder of --out), which are not run again.",
            show_default=False,
        ),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Test another metric, such as beta, loss_bursts.mean or "
            "'log(longest_success_burst)'; may be repeated.",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Use only links such as '0.2<=prr<=0.6' or 'mu>0.5'; may be repeated.",
        ),
    ] = None,
    link_class: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="CLASS",
            help="Use only links of this class, such as intermediate; may be repeated.",
        ),
    ] = None,
    rtt_slots: Annotated[
        float, typer.Option(help="Round-trip time in the formulas, in slots.")
    ] = 2.0,
    timeout_slots: Annotated[
        float, typer.Option(help="First retransmission timeout in the formulas, in slots.")
    ] = 100.0,
    profile: opt.Profile = "s1",
    slot: opt.Slot = None,
    replicas: Annotated[
        int,
        typer.Option(
            help="Number of synthetic links in the study; the fits do not use them.",
            min=1,
            max=10_000,
        ),
    ] = 1,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    reading: Reading = DEFAULT_READING,
    output: Output = STANDARD,
) -> None:
    """Fit TCP's throughput to PRR, mu and other metrics, and compare formulas.

    Errors are in percent of the link's packets per second, for the links of the fit and for
    links left out one at a time.
    """
    from airtcp.cli import show, write
    from airtcp.questions.fit import call

    target = output.places(links)
    with refusals("trace fit", links), progress(quiet=output.quiet) as tell:
        result = call.trace_fit(
            links,
            metrics=metric or (),
            where=where or (),
            link_class=link_class or (),
            rtt_slots=rtt_slots,
            timeout_slots=timeout_slots,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            progress=tell,
            **reading,
        )
    output.finish(
        result,
        target,
        rows=lambda: (result.fits, result.fits.rows()),
        stopped=f"{write.finished(len(result), 'link')} and fitted" if result.interrupted else None,
        finished=len(result),
        rest=lambda: show.put_seed(result.json),
    )
