"""One transfer in captures of several points of its path: which capture is used.

The capture at the sender shows when the sender waits, each copy that was sent, and round-trip
times with the queue. It is used if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.questions.diagnose.document import SeenAt

_ORDER: Final = ("sender", "unknown", "middle", "receiver")
"""Places of a capture, that which shows most of the sender first."""


def bulk_of(connection: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the direction that carried more data."""
    return max(connection["directions"], key=lambda d: d["unique_bytes"])


def place_of(connection: Mapping[str, Any], direction: Mapping[str, Any]) -> str:
    """Return where a capture of a direction was taken."""
    vantage: str = connection["vantage"]
    if vantage in {"client", "server"}:
        is_client = direction["from"] == connection["client"]
        return "sender" if (vantage == "client") == is_client else "receiver"
    return vantage


def chosen(document: Mapping[str, Any]) -> int:
    """Return the number of the connection to diagnose: that with the most data, at its sender."""
    connections = document["connections"]
    most = max(range(len(connections)), key=lambda i: bulk_of(connections[i])["unique_bytes"])
    return _copies(document, most)[0]


def seen_at(document: Mapping[str, Any], number: int) -> list[SeenAt]:
    """Return the captures that show a transfer, its own first; empty if there is only one."""
    copies = _copies(document, number)
    if len(copies) < 2:  # noqa: PLR2004 - the transfer is at one point only
        return []
    points = {point["point"]: point for point in document["points"]}
    found: list[SeenAt] = []
    for copy in sorted(copies, key=lambda copy: copy != number):
        connection = document["connections"][copy]
        point = connection["point"]
        place = place_of(connection, bulk_of(connection))
        files, interfaces = points[point]["files"], points[point].get("interfaces", [])
        found.append(
            {
                "point": point,
                "connection": copy,
                "place": place,
                "files": files,
                "interfaces": interfaces,
            }
        )
    return found


def _copies(document: Mapping[str, Any], number: int) -> list[int]:
    """Return the connections that are this one, one for each point, the best place first."""
    connections = document["connections"]
    if not document.get("points"):
        return [number]
    own = connections[number]
    by_point: dict[int, int] = {}
    for other, connection in enumerate(connections):
        if _ends(connection) != _ends(own) or connection["point"] == own["point"]:
            continue
        # Ports may be used again: the connection with the most data is the same transfer.
        before = by_point.setdefault(connection["point"], other)
        if _bytes(connection) > _bytes(connections[before]):
            by_point[connection["point"]] = other
    found = [number, *by_point.values()]

    def rank(other: int) -> int:
        connection = connections[other]
        return _ORDER.index(place_of(connection, bulk_of(connection)))

    return sorted(found, key=rank)


def _ends(connection: Mapping[str, Any]) -> frozenset[str]:
    return frozenset((connection["client"], connection["server"]))


def _bytes(connection: Mapping[str, Any]) -> int:
    return bulk_of(connection)["unique_bytes"]
