"""The document of a sweep: what was asked, what is finished, what failed."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.data.extension import core_schema
from airtcp.data.plain import printable_values

if TYPE_CHECKING:
    from airtcp.questions.sweep.axes import Axis
    from airtcp.questions.sweep.coordinate import Outcome
    from airtcp.questions.sweep.document import SweepAsked, SweepDocument, VariedKey
    from airtcp.questions.sweep.sweep_file import Sweep

SCHEMA: Final = "airtcp.sweep/1"
_VALUES: Final = 1000
"""Most values of a key in the document."""


def document_of(
    sweep: Sweep,
    *,
    number: int,
    distinct: int,
    finished: int,
    columns: list[str],
    outcome: Outcome,
    sensitivity: list[dict[str, Any]] | None = None,
    wide: int | None = None,
    zero: int | None = None,
) -> SweepDocument:
    """Make the document.

    Args:
        sweep: The sweep.
        number: Number of points of the design.
        distinct: Number of points that differ.
        finished: Number of points in the dataset.
        columns: Columns of the dataset.
        outcome: How far the call came.
        sensitivity: `sensitivity.sensitivity`; None while the sweep runs.
        wide: Number of points with too wide intervals, if known.
        zero: Number of points with a measure of 0 that `until` asks for, if known.
    """
    return {
        "schema": SCHEMA,
        "airtcp_version": _core.version(),
        "title": sweep.title,
        "seed": seed_of(sweep),
        "sweep": _asked(sweep),
        "points": {
            "number": number,
            "distinct": distinct,
            "finished": finished,
            "run": outcome.ran,
            "failed": len(outcome.failures),
            "wide": wide,
            "zero": zero,
        },
        "columns": columns,
        "sensitivity": cast("Any", sensitivity or []),
        "failures": cast("Any", [printable_values(asdict(one)) for one in outcome.failures]),
        "workers_lost": outcome.lost_workers,
        "running": sensitivity is None,
        # Ctrl-C after the last point interrupts nothing.
        "interrupted": outcome.interrupted and finished + len(outcome.failures) < distinct,
    }


def _asked(sweep: Sweep) -> SweepAsked:
    until = dict(sweep.rule.until)
    return {
        "kind": sweep.kind,
        "of": list(sweep.inputs),
        "vary": [_varied(axis) for axis in sweep.axes],
        "design": sweep.design,
        "points": sweep.points,
        "set": [list(pair) for pair in sweep.fixed],
        "options": sweep.options,
        "replications": sweep.rule.number,
        "until": until or None,
        "min_replications": sweep.rule.least if until else None,
        "max_replications": sweep.rule.most if until else None,
        "measure": list(sweep.measures),
        "laws": [
            {"name": one.label, "file": one.file, "sha256": one.sha256} for one in sweep.laws.all
        ],
    }


def _varied(axis: Axis) -> VariedKey:
    span = axis.span
    return {
        "name": axis.name,
        "keys": list(axis.paths),
        "column": axis.column,
        "values": [axis.text(value) for value in axis.values[:_VALUES]],
        "range": None
        if span is None
        else {
            "low": axis.text(span.at(0.0)),
            "high": axis.text(span.at(1.0)),
            "scale": "log" if span.log else "linear",
        },
    }


def seed_of(sweep: Sweep) -> int | None:
    """Return the root seed of all points: that of the sweep, else of the scenario.

    None if the sweep varies it. A study has the seed 1 by default, as `airtcp study`.
    """
    if any("seed" in axis.paths for axis in sweep.axes):
        return None
    if sweep.seed is not None:
        return sweep.seed
    default: int = core_schema("scenario")["properties"]["seed"]["default"]
    if not sweep.text:
        return default
    fixed = dict(sweep.fixed).get("seed")
    given = sweep.text if fixed is None else f"seed = {fixed}"
    return int(tomllib.loads(given).get("seed", default))
