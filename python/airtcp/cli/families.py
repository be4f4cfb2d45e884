"""What `airtcp list` says to a person: the families of names, or the names of one with sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.answer import Answer
from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Entry = Mapping[str, str]

WHAT: Final = {
    "transport": "what a flow sends by",
    "recovery": "loss recovery of TCP",
    "tcp-profile": "complete sets of TCP's values",
    "congestion": "congestion control of TCP",
    "slow-start": "slow start of TCP",
    "queue": "queue of a link, station or AP",
    "loss": "losses of a link",
    "link-protocol": "retransmission on a link",
    "path-loss": "attenuation with distance",
    "frame-error": "frames lost at an SNR",
    "rate-control": "choice of the rate of 802.11",
    "interference": "sources beside 802.11",
    "scheme": "what may help a cell",
    "code": "erasure codes",
    "layout": "files that are read as links",
}
"""What the names of a family are, in a few words."""
BESIDE: Final = {
    "scheme": "airtcp compare CELL --schemes all tries each of these that can act in the cell, and"
    " beside them base (the cell as it is), edca, rts, ack-1, and the queues of the cell (airtcp"
    " list queue).",
}
"""What can be named where names of a family can, without being of the family."""
_WIDTH: Final = 38
"""Characters of names in a line."""


def overview(entries: Sequence[Entry]) -> Answer:
    """Return the families, a line each.

    Args:
        entries: All entries of the registry.
    """
    families: dict[str, list[str]] = {}
    for entry in entries:
        families.setdefault(entry["family"], []).append(entry["name"])
    columns = [
        Column("names", [str(len(names)) for names in families.values()]),
        Column("what they are", [WHAT.get(family, "") for family in families], left=True),
        Column("for example", [some(names) for names in families.values()], left=True),
    ]
    return Answer(
        f"{counted(len(entries), 'name')} in {counted(len(families), 'family', 'families')} can be"
        " typed in options and scenarios.",
        table=Grid("family", list(families), columns),
        next="One family with sources: airtcp list congestion   All: airtcp list --details",
    )


def some(names: Sequence[str], width: int = _WIDTH) -> str:
    """Write as many names as a line takes.

    Args:
        names: The names; at least one.
        width: Characters of the line.

    >>> some(["reno", "cubic"]), some(["reno", "cubic", "bbr"], 14)
    ('reno, cubic', 'reno, ...')
    """
    text = ", ".join(names)
    shown = len(names)
    while len(text) > width and shown > 1:
        shown -= 1
        text = f"{', '.join(names[:shown])}, ..."
    return text
