"""The document of a sweep: what was asked, what is finished, what failed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.plain import printable_values

if TYPE_CHECKING:
    from airtcp.sweeps.coordinate import Outcome
    from airtcp.sweeps.sweep_file import Sweep

SCHEMA: Final = "airtcp.sweep/1"


def document_of(
    sweep: Sweep,
    *,
    number: int,
    distinct: int,
    finished: int,
    columns: list[str],
    sensitivity: list[dict[str, Any]],
    outcome: Outcome,
    running: bool,
) -> dict[str, Any]:
    """Make the document.

    Args:
        sweep: The sweep.
        number: Number of points of the design.
        distinct: Number of points that differ.
        finished: Number of points in the dataset.
        columns: Columns of the dataset.
        sensitivity: `sensitivity.sensitivity`.
        outcome: How far the call came.
        running: Whether the sweep still runs.
    """
    rule = asdict(sweep.rule)
    asked = {
        "kind": sweep.kind,
        "of": list(sweep.inputs),
        "vary": [
            {
                "name": axis.name,
                "keys": list(axis.paths),
                "column": axis.column,
                "values": [axis.text(value) for value in axis.values[:1000]],
                "from": None if axis.span is None else axis.text(axis.span.at(0.0)),
                "to": None if axis.span is None else axis.text(axis.span.at(1.0)),
                "scale": None if axis.span is None else ("log" if axis.span.log else "linear"),
            }
            for axis in sweep.axes
        ],
        "design": sweep.design,
        "points": sweep.points,
        "set": [list(pair) for pair in sweep.fixed],
        "options": sweep.options,
        "replications": rule["number"],
        "until": rule["until"] or None,
        "min_replications": rule["least"] if rule["until"] else None,
        "max_replications": rule["most"] if rule["until"] else None,
        "measure": list(sweep.measures),
    }
    return {
        "schema": SCHEMA,
        "airtcp_version": _core.version(),
        "title": sweep.title,
        "seed": sweep.seed,
        "sweep": asked,
        "points": {
            "number": number,
            "distinct": distinct,
            "finished": finished,
            "run": outcome.ran,
            "failed": len(outcome.failures),
        },
        "columns": columns,
        "sensitivity": sensitivity,
        "failures": [printable_values(asdict(failure)) for failure in outcome.failures],
        "workers_lost": outcome.lost_workers,
        "running": running,
        "interrupted": outcome.interrupted,
    }
