"""Controllers of AIFSN in words: whether their bounds keep stations from equal shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run.groups import NAMED
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

LIMITED: Final = 0.1
"""Least share of adjustments prevented by a bound for which a station is named."""


def controllers_at_bounds(document: RunDocument) -> list[Finding]:
    """State which stations the bounds of a controller keep from an equal share."""
    cells: list[dict[str, Any]] = document["summary"].get("cells", [])
    found: list[Finding] = []
    for cell, spec in zip(cells, document["scenario"].get("cells", []), strict=False):
        limited = [s for s in cell["stations"] if _share(s) >= LIMITED]
        tables = [t["controller"] for t in spec.get("schemes", []) if t.get("controller")]
        if not limited or not tables:
            continue
        middle = (tables[0]["aifsn_min"] + tables[0]["aifsn_max"]) / 2
        low = [s for s in limited if s["adjusted_aifsn"]["mean"] <= middle]
        high = [s for s in limited if s["adjusted_aifsn"]["mean"] > middle]
        said = [
            _said(stations, f"{key} = {tables[0][key]}", relation)
            for stations, key, relation in (
                (low, "aifsn_min", "less"),
                (high, "aifsn_max", "more"),
            )
            if stations
        ]
        found.append(
            Finding(
                f"The controller of {cell['name']} stands at its bounds", " ".join(said), "warn"
            )
        )
    return found


def _share(station: dict[str, Any]) -> float:
    return station.get("aifsn_limited_share", {}).get("mean") or 0.0


def _said(stations: list[dict[str, Any]], bound: str, relation: str) -> str:
    """Say how often stations stood at a bound."""
    worst = max(stations, key=_share)
    share = words.number(100 * _share(worst))
    if len(stations) > NAMED:
        named = words.counted(len(stations), "station")
        how_often = f"up to {share} % of the adjustments ({worst['name']})"
    else:
        named = words.listed([station["name"] for station in stations])
        how_often = f"{'up to ' if len(stations) > 1 else ''}{share} % of the adjustments"
    verb = "stands" if len(stations) == 1 else "stand"
    gets = "gets" if len(stations) == 1 else "get"
    return (
        f"{named} {verb} at {bound} in {how_often} and still {gets} {relation} than an equal share."
    )
