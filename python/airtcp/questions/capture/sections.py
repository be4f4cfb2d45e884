"""The page of a capture: what TCP did, over time, and the losses of 802.11 links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.page import render
from airtcp.questions.capture import charts as charts_capture
from airtcp.questions.capture import charts_air, charts_answer, rows_answer
from airtcp.questions.capture import findings as capture_words
from airtcp.questions.capture import findings_joined as joined_words
from airtcp.questions.capture import rows as capture_rows
from airtcp.questions.capture import rows_air as capture_air_rows
from airtcp.questions.capture import rows_timeouts as capture_timeout_rows
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, begun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.table import Table
    from airtcp.words.answer import Answer

_CHART_OF_AIR: Final = "air_loss"
"""The chart beside an answer on links of 802.11."""


def capture_page(
    document: Mapping[str, Any],
    total: int,
    series: Mapping[str, Table],
    losses: Table,
    command: str,
    answer: Answer,
) -> str:
    """Make the page of a capture.

    Args: document: The document of a capture, with at least the connections that have the most
        bytes. total: The number of all connections. series: The tables of its series; empty if none
        were recorded. losses: The table of its losses. command: The command that makes the page.
        answer: The answer, which takes the first screen.

    Returns:
        A complete HTML document. Equal results give equal pages.
    """
    points = {name: capture_rows.by_direction(table) for name, table in series.items()}
    parts = _drawn(document, points, losses) if series else []
    flight = rows_answer.flight(document, points)
    rates = capture_rows.rates(document)
    charts = {"rates": charts_capture.rates(), "rate_losses": charts_capture.rate_losses()}
    air = capture_air_rows.timeline(document)
    over_time = charts_air.air_charts(air)
    timeout, around = capture_timeout_rows.around(document)
    charts |= over_time | charts_air.timeout_charts(around)
    for number, (_, drawn) in enumerate(parts):
        charts |= charts_capture.connection_charts(number, drawn)
    if flight:
        shown = {mark["what"] for mark in flight["marks"]}
        charts[charts_answer.NAME] = charts_answer.flight(shown)
    payload: dict[str, Any] = {
        "charts": charts,
        "flight": flight,
        "connections": [drawn for _, drawn in parts],
        "rates": rates,
        "air": {name: air[charts_air.AIR[name][0]] for name in over_time},
        "packets": around,
    }
    return render(
        "capture.html.j2",
        "capture.js",
        payload,
        document,
        answer=answer,
        chart=_CHART_OF_AIR if over_time and not document.get("joined") else charts_answer.NAME,
        title="What happened in a packet capture",
        lead="TCP connections and 802.11 links, reconstructed from captured packets.",
        facts=[
            ("Connections", words.count(total)),
            ("Packets", words.count(sum(file["packets"] for file in document["files"]))),
        ],
        findings=[part for part in answer.details if isinstance(part, Finding)],
        parts=[_headings(connection, drawn) for connection, drawn in parts],
        recorded=bool(series),
        connections=capture_rows.connections(document),
        limits=capture_rows.limits(document),
        more=max(0, total - capture_rows.LISTED),
        links=capture_rows.links(document),
        rates=bool(rates),
        over_time=list(over_time),
        timeout=None if timeout is None else joined_words.timeout(timeout),
        sensing=capture_rows.sensing(document),
        files=capture_rows.files(document),
        command=command,
    )


def _drawn(
    document: Mapping[str, Any], points: Mapping[str, capture_rows.Directions], losses: Table
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the busiest connections with the points of their diagrams."""
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    shown = capture_rows.ordered(document)[: capture_rows.DRAWN]
    found_losses = capture_rows.by_direction(losses)
    for place, connection in shown:
        drawn = capture_rows.drawn(place, connection, points, found_losses)
        if drawn is not None:
            found.append((connection, drawn))
    return found


def _headings(connection: Mapping[str, Any], drawn: Mapping[str, Any]) -> dict[str, Any]:
    """Return heading, sentences and notes of a connection."""
    direction = capture_words.bulk(connection)
    return {
        "name": capture_words.ends(connection),
        "transfer": f"{begun(capture_words.transfer(connection))}.",
        "findings": capture_words.of_direction(direction),
        "one_of": drawn["one_of"],
        "gaps": bool(drawn["gaps"]),
        "cwnd": direction["cwnd_bytes"] is not None,
    }
