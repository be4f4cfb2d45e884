"""`airtcp capture`: what happened in a packet capture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from airtcp.cli import capture_joined as joined
from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, fail, progress, refusals, screen
from airtcp.plain import printable_values

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

_SHOWN: Final = 5
"""Connections with findings of their own."""
_ROWS: Final = 20
"""Connections in the table."""

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE",
        help="pcap or pcapng files, also .gz, .xz or .zst; - is standard input. Several files are "
        "analysed as one capture; those of a radio are joined with those of hosts.",
        show_default=False,
    ),
]
Events = Annotated[
    bool,
    typer.Option("--events", help="List every retransmission; with --format csv, one row each."),
]


def capture(
    files: Files = None,
    air: joined.Air = None,
    host: joined.Hosts = None,
    trace_out: joined.TraceOut = None,
    patterns: joined.Patterns = False,
    events: Events = False,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    force: opt.ForceFile = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say what TCP did in a packet capture: retransmissions, their causes, and limits."""
    from airtcp import api
    from airtcp.cli import places, write

    inputs = [*(files or []), *(air or []), *(host or [])]
    if not inputs:
        fail("no capture is given; expected files, or --air and --host")
    if trace_out is not None and not trace_out.is_dir():
        places.check(trace_out, force=force, inputs=inputs, ours=False)

    with refusals(), progress(quiet=quiet) as tell:
        document = api.capture(
            files or [],
            events=events,
            air=air or [],
            hosts=host or [],
            trace_out=trace_out,
            patterns=patterns,
            force=force,
            progress=tell,
        )
    write.printed(
        opt.Format.JSON if as_json else form,
        table=lambda: _table(printable_values(document, keep="")),
        text=lambda: json.dumps(document, ensure_ascii=False),
        rows=lambda: _frame(document, events=events),
    )
    if document["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _frame(document: dict[str, Any], *, events: bool) -> tuple[pl.DataFrame, list[Any]]:
    """Return one row per direction, or per retransmission."""
    import polars as pl

    rows: list[dict[str, Any]] = []
    for place, connection in enumerate(document["connections"]):
        for direction in connection["directions"]:
            if events:
                rows += [
                    {
                        "time_s": event["time_s"],
                        "connection": place,
                        "from": direction["from"],
                        "sequence": event["sequence"],
                        "length": event["length"],
                        "cause": event["cause"],
                        "spurious": event["spurious"],
                    }
                    for event in direction.get("events", [])
                ]
                continue
            rows.append(_flat(place, connection, direction))
    return pl.DataFrame(rows, infer_schema_length=None), rows


def _flat(place: int, connection: dict[str, Any], direction: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "connection": place,
        "client": connection["client"],
        "server": connection["server"],
        "vantage": connection["vantage"],
        "start_s": connection["start_s"],
        "duration_s": connection["duration_s"],
    }
    for key, value in direction.items():
        if key == "events":
            continue
        if isinstance(value, dict):
            parts = cast("dict[str, Any]", value)
            row |= {f"{key}_{part}": number for part, number in parts.items()}
        else:
            row[key] = value
    return row


def _table(document: dict[str, Any]) -> None:
    from rich.text import Text

    from airtcp.cli.remarks import put_finding, put_lines
    from airtcp.findings import capture as words
    from airtcp.findings.words import count, counted

    console = screen()
    connections = sorted(document["connections"], key=lambda c: -words.bulk(c)["unique_bytes"])
    for connection in connections[:_SHOWN]:
        console.print(
            Text.assemble((words.ends(connection), "bold"), f" ({words.transfer(connection)})")
        )
        direction = words.bulk(connection)
        limit = words.limit(direction)
        for finding in [words.losses(direction), *([limit] if limit else [])]:
            put_finding(console, finding, "- ")
    if connections:
        _connections(console, connections)
    if document["links"]:
        _links(console, document["links"])
    joined.put_periods(console, document["links"])
    if document.get("joined"):
        joined.put_joined(console, document["joined"])
    if document.get("traces"):
        joined.put_traces(console, document["traces"])
    for file in document["files"]:
        what = f"{file['link_type'] or 'no packets'}, {counted(file['packets'], 'packet')}"
        console.print(Text(f"{file['path']}: {what}, {count(file['tcp_segments'])} with TCP"))
        put_lines(console, file["warnings"])
    if silent := document["without_data"]:
        console.print(f"- {counted(silent, 'connection')} without data")
    if evicted := document["evicted"]:
        console.print(f"- {counted(evicted, 'connection')} ended early to bound the memory")
    console.print(f"\nairtcp {document['airtcp_version']}")


def _links(console: Console, links: list[dict[str, Any]]) -> None:
    """Print the 802.11 links with the most attempts."""
    from rich.text import Text

    from airtcp.cli.remarks import put_finding
    from airtcp.cli.tables import Column, put
    from airtcp.findings import capture as words
    from airtcp.findings.words import count, number, share

    def name(link: dict[str, Any]) -> str:
        return f"{link['transmitter']} -> {link['receiver']}"

    ordered = sorted(links, key=lambda link: -link["attempts"])
    for link in ordered[:_SHOWN]:
        if finding := words.air(link):
            console.print(Text(name(link), style="bold"))
            put_finding(console, finding, "- ")
    shown = ordered[:_ROWS]

    def shares(head: str, key: str, rank: int) -> Column:
        values = [link[key] for link in shown]
        return Column(head, ["" if v is None else share(v) for v in values], rank=rank)

    def milliseconds(head: str, key: str, rank: int) -> Column:
        values = [link["latency_s"][key] for link in shown]
        return Column(head, ["" if v is None else number(v * 1e3) for v in values], rank=rank)

    means = [link["mean_attempts"] for link in shown]
    columns = [
        Column("attempts", [count(link["attempts"]) for link in shown], rank=2),
        Column("packets", [count(link["packets"]) for link in shown], rank=3),
        shares("raw\nloss", "raw_loss", 0),
        shares("residual\nloss", "residual_loss", 0),
        Column("attempts\nper packet", ["" if m is None else number(m) for m in means], rank=1),
        milliseconds("latency p50\n(ms)", "p50", 4),
        milliseconds("latency p99\n(ms)", "p99", 5),
        Column("missed by\nthe sniffer", [count(link["sniffer_misses"]) for link in shown], rank=6),
    ]
    put(console, "802.11 link", [name(link) for link in shown], columns)
    if len(links) > _ROWS:
        console.print(f"the first {_ROWS} of {count(len(links))} links, by attempts")


def _connections(console: Console, connections: list[dict[str, Any]]) -> None:
    from airtcp.cli.tables import Column, put
    from airtcp.findings import capture as words
    from airtcp.findings.words import count, number

    shown = connections[:_ROWS]
    rows = [words.bulk(connection) for connection in shown]

    def column(head: str, key: str, rank: int) -> Column:
        return Column(head, [count(row[key]) for row in rows], rank=rank)

    def times(head: str, key: str, rank: int) -> Column:
        values = [row["rtt_s"][key] for row in rows]
        cells = ["" if value is None else number(value * 1e3) for value in values]
        return Column(head, cells, rank=rank)

    rates = [row["goodput_bps"] for row in rows]
    columns = [
        Column("goodput\n(Mb/s)", ["" if r is None else number(r / 1e6) for r in rates]),
        column("segments", "data_segments", 4),
        column("sent\nagain", "retransmitted_segments", 0),
        column("spurious", "spurious_retransmissions", 1),
        column("timeouts", "timeouts", 2),
        column("out of\norder", "out_of_order", 5),
        times("RTT p50\n(ms)", "p50", 3),
        times("RTT p95\n(ms)", "p95", 6),
    ]
    put(console, "connection", [words.ends(connection) for connection in shown], columns)
    if len(connections) > _ROWS:
        console.print(
            f"the first {_ROWS} of {count(len(connections))} connections, by bytes; "
            "--format csv has all"
        )
