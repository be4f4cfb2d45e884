"""Kinds of a sweep: their options, and the quantities that a point keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from airtcp.data.metrics import Metric, record, schema
from airtcp.questions.sweep.errors import found, near, refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["run", "study", "compare"]


@dataclass(frozen=True)
class _About:
    options: tuple[str, ...]
    measures: tuple[str, ...]
    """Measured by default."""


KINDS: Final[dict[Kind, _About]] = {
    "run": _About(
        (),
        (
            *("total_goodput_bps", "jain_index", "goodput_bps", "rtt_mean_s"),
            *("retransmission_ratio", "timeouts", "utilisation", "loss_rate", "queue_delay_mean_s"),
        ),
    ),
    "study": _About(
        ("profile", "slot", "replicas", "compare", "remedies", "analyse"),
        ("prr", "mu", "packets_per_second", "gain_percent"),
    ),
    "compare": _About(
        (
            *("tcp", "remedies", "reference", "flow", "share", "profile", "slot", "as_link"),
            "synthetic",
        ),
        (
            *("goodput_bps", "difference_percent", "rtt_mean_s", "delivery_p95_s"),
            *("bytes_per_byte", "residual_loss", "timeouts"),
        ),
    ),
}
"""By kind: the options of `airtcp.study` and `airtcp.compare`, and the default measures."""


def defaults(kind: Kind) -> tuple[str, ...]:
    """Return what a point keeps by default."""
    return KINDS[kind].measures


@cache
def accepted(kind: Kind) -> frozenset[str]:
    """Return the quantities that the document of a kind has."""
    names: set[str] = set(defaults(kind))
    for part in schema(kind)["$defs"].values():
        for key, of in part.get("properties", {}).items():
            if _is_quantity(of):
                names.add(key)
    return frozenset(names)


def _is_quantity(of: Any) -> bool:
    """Return whether a property of a schema is a number or an estimate."""
    if not isinstance(of, dict):
        return False
    known = cast("dict[str, Any]", of)
    given: Any = known.get("type")
    types: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [given]
    if "number" in types or "integer" in types:
        return True
    parts = [known, *known.get("anyOf", [])]
    return any("Estimate" in str(part.get("$ref", "")) for part in parts)


def check_measures(kind: Kind, given: Any) -> tuple[str, ...]:
    """Read the key `measure`.

    Args: kind: What is run. given: Its value.

    Raises:
        AirtcpError: If a name is unknown.
    """
    names = cast("list[Any]", given)
    if not isinstance(given, list) or not names or not all(isinstance(n, str) for n in names):
        refuse("measure", f"found {found(given)}; expected a list of keys, such as goodput_bps")
    for name in names:
        if name not in accepted(kind):
            suggestion = near(name, accepted(kind)).partition(" (accepted")[0]
            refuse(
                "measure",
                f'"{name}" is no quantity of kind "{kind}"{suggestion} '
                "(docs/reference/metrics.md lists them)",
            )
    return tuple(dict.fromkeys(names))


_SHOWN: Final = (
    ("_bps", "Mb/s", 1e-6),
    ("_bytes", "kB", 1e-3),
    ("_s", "ms", 1e3),
    ("_percent", "%", 1.0),
    ("_ratio", "%", 100.0),
    ("_rate", "%", 100.0),
    ("_share", "%", 100.0),
)
"""Units of quantities that the catalogue lacks, by the ending of the key."""


@cache
def metric_of(kind: str, key: str) -> Metric:
    """Return how a quantity is shown: from the catalogue, else by the ending of its key.

    >>> metric_of("run", "goodput_bps").label, metric_of("run", "total_goodput_bps").label
    ('goodput (Mb/s)', 'total goodput (Mb/s)')
    """
    for name in schema(kind)["$defs"]:
        if "properties" in schema(kind)["$defs"][name] and (found := record(kind, name).get(key)):
            return found
    ending, unit, scale = next((of for of in _SHOWN if key.endswith(of[0])), ("", "", 1.0))
    title = key.removesuffix(ending).replace("_", " ").capitalize()
    return Metric(key, title, unit, scale, 99, (-inf, inf))


def axis_shown(column: str, dimension: str | None) -> tuple[str, float]:
    """Return the title of an axis, and the factor from its column to the shown unit.

    >>> axis_shown("links[0].delay_s", "s"), axis_shown("loss", "")
    (('links[0].delay (ms)', 1000.0), ('loss', 1.0))
    """
    ending, unit, scale = next(
        (of for of in _SHOWN[:3] if dimension and of[0] == f"_{dimension}"), ("", "", 1.0)
    )
    return (f"{column.removesuffix(ending)} ({unit})" if unit else column), scale


_REVERSE: Final = " (reverse)"


def forward(row: Mapping[str, Any]) -> bool:
    """Return whether a row counts for a mean: the reverse direction of a link carries ACKs only."""
    return row["kind"] != "link" or not str(row["name"]).endswith(_REVERSE)
