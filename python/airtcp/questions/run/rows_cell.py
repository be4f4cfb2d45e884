"""Makes the rows of the charts of a page from the cells of a run's document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import cells
from airtcp.questions.run.rows import drawn
from airtcp.words.sentences import SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument

MAX_CELLS: Final = 6
"""Maximum number of cells on the page; the document has all of them."""
MAX_STATIONS: Final = 100
"""Maximum number of stations of a cell in the tables of the page."""

Row = dict[str, Any]


def _stations(cell: Row) -> list[Row]:
    """Lay out the stations of one replication; `to_x`, `to_y` is the end of the line to the AP."""
    access_point = cell["stations"][0]
    rows: list[Row] = []
    for station in cell["stations"]:
        sent = [station["frames"].get(kind) for kind in ("data", "tcp_ack", "rts")]
        sent = [frames for frames in sent if frames]
        count = sum(frames["sent"] for frames in sent)
        lost = sum(frames["sent"] * frames["error_rate"] for frames in sent)
        rows.append(
            {
                "name": station["name"],
                "role": "access point" if station is access_point else "station",
                "x": station["x_m"],
                "y": station["y_m"],
                "to_x": access_point["x_m"],
                "to_y": access_point["y_m"],
                "distance": station["distance_m"],
                "snr": station["snr_db"],
                "error": 100.0 * lost / count if count else None,
                "hidden": station["hidden_stations"],
                "sends": station["goodput_from_bps"] * 1e-6,
                "gets": station["goodput_to_bps"] * 1e-6,
            }
        )
    return rows


def _neighbours(number: int, placed: Sequence[Row]) -> list[Row]:
    """Lay out the stations of the other cells that share the medium of cell `number`."""
    medium = placed[number].get("medium")
    return [
        {
            "name": station["name"],
            "role": "neighbour",
            "cell": other["name"],
            "x": station["x_m"],
            "y": station["y_m"],
        }
        for i, other in enumerate(placed)
        if i != number and medium is not None and other.get("medium") == medium
        for station in other["stations"][:MAX_STATIONS]
    ]


def _goodput(cell: Row) -> list[Row]:
    directions = (("sends", "goodput_from_bps"), ("gets", "goodput_to_bps"))
    stations = cell["stations"][1:]
    used = [
        (name, key) for name, key in directions if any(s[key]["mean"] for s in stations)
    ] or directions[:1]
    return [
        {"name": station["name"], "direction": name, **drawn(station[key], 1e-6)}
        for station in stations
        for name, key in used
    ]


def _airtime(cell: Row) -> list[Row]:
    return [
        {
            "station": station["name"],
            "frames": cells.named(kind, cells.CLASSES),
            "order": order,
            "share": share["mean"],
            "low": share["low"],
            "high": share["high"],
        }
        for station in cell["stations"]
        for order, kind in enumerate(cells.CLASSES)
        if f"{kind}_airtime_share" in station
        for share in [drawn(station[f"{kind}_airtime_share"], 100.0, SHARE)]
    ]


def _rates(document: RunDocument, number: int) -> list[Row]:
    """Return the data frames of a cell by rate and fate, as means over replications."""
    cells_of = [replication["cells"][number] for replication in document["replications"]]
    counts: dict[int, list[int]] = {}
    for station in (station for cell in cells_of for station in cell["stations"]):
        for rate in station.get("rates", []):
            fates = counts.setdefault(rate["rate_bps"], [0, 0])
            fates[0] += rate["sent"] - rate["lost"]
            fates[1] += rate["lost"]
    total = sum(map(sum, counts.values()))
    return [
        {
            "rate": f"{rate * 1e-6:g} Mb/s",
            "fate": fate,
            "order": order,
            "frames": counts[rate][order] / len(cells_of),
            "share": 100.0 * counts[rate][order] / total,
        }
        for rate in sorted(counts)
        for order, fate in enumerate(("decoded", "lost"))
    ]


def _losses(cell: Row) -> list[Row]:
    known = cells.causes(cell)
    return [
        {
            "frames": cells.named(kind, cells.CLASSES),
            "cause": cells.named(cause, cells.CAUSES),
            "order": known.index(cause),
            "share": share["mean"],
            "low": share["low"],
            "high": share["high"],
        }
        for kind in cells.sent_classes(cell)
        for cause in known
        if cause in cell["lost"].get(kind, {})
        for share in [drawn(cell["lost"][kind][cause], 100.0, SHARE)]
    ]


def charted(document: RunDocument) -> list[dict[str, list[Row]]]:
    """Return the rows of each cell's charts; the map shows the first replication."""
    summary = document["summary"].get("cells", [])[:MAX_CELLS]
    if not document["replications"]:
        return []
    first: list[Row] = document["replications"][0]["cells"] if summary else []
    return [
        {
            "stations": _stations(placed),
            "neighbours": _neighbours(number, first),
            "goodput": _goodput(cell),
            "airtime": _airtime(cell),
            "losses": _losses(cell),
            "rates": _rates(document, number),
        }
        for number, (cell, placed) in enumerate(zip(summary, first, strict=False))
    ]
