"""UDP flows of a run: their losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import causes, groups
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.groups import Place

LOSES: Final = 0.01
"""Smallest reported loss of a UDP flow: speech begins to suffer."""
_APART: Final = 0.1
"""Largest relative difference of two counts of lost datagrams without an explanation."""
_NAMED: Final = 3
_TCP_ONLY: Final = ("retransmission_ratio", "timeouts", "fast_retransmits")


def shown(document: RunDocument) -> list[dict[str, Any]]:
    """Return the flows of the summary as tables show them.

    UDP flows have no retransmissions and no timeouts; they have `datagram_loss`, the share of
    their datagrams that was lost. It has no interval.
    """
    rows: list[dict[str, Any]] = document["summary"]["flows"]
    found: list[dict[str, Any]] = []
    for row, udp in zip(rows, _is_udp(document), strict=False):
        kept = {key: value for key, value in row.items() if not (udp and key in _TCP_ONLY)}
        if udp:
            share = {"mean": lost_share(row), "ci_low": None, "ci_high": None}
            kept["datagram_loss"] = share
        found.append(kept)
    return found or rows


def _is_udp(document: RunDocument) -> list[bool]:
    if not document["replications"]:
        return []
    return [flow["transport"] == "udp" for flow in document["replications"][0]["flows"]]


def lost_share(row: dict[str, Any]) -> float | None:
    """Return the share of a UDP flow's datagrams that was lost; none if it sent none."""
    sent = row["segments_sent"]["mean"]
    return min(row["datagrams_lost"]["mean"] / sent, 1.0) if sent else None


def datagram_loss(document: RunDocument) -> Finding | None:
    """State which UDP flows lose datagrams, how many and where."""
    rows: list[dict[str, Any]] = document["summary"]["flows"]
    shares = {
        row["name"]: share
        for row, udp in zip(rows, _is_udp(document), strict=False)
        if udp and (share := lost_share(row)) is not None and share >= LOSES
    }
    if not shares:
        return None
    least, most = (words.number(100 * f(shares.values()), 2) for f in (min, max))
    named = ", ".join(shares) if len(shares) <= _NAMED else f"{len(shares)} UDP flows"
    of = f"{least} % of its" if len(shares) == 1 else f"{least} to {most} % of their"
    text = f"{named} {'loses' if len(shares) == 1 else 'lose'} {of} datagrams."
    places = groups.drops(document, set(shares))
    if places:
        place, lost = next(iter(places.items()))
        text += (
            f" {place.name} dropped {words.count(lost.total())} of"
            f" {'its' if len(shares) == 1 else 'their'} packets a replication {causes.why(place)}."
        )
    missing = sum(row["datagrams_lost"]["mean"] or 0.0 for row in rows if row["name"] in shares)
    return Finding("UDP loses datagrams", text + _spans(missing, places), "warn")


def _spans(missing: float, places: Mapping[Place, Counter[tuple[str, str]]]) -> str:
    """State which times the two counts of lost datagrams cover, if they differ.

    The receiver misses a datagram when a later one arrives, after the wait in the queue. A datagram
    missed after the warm-up may have been dropped before; one dropped at the end is not missed yet.
    """
    dropped = sum(there.total() for there in places.values())
    if abs(missing - dropped) <= max(1.0, _APART * max(missing, dropped)):
        return ""
    return (
        f" The share counts {words.count(missing)} datagrams that the receiver found missing in the"
        f" measured time; {words.count(dropped)} were dropped in that time. The receiver finds a"
        " datagram missing when a later one arrives, after the delay in the queue."
    )
