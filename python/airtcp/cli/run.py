"""`airtcp run`: simulate a scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import fail, note, progress, refusals
from airtcp.cli.output import STANDARD, Output, kept, writes_report_on_request
from airtcp.cli.overrides import replaced

if TYPE_CHECKING:
    from airtcp.questions.run.result import RunResult


@writes_report_on_request
def run(
    scenario: Annotated[
        Path, typer.Argument(metavar="SCENARIO.toml", help="The scenario; - is standard input.")
    ],
    replications: Annotated[
        int | None,
        opt.replications(
            "Number of replications; by default the scenario's.", opt.MAX_REPLICATIONS
        ),
    ] = None,
    seed: Annotated[int | None, opt.root_seed("Root seed; by default the scenario's.")] = None,
    overrides: opt.Overrides = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The TCP of every TCP flow: a name as for airtcp compare, or a congestion control "
            "of your own, my_law.py:Aimd:a=2.",
            autocompletion=complete.tcp,
        ),
    ] = None,
    law: opt.Law = None,
    law_timeout: opt.LawTimeout = "60 s",
    workers: opt.Workers = None,
    series: Annotated[
        bool,
        typer.Option(
            "--series", help="Record windows, round-trip times, queues and stations over time."
        ),
    ] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(
            parser=opt.place,
            metavar=opt.SHOWN,
            help="Write a capture (pcapng) of the first replication, taken at the senders.",
        ),
    ] = None,
    timeline: Annotated[
        str | None,
        typer.Option(
            metavar="FROM..TO",
            help="Record the frames on the air of 802.11 cells in an interval, such as 2s..2.02s.",
        ),
    ] = None,
    radiotap: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=opt.place,
            help="Write one capture (pcapng) per 802.11 station: the frames it sent and heard.",
        ),
    ] = None,
    why: Annotated[
        opt.Why,
        typer.Option(
            help="Find what limits the flows: take things away, one at a time, with the same draws."
            " auto runs a quarter of the measured time, yes all of it. Both try what the answer"
            " advises, for all flows."
        ),
    ] = opt.Why.AUTO,
    arrivals: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Let the packets that emulate --record wrote meet the scenario again, and print"
            " the fate of each, as airtcp replay does.",
        ),
    ] = None,
    output: Output = STANDARD,
) -> None:
    """Simulate a scenario, and print what limits its flows, and goodput and losses with intervals.

    --html or --out writes a report.
    """
    if arrivals is not None:
        simulated = {
            "--replications": replications,
            "--series": series,
            "--pcap": pcap,
            "--timeline": timeline,
            "--radiotap": radiotap,
            "--workers": workers,
            "--why": why is not opt.Why.AUTO,
            **output.wanted(),
        }
        _meet_again(scenario, arrivals, overrides or [], seed, simulated)
    from airtcp.cli import places, write
    from airtcp.questions.run import call
    from airtcp.questions.scenarios import text_of

    inputs = list(places.of_scenarios([scenario]))
    where = output.places(inputs, pcap=pcap, radiotap=radiotap)
    places.check(pcap, force=output.force, inputs=inputs, ours=True)
    if radiotap is not None:
        places.check_captures(output.asked, Path(radiotap), force=output.force)
    if timeline is not None and where.report is None:
        fail("--timeline goes to the page and the tables: give --html FILE or --out DIR")
    with refusals("run", [scenario]), progress(quiet=output.quiet) as tell:
        text = text_of(sys.stdin.buffer, "stdin") if str(scenario) == "-" else None
        result, failed = kept(
            lambda: call.run(
                Path("stdin") if text is not None else scenario,
                text=text,
                seed=seed,
                replications=replications,
                overrides=replaced(overrides or []),
                tcp=tcp,
                law=law or (),
                law_timeout=law_timeout,
                series=series,
                pcap=pcap,
                timeline=timeline,
                radiotap=radiotap,
                why=why.value,
                purpose=where.purpose,
                force=output.force,
                workers=workers,
                progress=tell,
                warn=lambda warning: note(f"warning: {warning}", quiet=output.quiet),
            )
        )
    _say_recorded(result, quiet=output.quiet)
    done = write.finished(len(result.json["replications"]), "replication")
    output.finish(
        result,
        where,
        rows=lambda: (result.flows, result.json["replications"]),
        stopped=done if result.interrupted else None,
        finished=len(result.json["replications"]),
        failed=failed and f"{failed}; {done}",
    )
    if result.unwritten:
        # The results are complete; missing captures are reported last.
        fail("; ".join(result.unwritten))


def _say_recorded(result: RunResult, *, quiet: bool) -> None:
    """Name the captures, and say where a timeline ends early."""
    for capture in result.captures:
        note(f"capture: {capture}", quiet=quiet)
    if (recorded := result.timeline()) is not None and recorded.truncated:
        note(f"the timeline was full at {recorded.end_s:.6f} s and ends there", quiet=quiet)


def _meet_again(
    scenario: Path,
    arrivals: Path,
    overrides: list[str],
    seed: int | None,
    simulated: dict[str, object],
) -> NoReturn:
    """Continue as `replay`; refuse the first option of a simulated run that was given."""
    from airtcp.cli.live import meet_again

    unfit = next((name for name, value in simulated.items() if value), None)
    meet_again(scenario, arrivals, overrides, seed=seed, unfit=unfit)
