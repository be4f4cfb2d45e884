"""`airtcp run`: simulate a scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import FAULT, fail, note, progress, refusals


def run(
    scenario: Annotated[
        Path, typer.Argument(metavar="SCENARIO.toml", help="The scenario; - is standard input.")
    ],
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications",
            "-n",
            help="Number of replications; by default the scenario's.",
            min=1,
            max=opt.MOST_REPLICATIONS,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Root seed; by default the scenario's.", min=0, max=opt.MOST_SEED),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Replace a value, such as 'links[0].rate=20 Mb/s'; may be repeated.",
        ),
    ] = None,
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
    out: opt.Out = None,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    html: opt.HtmlOnly = None,
    show: opt.Open = False,
    force: opt.Force = False,
    quiet: opt.Quiet = False,
) -> None:
    """Simulate a scenario, and print goodput and losses with confidence intervals.

    --html or --out writes a report.
    """
    asked = dict(locals())
    from airtcp import api
    from airtcp.api.scenarios import text_of
    from airtcp.cli import places, run_tables, write

    if as_json:
        form = opt.Format.JSON
    inputs = list(places.of_scenarios([scenario]))
    where = places.decide(
        asked,
        out=out,
        html=html,
        wanted=out is not None,
        piped=True,
        force=force,
        inputs=inputs,
        pcap=pcap,
        radiotap=radiotap,
    )
    places.check(pcap, force=force, inputs=inputs, ours=True)
    if radiotap is not None:
        places.check_captures(asked, Path(radiotap), force=force)
    if timeline is not None and where.report is None:
        fail("--timeline goes to the page and the tables: give --html FILE or --out DIR")
    with refusals(), progress(quiet=quiet) as tell:
        text = text_of(sys.stdin.buffer, "stdin") if str(scenario) == "-" else None
        result = api.run(
            Path("stdin") if text is not None else scenario,
            text=text,
            seed=seed,
            replications=replications,
            overrides=dict(pair(item) for item in overrides or []),
            series=series,
            pcap=pcap,
            timeline=timeline,
            radiotap=radiotap,
            purpose=where.purpose,
            force=force,
            workers=workers,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=quiet),
        )
    for capture in result.captures:
        note(f"capture: {capture}", quiet=quiet)
    if (recorded := result.timeline()) is not None and recorded.truncated:
        note(f"the timeline was full at {recorded.end_s:.6f} s and ends there", quiet=quiet)
    done = len(result.json["replications"])
    write.finish(
        result,
        where,
        form,
        table=lambda: run_tables.put_result(result.shown()),
        text=lambda: result.text,
        rows=lambda: (result.flows, result.json["replications"]),
        show=show,
        quiet=quiet,
        stopped=write.finished(done, "replication") if result.interrupted else None,
        finished=done,
    )
    if result.lost:
        # The results are there; what is not is said last.
        fail("; ".join(result.lost), FAULT)


def pair(item: str) -> tuple[str, str]:
    """Split an argument of --set."""
    path, sign, value = item.partition("=")
    if not sign or not path.strip():
        fail(f"--set {item}: expected PATH=VALUE, such as 'links[0].rate=20 Mb/s'")
    return path.strip(), value.strip()
