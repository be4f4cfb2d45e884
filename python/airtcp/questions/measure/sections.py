"""The page of a measured path: delay, losses, capacity and TCP over time, and the scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.measure import charts as own
from airtcp.questions.measure import rows
from airtcp.questions.measure.answer import answer
from airtcp.questions.measure.details import clocks_said, delays
from airtcp.questions.run import charts

if TYPE_CHECKING:
    from airtcp.questions.measure.document import MeasureDocument

_CHART: Final = "delay"
_TERMS: Final = {
    "Small packets": (
        "Packets of 100 bytes at fixed times, both ways at once. Their fates are the losses, and"
        " their delays count from the least one, without the drift of the clocks."
    ),
    "Capacity": (
        "From bursts of packets sent back to back: the weighted median of the times per bit between"
        " packets of a burst, in the interval of 3 % with the most weight."
    ),
    "TCP": "One connection of the two hosts a direction, with their own congestion control.",
    "Clocks": (
        "The echo with the least round trip compares them, and half of it is the bound: how a"
        " round trip divides between the directions is not known. The drift is that of the least"
        " delays of both directions."
    ),
    "CUBIC, no losses, BBR, sliding": (
        "Simulated over the scenario of the path, five replications each."
    ),
}


def measure_page(document: MeasureDocument) -> Page:
    """Make the page of a measurement from its document."""
    sections = [
        Section(
            "delay",
            "Delay and losses",
            "Small packets, a row a tenth of a second. Drag sideways to move, Shift and wheel to"
            " zoom, double-click to go back.",
            _over_time(
                "losses",
                rows.losses(document),
                (_CHART, "median", "Delay", "Median above the least.", "delay (ms)"),
                ("most", "most", "Greatest delay", "", "greatest delay (ms)"),
                ("lost", "lost", "Losses", "", "packets lost (%)"),
            ),
            grid=delays(document),
            joined=True,
            unfolded=True,
        ),
        Section(
            "runs",
            "Runs of losses",
            "How many packets were lost one after the other.",
            (Plot("runs", "Runs", "", own.runs(), {"runs": rows.runs(document)}, wide=True),),
        ),
        Section("capacity", "Capacity and TCP", "", _rates(document), joined=True),
        *_scenario(document),
        Section("method", "Method", clocks_said(document) or "", terms=tuple(_TERMS.items())),
    ]
    return Page(
        answer(document),
        sections,
        {**document, "interrupted": document["cut"] == "interrupted"},
        title=f"The path to {document['host']}",
        chart=_CHART,
        facts=[("Server", document["address"])],
    )


def _rates(document: MeasureDocument) -> tuple[Plot, ...]:
    """Draw bursts, and below them what TCP got and met."""
    bursts = {"bursts": rows.bursts(document)}
    return (
        Plot("bursts", "Bursts", "A dot a burst.", own.bursts(), bursts, wide=True),
        *_over_time(
            "load",
            rows.load(document),
            ("tcp", "mbps", "TCP", "What was acknowledged.", "goodput (Mb/s)"),
            ("rtt", "rtt", "Round-trip time", "That of TCP.", "round trip (ms)"),
        ),
    )


def _over_time(
    data: str, values: list[dict[str, Any]], *wanted: tuple[str, str, str, str, str]
) -> tuple[Plot, ...]:
    """Draw fields of the same rows over time.

    Args: data: Name of the rows. values: The rows. wanted: Name of each plot, its field, heading,
        caption, and title of the axis.
    """
    end = max((row["t"] for row in values), default=0.0)
    return tuple(
        Plot(
            name,
            heading,
            caption,
            charts.series(data, "name", field, title, end),
            {data: values},
            wide=True,
        )
        for name, field, heading, caption, title in wanted
    )


def _scenario(document: MeasureDocument) -> tuple[Section, ...]:
    text = document["scenario"]
    if text is None:
        return ()
    about = "The path for airtcp run, compare and emulate."
    return (Section("scenario", "Scenario", about, code=text),)
