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
    "trigger": "trigger frame",
    "block_ack_req": "BlockAckReq",
}
"""The names of frame classes for a reader."""

CAUSES: Final = {
    "transmitter_side": "receiver sending",
    **{f"with_{key}": f"with {name}" for key, name in CLASSES.items()},
    "captured": "capture",
    "interferer": "interferer",
    "noise": "noise",
}
"""Causes of a frame's loss: its receiver was sending, it overlapped another frame at its receiver,
the receiver captured a stronger frame, or no other frame was involved."""


ENOUGH: Final = 30
"""Fewest frames in a replication for a station's error rate: a few frames, such as those that open
a connection, do not determine it."""


def shown(station: dict[str, Any]) -> dict[str, Any]:
    """Return a station of a summary without the error rates of classes with few frames."""
    few = {
        f"{kind}_error_rate"
        for kind in CLASSES
        if (station.get(f"{kind}_sent", {}).get("mean") or 0.0) < ENOUGH
    }
    return {key: value for key, value in station.items() if key not in few}


def ordered(keys: Iterable[str], names: dict[str, str]) -> list[str]:
    """Sort keys in the order of `names`; other keys come last.

    >>> ordered(["noise", "sunspots", "with_data"], CAUSES)
    ['with_data', 'noise', 'sunspots']
    """
    known = list(names)
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


def named(key: str, names: dict[str, str]) -> str:
    """Return the name of a key; a key without a name is split into words.

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
