"""The tables of a capture: connections, retransmissions, and links of 802.11."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import busiest
from airtcp.questions.capture import findings as words
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import begun, count, number, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Rows = Sequence[Mapping[str, Any]]
    _Writer = Callable[[float], str]

ROWS: Final = 8
"""Rows of such a table."""
EVENTS: Final = 15
"""Retransmissions of such a table."""
DETAILS: Final = 20
"""Rows of a table of the details."""
_END: Final = 21
"""Characters of an address with its port: those of any of IPv4."""
_FILE: Final = 24
_LIMITS: Final = {
    "congestion_window": "congestion window",
    "slow_start": "slow start",
    "receive_window": "receive window",
    "application": "application",
    "pacing": "pacing or cwnd",
    "recovery": "recovery",
}
"""What a sender waits for, in a cell."""
_LEAST_FOR_RATE: Final = 10
"""Segments sent once from which bytes over time are called a rate: an initial window (RFC 6928)
leaves in one burst, whose spacing is that of a link."""


def ends(sender: str, receiver: str) -> str:
    """Write two ends, each shortened if it is longer than an address of IPv4 with its port.

    >>> ends("10.0.0.1:49152", "10.1.0.1:9")
    '10.0.0.1:49152 -> 10.1.0.1:9'
    """
    return f"{elided(sender, _END)} -> {elided(receiver, _END)}"


def file_name(path: str) -> str:
    """Write the name of a file without its folder, shortened.

    >>> file_name("captures/sender.pcap.gz")
    'sender.pcap.gz'
    """
    return elided(Path(path).name, _FILE)


def rate(direction: Mapping[str, Any]) -> str:
    """Write the goodput of a direction in Mb/s; nothing if there is none, or too little data."""
    bps = direction["goodput_bps"]
    once = direction["data_segments"] - direction["retransmitted_segments"]
    return "" if bps is None or once < _LEAST_FOR_RATE else number(bps / 1e6)


def again(direction: Mapping[str, Any]) -> str:
    """Write the share of segments that were sent again."""
    sent = direction["data_segments"]
    return short_share(direction["retransmitted_segments"] / sent) if sent else ""


def connection_ends(connection: Mapping[str, Any]) -> str:
    """Write sender and receiver of the direction with more data, for an answer."""
    return ends(*words.ends(connection).split(" -> "))


def connections(found: Rows, total: int, rows: int = ROWS, *, whole: bool = False) -> Grid:
    """Return the connections, the one with the most bytes first.

    Args:
        found: The connections with the most bytes, in their order.
        total: The number of all connections.
        rows: Most rows.
        whole: Whether the table is of the details, with all columns and names.
    """
    shown = found[:rows]
    of = [words.bulk(connection) for connection in shown]

    def times(head: str, key: str, rank: int = 0) -> Column:
        # Elsewhere than at the sender, it is the delay of the receiver's ACKs; a time of 0 is less
        # than the steps of the clock.
        values = [
            (row["rtt_s"][key] or None) if words.at_sender(connection) else None
            for connection, row in zip(shown, of, strict=True)
        ]
        return Column(head, [_scaled(value, 1e3) for value in values], rank=rank, keys=values)

    def counts(head: str, key: str, rank: int = 0) -> Column:
        values = [row[key] for row in of]
        return Column(head, [count(value) for value in values], rank=rank, keys=values)

    timeouts = [
        "" if words.unheard(connection) else count(row["timeouts"])
        for connection, row in zip(shown, of, strict=True)
    ]
    sizes = [row["unique_bytes"] for row in of]
    repeated = [row["retransmitted_segments"] / max(row["data_segments"], 1) for row in of]
    rates = [row["goodput_bps"] for row in of]
    columns = [
        Column("MB", [number(size / 1e6) for size in sizes], rank=4, keys=sizes),
        Column("Mb/s", [rate(row) for row in of], keys=rates),
        Column("sent\nagain", [again(row) for row in of], keys=repeated),
        counts("needlessly", "spurious_retransmissions", 5),
        # Without ACKs a timeout cannot be told from another cause.
        Column("timeouts", timeouts, rank=3, keys=[row["timeouts"] for row in of]),
        times("RTT p50\n(ms)", "p50", 2),
        Column("sender waits\nmostly for", [_limit(each) for each in shown], rank=1, left=True),
    ]
    if whole:
        columns[2:2] = [counts("segments", "data_segments")]
        columns[-1:-1] = [
            times("RTT p95\n(ms)", "p95"),
            counts("out of\norder", "out_of_order"),
        ]
    if not any(map(words.at_sender, shown)):
        unseen = ("RTT", "sender waits")
        columns = [c for c in columns if any(c.cells) or not c.head.startswith(unseen)]
    if whole:
        names = [words.ends(connection) for connection in shown]
        return Grid("connection", names, columns, _title("connections", rows, total, "bytes"))
    names = [connection_ends(connection) for connection in shown]
    return Grid("connection", names, columns, more=total - len(shown), sort="MB").within()


def _title(what: str, rows: int, total: int, by: str) -> str:
    if total <= rows:
        return begun(what)
    return f"The first {rows} of {count(total)} {what}, by {by}; --format csv has all"


def _limit(connection: Mapping[str, Any]) -> str:
    """Write what the sender waited for most of the time, and its share; nothing if not shown."""
    most = max(words.waits(connection).items(), key=lambda item: item[1], default=("", 0.0))
    return f"{_LIMITS[most[0]]} {short_share(most[1])}" if most[1] > 0 else ""


def events(document: Mapping[str, Any], rows: int = EVENTS) -> Grid | None:
    """Return the first retransmissions, by time; none if they are not listed or there are none."""
    found: list[dict[str, Any]] = document.get("retransmissions") or []
    if not found:
        return None
    every: list[dict[str, Any]] = document["connections"]
    shown = sorted(found, key=lambda event: event["time_s"])[:rows]
    of: list[dict[str, Any]] = [every[event["connection"]] for event in shown]
    receivers = [
        c["server"] if event["from"] == c["client"] else c["client"]
        for event, c in zip(shown, of, strict=True)
    ]
    since = [event["since_original_s"] for event in shown]
    starts = zip(shown, of, strict=True)
    columns = [
        Column("time\n(s)", [f"{e['time_s'] - c['start_s']:.3f}" for e, c in starts]),
        Column("sequence", [str(event["sequence"]) for event in shown]),
        Column("bytes", [count(event["length"]) for event in shown], rank=5),
        Column("cause", [event["cause"].replace("_", " ") for event in shown], left=True),
        Column(
            "timeout\ncause",
            [(event["timeout_cause"] or "").replace("_", " ") for event in shown],
            rank=3,
            left=True,
        ),
        Column("needless", ["yes" if event["spurious"] else "" for event in shown], rank=1),
        Column(
            "since the\noriginal (ms)",
            ["" if s is None else number(s * 1e3) for s in since],
            rank=4,
        ),
    ]
    names = [ends(e["from"], to) for e, to in zip(shown, receivers, strict=True)]
    title = _title("retransmissions", rows, len(found), "time")
    return Grid("retransmission", names, columns, title).within()


def has_figure(link: Mapping[str, Any]) -> bool:
    """Return whether the losses of a link are known."""
    return link["raw_loss"] is not None and link["attempts"] > 0


def links(document: Mapping[str, Any], rows: int = ROWS, *, whole: bool = False) -> Grid:
    """Return the links of 802.11, the busiest first; in an answer those whose losses are known.

    Args:
        document: The document of a capture.
        rows: Most rows.
        whole: Whether the table is of the details, with all links and columns.
    """
    every = busiest.links(document)
    by = "airtime" if busiest.by_airtime(document) else "attempts"
    sort = None if by == "airtime" else "attempts"
    shown = [link for link in every if whole or has_figure(link)][:rows]
    air: Mapping[str, Any] = document.get("air") or {}
    duration_s = air.get("duration_s")

    def airtime(link: Mapping[str, Any]) -> float | None:
        # Without rates in the capture, frames have no airtime.
        spent = busiest.airtime_s(link)
        return spent / duration_s if spent and duration_s else None

    def column(
        head: str, value: Callable[[Mapping[str, Any]], float | None], to: _Writer, rank: int = 0
    ) -> Column:
        values = [value(link) for link in shown]
        return Column(head, ["" if v is None else to(v) for v in values], rank=rank, keys=values)

    columns = [
        column("airtime", airtime, short_share, 3),
        column("rate\n(Mb/s)", mean_rate, lambda bps: number(bps / 1e6), 2),
        column("signal\n(dBm)", _signal, count, 1),
        column("attempts", lambda link: link["attempts"], count, 4),
        column("attempts\nlost", lambda link: link["raw_loss"], short_share),
        column("packets\nlost", lambda link: link["residual_loss"], short_share),
    ]
    if whole:
        columns += [
            column("packets", lambda link: link["packets"], count),
            column("attempts\nper packet", lambda link: link["mean_attempts"], number),
            column("latency p50\n(ms)", lambda link: link["latency_s"]["p50"], _milliseconds),
            column("latency p99\n(ms)", lambda link: link["latency_s"]["p99"], _milliseconds),
            column("missed by\nthe sniffer", lambda link: link["sniffer_misses"], count),
        ]
    names = [words.link_name(link) for link in shown]
    if whole:
        title = _title("links of 802.11", rows, len(every), by)
        return Grid("802.11 link", names, columns, title)
    columns = [each for each in columns if any(each.cells)]
    return Grid("802.11 link", names, columns, "", len(every) - len(shown), sort).within()


def _signal(link: Mapping[str, Any]) -> float | None:
    """Return the mean signal in dBm of the frames whose signal is known."""
    signal: Mapping[str, Any] = link["signal"] or {"mean_dbm": None}
    return signal["mean_dbm"]


def mean_rate(link: Mapping[str, Any]) -> float | None:
    """Return the mean rate in bit/s of the attempts whose rate is known."""
    known = [(each["rate_bps"], each["attempts"]) for each in link["rates"] if each["rate_bps"]]
    attempts = sum(number for _, number in known)
    return sum(bps * number for bps, number in known) / attempts if attempts else None


def short_share(part: float) -> str:
    """Write a share in percent with few letters, for a cell.

    >>> short_share(0.5), short_share(0.99999), short_share(0.00001)
    ('50 %', '>99.9 %', '<0.1 %')
    """
    return share(part).replace("less than ", "<").replace("more than ", ">")


def _scaled(value: float | None, scale: float) -> str:
    return "" if value is None else number(value * scale)


def _milliseconds(seconds: float) -> str:
    return number(seconds * 1e3)


def joined(document: Mapping[str, Any], rows: int = ROWS) -> Grid | None:
    """Return the links on which packets of hosts were found on the air, by host."""
    hosts: list[Mapping[str, Any]] = document["joined"]["hosts"]
    found = [(host, link) for host in hosts for link in host["links"]]
    if not found:
        return None
    shown = found[:rows]

    def times(key: str) -> list[str]:
        values = [link[key]["p50"] for _, link in shown]
        return [_scaled(value, 1e3) for value in values]

    lost = [(link["lost_on_link"], link["packets"]) for _, link in shown]
    columns = [
        Column("host", [file_name(host["path"]) for host, _ in shown], rank=3, left=True),
        Column("", ["sent" if link["is_sent"] else "received" for _, link in shown], left=True),
        Column("packets", [count(link["packets"]) for _, link in shown], rank=2),
        Column("waited p50\n(ms)", times("queueing_s")),
        Column("attempts", [_scaled(link["mean_attempts"], 1.0) for _, link in shown]),
        Column("latency p50\n(ms)", times("latency_s"), rank=1),
        Column("given\nup", [short_share(n / of) if of else "" for n, of in lost]),
    ]
    names = [f"{link['transmitter']} -> {link['receiver']}" for _, link in shown]
    return Grid("link", names, columns, more=len(found) - len(shown)).within()


def between(document: Mapping[str, Any], rows: int = ROWS) -> Grid | None:
    """Return what happened between the points to each connection, the one with most data first."""
    from airtcp.questions.capture import findings_points as points

    found = points.directions(document)
    if not found:
        return None
    shown = found[:rows]
    of = [direction for _, direction, _ in shown]
    delays = [direction["delay_s"] for direction in of]
    spread = [
        "" if delay["p50"] is None else number((delay["p99"] - delay["p50"]) * 1e3)
        for delay in delays
    ]
    columns = [
        Column("from", [file_name(way[0]) for _, _, way in shown], rank=3, left=True),
        Column("to", [file_name(way[1]) for _, _, way in shown], rank=2, left=True),
        Column("segments", [count(d["sent"]) for d in of]),
        Column("lost", [short_share(d["lost"] / d["sent"]) for d in of]),
        Column("sent\nagain", [count(d["retransmissions"]) for d in of], rank=1),
        Column("needlessly", ["" if d["spurious"] is None else count(d["spurious"]) for d in of]),
        Column("delay, p99\nby p50 (ms)", spread, rank=4),
    ]
    names = [ends(*points.way_of(pair, direction)) for pair, direction, _ in shown]
    grid = Grid("connection", names, columns, more=len(found) - len(shown), sort="segments")
    return grid.within()
