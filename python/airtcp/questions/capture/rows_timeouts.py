"""Makes the data of the packets around a timeout, as in figure 8 of S2, from a joined capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_BY_LATENCY: Final = ("stuck_behind_others", "slow_packet", "acknowledgement")
"""Causes of timeouts whose packet was delivered, or on the way: those that S2 shows first."""
_AFTER_S: Final = 0.05
"""Time after the last copy that is shown too."""
_MOST: Final = 4000
SEGMENT: Final = "the segment"
OTHER: Final = "other packet"


def around(document: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, list[dict[str, Any]]]:
    """Return a timeout, and the packets of its sender on the link from its first copy to its last.

    The timeout is the one with most packets between its copies, of those by latency if there are
    any. The document lists packets if `events` was asked for; otherwise there is nothing to show.

    Returns: The timeout, or None; a row for each packet: time since the first copy was sent, by the
        clock of the radio; attempts; time on the link in ms; fate; whether it is a copy.
    """
    joined: Mapping[str, Any] = document.get("joined") or {}
    packets = joined.get("packets", [])
    known = [one for one in joined.get("timeouts", []) if len(_found(one)) > 1]
    slow = [one for one in known if one["cause"] in _BY_LATENCY]
    best: tuple[Mapping[str, Any] | None, list[dict[str, Any]]] = (None, [])
    for timeout in slow or known:
        rows = _rows(timeout, packets)
        if len(rows) > len(best[1]):
            best = (timeout, rows)
    return best


def _found(timeout: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the copies of a segment that were found on the air."""
    return [copy for copy in timeout["copies"] if copy["fate"] is not None]


def _rows(timeout: Mapping[str, Any], packets: list[Any]) -> list[dict[str, Any]]:
    mine = [one for one in packets if one["is_sent"] and one["from"] == timeout["from"]]
    copies = [one for one in mine if _holds(one, timeout["sequence"])]
    if not copies:
        return []
    # The clock of the radio: the first copy was sent before its first attempt.
    start = copies[0]["time_s"] - (copies[0]["queueing_s"] or 0.0)
    end = copies[-1]["time_s"] + _AFTER_S
    shown = [one for one in mine if start <= one["time_s"] <= end]
    return [
        {
            "t": round(one["time_s"] - start, 7),
            "attempts": one["attempts"],
            "latency": None if one["latency_s"] is None else one["latency_s"] * 1e3,
            "fate": one["fate"].replace("_", " "),
            "sequence": one["sequence"],
            "what": SEGMENT if _holds(one, timeout["sequence"]) else OTHER,
        }
        for one in shown[:_MOST]
    ]


def _holds(packet: Mapping[str, Any], sequence: int) -> bool:
    """Return whether a packet carries the byte with this number."""
    return (sequence - packet["sequence"]) % 2**32 < packet["length"]
