"""802.11 cells in results: names of frame classes and causes of loss, in the order to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

CLASSES: Final = {
    "data": "data",
    "tcp_ack": "TCP ACK",
    "mac_ack": "MAC ACK",
    "rts": "RTS",
    "cts": "CTS",
    "beacon": "beacon",
    "authentication": "authentication",
    "association_request": "association request",
    "association_response": "association response",
}
"""What a frame is, as a reader knows it."""

CAUSES: Final = {
    "transmitter_side": "receiver sending",
    **{f"with_{key}": f"with {name}" for key, name in CLASSES.items()},
    "captured": "capture",
    "interferer": "interferer",
    "noise": "noise",
}
"""Why a frame was lost: its receiver was sending, it overlapped another frame at its receiver, the
receiver went over to a stronger one, or no other frame had a part in it."""


ENOUGH: Final = 30
"""Frames in a replication from which on a station's error rate is shown: of a handful, such as the
segments that open a connection, it says nothing."""


def shown(station: dict[str, Any]) -> dict[str, Any]:
    """Give a station of a summary without the error rates of classes it sent hardly any of."""
    few = {
        f"{kind}_error_rate"
        for kind in CLASSES
        if (station.get(f"{kind}_sent", {}).get("mean") or 0.0) < ENOUGH
    }
    return {key: value for key, value in station.items() if key not in few}


def ordered(keys: Iterable[str], names: dict[str, str]) -> list[str]:
    """Sort keys as `names` has them; those it lacks come last.

    >>> ordered(["noise", "sunspots", "with_data"], CAUSES)
    ['with_data', 'noise', 'sunspots']
    """
    known = list(names)
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


def named(key: str, names: dict[str, str]) -> str:
    """Give the name of a key; one without a name is read as words.

    >>> named("with_mac_ack", CAUSES), named("sun_spots", CAUSES)
    ('with MAC ACK', 'sun spots')
    """
    return names.get(key, key.replace("_", " "))


def causes(cell: dict[str, Any]) -> list[str]:
    """Name the causes of loss that occurred in a cell of a summary, in order."""
    return ordered({cause for lost in cell["lost"].values() for cause in lost}, CAUSES)


def sent_classes(cell: dict[str, Any]) -> list[str]:
    """Name the classes of frames that were sent in a cell of a summary, in order."""
    return ordered({key.removesuffix("_sent") for key in cell if key.endswith("_sent")}, CLASSES)
