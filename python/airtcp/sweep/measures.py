"""Kinds of a sweep: their options, and the quantities that a point keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, cast

from airtcp.metrics import schema
from airtcp.sweep.errors import found, near, refuse

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

_RUN_RECORDS: Final = ("FlowResult", "LinkResult", "StationResult", "CellResult", "Replication")


def defaults(kind: Kind) -> tuple[str, ...]:
    """Return what a point keeps by default."""
    return KINDS[kind].measures


@cache
def accepted(kind: Kind) -> frozenset[str]:
    """Return the quantities that the document of a kind has."""
    names: set[str] = set(defaults(kind))
    for record in schema(kind)["$defs"].values():
        for key, of in record.get("properties", {}).items():
            if _is_quantity(of):
                names.add(key)
    return frozenset(names)


def _is_quantity(of: Any) -> bool:
    """Return whether a property of a schema is a number or an estimate."""
    if not isinstance(of, dict):
        return False
    known = cast("dict[str, Any]", of)
    types = known.get("type")
    types = types if isinstance(types, list) else [types]
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
