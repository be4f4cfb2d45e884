"""The page of an emulated run: what passed over time, what became of it, how late it left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.emulate import rows, tables
from airtcp.questions.emulate.answer import answer
from airtcp.questions.run import charts
from airtcp.words.sentences import number

if TYPE_CHECKING:
    from airtcp.questions.emulate.document import EmulateDocument

_CHART: Final = "rates"
_TERMS: Final = {
    "Model time": (
        "A packet enters the model when the kernel received it, and leaves it at the time of the"
        " model's event. A busy machine delays frames, and changes no fate."
    ),
    "Lateness": "When a frame was written, less its time in the model.",
    "Valid": (
        "99 % of the frames were at most 0.3 ms late, or a twentieth of the path's round-trip time"
        " if that is more; at most 0.1 % were later than a quarter of it; and no frame was lost"
        " before or after the model."
    ),
    "Queue": (
        "Packets in the queues of links and in the stations of cells, simulated ones included."
    ),
}


def emulate_page(document: EmulateDocument) -> Page:
    """Make the page of an emulated run from its document."""
    air = rows.air(document)
    sections = [
        Section(
            "time",
            "Over time",
            "Rates of the frames that left the model. Drag sideways to move, Shift and wheel to"
            " zoom, double-click to go back.",
            _over_time(document),
            joined=True,
        ),
        Section(
            "fates",
            "Packets",
            "What became of each packet that entered, and where.",
            grid=tables.fates(document),
        ),
        Section("flows", "Flows", "A row a direction.", grid=tables.flows(document)),
        Section(
            "lateness",
            "Lateness",
            f"Priority: {document['priority']}.",
            grid=tables.lateness(document),
        ),
    ]
    if document["changes"]:
        about = "What --control changed while it ran."
        sections.append(Section("changes", "Changes", about, grid=tables.changes(document)))
    if air:
        end = rows.end(document)
        spec = charts.series("air", "name", "percent", "frames on the air (%)", end)
        plot = Plot("air", "Airtime", "Share of the time.", spec, {"air": air}, wide=True)
        sections.append(Section("airtime", "Airtime", "", (plot,)))
    sections.append(Section("method", "Method", terms=tuple(_TERMS.items())))
    return Page(
        answer(document),
        sections,
        {**document, "interrupted": False},
        title=document["title"] or document["scenario"],
        chart=_CHART,
        facts=_facts(document),
    )


def _over_time(document: EmulateDocument) -> tuple[Plot, ...]:
    """Draw throughput, queue, drops and lateness below each other."""
    end, queue = rows.end(document), {"queue": rows.queue(document)}
    rates = charts.series("rates", "name", "mbps", "throughput (Mb/s)", end)
    below = (
        ("waiting", "Queue", "packets waiting", "Packets that waited at the end of each interval."),
        ("dropped", "Dropped", "packets dropped", "Packets dropped in each interval."),
        ("late", "Lateness", "lateness (ms)", "The latest frame of each interval."),
    )
    return (
        Plot(
            _CHART,
            "Throughput",
            "Frames that left the model, both ways.",
            rates,
            {"rates": rows.rates(document)},
            wide=True,
        ),
        *(
            Plot(
                field,
                heading,
                caption,
                charts.series("queue", "", field, title, end),
                queue,
                wide=True,
            )
            for field, heading, title, caption in below
        ),
    )


def _facts(document: EmulateDocument) -> list[tuple[str, str]]:
    command = " ".join(document["command"])
    return [
        ("Scenario", document["scenario"]),
        *([("Command", command)] if command else []),
        ("Duration", f"{number(document['duration_s'])} s"),
    ]
