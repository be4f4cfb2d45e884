"""Where losses came from if the air beside the host was captured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.sentences import Finding, count, counted, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import AirFit, DiagnoseDocument

SOURCES: Final = {
    "air": "the air",
    "timing": "packet timing",
    "backlog": "backlog at losses",
    "option": "the option",
}
"""Sources of a parameter of the link."""


def air_losses(document: DiagnoseDocument) -> Finding | None:
    """State what the air did to the packets, if it was captured."""
    air, host = document["air"], document["air_fit"]
    if host is not None:
        return Finding("On the air", _of_host(host))
    if air is None or air["residual_loss"] is None:
        return None
    text = (
        f"It lost {share(air['raw_loss'] or 0.0)} of the attempts and, after retries,"
        f" {share(air['residual_loss'])} of the packets."
    )
    return Finding("On the air", text)


def _of_host(air: AirFit) -> str:
    if air["not_used"] == "missed":
        return f"The sniffer missed {share(air['missed_share'])} of the frames, so it is not used."
    if air["not_used"] is not None:
        found = counted(air["packets"], "packet")
        return f"Only {found} of the transfer were found, so it is not used."
    loss = air["loss"]
    low, high = (number(100 * (loss[end] or 0.0)) for end in ("low", "high"))
    text = (
        f"The link gave up {count(air['lost'])} of {counted(air['packets'], 'packet')} after the"
        f" last attempt, {number(100 * loss['value'])} % [{low}, {high}]."
    )
    if air["not_on_air"] is not None:
        text += f" {counted(air['not_on_air'], 'segment')} of the host did not come to the air."
    return text
