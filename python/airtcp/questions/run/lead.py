"""Which limit of a run comes first in its answer: what would change most.

Frames of half the length raise the goodput of any full medium, so the medium comes first only if
nothing else is known to take its time. The size of a change is the sum over its flows of the
logarithm of the factor: that of a flow from nothing to something has no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit

_LEAST: Final = 1.1
"""Least factor, at the lower end of its interval, of a cause that comes before the medium."""

_SHARED: Final = frozenset({"medium", "application", "other-flows"})
"""Causes that say no more than the full medium: what is asked of it, and that others use it."""


@dataclass(frozen=True)
class Lead:
    """What comes first: a limit, or what slow flows are short of; at most one of them."""

    limit: Limit | None = None
    cause: str = ""
    where: str = ""


def lead(document: RunDocument) -> Lead:
    """Return what the answer begins with; nothing in it unless the first limit is the medium."""
    limits = document.get("limits") or []
    if not limits or limits[0]["cause"] != "medium":
        return Lead()
    sizes: list[tuple[float, Lead]] = []
    short = _short(document)
    for limit in limits[1:]:
        place = (limit["cause"], limit["where"])
        if limit["cause"] in _SHARED or limit["after"] or limit["with"]:
            continue
        if limit["of"] == "flows" and place in short:
            continue
        least = limit["ratio"] if limit["low"] is None else limit["low"]
        if least is not None and least < _LEAST:
            continue
        # That of the slowest of each run is a change of one flow.
        many = limit["of"] == "sum"
        flows = (len(limit["flows"]) or len(document["summary"]["flows"])) if many else 1
        own = flows * _size(limit["ratio"])
        # The same cause may hold single flows down further than all together.
        sizes.append((max(own, short.pop(place, 0.0)), Lead(limit)))
    sizes += [(size, Lead(None, *place)) for place, size in short.items()]
    return max(sizes, key=lambda each: each[0])[1] if sizes else Lead()


def ordered(document: RunDocument) -> list[Limit]:
    """Return the limits of a run, that of the answer first."""
    limits: list[Limit] = [*(document.get("limits") or [])]
    first = lead(document)
    return sorted(limits, key=lambda limit: not _leads(first, limit))


def of_answer(document: RunDocument) -> Limit | None:
    """Return the limit that the answer begins with; none if it begins with something else."""
    first = lead(document)
    limits = ordered(document)
    return limits[0] if limits and (not first.cause or _leads(first, limits[0])) else None


def _leads(first: Lead, limit: Limit) -> bool:
    if first.limit is not None:
        return limit is first.limit
    is_it = limit["of"] == "flows" and not limit["after"]
    return is_it and (limit["cause"], limit["where"]) == (first.cause, first.where)


def _short(document: RunDocument) -> dict[tuple[str, str], float]:
    """Return the size of each shortage of slow flows, by cause and place."""
    why: Mapping[str, Any] = document.get("why") or {}
    slow: Sequence[Mapping[str, Any]] = why.get("slow_flows", [])
    found: dict[tuple[str, str], float] = {}
    for flow in slow:
        if flow["short_of"] and flow["without_bps"]:
            place = (flow["short_of"], flow["where"])
            had = flow["goodput_bps"]
            size = _size(flow["without_bps"] / had if had else None)
            found[place] = found.get(place, 0.0) + size
    return found


def _size(factor: float | None) -> float:
    return inf if factor is None else log(max(factor, 1.0))
