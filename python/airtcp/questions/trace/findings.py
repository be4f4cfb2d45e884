"""What a trace says of its link, in words: memory, order of losses, length.

They follow from the metrics of a link, which `trace stats` and `study` share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from airtcp.words.sentences import counted, number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

Memory = Literal["bursty", "oscillating", "independent", "undecided", "constant", "unmeasured"]

NO_MEMORY = 0.1
"""Largest distance of mu's interval from zero for independent losses."""


def memory(link: Mapping[str, Any]) -> Memory:
    """Return the kind of memory of a link, by the interval of its mu.

    An interval that contains zero shows independent losses only if it is also narrow.
    """
    mu, interval = link["mu"], link["mu_ci"]
    if mu is None:
        return "constant" if link["order_known"] else "unmeasured"
    if interval is None:
        return "undecided"
    if interval[0] > 0:
        return "bursty"
    if interval[1] < 0:
        return "oscillating"
    narrow = interval[0] >= -NO_MEMORY and interval[1] <= NO_MEMORY
    return "independent" if narrow else "undecided"


def drawn(links: int) -> str:
    """State what is unknown if the order of losses was not measured.

    >>> drawn(1)
    'For 1 link the file counts losses without their order: mu, bursts and memory are unknown.'
    """
    return (
        f"For {counted(links, 'link')} the file counts losses without their order:"
        " mu, bursts and memory are unknown."
    )


def reason(convergence: Mapping[str, Any]) -> str:
    """State why a trace is or is not long enough, and the needed length."""
    said = convergence["reason"].strip().rstrip(".").replace("+-", "\N{PLUS-MINUS SIGN}")
    said = said.removeprefix("not converged: ").replace("= -", "= \N{MINUS SIGN}")
    needed = convergence["needed_packets"]
    if needed is not None:
        said += f"; about {number(needed, 2)} packets of this link are needed"
    return said


def too_short(link: Mapping[str, Any]) -> str | None:
    """Say that the trace of a link does not settle mu, and what would; None if it does."""
    if link["mu"] is None or link["converged"]:
        return None
    needed = link["convergence"]["needed_packets"]
    said = f"The trace of {counted(link['packets'], 'packet')} is too short for its mu"
    if needed is not None and needed > link["packets"]:
        return f"{said}: about {number(needed, 2)} would tell."
    return f"{said}."


MBPS: Final = 1e-6
_UNEVEN: Final = 0.5
"""A link varies if 5 % of the windows carry less than this share of its mean."""
_LONG: Final = 0.5
"""Shortest outage with a warning, in seconds."""

_GAPS: Final = 5.0
"""Shortest outage, in mean times between packets."""
_PACKET: Final = 8 * 1500.0
"""Bits of a packet."""


def varies(link: Mapping[str, Any]) -> bool:
    """Return whether the capacity changes enough to matter to TCP."""
    # On a slow link, the time between packets is long as well.
    outage = max(_LONG, _GAPS * _PACKET / link["mean_bps"])
    return link["p5_bps"] < _UNEVEN * link["mean_bps"] or link["longest_outage_s"] >= outage
