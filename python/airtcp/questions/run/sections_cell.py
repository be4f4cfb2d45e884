"""What the page of a run shows of each 802.11 cell: map, losses, goodput, airtime, the medium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.section import Plot, Section
from airtcp.questions.run import (
    cells,
    charts_cell,
    charts_timeline,
    rows_cell,
    rows_timeline,
    tables_cell,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.rows_cell import Row
    from airtcp.questions.run.rows_timeline import Lanes, Timeline

_CAPTIONS: Final = {
    "map": (
        "Positions of the stations",
        (
            "In the first replication; the triangle is the access point, squares are stations of"
            " other cells on its medium. The colour is the share of a station's data, TCP-ACK and"
            " RTS frames that were lost; a station with an empty circle sent none."
        ),
    ),
    "losses": (
        "Causes of lost frames",
        (
            "Share of the frames sent of each class, by cause. “With” names the strongest frame"
            " that overlapped at the receiver."
        ),
    ),
    "goodput": (
        "Goodput of each station",
        (
            "Of the flows that begin at it (sends) and end at it (gets), with 95 % confidence"
            " intervals."
        ),
    ),
    "airtime": (
        "Airtime of each station",
        (
            "Share of the time that a station's frames of each class were on the air; overlapping"
            " frames count each."
        ),
    ),
    "rates": (
        "Rates of data frames",
        (
            "Data frames of all stations by the rate they were sent at, every attempt counted. A"
            " frame is lost if its receiver did not decode it. Means over replications."
        ),
    ),
}


def sections(document: RunDocument, timeline: Timeline | None) -> list[Section]:
    """Lay out a section for each cell.

    Args:
        document: The document of a run.
        timeline: The timeline of the medium, if it was recorded.
    """
    charted = rows_cell.charted(document)
    laned = [] if timeline is None else rows_timeline.lanes(document, timeline)
    found: list[Section] = []
    summary = document["summary"].get("cells", [])
    for number, (cell, drawn) in enumerate(zip(summary, charted, strict=False)):
        plots = _plots(number, drawn)
        if timeline is not None:
            plots.insert(0, _medium(number, timeline, laned[number]))
        found.append(_section(number, cell, plots))
    return found


def _section(number: int, cell: dict[str, Any], plots: list[Plot]) -> Section:
    name, medium = cell["name"], tables_cell.medium(cell)
    more = len(cell["stations"]) - rows_cell.MAX_STATIONS
    return Section(
        f"cell{number}",
        "802.11 cell" if name == "cell" else f"802.11 cell {name}",
        f"{medium.headline}. {medium.text}",
        tuple(plots),
        tables_cell.stations(cell, rows_cell.MAX_STATIONS),
        (tables_cell.losses(cell),),
        notes=(f"And {more} more stations, which run.json has.",) if more > 0 else (),
    )


def _plots(number: int, drawn: Mapping[str, list[Row]]) -> list[Plot]:
    stations, neighbours = drawn["stations"], drawn["neighbours"]
    present = {row["frames"] for row in drawn["airtime"]}
    classes = [name for name in cells.CLASSES.values() if name in present]
    lost = sorted(drawn["losses"], key=lambda row: row["order"])
    causes = list(dict.fromkeys(row["cause"] for row in lost))
    directions = len({row["direction"] for row in drawn["goodput"]})
    rates = len({row["rate"] for row in drawn["rates"]})
    specs = {
        "map": charts_cell.positions(stations, neighbours),
        "losses": charts_cell.losses(len({row["frames"] for row in lost}), causes),
        "goodput": charts_cell.goodput(len(stations) - 1, directions),
        "airtime": charts_cell.airtime(len(stations), classes),
        "rates": charts_cell.rates(rates),
    }
    places = {"stations": stations} | ({"neighbours": neighbours} if neighbours else {})
    return [
        Plot(
            f"cell{number}-{name}",
            *_CAPTIONS[name],
            spec,
            places if name == "map" else {name: drawn[name]},
        )
        for name, spec in specs.items()
        if name != "rates" or rates > 1
    ]


def _medium(number: int, timeline: Timeline, lanes: Lanes) -> Plot:
    """Draw the recorded interval of the medium."""
    heading = rows_timeline.heading(timeline)
    start = heading.split(" to ")[0].removeprefix("The medium from ")
    data = {"frames": lanes.frames, "waits": lanes.waits}
    if not lanes.frames:
        data = {"waits": lanes.waits, "frames": lanes.frames}
    return Plot(
        f"cell{number}-medium",
        heading,
        rows_timeline.caption(timeline, lanes),
        charts_timeline.medium(lanes, start),
        data | {"lanes": [{"y0": lane} for lane in range(1, len(lanes.names))]},
        wide=True,
    )
