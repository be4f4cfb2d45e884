"""Hidden stations in words: how many frames they lose to one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.findings import causes, words
from airtcp.findings.starved import NAMED
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from airtcp.documents import RunDocument

HIDDEN: Final = 0.1
"""Least share of lost data frames for which hidden stations are named."""
_HALF: Final = 0.5


def hidden_collisions(document: RunDocument, said: str) -> Finding | None:
    """State that hidden stations lose frames to one another.

    Args: document: The document of a run. said: The findings before; their advice is not repeated.
    """
    for number, cell in enumerate(document["summary"].get("cells", [])):
        if "data_error_rate" not in cell:
            continue
        lost = cell["data_error_rate"]["mean"] or 0.0
        lost_to = cell.get("lost", {}).get("data", {})
        # A frame that begins during another is lost to it or to its answer.
        by_data = sum(
            lost_to[cause]["mean"] or 0.0
            for cause in ("with_data", "transmitter_side")
            if cause in lost_to
        )
        deaf = causes.hidden(cell)
        worst = max(deaf, key=lambda s: s["data_error_rate"]["mean"] or 0.0, default=None)
        threshold = document["scenario"]["cells"][number]["mac"].get("rts_threshold")
        if worst is None or threshold is not None or by_data < _HALF * lost:
            continue
        error = worst["data_error_rate"]["mean"] or 0.0
        if error < HIDDEN:
            continue
        names = [station["name"] for station in deaf]
        advice = causes.reserve(number)
        named = " and ".join(names) if len(names) <= NAMED else words.counted(len(names), "station")
        share, total = words.number(100 * by_data), words.number(100 * lost)
        collided = "all of them" if share == total else f"{share} % are lost"
        return Finding(
            "Hidden stations collide",
            f"{named} cannot sense every other station of the cell. {total} % of"
            f" the data frames are lost ({words.number(100 * error)} % of those of"
            f" {worst['name']} on average);"
            f" {collided} because another station's exchange is under"
            f" way.{'' if advice in said else ' ' + advice}",
            "warn",
        )
    return None
