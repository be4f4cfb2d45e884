"""Where losses came from if the air beside the host was captured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.findings.words import count, counted, number, share

if TYPE_CHECKING:
    from airtcp.diagnose_document import AirFit, DiagnoseDocument, LossFit

_MOST: Final = 0.9
"""Part of the losses from which a sentence names one place only [choice]."""
SOURCES: Final = {
    "air": "the air",
    "tcp": "retransmissions",
    "rtt": "round-trip times",
    "replays": "replays",
    "delivery": "delivery rate",
    "option": "the option",
}
"""Sources of a parameter of the link."""


def usable(document: DiagnoseDocument) -> AirFit | None:
    """Return the measurement of the air, if the link was fitted to it."""
    air, link = document["air_fit"], document["link"]
    return None if link is None or link["sources"]["link_loss"] != "air" else air


def air_origin(losses: LossFit, air: AirFit) -> tuple[str, str]:
    """Return the origin of the losses, and the evidence of the air."""
    loss = air["loss"]
    low, high = (number(100 * (loss[end] or 0.0)) for end in ("low", "high"))
    text = (
        f"On the air, the link gave up {count(air['lost'])} of {counted(air['packets'], 'packet')}"
        f" after the last attempt, {number(100 * loss['value'])} % [{low}, {high}]."
    )
    dropped = air["not_on_air"]
    if dropped is not None:
        missed = ""
        if air["missed_share"] > 0:
            missed = f" (the sniffer missed {share(air['missed_share'])} of the frames)"
        text += f" {counted(dropped, 'segment')} of the host did not come to the air{missed}."
    places = _places(losses, air)
    return f"Losses {' and '.join(places) if places else 'outside the 802.11 link'}", text


def _places(losses: LossFit, air: AirFit) -> list[str]:
    """Name the places that lost packets."""
    before = air["not_on_air"] or 0
    found = air["lost"] + before
    places: list[str] = []
    if air["lost"] > (1 - _MOST) * max(found, losses["lost"]):
        places.append("of the 802.11 link")
    if before > (1 - _MOST) * max(found, losses["lost"]):
        places.append("by overflow of the queue before the air")
    if found < losses["share_low"] * losses["sent"]:
        places.append("in other places of the path")
    return places
