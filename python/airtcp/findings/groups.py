"""A run's flows summed up by direction, and its dropped packets by place.

Counts are means over replications; rates are payload over the measured time, which add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from airtcp.documents import RunDocument


_APART: Final = 0.01
"""Share by which the goodputs of flows may differ from the total without a word."""


@dataclass(frozen=True)
class Group:
    """Flows that go the same way: uploads or downloads of a cell, or between two nodes."""

    name: str
    flows: tuple[str, ...]
    goodput_bps: float
    """Of all its flows together."""
    retransmission_ratio: float
    """Mean over the flows."""
    timeouts: float
    """Of one flow in a replication, in the mean."""


class Place(NamedTuple):
    """Where packets were dropped, and why."""

    name: str
    reason: str


def mean(values: Iterable[float | None]) -> float:
    """Give the mean of what is known; 0 of nothing."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def stations(document: RunDocument) -> dict[str, str]:
    """Give the cell that each station is in, access points among them."""
    return {s["name"]: cell["name"] for cell in _cells(document) for s in cell["stations"]}


def access_points(document: RunDocument) -> set[str]:
    """Name the access points: the first station of each cell."""
    return {cell["stations"][0]["name"] for cell in _cells(document)}


def _cells(document: RunDocument) -> list[dict[str, Any]]:
    return document["replications"][0].get("cells", []) if document["replications"] else []


def direction(document: RunDocument, flow: Mapping[str, Any]) -> str:
    """Name the way a flow goes.

    Args:
        document: What `RunResult.json` gives.
        flow: The flow, of a replication.
    """
    inside, points = stations(document), access_points(document)
    start, end = flow["from"], flow["to"]
    cell = inside.get(start) or inside.get(end)
    of = f" of {cell}" if len(points) > 1 else ""
    sends, gets = (node in inside and node not in points for node in (start, end))
    if sends and gets:
        return f"between stations{of}"
    if sends or gets:
        return ("uploads" if sends else "downloads") + of
    return f"{start} to {end}"


def endpoints(document: RunDocument) -> list[str]:
    """Name the nodes between which each flow goes; nothing if they are the same for all."""
    if not document["replications"]:
        return []
    named = [f"{flow['from']} to {flow['to']}" for flow in document["replications"][0]["flows"]]
    return named if len(set(named)) > 1 else []


def directions(document: RunDocument) -> list[Group]:
    """Give the directions to show: some, if there are several and one has several flows."""
    found = groups(document)
    return found if 1 < len(found) < sum(len(group.flows) for group in found) else []


def groups(document: RunDocument) -> list[Group]:
    """Sum flows up by the way they go, in the order of their first flows."""
    if not document["replications"]:
        return []
    members: dict[str, list[int]] = {}
    for number, flow in enumerate(document["replications"][0]["flows"]):
        members.setdefault(direction(document, flow), []).append(number)
    summary: list[dict[str, Any]] = document["summary"]["flows"]
    return [
        Group(
            name,
            tuple(summary[i]["name"] for i in of),
            sum(goodput(document, i) for i in of),
            mean(summary[i]["retransmission_ratio"]["mean"] for i in of),
            mean(summary[i]["timeouts"]["mean"] for i in of),
        )
        for name, of in members.items()
    ]


def goodput(document: RunDocument, flow: int) -> float:
    """Give what a flow delivered over the measured time, in b/s."""
    return mean(
        8.0 * replication["flows"][flow]["delivered_bytes"] / replication["measured_s"]
        for replication in document["replications"]
        if replication["measured_s"]
    )


def over(document: RunDocument) -> str:
    """Say over which times goodput is taken, where that of the flows does not add up to all."""
    summary = document["summary"]
    total = summary["total_goodput_bps"]["mean"] or 0.0
    added = sum(flow["goodput_bps"]["mean"] or 0.0 for flow in summary["flows"])
    if abs(added - total) <= _APART * total:
        return ""
    return " over the measured time; that of a flow is over the time in which it was active"


DATA: Final = "data packets"
ACKS: Final = "TCP ACKs"
CONTROL: Final = "SYN, FIN or RST segments"
"""What dropped packets are: with payload, ACKs alone, and what opens or closes a connection."""


def kind(row: Mapping[str, Any]) -> str:
    """Say what dropped packets are, of a row of `drops`."""
    if row["payload"]:
        return DATA
    return ACKS if row["ack"] else CONTROL


def kinds(dropped: Counter[tuple[str, str]]) -> Counter[str]:
    """Count the packets of each kind that a place dropped."""
    found: Counter[str] = Counter()
    for (_, kind), packets in dropped.items():
        found[kind] += packets
    return found


def drops(
    document: RunDocument, flows: set[str] | Sequence[set[str]] | None = None
) -> dict[Place, Counter[tuple[str, str]]]:
    """Count dropped packets by place and reason, and there by flow and kind.

    Args:
        document: What `RunResult.json` gives.
        flows: The flows to count, or those of each replication; all if absent.

    Returns:
        Packets in a replication, in the mean; the place with most first. ACKs that a newer one
        replaced come last: what they said was not lost.
    """
    found: dict[Place, Counter[tuple[str, str]]] = {}
    runs = len(document["replications"])
    for number, replication in enumerate(document["replications"]):
        counted = flows if flows is None or isinstance(flows, set) else flows[number]
        for row in replication.get("drops", []):
            if counted is None or row["flow"] in counted:
                there = found.setdefault(Place(row["place"], row["reason"]), Counter())
                there[row["flow"], kind(row)] += row["packets"] / runs
    order = lambda item: (item[0].reason == "ack_filtered", -item[1].total())  # noqa: E731
    return dict(sorted(found.items(), key=order))
