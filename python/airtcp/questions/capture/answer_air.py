"""What the answer of a capture says of links of 802.11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import busiest, tables
from airtcp.questions.capture import findings as words
from airtcp.words.sentences import count, counted, share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MISSED: Final = 0.1
"""Share of the attempts that the sniffer missed from which the answer says so [choice]."""
_FEW: Final = 20
"""Attempts below which a share is of little weight [choice]."""
_NEARLY_ALL: Final = 0.95
"""Share of encrypted data from which the answer says that the data is encrypted [choice]."""
_BUSY: Final = 0.05
"""Share of the time below which the airtime of a link says little [choice]."""
_LOSSY: Final = 0.3
"""Share of lost attempts from which another link is counted [choice]."""
_REAL: Final = 0.8
"""Attempts of a packet by those that the losses need, from which repetitions show them [choice].

If the sniffer misses ACKs, frames are not repeated: this is then far below 1."""
_SOME: Final = 0.1
"""Least share of encrypted data that the answer names."""


def sentences(
    document: Mapping[str, Any], largest: str | None
) -> tuple[str, str | None, str | None]:
    """Return headline, help and doubt.

    Args:
        document: The document of a capture with links of 802.11.
        largest: The largest connection of TCP and what it got, if TCP is visible.
    """
    every = busiest.links(document)
    measured = [link for link in every if tables.has_figure(link)]
    if not measured:
        attempts = sum(link["attempts"] for link in every)
        which = counted(len(every), "link")
        headline = f"The losses of {which} of 802.11 cannot be told from {_attempts(attempts)}."
        return headline, _help(document, largest), None
    first = measured[0]
    worst = max(measured, key=_lost_attempts)
    if worst is not first and _is_idle(document, every):
        headline = f"{words.link_name(worst)} loses the most attempts: {_lost(worst)}."
        return headline, _others(measured, worst) or _help(document, largest), _doubt(worst)
    most = "takes the most airtime" if busiest.by_airtime(document) else "has the most attempts"
    which = f"{most} of the links that show their losses: it loses"
    if first is every[0]:
        which = "loses" if len(every) == 1 else f"{most}: it loses"
    headline = f"{words.link_name(first)} {which} {_lost(first)}."
    return headline, _help(document, largest), _doubt(first)


def _attempts(number: int) -> str:
    return "one attempt to send" if number == 1 else f"{count(number)} attempts to send"


def _lost_attempts(link: Mapping[str, Any]) -> float:
    return float(link["raw_loss"] * link["attempts"])


def _is_idle(document: Mapping[str, Any], every: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether no link takes enough airtime to matter for it."""
    air: Mapping[str, Any] = document.get("air") or {}
    duration_s = air.get("duration_s")
    if not duration_s or not busiest.by_airtime(document):
        return False
    return (busiest.airtime_s(every[0]) or 0.0) < _BUSY * duration_s


def _others(measured: Sequence[Mapping[str, Any]], worst: Mapping[str, Any]) -> str | None:
    """Count the other links that lose many attempts, and say what shows that the losses are real.

    An ACK that the sniffer alone missed is not followed by another attempt.
    """
    others = [
        link
        for link in measured
        if link is not worst and link["attempts"] >= _FEW and link["raw_loss"] >= _LOSSY
    ]
    if not others:
        return None
    lose = counted(len(others), "other link loses", "other links lose")
    again = [*others, worst]
    text = f"{lose} {share(_LOSSY)} of the attempts or more"
    if all((link["mean_attempts"] or 0.0) * (1 - link["raw_loss"]) >= _REAL for link in again):
        text += ", and their stations sent these frames again, so that the losses are real"
    return f"{text}."


def _lost(link: Mapping[str, Any]) -> str:
    """Say what a link loses of its attempts, and of its packets."""
    raw, after = link["raw_loss"], link["residual_loss"]
    if not raw:
        attempts = link["attempts"]
        return f"none of its {counted(attempts, 'attempt')}" if attempts > 1 else "no attempt of 1"
    lost = f"{share(raw)} of its attempts"
    if after is None:
        return lost
    return f"{lost} and {f'{share(after)} of its packets' if after else 'no packet'} after retries"


def _help(document: Mapping[str, Any], largest: str | None) -> str | None:
    """Say what may help or tell: hidden stations, encryption; or what TCP got."""
    air: Mapping[str, Any] = document.get("air") or {}
    sensing: Mapping[str, Any] = air.get("carrier_sensing") or {}
    pairs: list[Mapping[str, Any]] = sensing.get("pairs", [])
    for pair in pairs:
        if pair["hidden"]:
            one, other = pair["stations"]
            return (
                f"{one} and {other} do not hear each other: RTS, or less distance between them,"
                " may help."
            )
    if largest is not None:
        return f"The largest connection, {largest}."
    frames = air.get("frames")
    if not frames:
        return None
    part = min(frames["protected"] / max(1, frames["data"] + frames["null_data"]), 1.0)
    if part < _SOME:
        return None
    if part < _NEARLY_ALL:
        return (
            f"{share(part)} of the data frames are encrypted, and the others carry no TCP:"
            " --decrypt-with FILE reads the encrypted."
        )
    return "TCP is not visible, because the data is encrypted: --decrypt-with FILE reads it."


def _doubt(link: Mapping[str, Any]) -> str | None:
    if link["attempts"] < _FEW:
        return f"It rests on {counted(link['attempts'], 'attempt')}."
    sniffer: Mapping[str, Any] = link.get("sniffer") or {}
    missed: float = sniffer.get("attempt_miss_share") or 0.0
    if missed >= _MISSED:
        return (
            f"The sniffer missed {share(missed)} of the attempts of this link (estimated): the"
            " losses are corrected for them."
        )
    return None
