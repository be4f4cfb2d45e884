"""`airtcp diagnose`: from a packet capture to a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import note, progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report_on_request

if TYPE_CHECKING:
    from rich.console import Console

    from airtcp.diagnose_document import Answers, DiagnoseDocument, Fitted
    from airtcp.diagnoses import DiagnoseResult

_WHOLE: Final = 10.0
_AGREES: Final = {True: "agrees", False: "differs"}

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
            help="Rate of the link, such as '20 Mb/s'; by default fitted.", show_default=False
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
            help="Number of replays, and of replications of each comparison; fewer than 5 give no "
            "useful interval.",
            min=5,
            max=10_000,
        ),
    ] = 10,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    scenario_out: Annotated[
        Path | None,
        typer.Option(
            "--scenario-out",
            parser=opt.place,
            metavar=opt.SHOWN,
            help="Write the fitted link and the transfer as a scenario for airtcp run.",
            show_default=False,
        ),
    ] = None,
    output: Output = STANDARD,
) -> None:
    """Find what limited the transfer of a packet capture, and what would deliver more.

    The link is fitted, the transfer is replayed over it in simulation, and all TCPs and remedies
    are compared over the same link.
    """
    from airtcp import api

    where = output.places(files)
    with refusals(), progress(quiet=output.quiet) as tell:
        result = api.diagnose(
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
        table=lambda: _table(result.shown()),
        rows=lambda: (result.table("answers"), result.table("answers").rows()),
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
        note(f"no link was fitted: {place} is not written", quiet=False)
    else:
        note(f"scenario: {place}", quiet=quiet)


def _table(result: DiagnoseResult) -> None:
    from rich.text import Text

    from airtcp.cli.remarks import put_finding, put_findings, put_lines
    from airtcp.findings import diagnose as words

    console, document = screen(), result.json
    seen = document["observed"]
    if seen is not None:
        name = f"{seen['sender']} -> {seen['receiver']}"
        console.print(Text.assemble((name, "bold"), f" ({words.transfer(document)})"))
    found = result.findings
    for finding in [f for f in found if f.headline != "Cannot tell"]:
        put_finding(console, finding)
    put_findings(console, [f for f in found if f.headline == "Cannot tell"])
    put_lines(console, [line for file in document["files"] for line in file["warnings"]])
    _link(console, document)
    _replay(console, document)
    if document["answers"] is not None:
        _answers(console, document["answers"])
    console.print(f"\nseed {document['seed']}, airtcp {document['airtcp_version']}")


def _link(console: Console, document: DiagnoseDocument) -> None:
    """Print the fitted link."""
    from airtcp.cli.tables import Column, put
    from airtcp.findings.diagnose_air import SOURCES

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
        Column("fitted", [_number(fit["value"], scale) for _, fit, scale, _ in rows]),
        Column("95 % interval", [_interval(fit, scale) for _, fit, scale, _ in rows], left=True),
        Column("from", [SOURCES[source] for _, _, _, source in rows], left=True),
    ]
    put(console, "link", [name for name, _, _, _ in rows], columns)


def _number(value: float | None, scale: float) -> str:
    from airtcp.findings.words import count, number

    if value is not None and scale == 1.0:
        # A number of packets, of events or of losses: decimals only if it is small.
        return count(value) if value >= _WHOLE else number(value, 2)
    return number(None if value is None else value * scale)


def _interval(fit: Fitted, scale: float) -> str:
    low = _number(fit["low"], scale)
    return f"{low} or more" if fit["high"] is None else f"{low} to {_number(fit['high'], scale)}"


def _replay(console: Console, document: DiagnoseDocument) -> None:
    """Print the observed statistics beside the replayed ones."""
    from airtcp.cli.tables import Column, put
    from airtcp.findings.diagnose import STATISTICS

    replay = document["replay"]
    if replay is None:
        return
    rows = [(*STATISTICS[each["name"]], each) for each in replay["statistics"]]
    columns = [
        Column("observed", [_number(each["observed"], scale) for _, _, scale, each in rows]),
        Column("replayed", [_number(each["mean"], scale) for _, _, scale, each in rows]),
        Column(
            "99 % interval",
            [
                f"{_number(each['low'], scale)} to {_number(each['high'], scale)}"
                for _, _, scale, each in rows
            ],
            left=True,
        ),
        Column(
            "", ["agrees" if each["inside"] else "differs" for _, _, _, each in rows], left=True
        ),
    ]
    put(console, "replay", [head for head, _, _, _ in rows], columns)


def _answers(console: Console, answers: Answers) -> None:
    """Print the tables of TCPs and remedies."""
    from rich.text import Text

    from airtcp.cli.compare_tables import case_table

    reference = answers["reference"]
    doubt = "" if answers["trusted"] else ", not ranked"
    subjects = (("Other TCPs on this link", answers["tcps"]), ("Remedies", answers["remedies"]))
    for title, subject in subjects:
        if subject is None:
            continue
        case: Any = subject["cases"][0]
        console.print(Text.assemble((title, "bold"), doubt))
        case_table(console, case, reference, None)
