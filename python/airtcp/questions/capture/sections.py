"""The page of a capture: what TCP did, over time, and the losses of 802.11 links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.capture import charts as charts_capture
from airtcp.questions.capture import (
    charts_air,
    charts_answer,
    dropped,
    rows,
    rows_air,
    rows_answer,
    rows_timeouts,
    tables,
    tables_page,
)
from airtcp.questions.capture import findings as capture_words
from airtcp.questions.capture import findings_joined as joined_words
from airtcp.questions.run import charts as charts_run
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, begun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.table import Table
    from airtcp.words.answer import Answer

_CHART_OF_AIR: Final = "air_loss"
"""The chart beside an answer on links of 802.11."""
_ZOOM: Final = "Drag sideways to move, Shift and wheel to zoom; a name in the key shows it alone."
_FLIGHT: Final = (
    "Bytes that were sent and not acknowledged, over time; a mark is a segment that was sent again,"
    " or a timeout."
)
_SEQUENCE: Final = (
    "A bar is a data segment; its ends are its first and last byte. Drag to move, Shift and wheel"
    " to zoom, double-click to go back. The page fills in every segment of what is in view when it"
    " is few enough to draw; the numbers of the CSV are those in view. A filled mark was sent again"
    " because its copies were lost, an empty one was spurious, late, or a duplicate."
)
_RTT: Final = (
    "Samples by Karn's rule and from SACK blocks, and the smoothed round-trip time (RFC 6298)."
    f" {_ZOOM}"
)
_WINDOW: Final = (
    "Most bytes in flight in each round trip, and the receiver's window at its end. The congestion"
    " window"
)
_GAPS: Final = (
    "Time and data segments from a loss to the next one. Points in groups show losses that come in"
    " bursts, or with a period."
)
_AIR: Final = {
    "air_attempts": (
        "Attempts over time",
        f"Captured attempts of the busiest links. {_ZOOM}",
    ),
    "air_loss": (
        "Loss over time",
        (
            "Share of the captured attempts without captured MAC ACK, not corrected for what the"
            " sniffer missed."
        ),
    ),
    "air_rate": ("Rate over time", "Mean rate of the attempts."),
    "air_signal": ("Signal over time", "Mean signal of the attempts at the sniffer."),
    "air_airtime": (
        "Airtime by station",
        "Share of the time that the captured frames of a transmitter take.",
    ),
}
_TIMEOUT: Final = {
    "timeout_attempts": (
        "Attempts around a timeout",
        (
            "Packets that the sender put on the link from the first copy of a segment that timed"
            " out to the last one. S2 shows this in figure 8."
        ),
    ),
    "timeout_latency": (
        "Time on the link around a timeout",
        (
            "The same packets: from the start of the first attempt to the end of the MAC ACK, if"
            " both were captured."
        ),
    ),
}
_TERMS: Final = {
    "Sent again": (
        "A segment whose bytes were sent before. Its cause follows from duplicate ACKs, SACK blocks"
        " and the silence before it."
    ),
    "Spurious": (
        "A copy had arrived: shown by a duplicate SACK, a timestamp (Eifel), an early ACK, F-RTO,"
        " or a copy seen at the receiver."
    ),
    "Receive window": (
        "The bytes that the receiver accepts. W/RTT is the rate that the mean window allows at the"
        " mean round-trip time."
    ),
    "Congestion window": (
        "Most bytes in flight in a round trip, where the congestion window limited the sender and"
        " nothing was repaired."
    ),
    "Limits": (
        "The time between two events counts for recovery, the receive window, the application,"
        " slow start, pacing or the congestion window, in this order."
    ),
}
_HIDDEN: Final = (
    "Hidden stations",
    (
        "A station that hears another waits for the end of its frame and for PIFS. Frames that"
        " begin earlier show that it does not hear it. The probability is that of as many by"
        " inexact times."
    ),
)


def capture_page(
    document: Mapping[str, Any],
    total: int,
    series: Mapping[str, Table],
    losses: Table,
    command: str,
    answer: Answer,
) -> Page:
    """Make the page of a capture.

    Args:
        document: The document of a capture, with at least the connections that have the most bytes.
        total: The number of all connections.
        series: The tables of its series; empty if none were recorded.
        losses: The table of its losses.
        command: The command that makes the page.
        answer: The answer, which takes the first screen.
    """
    air = _air(document)
    over_time = any(plot.name == _CHART_OF_AIR for section in air for plot in section.plots)
    known = [connection for _, connection in rows.ordered(document)]
    sections: list[Section] = []
    if known:
        grid = tables.connections(known, total, tables_page.LISTED, whole=True)
        further = (tables_page.causes(known), tables_page.limits(known))
        about = "The direction with more data of each connection, those with the most bytes first."
        sections.append(Section("connections", "Connections", about, grid=grid, tables=further))
    terms = [*_TERMS.items(), *([_HIDDEN] if document["links"] else [])]
    return Page(
        answer,
        [
            *sections,
            *(_connections(document, series, losses) if series else []),
            *air,
            Section("files", "Files", grid=tables_page.files(document)),
            Section("method", "Method", terms=tuple(terms)),
        ],
        document,
        title="What happened in a packet capture",
        command=command,
        chart=_CHART_OF_AIR if over_time and not document.get("joined") else charts_answer.NAME,
        facts=[
            ("Connections", words.count(total)),
            ("Packets", words.count(sum(file["packets"] for file in document["files"]))),
        ],
        findings=[part for part in answer.details if isinstance(part, Finding)],
        lead="TCP connections and 802.11 links, reconstructed from captured packets.",
    )


def _connections(
    document: Mapping[str, Any], series: Mapping[str, Table], losses: Table
) -> list[Section]:
    """Return a section for each of the busiest connections, with its diagrams."""
    points = {name: rows.by_direction(table) for name, table in series.items()}
    lost = rows.by_direction(losses)
    flight = rows_answer.flight(document, points)
    shown = {mark["what"] for mark in flight.get("marks", ())}
    first: tuple[Plot, ...] = (
        Plot(
            charts_answer.NAME,
            "Data in flight",
            _FLIGHT,
            charts_answer.flight(shown),
            flight,
            wide=True,
        ),
    )
    sections: list[Section] = []
    for place, connection in rows.ordered(document)[: rows.DRAWN]:
        drawn = rows.drawn(place, connection, points, lost)
        if drawn is None:
            continue
        bands = dropped.bands(document, connection["start_s"], drawn.end_s)
        found = capture_words.of_bulk(connection)
        sections.append(
            Section(
                f"connection{len(sections)}",
                capture_words.ends(connection),
                f"{begun(capture_words.transfer(connection))}.",
                (
                    *dropped.shaded(first, bands),
                    *_plots(len(sections), connection, drawn, bands),
                ),
                notes=tuple(f"{begun(each.headline)}: {each.text}" for each in found),
            )
        )
        first = ()
    return sections


def _plots(
    number: int, connection: Mapping[str, Any], drawn: rows.Drawn, bands: rows.Rows
) -> tuple[Plot, ...]:
    """Draw a connection, over the bands in which packets were dropped."""
    kept = (
        ""
        if drawn.one_of == 1
        else (f" The capture has more segments than were kept: one of {drawn.one_of}.")
    )
    is_estimated = capture_words.bulk(connection)["cwnd_bytes"] is not None
    cwnd = (
        "is estimated where it limited the sender."
        if is_estimated
        else ("can be estimated at the sender only.")
    )
    over_time = (
        Plot(
            f"sequence{number}",
            "Time-sequence diagram",
            _SEQUENCE + kept,
            charts_capture.time_sequence(drawn.names, drawn.end_s, drawn.top),
            drawn.sequence,
            wide=True,
            thinned={name: ("t2", "e") if name == "segments" else () for name in drawn.sequence},
        ),
        Plot(
            f"rtt{number}",
            "Round-trip time",
            _RTT,
            charts_run.series("rtt", "name", "ms", "round-trip time (ms)"),
            {"rtt": drawn.rtt},
            wide=True,
        ),
        Plot(
            f"window{number}",
            "Flight and windows",
            f"{_WINDOW} {cwnd}",
            charts_capture.windows(),
            {"window": drawn.window},
            wide=True,
        ),
    )
    gaps = {"gaps": drawn.gaps}
    return (
        *dropped.shaded(over_time, bands),
        Plot(f"gaps{number}", "Between losses", _GAPS, charts_capture.gaps(), gaps, wide=True),
    )


def _air(document: Mapping[str, Any]) -> list[Section]:
    """Return the links of 802.11, and the packets around a timeout."""
    if not document["links"]:
        return []
    rates = {"rates": rows.rates(document)}
    about = "Share of the attempts at each rate without acknowledgement."
    plots = [
        Plot(
            "rates",
            "Attempts by rate",
            "Captured attempts of the busiest links.",
            charts_capture.rates(),
            rates,
            wide=True,
        ),
        Plot(
            "rate_losses", "Raw loss by rate", about, charts_capture.rate_losses(), rates, wide=True
        ),
    ]
    found = rows_air.timeline(document)
    over_time = [
        Plot(
            name,
            *_AIR[name],
            chart,
            {charts_air.AIR[name][0]: found[charts_air.AIR[name][0]]},
            wide=True,
        )
        for name, chart in charts_air.air_charts(found).items()
    ]
    plots += dropped.shaded(over_time, rows_air.dropped(document))
    sensing = tables_page.sensing(document)
    sections = [
        Section(
            "links",
            "802.11 links",
            "Losses are corrected for what the sniffer missed.",
            tuple(plots),
            tables.links(document, tables_page.LISTED, whole=True),
            () if sensing is None else (sensing,),
        )
    ]
    timeout, packets = rows_timeouts.around(document)
    if timeout is not None:
        around = tuple(
            Plot(name, *_TIMEOUT[name], chart, {"packets": packets}, wide=True)
            for name, chart in charts_air.timeout_charts(packets).items()
        )
        note = joined_words.timeout(timeout)
        sections.append(Section("timeout", "A timeout", plots=around, notes=(note,)))
    return sections
