"""Tables of the 802.11 cells of a run: stations, and causes of frame losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import cells
from airtcp.words import columns
from airtcp.words.grid import Column, Grid, metric_column
from airtcp.words.sentences import SHARE, Finding, counted, estimate

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 40
"""Most stations of a cell; the document and the data files have all."""


def grids(cell: dict[str, Any], *, alone: bool) -> Iterator[Finding | Grid]:
    """Lay out one cell.

    Args: cell: The cell, of the summary. alone: Whether it is the only cell.
    """
    yield stations(cell)
    more = len(cell["stations"]) - MOST
    if more > 0:
        yield Finding(f"And {counted(more, 'more station')}", "--json or --out DIR has all.")
    yield losses(cell)
    yield medium(cell, "" if alone else f" in cell {cell['name']}")


def medium(cell: dict[str, Any], where: str = "") -> Finding:
    """Say how much of the time the medium is busy, and what it carries.

    Args: cell: The cell, of the summary. where: What names it among several.
    """
    return Finding(
        f"The medium{where} is busy {estimate(cell['busy_share'], 100.0, SHARE)} % of the time",
        f"It carries {estimate(cell['mac_bps'], 1e-6)} Mb/s of frames with headers and"
        " retransmissions.",
    )


def stations(cell: dict[str, Any], most: int = MOST) -> Grid:
    """Lay out the first stations.

    Args: cell: The cell, of the summary. most: Most rows.
    """
    shown = cell["stations"][:most]
    rows = [cells.shown(station) for station in shown]
    laid = [
        metric_column(metric, rows)
        for metric in columns.stations(shown)
        if _worth(metric.key, [row[metric.key]["mean"] for row in rows if metric.key in row])
    ]
    return Grid("station", [row["name"] for row in rows], laid)


def _worth(key: str, means: list[float | None]) -> bool:
    """Return whether a column has information. Rates have, if they exist, also at zero."""
    rates = key.endswith(("error_rate", "_mean", "_share"))
    return any(mean is not None and (rates or mean) for mean in means)


def losses(cell: dict[str, Any]) -> Grid:
    """Lay out the causes of lost frames, class by class.

    Args: cell: The cell, of the summary.
    """
    classes = cells.sent_classes(cell)

    def column(head: str, values: list[Any]) -> Column:
        full = [estimate(value, 100.0, SHARE) for value in values]
        return Column(head, full, [estimate(v, 100.0, short=True) for v in values])

    sent = [cell[f"{c}_sent"] for c in classes]
    laid = [
        Column(
            "sent",
            [estimate(value, 1.0) for value in sent],
            [estimate(value, 1.0, short=True) for value in sent],
            1,
        ),
        column("lost (%)", [cell.get(f"{c}_error_rate") for c in classes]),
    ]
    laid += [
        column(
            _broken(cells.named(cause, cells.CAUSES)) + " (%)",
            [cell["lost"].get(c, {}).get(cause) for c in classes],
        )
        for cause in cells.causes(cell)
    ]
    names = [cells.named(c, cells.CLASSES) for c in classes]
    return Grid("frames", names, laid)


def _broken(head: str) -> str:
    r"""Break a heading of two words.

    >>> _broken("with TCP ACK")
    'with\nTCP ACK'
    """
    return head.replace(" ", "\n", 1)
