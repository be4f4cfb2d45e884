"""Tables of studied links: the metrics of the answer's table, and those with every column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from airtcp.questions.trace import tables as trace_tables
from airtcp.questions.trace.tables import first_links, not_significant
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link


def measured_columns(links: Sequence[Link]) -> list[Column]:
    """Return the columns of an answer's table: PRR and mu, without intervals."""
    found = trace_tables.measured(links)
    mu = ["-" if link["mu"] is None else words.number(link["mu"], 2) for link in links]
    found["mu"] = replace(found["mu"], short=mu)
    columns = [found[key] for key in ("prr", "mu")]
    return [
        Column(column.head, column.short or column.cells, rank=rank, keys=column.keys)
        for rank, column in enumerate(columns)
    ]


def links(links: Sequence[Link], replicas: int, rows: int = trace_tables.ROWS) -> Grid:
    """Return the table of links with every column.

    Args:
        links: The links.
        replicas: Number of synthetic links of each kind.
        rows: Most rows.
    """
    shown = links[:rows]
    measured = trace_tables.measured(shown)
    columns = [
        measured.pop("packets"),
        trace_tables.slot(shown),
        *measured.values(),
        *trace_tables.throughput(shown),
    ]
    said = [
        "throughput: TCP over the trace",
        f"independent, Gilbert-Elliott: mean over {replicas} links of this model",
        "gain: against independent links of equal PRR",
    ]
    if any(not_significant(link) for link in shown):
        said.append("~: not significant")
    title = f"{first_links(links, rows)}{'; '.join(said)}"
    names = [link["name"] for link in shown]
    return Grid("link", names, columns, title, picks=list(range(len(shown))))
