"""Reasons of dropped packets in words, and stations that are out of range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.groups import Place

_WHY: Final = {
    "queue_full": "because the queue was full",
    "queue_early": "by the active queue management",
    "ack_filtered": "by the ACK filter",
    "loss": "by the link's losses",
    "retry_limit": "after the last retransmission on the air",
    "lifetime": "because their lifetime expired",
    "no_route": "because there was no route",
    "too_long": "because they were longer than the MTU",
    "duplicate": "as duplicates",
    "policed": "by the policer",
}


def why(place: Place) -> str:
    """Say why packets were dropped at a place, as the end of a sentence."""
    return _WHY.get(place.reason, place.reason)


def out_of_range(document: RunDocument, station: str) -> str:
    """State that a station's frames arrive below the sensitivity; empty if they do not."""
    for number, cell in enumerate(document["summary"].get("cells", [])):
        spec: dict[str, Any] = document["scenario"]["cells"][number]
        least = spec["sensing"]["sensitivity_dbm"]
        for one in cell["stations"]:
            if one["name"] == station and (beyond := _beyond(spec, one)):
                return beyond
            signal = one["signal_dbm"]["mean"] if "signal_dbm" in one else None
            if one["name"] == station and signal is not None and signal < least:
                return (
                    f"{station} is out of range: its frames arrive with {words.number(signal)} dBm,"
                    f" below the sensitivity of {words.number(least)} dBm. Move it closer, or raise"
                    " the power."
                )
    return ""


def _beyond(cell: Mapping[str, Any], station: Mapping[str, Any]) -> str:
    """State that a station is beyond the range of the path loss "ranges"; empty if it is not.

    Within this range frames of every rate arrive, and power does not change it.
    """
    loss: Mapping[str, Any] = cell["propagation"]["path_loss"]
    if loss["model"] != "ranges" or "distance_m" not in station:
        return ""
    far, most = station["distance_m"]["mean"], loss["decode_m"]
    if far is None or far <= most:
        return ""
    chain = cell.get("hops") == "chain"
    place = "the previous node of the chain" if chain else "the access point"
    return (
        f"{station['name']} is out of range: it is {words.number(far)} m from {place}, and frames"
        f" of every rate are received up to {words.number(most)} m. Move it closer, or raise"
        " propagation.path_loss.decode_m."
    )
