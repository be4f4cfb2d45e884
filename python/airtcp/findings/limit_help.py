"""What to do about a limit, if a change of the scenario can be made on a real network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import limit_words

if TYPE_CHECKING:
    from airtcp.documents import RunDocument
    from airtcp.findings.limit_words import Limit

REMEDIES: Final = "`airtcp compare SCENARIO --remedies usual`"
"""The command that runs the remedies against losses over a scenario."""
_BUFFERS: Final = frozenset({"receive-window", "send-buffer"})


def advice(document: RunDocument, limit: Limit) -> str:
    """Return what to try against a limit, as one sentence; empty if nothing is known to help.

    Args:
        document: The document of a run.
        limit: The limit: `cause`, `where` and `change` are read.
    """
    cause, changes = limit["cause"], limit["change"]
    is_fair = any(limit_words.FAIR_QUEUE in change for change in changes)
    if limit.get("with"):
        return ""
    if (cause in _BUFFERS or (cause == "queue" and is_fair)) and len(changes) == 1:
        return f"Try --set '{changes[0]}'."
    if cause == "link-losses" and not _loses_all(document, limit["where"]):
        return f"What helps against losses: {REMEDIES}."
    if cause == "hidden-stations":
        return _reserve(document, limit["where"])
    return _in_words(limit, is_fair=is_fair)


def _in_words(limit: Limit, *, is_fair: bool) -> str:
    """Return what to try if no option does it as it stands."""
    if limit["cause"] in {"slow-station", "distance"}:
        return f"Move {limit['where']} closer to the access point."
    if limit["cause"] != "queue" or is_fair:
        return ""
    kinds = ("drop-tail", "per-station")
    is_drop_tail = any(kind in change for change in limit["change"] for kind in kinds)
    return "Try a longer queue." if is_drop_tail else "Try a queue that drops or marks later."


def _loses_all(document: RunDocument, where: str) -> bool:
    """Return whether a link loses every packet, so that no remedy helps."""
    names = limit_words.places(where)
    links: list[dict[str, Any]] = document["summary"]["links"]
    return any(link["name"] in names and link["loss_rate"]["mean"] == 1.0 for link in links)


def _reserve(document: RunDocument, cell: str) -> str:
    """Return the suggestion of RTS and CTS for a cell without them."""
    names = limit_words.places(cell)
    for number, one in enumerate(document["summary"].get("cells", [])):
        threshold = document["scenario"]["cells"][number]["mac"].get("rts_threshold")
        if one["name"] in names and threshold is None:
            return f"Try RTS before data frames: --set 'cells[{number}].mac.rts_threshold=0 B'."
    return ""
