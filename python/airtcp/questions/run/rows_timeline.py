"""Makes the rows of a timeline's chart from its tables: a lane for each station of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from airtcp.questions.run import cells
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

MAX_LANES: Final = 24
"""Most stations drawn: the access point, and those that sent most in the interval."""
BACK_OFF: Final = "back-off"
NAV: Final = "NAV"
WHY: Final = {
    "overlap": "overlapped",
    "transmitter_side": "receiver sending",
    "captured": "captured away",
    "interferer": "interferer",
    "noise": "noise",
}
"""Marks of lost frames; the tooltip names the class of an overlapping frame."""
_FRAME: Final = (0.08, 0.62)
_WAITS: Final = {"back_off": (0.68, 0.80), "nav": (0.84, 0.94)}

Row = dict[str, Any]
Columns = dict[str, list[Any]]


class Timeline(NamedTuple):
    """A recorded timeline."""

    start_s: float
    end_s: float
    truncated: bool
    frames: Columns
    waits: Columns


class Lanes(NamedTuple):
    """The lanes of one cell's chart."""

    names: list[str]
    left_out: int
    span_ms: float
    frames: list[Row]
    waits: list[Row]


def _rows(columns: Columns) -> list[Row]:
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _chosen(stations: list[str], frames: list[Row]) -> list[str]:
    if len(stations) <= MAX_LANES:
        return stations
    sent = dict.fromkeys(stations, 0)
    for frame in frames:
        sent[frame["station"]] += 1
    busiest = sorted(stations[1:], key=lambda name: -sent[name])[: MAX_LANES - 1]
    return [stations[0], *(name for name in stations[1:] if name in busiest)]


def lanes(document: RunDocument, timeline: Timeline) -> list[Lanes]:
    """Lay out the lanes of each cell of the first replication."""
    found: list[Lanes] = []
    first: list[Row] = document["replications"][0]["cells"] if document["replications"] else []
    for cell in first:
        frames = [row for row in _rows(timeline.frames) if row["cell"] == cell["name"]]
        stations: list[str] = [station["name"] for station in cell["stations"]]
        names = _chosen(stations, frames)
        place = {name: lane for lane, name in enumerate(names)}
        waits = [row for row in _rows(timeline.waits) if row["cell"] == cell["name"]]
        found.append(
            Lanes(
                names=names,
                left_out=len(stations) - len(names),
                span_ms=(timeline.end_s - timeline.start_s) * 1e3,
                frames=[
                    _frame(row, place[row["station"]], timeline)
                    for row in frames
                    if row["station"] in place
                ],
                waits=[
                    _wait(row, place[row["station"]], timeline)
                    for row in waits
                    if row["station"] in place
                ],
            )
        )
    return found


def _stretch(row: Row, timeline: Timeline, lane: int, part: tuple[float, float]) -> Row:
    start, end = max(row["start_s"], timeline.start_s), min(row["end_s"], timeline.end_s)
    return {
        "station": row["station"],
        "t0": round((start - timeline.start_s) * 1e3, 6),
        "t1": round((end - timeline.start_s) * 1e3, 6),
        "y0": round(lane + part[0], 2),
        "y1": round(lane + part[1], 2),
        "at": f"{row['start_s']:.6f} s",
        "length": round((row["end_s"] - row["start_s"]) * 1e6, 3),
    }


def _frame(row: Row, lane: int, timeline: Timeline) -> Row:
    lost = row["lost"]
    why = None if lost is None else "overlap" if lost.startswith("with_") else lost
    return {
        **_stretch(row, timeline, lane, _FRAME),
        "what": cells.named(row["class"], cells.CLASSES),
        "to": row["to"] or "all",
        "bytes": row["bytes"],
        "rate": row["rate_bps"] * 1e-6,
        "attempt": row["attempt"],
        "fate": "decoded" if lost is None else f"lost: {cells.named(lost, cells.CAUSES)}",
        "why": why and WHY.get(why, why),
    }


def _wait(row: Row, lane: int, timeline: Timeline) -> Row:
    nav = row["what"] == "nav"
    slots = None if nav else f"{row['slots']} to {row['slots_left']}"
    return {
        **_stretch(row, timeline, lane, _WAITS[row["what"]]),
        "what": NAV if nav else BACK_OFF,
        "slots": slots,
        "category": row["category"],
    }


def heading(timeline: Timeline) -> str:
    """Write the interval of the chart.

    >>> heading(Timeline(2.0, 2.02, False, {}, {}))
    'The medium from 2 s to 2.02 s'
    """
    return f"The medium from {_second(timeline.start_s)} s to {_second(timeline.end_s)} s"


def caption(timeline: Timeline, of: Lanes) -> str:
    """Write how to read the chart, and what it leaves out."""
    text = (
        "The first replication; a lane for each station. The high bars are frames that it sent,"
        " pale and marked if the receiver did not decode them. Below are the slots of its back-off,"
        " and the times that other stations have reserved (NAV)."
        " Drag sideways to move, Shift and wheel to zoom, double-click to go back."
    )
    if timeline.truncated:
        text += f" The record was full at {_second(timeline.end_s)} s: choose a shorter interval."
    if of.left_out:
        sent_least = words.counted(
            of.left_out, "station that sent least is", "stations that sent least are"
        )
        text += f" The {sent_least} left out."
    return text


def _second(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
