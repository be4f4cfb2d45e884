"""Tables of a run: all columns of flows, links and cells, behind `--details`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import datagrams, fairness, groups, limits, paths, tables_cell
from airtcp.words import columns
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, metric_column
from airtcp.words.sentences import SHARE, Finding, counted, estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.data.metrics import Metric

MOST: Final = 200
"""Flows, or links, in a table; laying out thousands takes longer than the run."""


def grids(document: RunDocument) -> Iterator[Finding | Grid]:
    """Lay out flows, links and cells, each table with what is said below it.

    Args:
        document: The document of a run with a finished replication.
    """
    summary = document["summary"]
    yield from flows(document)
    yield from _over("flow", len(summary["flows"]))
    yield from links(document)
    yield from _over("link", len(summary["links"]))
    yield from protocols(document)
    cells = summary.get("cells", [])
    for cell in cells:
        yield from tables_cell.grids(cell, alone=len(cells) == 1)
    yield from ends(document)
    yield from said(document)
    count = counted(len(document["replications"]), "replication")
    of = f"{count} of {document['scenario']['duration']}, seed {document['seed']}"
    yield Finding(f"{of}, airtcp {document['airtcp_version']}", "")


def _over(what: str, number: int) -> Iterator[Finding]:
    """Say that a table has the first rows only."""
    if number > MOST:
        yield Finding(f"The first {MOST} of {counted(number, what)}", "--json has all.")


def flows(document: RunDocument, most: int = MOST) -> Iterator[Grid]:
    """Lay out the flows, the sums of their directions, and the flows with coding."""
    yield from _rows(
        "flow", datagrams.shown(document), columns.flows(), most, _beside(document, most)
    )
    yield from _directions(document)
    yield from _rows("coded flow", paths.coded_flows(document), columns.coded_flows(), most)


def _beside(document: RunDocument, most: int) -> list[Column]:
    """Return what a flow has beside its metrics: its path first, and its limits."""
    found: list[Column] = []
    if named := groups.endpoints(document):
        found.append(Column("path", named[:most], rank=4, left=True))
    if limited := limits.by_flow(document):
        found.append(Column("limited by", limited[:most], rank=9, left=True))
    return found


def links(document: RunDocument, most: int = MOST) -> Iterator[Grid]:
    """Lay out each direction of a link."""
    yield from _rows("link", document["summary"]["links"], columns.links(), most)


def protocols(document: RunDocument, most: int = MOST) -> Iterator[Grid]:
    """Lay out what link protocols did."""
    links = paths.protocol_links(document)
    yield from _rows("link protocol", links, columns.protocols(), most)


def _rows(
    what: str,
    rows: Sequence[dict[str, Any]],
    metrics: tuple[Metric, ...],
    most: int,
    beside: Sequence[Column] = (),
) -> Iterator[Grid]:
    """Lay out the first flows or links."""
    shown = rows[:most]
    laid = [metric_column(metric, shown) for metric in columns.with_values(metrics, rows)]
    for column in beside:
        laid.insert(0 if column.head == "path" else len(laid), column)
    if shown:
        yield Grid(what, [row["name"] for row in shown], laid)


def said(document: RunDocument) -> Iterator[Finding]:
    """State what no table has: standards of cells, total, fairness, and packets that are missing.

    Args:
        document: The document of a run with a finished replication.
    """
    yield from _phy(document)
    total = estimate(document["summary"]["total_goodput_bps"], 1e-6)
    yield Finding(f"Total goodput {total} Mb/s{groups.over(document)}", "")
    yield from _fairness(document)
    bad = [r["replication"] for r in document["replications"] if not r["conservation"]["ok"]]
    if bad:
        counts = f"The packet counts of replications {bad} do not add up"
        yield Finding(counts, "This is a bug in airtcp.", "bad")


def _phy(document: RunDocument) -> Iterator[Finding]:
    """Say standard, band, width and streams of cells of 802.11n, ac and ax."""
    for cell in document["replications"][0].get("cells", []):
        if phy := cell.get("phy"):
            yield Finding(cell["name"], f"{phy}.")


def _directions(document: RunDocument) -> Iterator[Grid]:
    """Lay out the sums of the flows of each direction, if there are several."""
    found = groups.directions(document)
    if not found:
        return
    number = words.number
    rates = [group.goodput_bps * 1e-6 for group in found]
    each = [rate / len(group.flows) for rate, group in zip(rates, found, strict=True)]
    again = [number(100 * group.retransmission_ratio) for group in found]
    laid = [
        Column("flows", [words.count(len(group.flows)) for group in found]),
        Column("together (Mb/s)", [number(rate) for rate in rates]),
        Column("each (Mb/s)", [number(rate) for rate in each]),
        Column("retransmitted (%)", again, rank=1),
        Column("timeouts each", [number(group.timeouts) for group in found], rank=2),
    ]
    yield Grid("direction", [group.name for group in found], laid)


def ends(document: RunDocument) -> Iterator[Grid]:
    """Lay out goodput, latency and residual loss of each path over link protocols."""
    found = paths.protocol_paths(document)
    laid = [
        Column(metric.label, [words.number(path[key]) for path in found])
        for key, metric in columns.paths().items()
    ]
    if found:
        laid.append(Column("hops", [str(path["hops"]) for path in found], rank=1))
        yield Grid("from end to end", [f"{way['name']} to {way['to']}" for way in found], laid)


def _fairness(document: RunDocument) -> Iterator[Finding]:
    """State the fairness of the flows, if there are several flows."""
    summary = document["summary"]
    if summary["jain_index"]["mean"] is None or paths.disjoint(document):
        return
    index = estimate(summary["jain_index"], 1.0, SHARE)
    difference = estimate(summary["max_difference_bps"], 1e-6)
    yield Finding(
        f"Jain's fairness index of {fairness.of_flows(document)}"
        f" {index}{fairness.by_direction(document)}",
        f"The largest difference between them is {difference} Mb/s.",
    )
