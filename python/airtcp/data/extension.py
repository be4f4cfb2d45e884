"""What the extension knows by name, and intervals that it computes.

The methods of intervals and their coverage are in docs/models/intervals.md.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from airtcp import _core

if TYPE_CHECKING:
    from collections.abc import Sequence


def version() -> str:
    """Return the version of the program, which every result contains."""
    return _core.version()


def registry(family: str | None = None) -> list[dict[str, str]]:
    """List everything that has a name: models, queues, laws, profiles, layouts.

    Args:
        family: One family, such as "loss", "queue", "congestion"; by default all.

    Returns:
        Entries with `family`, `name`, `description` and `source`.

    Examples:
        >>> sorted(entry["name"] for entry in registry("queue"))[:5]
        ['ack-filter', 'airtime-fair', 'codel', 'drop-tail', 'dualpi2']
    """
    return json.loads(_core.registry(family))


def core_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of a document that the extension makes."""
    return json.loads(_core.schema(kind))


def mean_interval(
    values: Sequence[float], weights: Sequence[float] | None = None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of independent values: Student's.

    Args: values: The values; with fewer than two there is no interval. weights: For counts and
        rates of events, the events of each value over the value: 1 for a count. Below 30 events in
        all, Student's interval is widened to the exact interval of independent events (Garwood
        1936).

    Six repeats without an event have no scatter; their true mean may be 0.6:

    >>> low, high = mean_interval([0.0] * 6, [1.0] * 6)
    >>> low, round(high, 3)
    (0.0, 0.615)
    """
    return _core.mean_interval(values, weights)


def once(_run: object) -> float:
    """Return the weight of a plain count, whose value is its number of events."""
    return 1.0
