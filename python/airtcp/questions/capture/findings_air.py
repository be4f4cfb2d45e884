"""What a capture of the air shows of its stations, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.words.sentences import Finding, count, counted, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMED: Final = 3
"""Pairs of stations that are named."""
_SOME: Final = 0.1
"""Least share of encrypted data that a sentence names."""
_LEAST: Final = 1e-6
"""Least probability that is written as a number: 0.000001."""


def of_air(document: Mapping[str, Any]) -> list[Finding]:
    """Name stations that do not hear each other, and what encryption hides."""
    air: Mapping[str, Any] | None = document.get("air")
    if not air:
        return []
    sensing: Mapping[str, Any] = air.get("carrier_sensing") or {}
    hidden: list[Mapping[str, Any]] = [p for p in sensing.get("pairs", ()) if p["hidden"]]
    found = [_hidden(pair) for pair in hidden[:_NAMED]]
    if len(hidden) > _NAMED:
        more = counted(len(hidden) - _NAMED, "more pair")
        found.append(Finding("more hidden stations", f"{more} in air.carrier_sensing.", "warn"))
    if protected := _protected(air["frames"]):
        found.append(protected)
    return found


def _hidden(pair: Mapping[str, Any]) -> Finding:
    first, second = pair["stations"]
    starts: list[str] = []
    if overlaps := pair["overlaps"]:
        starts.append(f"{counted(overlaps, 'frame')} began within a frame of the other")
    if early := pair["early_starts"]:
        starts.append(f"{counted(early, 'frame')} began after it but before PIFS")
    text = (
        f"{first} and {second}: {', '.join(starts)}, of {count(pair['frames'])}; a lower bound. "
        f"Inexact times make as many with a probability of {chance(pair['p_value'])}."
    )
    for station, losses in zip(pair["stations"], pair["losses"], strict=True):
        inside, outside = losses["loss_with_overlap"], losses["loss_without_overlap"]
        if inside is not None and outside is not None:
            text += (
                f" Of {station}, {share(inside)} of the overlapped attempts and {share(outside)}"
            )
            text += " of the others had no MAC ACK."
    return Finding("hidden stations", text, "warn")


def _protected(frames: Mapping[str, Any]) -> Finding | None:
    """State what encryption hides, if most data is encrypted."""
    protected, data = frames["protected"], max(1, frames["data"] + frames["null_data"])
    if protected < _SOME * data:
        return None
    text = (
        f"{count(protected)} of {counted(data, 'data frame')}: losses, attempts, rates and airtime "
        "are those of all frames; TCP, addresses and ports within are not visible. With the "
        "passphrase, --decrypt-with FILE lets tshark decrypt them."
    )
    return Finding("encrypted data", text)


def chance(probability: float) -> str:
    """Write a probability that may be tiny."""
    return "below 0.000001" if probability < _LEAST else number(probability)
