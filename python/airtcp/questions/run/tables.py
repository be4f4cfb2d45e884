"""Tables of a run for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.cli.console import screen
from airtcp.cli.tables import Column, metric_column, put
from airtcp.questions.run import datagrams, fairness, groups, limits, paths
from airtcp.questions.run import tables_cell as air
from airtcp.words import columns
from airtcp.words import sentences as words
from airtcp.words.sentences import SHARE, counted, estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.data.metrics import Metric
    from airtcp.questions.run.result import RunResult


_ROWS: Final = 200
"""Flows, or links, in a table; laying out thousands takes longer than the run."""


def put_result(result: RunResult) -> None:
    """Print the tables of flows, links and cells."""
    console = screen()
    document = result.json
    summary = document["summary"]
    for what, rows, metrics in (
        ("flow", datagrams.shown(document), columns.flows()),
        ("coded flow", paths.coded_flows(document), columns.coded_flows()),
        ("link", summary["links"], columns.links()),
        ("link protocol", paths.protocol_links(document), columns.protocols()),
    ):
        _put(document, what, rows, metrics)
        if what == "flow":
            _groups(document)
    if cells := summary.get("cells", []):
        for cell in cells:
            air.show(console, cell, alone=len(cells) == 1)
    _phy(document)
    _paths(document)
    total = estimate(summary["total_goodput_bps"], 1e-6)
    console.print(f"total goodput {total} Mb/s{groups.over(document)}{_fairness(document)}")
    bad = [r["replication"] for r in document["replications"] if not r["conservation"]["ok"]]
    if bad:
        console.print(
            f"the packet counts of replications {bad} do not add up: a bug in airtcp", style="bold"
        )
    count = len(document["replications"])
    console.print(
        f"{counted(count, 'replication')} of {document['scenario']['duration']},"
        f" seed {result.seed}, airtcp {document['airtcp_version']}"
    )
    if (command := result.schemes_command) is not None:
        # One line, however long, so that it can be pasted.
        console.print(f"schemes that would help this cell: {command}", markup=False, soft_wrap=True)


def _put(
    document: RunDocument, what: str, rows: Sequence[dict[str, Any]], metrics: tuple[Metric, ...]
) -> None:
    """Print the table of flows, or that of links: its first rows."""
    console, shown = screen(), rows[:_ROWS]
    laid = [metric_column(metric, shown) for metric in columns.with_values(metrics, rows)]
    if what == "flow" and (named := groups.endpoints(document)):
        laid.insert(0, Column("path", named, rank=4, left=True))
    if what == "flow" and (limited := limits.by_flow(document)):
        laid.append(Column("limited by", limited, rank=9, left=True))
    if shown:
        put(console, what, [row["name"] for row in shown], laid)
    if len(rows) > _ROWS:
        left = f"the first {_ROWS} of {counted(len(rows), what)}; --json has all"
        console.print(left, markup=False)


def _phy(document: RunDocument) -> None:
    """Print standard, band, width and streams of cells of 802.11n, ac and ax."""
    for cell in document["replications"][0].get("cells", []):
        if phy := cell.get("phy"):
            screen().print(f"{cell['name']}: {phy}", markup=False)


def _groups(document: RunDocument) -> None:
    """Print the sums of the flows of each direction, if there are several."""
    found = groups.directions(document)
    if not found:
        return
    columns = [
        Column("flows", [words.count(len(group.flows)) for group in found]),
        Column("together (Mb/s)", [words.number(group.goodput_bps * 1e-6) for group in found]),
        Column(
            "each (Mb/s)",
            [words.number(group.goodput_bps * 1e-6 / len(group.flows)) for group in found],
        ),
        Column(
            "retransmitted (%)", [words.number(100 * g.retransmission_ratio) for g in found], rank=1
        ),
        Column("timeouts each", [words.number(group.timeouts) for group in found], rank=2),
    ]
    put(screen(), "direction", [group.name for group in found], columns)


def _paths(document: RunDocument) -> None:
    """Print goodput, latency and residual loss of each path over link protocols."""
    found = paths.protocol_paths(document)
    laid = [
        Column(metric.label, [words.number(path[key]) for path in found])
        for key, metric in columns.paths().items()
    ]
    if found:
        laid.append(Column("hops", [str(path["hops"]) for path in found], rank=1))
        put(screen(), "from end to end", [f"{w['name']} to {w['to']}" for w in found], laid)


def _fairness(document: RunDocument) -> str:
    """Return the fairness of the flows as text, if there are several flows."""
    summary = document["summary"]
    if summary["jain_index"]["mean"] is None or paths.disjoint(document):
        return ""
    difference = estimate(summary["max_difference_bps"], 1e-6)
    ways = fairness.by_direction(document)
    return (
        f"\nJain's fairness index of {fairness.of_flows(document)}"
        f" {estimate(summary['jain_index'], 1.0, SHARE)}{ways}, "
        f"largest difference between them {difference} Mb/s"
    )
