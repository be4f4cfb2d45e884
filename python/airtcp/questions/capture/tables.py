"""The tables and sentences of `airtcp capture` in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.cli.console import screen

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN: Final = 5
"""Connections with findings of their own."""
_ROWS: Final = 20
"""Connections in the table."""


def put_document(document: dict[str, Any], total: int) -> None:
    """Print what was found: sentences, then tables, then the files.

    Args: document: The document, with names that are safe to print, and with at least the
        connections that have the most bytes. total: The number of all connections.
    """
    from rich.text import Text

    from airtcp.cli import capture_joined as joined
    from airtcp.cli.remarks import put_findings, put_lines
    from airtcp.questions.capture import findings as words
    from airtcp.questions.capture import findings_points as capture_between
    from airtcp.questions.capture.findings_air import of_air
    from airtcp.words.sentences import count, counted

    console = screen()
    connections = sorted(
        capture_between.at_senders(document), key=lambda c: -words.bulk(c)["unique_bytes"]
    )
    for connection in connections[:_SHOWN]:
        console.print(
            Text.assemble((words.ends(connection), "bold"), f" ({words.transfer(connection)})")
        )
        put_findings(console, words.of_direction(words.bulk(connection)))
    _points(console, document)
    if connections:
        left_out = total - len(document["connections"])
        _connections(console, connections, len(connections) + left_out)
    if events := document.get("retransmissions"):
        _events(console, document["connections"], events)
    if document["links"]:
        _links(console, document["links"])
    put_findings(console, of_air(document))
    joined.put_periods(console, document["links"])
    if document.get("joined"):
        joined.put_joined(console, document["joined"])
    if document.get("traces"):
        joined.put_traces(console, document["traces"])
    for file in document["files"]:
        what = f"{file['link_type'] or 'no packets'}, {counted(file['packets'], 'packet')}"
        console.print(Text(f"{file['path']}: {what}, {count(file['tcp_segments'])} with TCP"))
        put_lines(console, file["warnings"])
    _counts(console, document)
    console.print(f"\nairtcp {document['airtcp_version']}")


def _counts(console: Console, document: dict[str, Any]) -> None:
    """Print how many connections had no data, ended early or are left out."""
    from airtcp.words.sentences import count, counted

    if silent := document["without_data"]:
        by = document["without_data_by"]
        parts = ", ".join(f"{count(number)} {kind}" for kind, number in by.items() if number)
        console.print(f"- {counted(silent, 'connection')} without data: {parts}")
    if evicted := document["evicted"]:
        console.print(f"- {counted(evicted, 'connection')} ended early to bound the memory")
    if omitted := document["omitted"]:
        fewest = counted(omitted, "connection")
        console.print(f"- {fewest} with the fewest bytes left out to bound the memory")


def _points(console: Console, document: dict[str, Any]) -> None:
    """Print the points at which the files were captured, and what happened between them."""
    from rich.text import Text

    from airtcp.cli.remarks import put_findings
    from airtcp.questions.capture import findings_points as between

    if points := between.points(document):
        console.print(Text(points, style="bold"))
        put_findings(console, between.findings(document)[:_SHOWN])
        put_findings(console, [split] if (split := between.halves(document)) else [])


def _links(console: Console, links: list[dict[str, Any]]) -> None:
    """Print the 802.11 links with the most attempts."""
    from rich.text import Text

    from airtcp.cli.remarks import put_finding
    from airtcp.cli.tables import Column, put
    from airtcp.questions.capture import findings as words
    from airtcp.words.sentences import count, number, share

    ordered = sorted(links, key=lambda link: -link["attempts"])
    for link in ordered[:_SHOWN]:
        if finding := words.air(link):
            console.print(Text(words.link_name(link), style="bold"))
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
    put(console, "802.11 link", [words.link_name(link) for link in shown], columns)
    if len(links) > _ROWS:
        console.print(f"the first {_ROWS} of {count(len(links))} links, by attempts")


def _connections(console: Console, connections: list[dict[str, Any]], total: int) -> None:
    from airtcp.cli.tables import Column, put
    from airtcp.questions.capture import findings as words
    from airtcp.words.sentences import count, number

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
    if total > _ROWS:
        console.print(
            f"the first {_ROWS} of {count(total)} connections, by bytes; --format csv has all"
        )


def _events(
    console: Console, connections: list[dict[str, Any]], events: list[dict[str, Any]]
) -> None:
    """Print the first retransmissions, by time."""
    from airtcp.cli.tables import Column, put
    from airtcp.words.sentences import count, number

    shown = sorted(events, key=lambda event: event["time_s"])[:_ROWS]
    of: list[dict[str, Any]] = [connections[event["connection"]] for event in shown]
    receivers = [
        c["server"] if event["from"] == c["client"] else c["client"]
        for event, c in zip(shown, of, strict=True)
    ]
    since = [event["since_original_s"] for event in shown]
    causes = [event["cause"].replace("_", " ") for event in shown]
    why = [(event["timeout_cause"] or "").replace("_", " ") for event in shown]
    columns = [
        Column(
            "time\n(s)",
            [f"{e['time_s'] - c['start_s']:.3f}" for e, c in zip(shown, of, strict=True)],
        ),
        Column("sequence", [str(event["sequence"]) for event in shown], rank=2),
        Column("bytes", [count(event["length"]) for event in shown], rank=5),
        Column("cause", causes, left=True),
        Column("timeout\ncause", why, rank=3, left=True),
        Column("spurious", ["yes" if event["spurious"] else "" for event in shown], rank=1),
        Column(
            "since the\noriginal (ms)",
            ["" if s is None else number(s * 1e3) for s in since],
            rank=4,
        ),
    ]
    names = [f"{e['from']} -> {to}" for e, to in zip(shown, receivers, strict=True)]
    put(console, "retransmission", names, columns)
    if len(events) > _ROWS:
        console.print(
            f"the first {_ROWS} of {count(len(events))} retransmissions, by time; "
            "--events --format csv has all"
        )
