"""Tables of 802.11 cells for `airtcp run`: stations, and causes of frame losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.cli.tables import Column, metric_column, put
from airtcp.questions.run import cells
from airtcp.words import columns
from airtcp.words.sentences import SHARE, counted, estimate

if TYPE_CHECKING:
    from rich.console import Console

_ROWS: Final = 40
"""Maximum number of stations printed per cell; the document and the data files have all."""


def show(console: Console, cell: dict[str, Any], *, alone: bool) -> None:
    """Print the tables of one cell.

    Args: console: Where to print. cell: The cell, of the summary. alone: Whether it is the only
        cell.
    """
    stations = cell["stations"]
    _stations(console, stations[:_ROWS])
    if len(stations) > _ROWS:
        more = counted(len(stations) - _ROWS, "more station")
        console.print(f"and {more}: --json or --out DIR has all")
    _losses(console, cell)
    where = "" if alone else f' in cell "{cell["name"]}"'
    console.print(
        f"medium{where}: busy {estimate(cell['busy_share'], 100.0, SHARE)} % of the time, "
        f"{estimate(cell['mac_bps'], 1e-6)} Mb/s of frames with headers and retransmissions",
        markup=False,
    )


def _stations(console: Console, stations: list[dict[str, Any]]) -> None:
    rows = [cells.shown(station) for station in stations]
    laid = [
        metric_column(metric, rows)
        for metric in columns.stations(stations)
        if _worth(metric.key, [row[metric.key]["mean"] for row in rows if metric.key in row])
    ]
    put(console, "station", [row["name"] for row in rows], laid)


def _worth(key: str, means: list[float | None]) -> bool:
    """Return whether a column has information. Rates have, if they exist, also at zero."""
    rates = key.endswith(("error_rate", "_mean", "_share"))
    return any(mean is not None and (rates or mean) for mean in means)


def _losses(console: Console, cell: dict[str, Any]) -> None:
    classes = cells.sent_classes(cell)

    def column(head: str, values: list[Any]) -> Column:
        full = [estimate(value, 100.0, SHARE) for value in values]
        return Column(head, full, [estimate(v, 100.0, short=True) for v in values])

    sent = [cell[f"{c}_sent"] for c in classes]
    columns = [
        Column(
            "sent",
            [estimate(value, 1.0) for value in sent],
            [estimate(value, 1.0, short=True) for value in sent],
            1,
        ),
        column("lost (%)", [cell.get(f"{c}_error_rate") for c in classes]),
    ]
    columns += [
        column(
            _broken(cells.named(cause, cells.CAUSES)) + " (%)",
            [cell["lost"].get(c, {}).get(cause) for c in classes],
        )
        for cause in cells.causes(cell)
    ]
    names = [cells.named(c, cells.CLASSES) for c in classes]
    put(console, "frames", names, columns)


def _broken(head: str) -> str:
    r"""Break a heading of two words.

    >>> _broken("with TCP ACK")
    'with\nTCP ACK'
    """
    return head.replace(" ", "\n", 1)
