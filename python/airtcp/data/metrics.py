"""The catalogue of metrics: names, units and columns of a result's quantities.

The JSON Schemas of result records declare it once for each quantity (`metric`). Terminal, pages and
reference read it here. A table has the metrics of its record in the order of their rank.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from typing import Any

from airtcp import _core


@dataclass(frozen=True)
class Metric:
    """An entry of the catalogue."""

    key: str
    """Its key in documents and tables of values; it ends in the SI unit."""
    title: str
    """Heading without the unit."""
    unit: str
    """Unit in which it is shown; empty for numbers without one."""
    scale: float
    """Factor from the value to the shown unit."""
    rank: int
    """Place among columns, from 1; the greatest ranks are left out first."""
    limits: tuple[float, float]
    """The least and the greatest possible value, in the unit of its key."""
    meaning: str = ""
    group: str = ""

    @property
    def head(self) -> str:
        """Heading of its column.

        >>> columns("run", "LinkResult")[0].head
        'Delivered (Mb/s)'
        """
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def label(self) -> str:
        """The heading within a sentence, and as the title of an axis.

        >>> [metric.label for metric in columns("run", "FlowResult")[:2]]
        ['goodput (Mb/s)', 'RTT (ms)']
        """
        first, *_ = self.head.split()
        return self.head[0].lower() + self.head[1:] if first[1:].islower() else self.head

    def named(self, title: str, rank: int | None = None, key: str | None = None) -> Metric:
        """Return the metric under another title, for a table in which its meaning differs."""
        rank = self.rank if rank is None else rank
        return replace(self, title=title, rank=rank, key=key or self.key)


@cache
def record(document: str, name: str) -> dict[str, Metric]:
    """Return the metrics of a record by their keys.

    Args:
        document: Kind of document: "run", "compare".
        name: Name of the record in the document's JSON Schema.

    Raises:
        KeyError: If there is no such record.

    >>> record("run", "FlowResult")["timeouts"].meaning
    'Expirations of the retransmission timer.'
    """
    return {
        key: _metric(key, of["metric"], of.get("description", ""))
        for key, of in schema(document)["$defs"][name]["properties"].items()
        if "metric" in of
    }


def columns(document: str, name: str, group: str = "") -> tuple[Metric, ...]:
    """Return the metrics of a table in the order of their rank.

    Args: document: As for `record`. name: As for `record`. group: The table of the record.

    >>> [metric.title for metric in columns("run", "LinkResult")][:5]
    ['Delivered', 'Busy', 'Lost', 'Mean queue', 'Longest queue']
    """
    found = [metric for metric in record(document, name).values() if metric.group == group]
    return tuple(sorted(found, key=lambda metric: metric.rank))


def declared(
    document: str,
    name: str,
    key: str,
    title: str,
    rank: int,
    unit: str = "",
    scale: float = 1.0,
    limits: tuple[float, float] = (0.0, inf),
) -> Metric:
    """Make a metric of a key whose schema has only its meaning.

    Args:
        document: As for `record`.
        name: As for `record`.
        key: Its key in that record.
        title: As in `Metric`.
        rank: As in `Metric`.
        unit: As in `Metric`.
        scale: As in `Metric`.
        limits: As in `Metric`.
    """
    meaning = schema(document)["$defs"][name]["properties"][key].get("description", "")
    return Metric(key, title, unit, scale, rank, limits, " ".join(meaning.split()))


@cache
def schema(document: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind of document."""
    return json.loads(_core.schema(document))


def _metric(key: str, of: dict[str, Any], meaning: str) -> Metric:
    least, most = of["least"], of["most"]
    limits = (-inf if least is None else least, inf if most is None else most)
    return Metric(
        key=key,
        limits=limits,
        meaning=" ".join(meaning.split()),
        **{name: of[name] for name in ("title", "unit", "scale", "rank", "group")},
    )
