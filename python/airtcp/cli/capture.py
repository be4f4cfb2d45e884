"""`airtcp capture`: what happened in a packet capture."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import capture_joined as joined
from airtcp.cli import recording
from airtcp.cli.console import fail, progress, refusals
from airtcp.cli.options import Format, Workers
from airtcp.cli.output import STANDARD, Output, writes_report_on_request

if TYPE_CHECKING:
    from airtcp.data import table as tables
    from airtcp.questions.capture.result import CaptureResult


class Vantage(StrEnum):
    """Places of a capture."""

    CLIENT = "client"
    SERVER = "server"
    MIDDLE = "middle"


class Table(StrEnum):
    """Tables of a capture."""

    DIRECTIONS = "directions"
    CONNECTIONS = "connections"
    RETRANSMISSIONS = "retransmissions"
    LOSSES = "losses"
    BETWEEN = "between"
    LINKS = "links"
    RATES = "rates"
    FILES = "files"
    SEGMENT_SERIES = "segment_series"
    ACK_SERIES = "ack_series"
    SACK_SERIES = "sack_series"
    RTT_SERIES = "rtt_series"
    WINDOW_SERIES = "window_series"
    TRANSMISSIONS = "transmissions"


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="pcap or pcapng files, also .gz, .xz or .zst; - is standard input. Files that "
        "follow each other in time are one capture; files that overlap are compared as captures of "
        "several points; those of a radio are joined with those of hosts.",
        show_default=False,
    ),
]
Events = Annotated[
    bool,
    typer.Option(
        "--events",
        help="List every retransmission in the document; with --format csv, one row each.",
    ),
]
Series = Annotated[
    bool,
    typer.Option(
        "--series",
        help="Record segments, ACKs, SACK blocks, round-trip times and windows over time, for the "
        "tables of --out and --table. A report always has them.",
    ),
]
Where = Annotated[
    Vantage | None,
    typer.Option(
        "--vantage",
        help="Where the capture was taken; by default round-trip times show it.",
        show_default=False,
    ),
]
Which = Annotated[
    Table | None,
    typer.Option(
        "--table",
        help="The table that --format csv, jsonl or parquet prints; by default directions, with "
        "--events retransmissions.",
        show_default=False,
    ),
]


@writes_report_on_request
def capture(
    files: Files = None,
    air: joined.Air = None,
    host: joined.Hosts = None,
    trace_out: joined.TraceOut = None,
    patterns: joined.Patterns = False,
    decrypt_with: joined.Keys = None,
    events: Events = False,
    series: Series = False,
    vantage: Where = None,
    interface: recording.Interface = None,
    time_text: recording.For = None,
    pcap: recording.Kept = None,
    snap: recording.Snap = None,
    table: Which = None,
    workers: Workers = None,
    output: Output = STANDARD,
) -> None:
    """Say what TCP did in a packet capture: retransmissions, their causes, and limits.

    With -i INTERFACE and no file, packets are captured as they happen (Linux).
    --html or --out writes a report with time-sequence diagrams.
    """
    from airtcp.questions.capture import call

    if table is not None and output.format in (Format.TABLE, Format.JSON):
        fail(f"--table {table.value} needs --format csv, jsonl or parquet")
    inputs = [*(files or []), *(air or []), *(host or [])]
    live = recording.asked(
        "capture",
        interface,
        inputs=inputs,
        time_text=time_text,
        pcap=pcap,
        snap=snap,
        force=output.force,
        needs_files={
            "--trace-out": trace_out is not None,
            "--patterns": patterns,
            "--decrypt-with": decrypt_with is not None,
        },
    )
    if not inputs and live is None:
        fail("no capture is given; expected files, --air and --host, or -i INTERFACE")
    if trace_out is not None:
        joined.check_trace_place(trace_out, force=output.force, inputs=inputs)
    where = output.places(inputs, pcap=pcap)
    wanted = table is not None and (table is Table.TRANSMISSIONS or table.value.endswith("_series"))
    drawn = where.report is not None or output.figures is not None
    settings: dict[str, Any] = {
        "events": events,
        "series": series or wanted or drawn,
        "vantage": None if vantage is None else vantage.value,
    }
    if live is not None:
        shown = output.format is Format.TABLE
        with recording.screen_of(table=shown, quiet=output.quiet) as show:
            result = recording.follow("capture", live, show, **settings)
    else:
        with refusals("capture", files or ()), progress(quiet=output.quiet) as tell:
            result = call.capture(
                files or [],
                air=air or [],
                hosts=host or [],
                trace_out=trace_out,
                patterns=patterns,
                decrypt_with=decrypt_with,
                force=output.force,
                interface=interface,
                workers=workers,
                progress=tell,
                **settings,
            )
    if trace_out is not None and "traces" in result.head:
        joined.put_traces(result.shown().head["traces"], quiet=output.quiet)
    name = table or (Table.RETRANSMISSIONS if events else Table.DIRECTIONS)
    output.finish(
        result,
        where,
        rows=lambda: _rows(result, name.value),
        stopped="what was read is reported" if result.interrupted else None,
        finished=1,
    )


def _rows(result: CaptureResult, table: str) -> tuple[tables.Table, list[dict[str, Any]]]:
    """Return a table and its rows."""
    found = result.table(table)
    return found, found.rows()
