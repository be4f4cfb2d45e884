"""`airtcp diagnose`: from a packet capture to a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import note, progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report_on_request

if TYPE_CHECKING:
    from rich.console import Console

    from airtcp.questions.diagnose.document import DiagnoseDocument, Fitted, Prediction
    from airtcp.questions.diagnose.result import DiagnoseResult

_WHOLE: Final = 10.0
_ROWS: Final = 6
"""Predictions that are printed without --details."""

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="pcap or pcapng files of one transfer, best taken at the sender; - is standard input. "
        "Monitor-mode captures beside them add the losses of the air.",
        show_default=False,
    ),
]


@writes_report_on_request
def diagnose(
    files: Files,
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
            help="Congestion law of the sender (airtcp list congestion); by default a guess.",
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
        typer.Option(
            "--replications",
            "-n",
            help="Number of links that are drawn, each replayed once with each TCP; fewer than 5 "
            "give no useful interval.",
            min=5,
            max=10_000,
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
    transfer is replayed over each with each TCP.
    """
    from airtcp.questions.diagnose import call

    where = output.places(files)
    with refusals("diagnose", files), progress(quiet=output.quiet) as tell:
        result = call.diagnose(
            files,
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
        _write_scenario(result, scenario_out, files, force=output.force, quiet=output.quiet)
    output.finish(
        result,
        where,
        table=lambda: _table(result.shown(), details=output.details),
        rows=lambda: (result.table("predictions"), result.table("predictions").rows()),
        stopped="the finished steps are shown" if result.interrupted else None,
        finished=int(result.json["observed"] is not None or not result.interrupted),
    )


def _write_scenario(
    result: DiagnoseResult, place: Path, files: list[str], *, force: bool, quiet: bool
) -> None:
    from airtcp.cli.console import fail

    if place.exists() and (not force or str(place) in files):
        fail(f"--scenario-out {place}: the file exists; --force replaces it, but never an input")
    if result.write_scenario(place) is None:
        note(f"no link was measured: {place} is not written", quiet=False)
    else:
        note(f"scenario: {place}", quiet=quiet)


def _table(result: DiagnoseResult, *, details: bool) -> None:
    from rich.text import Text

    from airtcp.cli.remarks import put_finding, put_findings, put_lines
    from airtcp.questions.diagnose import findings as words

    console, document = screen(), result.json
    seen = document["observed"]
    if seen is not None:
        name = f"{seen['sender']} -> {seen['receiver']}"
        console.print(Text.assemble((name, "bold"), f" ({words.transfer(document)})"))
    for finding in (words.answer(document), words.helps(document), words.doubt(document)):
        if finding is not None:
            put_finding(console, finding)
    if details:
        put_findings(console, words.details(document))
    put_lines(console, [line for file in document["files"] for line in file["warnings"]])
    if document["predictions"]:
        _predictions(console, document, details=details)
    if details:
        _link(console, document)
    more = (
        "" if details or not document["predictions"] else "Link, all TCPs and check: --details   "
    )
    console.print(f"\n{more}seed {document['seed']}, airtcp {document['airtcp_version']}")


def _predictions(console: Console, document: DiagnoseDocument, *, details: bool) -> None:
    """Print what each TCP would get."""
    from rich.text import Text

    from airtcp.cli.tables import Column, put
    from airtcp.questions.diagnose import findings as words

    rows = document["predictions"]
    # The best, and the law of the transfer.
    shown = (
        rows
        if details
        else [
            row
            for place, row in enumerate(r for r in rows if r["variant"] not in words.NEEDS)
            if place < _ROWS or row["variant"] == document["tcp"]
        ]
    )
    columns = [
        Column("goodput (Mb/s)", [_number(row["goodput_bps"], 1e-6) for row in shown]),
        Column("90 % interval", [_ends(row) for row in shown], left=True),
        Column("against this transfer", [words.verdict(document, row) for row in shown], left=True),
    ]
    put(console, "TCP", [row["variant"] for row in shown], columns)
    rest = len(rows) - len(shown)
    if rest:
        console.print(Text(f"- {rest} others: --details", style="dim"))


def _ends(row: Prediction) -> str:
    low = _number(row["low"], 1e-6)
    return f"{low} or more" if row["high"] is None else f"{low} to {_number(row['high'], 1e-6)}"


def _link(console: Console, document: DiagnoseDocument) -> None:
    """Print the link."""
    from airtcp.cli.tables import Column, put
    from airtcp.questions.diagnose.findings_air import SOURCES

    link = document["link"]
    if link is None:
        return
    sources = link["sources"]
    rows: list[tuple[str, Fitted, float, str]] = [
        ("rate (Mb/s)", link["rate_bps"], 1e-6, sources["rate_bps"]),
        ("one-way delay (ms)", link["delay_s"], 1e3, sources["delay_s"]),
        ("queue (packets)", link["queue_packets"], 1.0, sources["queue_packets"]),
        ("loss of the link (%)", link["link_loss"], 100.0, sources["link_loss"]),
    ]
    columns = [
        Column("measured", [_number(fit["value"], scale) for _, fit, scale, _ in rows]),
        Column("95 % interval", [_interval(fit, scale) for _, fit, scale, _ in rows], left=True),
        Column("from", [SOURCES[source] for _, _, _, source in rows], left=True),
    ]
    put(console, "link", [name for name, _, _, _ in rows], columns)


def _number(value: float | None, scale: float) -> str:
    from airtcp.words.sentences import count, number

    if value is not None and scale == 1.0:
        # A number of packets, of events or of losses: decimals only if it is small.
        return count(value) if value >= _WHOLE else number(value, 2)
    return number(None if value is None else value * scale)


def _interval(fit: Fitted, scale: float) -> str:
    low = _number(fit["low"], scale)
    return f"{low} or more" if fit["high"] is None else f"{low} to {_number(fit['high'], scale)}"
