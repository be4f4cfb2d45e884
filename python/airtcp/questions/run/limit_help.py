"""What to do about a limit, if a change of the scenario can be made on a real network.

Every option that is named has run and has raised the goodput.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import limit_words
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit

REMEDIES: Final = "`airtcp compare SCENARIO --remedies usual`"
"""The command that runs the remedies against losses over a scenario."""
SCHEMES: Final = "`airtcp compare SCENARIO --schemes all`"
"""The command that runs the schemes of 802.11 cells."""
_OWN: Final = ("standard", "rate", "mcs", "streams", "width", "guard_interval")
"""Keys of a station that make it slow."""
_BUFFERS: Final = frozenset({"receive-window", "send-buffer"})


def advice(document: RunDocument, limit: Limit) -> str:
    """Return what to try against a limit, as one sentence; empty if nothing is known to help.

    Args:
        document: The document of a run.
        limit: The limit: `cause`, `where`, `change` and `help` are read.
    """
    cause, changes = limit["cause"], limit["change"]
    if limit.get("with"):
        return ""
    helps: list[str] = limit.get("help") or []
    if helps:
        return f"{_what_helps(limit)}: {_options(helps)}."
    is_fair = any(limit_words.FAIR_QUEUE in change for change in changes)
    if (cause in _BUFFERS or (cause == "queue" and is_fair)) and len(changes) == 1:
        return f"Try {_options(changes)}."
    return _in_words(document, limit)


def _in_words(document: RunDocument, limit: Limit) -> str:
    """Return what to try where no option of a real network has run."""
    cause = limit["cause"]
    if cause == "link-losses" and not _loses_all(document, limit["where"]):
        return f"What helps against losses: {REMEDIES}."
    if cause == "queue" and all(change.startswith("cells[") for change in limit["change"]):
        return f"What may help: {SCHEMES}."
    if cause in {"slow-station", "distance"}:
        return _station(document, limit)
    return ""


def _options(changes: Sequence[str]) -> str:
    return " ".join(f"--set '{change}'" for change in changes)


def _what_helps(limit: Limit) -> str:
    """Name what was tried and helps."""
    if limit["cause"] == "hidden-stations":
        return "Try RTS before data frames"
    kinds = ("drop-tail", "per-station")
    is_drop_tail = any(kind in change for change in limit["change"] for kind in kinds)
    return "Try a longer queue" if is_drop_tail else "Try a queue that drops or marks later"


def _station(document: RunDocument, limit: Limit) -> str:
    """Say how a station becomes fast: by the keys of its cell, or by its place."""
    cells: list[dict[str, Any]] = document["scenario"].get("cells", [])
    stations: list[dict[str, Any]] = [one for cell in cells for one in cell.get("stations") or ()]
    own = [
        f"{station['name']} has {words.listed(keys)} of its own"
        for station in stations
        if station["name"] in limit_words.places(limit["where"])
        and (keys := [f"{key} {station[key]}" for key in _OWN if station.get(key) is not None])
    ]
    keyed = [change for change in limit["change"] if limit_words.OWN_KEYS in change]
    said = f"{'; '.join(own)}: try {_options(keyed)}." if keyed and own else ""
    if len(keyed) < len(limit["change"]):
        said += f" Move {limit['where']} closer to the access point."
    return said.strip()


def _loses_all(document: RunDocument, where: str) -> bool:
    """Return whether a link loses every packet, so that no remedy helps."""
    names = limit_words.places(where)
    links: list[dict[str, Any]] = document["summary"]["links"]
    return any(link["name"] in names and link["loss_rate"]["mean"] == 1.0 for link in links)
