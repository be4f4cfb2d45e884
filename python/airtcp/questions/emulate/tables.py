"""The tables of an emulated run: nodes, fates, flows, lateness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import count, number, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.questions.emulate.document import EmulatedFlow, EmulateDocument

FLOWS: Final = 100
"""Flows on a page."""
_MEGA: Final = 1e-6
_MILLI: Final = 1e3


def ports(document: EmulateDocument) -> Grid:
    """Return a row a node: what it received."""
    rows = document["ports"]
    return Grid(
        "to",
        [row["node"] for row in rows],
        [
            _column("Mb/s", [row["rate_bps"] * _MEGA for row in rows], number),
            _column("frames", [row["frames"] for row in rows], count),
            _column("MB", [row["bytes"] * _MEGA for row in rows], number),
        ],
    )


def fates(document: EmulateDocument) -> Grid:
    """Return a row a fate and place."""
    rows = document["fates"]
    total = sum(row["packets"] for row in rows) or 1
    return Grid(
        "fate",
        [row["fate"] for row in rows],
        [
            Column("at", [row["place"] for row in rows], left=True),
            _column("packets", [row["packets"] for row in rows], count),
            _column("share", [row["packets"] / total for row in rows], share),
        ],
        title="What became of the packets",
    )


def flows(document: EmulateDocument) -> Grid:
    """Return a row a direction of a flow, those with the most bytes first."""
    rows = document["flows"][:FLOWS]
    more = len(document["flows"]) - len(rows) + document["flows_left_out"]
    return Grid(
        "flow",
        [_flow(row) for row in rows],
        [
            _column("MB", [row["bytes"] * _MEGA for row in rows], number),
            _column("Mb/s", [_rate(row) for row in rows], number),
            _column("packets", [row["packets"] for row in rows], count),
            _column("dropped", [row["dropped"] for row in rows], count),
            _column("marked", [row["marked"] for row in rows], count),
            _column("mean\ndelay (ms)", [_ms(row["delay_mean_s"]) for row in rows], number),
            _column("longest\ndelay (ms)", [_ms(row["delay_max_s"]) for row in rows], number),
        ],
        more=more,
        sort="MB",
    )


def lateness(document: EmulateDocument) -> Grid:
    """Return a row a quantile of the lateness."""
    late = document["lateness"]
    rows = {
        "half": late["p50_s"],
        "99 %": late["p99_s"],
        "99.9 %": late["p99_9_s"],
        "all": late["max_s"],
        "bound for 99 %": late["bound_s"],
        "bound for 99.9 %": late["bound_99_9_s"],
    }
    return Grid(
        "of the frames",
        list(rows),
        [_column("at most late (ms)", [_ms(value) for value in rows.values()], number)],
    )


def changes(document: EmulateDocument) -> Grid:
    """Return a row a change of the scenario while it ran."""
    rows = document["changes"]
    return Grid(
        "key",
        [row["key"] for row in rows],
        [
            Column("value", [row["value"] for row in rows], left=True),
            _column("at (s)", [row["t_s"] for row in rows], lambda at: f"{at or 0:.3f}"),
        ],
    )


def _flow(row: EmulatedFlow) -> str:
    if row["source"] is None:
        return f"other packets from {row['node']}"
    return f"{row['protocol']} {row['source']} \N{RIGHTWARDS ARROW} {row['destination']}"


def _rate(row: EmulatedFlow) -> float | None:
    if row["duration_s"] <= 0:
        return None
    return row["delivered_bytes"] * 8 * _MEGA / row["duration_s"]


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * _MILLI


def _column(head: str, values: Sequence[float | None], text: Callable[[float], str]) -> Column:
    cells = ["-" if value is None else text(value) for value in values]
    return Column(head, cells, keys=values)
