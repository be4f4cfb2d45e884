"""`airtcp diagnose`: from a packet capture to a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli import complete, recording
from airtcp.cli import options as opt
from airtcp.cli.console import fail, note, progress, refusals
from airtcp.cli.output import STANDARD, Output, writes_report_on_request

if TYPE_CHECKING:
    from airtcp.questions.diagnose.result import DiagnoseResult

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="pcap or pcapng files of one transfer, best taken at the sender; - is standard input. "
        "Monitor-mode captures beside them add the losses of the air.",
        show_default=False,
    ),
]


@writes_report_on_request
def diagnose(
    files: Files = None,
    interface: recording.Interface = None,
    time_text: recording.For = None,
    pcap: recording.Kept = None,
    snap: recording.Snap = None,
    connection: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="The connection, from 0 as in airtcp capture --format csv; by default that with "
            "the most data.",
            min=0,
            show_default=False,
        ),
    ] = None,
    tcp: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Congestion law of the sender (airtcp list congestion; newreno is reno); by "
            "default a guess.",
            show_default=False,
            autocompletion=complete.law,
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            help="Rate of the link, such as '20 Mb/s'; by default measured.", show_default=False
        ),
    ] = None,
    rtt: Annotated[
        str | None,
        typer.Option(
            help="Round-trip time without load, such as '30 ms'; by default the least.",
            show_default=False,
        ),
    ] = None,
    replications: Annotated[
        int,
        opt.replications(
            "Number of links that are drawn, each replayed once with each TCP; fewer than 5 "
            "give no useful interval.",
            least=5,
        ),
    ] = 60,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    scenario_out: Annotated[
        Path | None,
        typer.Option(
            "--scenario-out",
            parser=opt.place,
            metavar=opt.SHOWN,
            help="Write the link and the transfer as a scenario for airtcp run.",
            show_default=False,
        ),
    ] = None,
    output: Output = STANDARD,
) -> None:
    """Find what limited the transfer of a packet capture, and what would deliver more.

    The timing of packets and ACKs shows the link. Links that agree with it are drawn, and the
    transfer is replayed over each with each TCP. With -i INTERFACE and no file, the packets are
    captured as they happen (Linux).
    """
    from airtcp.questions.diagnose import call

    paths = files or []
    live = recording.asked(
        "diagnose",
        interface,
        inputs=paths,
        time_text=time_text,
        pcap=pcap,
        snap=snap,
        force=output.force,
        needs_files={},
    )
    if not paths and live is None:
        fail("no capture is given; expected files, or -i INTERFACE")
    where = output.places(paths, pcap=pcap)
    read = None
    if live is not None:
        with recording.screen_of(table=True, quiet=output.quiet) as show:
            read = recording.follow("diagnose", live, show, events=True, log=True)
    with refusals("diagnose", paths), progress(quiet=output.quiet) as tell:
        kept = live is not None and live.pcap is not None
        result = call.diagnose(
            [str(pcap)] if kept else paths,
            interface=None if kept else interface,
            read=read,
            connection=connection,
            tcp=tcp,
            rate=rate,
            rtt=rtt,
            replications=replications,
            seed=seed,
            workers=workers,
            progress=tell,
        )
    if scenario_out is not None:
        _write_scenario(result, scenario_out, paths, force=output.force, quiet=output.quiet)
    output.finish(
        result,
        where,
        rows=lambda: (result.table("predictions"), result.table("predictions").rows()),
        stopped="the finished steps are shown" if result.interrupted else None,
        finished=int(result.json["observed"] is not None or not result.interrupted),
    )


def _write_scenario(
    result: DiagnoseResult, place: Path, files: list[str], *, force: bool, quiet: bool
) -> None:
    if place.exists() and (not force or str(place) in files):
        fail(f"--scenario-out {place}: the file exists; --force replaces it, but never an input")
    if result.write_scenario(place) is None:
        note(f"no link was measured: {place} is not written", quiet=False)
    else:
        note(f"scenario: {place}", quiet=quiet)
