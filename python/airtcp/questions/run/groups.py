"""A run's flows summed up by direction, and its dropped packets by place.

Counts are means over replications; rates are payload over the measured time, which add up.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from airtcp.data.documents import RunDocument


NAMED: Final = 3
"""Most flows that are named one by one."""
_APART: Final = 0.01
"""Largest relative difference between the sum of flows and the total without a note."""


@dataclass(frozen=True)
class Group:
    """Flows of the same direction: uploads or downloads of a cell, or between two nodes."""

    name: str
    flows: tuple[str, ...]
    goodput_bps: float
    """Sum over its flows."""
    retransmission_ratio: float
    """All retransmissions over all segments."""
    timeouts: float
    """Mean per flow and replication."""


class Place(NamedTuple):
    """Where packets were dropped, and why."""

    name: str
    reason: str


def mean(values: Iterable[float | None]) -> float:
    """Return the mean of the known values; 0 without any."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else 0.0


def is_endless(flow: Mapping[str, Any]) -> bool:
    """Tell whether a flow of a scenario sends as much as it can, to the end: not UDP."""
    app: Mapping[str, Any] = flow.get("app") or {}
    bulk = app.get("kind", "bulk") == "bulk" and not app.get("size") and not app.get("stop")
    return bulk and flow.get("transport", "tcp") != "udp"


def stations(document: RunDocument) -> dict[str, str]:
    """Return the cell of each station, access points included."""
    return {s["name"]: cell["name"] for cell in _cells(document) for s in cell["stations"]}


def access_points(document: RunDocument) -> set[str]:
    """Name the access points: the first station of each cell."""
    return {cell["stations"][0]["name"] for cell in _cells(document)}


def _cells(document: RunDocument) -> list[dict[str, Any]]:
    return document["replications"][0].get("cells", []) if document["replications"] else []


def direction(document: RunDocument, flow: Mapping[str, Any]) -> str:
    """Name the direction of a flow."""
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
    """Name the end points of each flow; empty if they are the same for all."""
    if not document["replications"]:
        return []
    named = [f"{flow['from']} to {flow['to']}" for flow in document["replications"][0]["flows"]]
    return named if len(set(named)) > 1 else []


def directions(document: RunDocument) -> list[Group]:
    """Return the directions to show; none unless there are several and one has several flows."""
    found = groups(document)
    return found if 1 < len(found) < sum(len(group.flows) for group in found) else []


def groups(document: RunDocument) -> list[Group]:
    """Sum flows up by direction, in the order of their first flows."""
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
            retransmitted([summary[i] for i in of]),
            mean(summary[i]["timeouts"]["mean"] for i in of),
        )
        for name, of in members.items()
    ]


def named(document: RunDocument, names: Iterable[str]) -> str:
    """Name flows: as whole directions, one by one if they are few, else by their number."""
    given = set(names)
    flows = [flow["name"] for flow in document["summary"]["flows"]]
    listed = [name for name in flows if name in given]
    whole = [group for group in groups(document) if given.issuperset(group.flows)]
    if len(given) > 1 and sum(len(group.flows) for group in whole) == len(given):
        # Uploads and downloads have a short name, flows from one node to another have not.
        in_cells = not any(" to " in group.name for group in whole)
        alone = not in_cells and all(len(group.flows) == 1 for group in whole)
        if in_cells or not (alone or (len(listed) > NAMED and _counted(listed))):
            said = [_group(group) for group in whole]
            return words.listed(said)
    if len(listed) > NAMED and (counted := _counted(listed)):
        return counted
    if len(listed) <= NAMED:
        return words.listed(listed)
    return f"{words.count(len(given))} of {words.counted(len(flows), 'flow')}"


def _counted(names: Sequence[str]) -> str:
    """Name flows of one table, whose names differ by a number that counts them; else empty."""
    stem = names[0].rstrip("0123456789")
    first = names[0].removeprefix(stem)
    if not first or [*names] != [f"{stem}{int(first) + i}" for i in range(len(names))]:
        return ""
    return f"{names[0]} to {names[-1]}"


def _group(group: Group) -> str:
    """Name the flows of a direction by their number.

    >>> _group(Group("uploads", ("a",), 0.0, 0.0, 0.0))
    'the upload'
    >>> _group(Group("downloads of x", ("a", "b"), 0.0, 0.0, 0.0))
    'the two downloads of x'
    """
    if len(group.flows) > 1:
        return f"the {words.spelt(len(group.flows))} {_plural(group.name)}"
    one = group.name.replace("loads", "load", 1) if "loads" in group.name else ""
    return f"the {one or f'flow {group.name}'}"


def _plural(direction: str) -> str:
    """Return a direction after a number of flows: uploads, or flows from one node to another."""
    if " to " in direction:
        return f"flows from {direction}"
    return f"flows {direction}" if direction.startswith("between") else direction


def retransmitted(flows: Sequence[Mapping[str, Any]]) -> float:
    """Return the retransmitted share of several flows together, as of each: a ratio of totals."""
    again, sent = (
        sum(flow[key]["mean"] or 0.0 for flow in flows)
        for key in ("retransmissions", "segments_sent")
    )
    return again / sent if sent else 0.0


def goodput(document: RunDocument, flow: int) -> float:
    """Return a flow's goodput over the whole measured time, in b/s."""
    return mean(
        8.0 * replication["flows"][flow]["delivered_bytes"] / replication["measured_s"]
        for replication in document["replications"]
        if replication["measured_s"]
    )


def over(document: RunDocument) -> str:
    """State the time bases of goodputs, if those of the flows do not add up to the total."""
    summary = document["summary"]
    total = summary["total_goodput_bps"]["mean"] or 0.0
    added = sum(flow["goodput_bps"]["mean"] or 0.0 for flow in summary["flows"])
    if abs(added - total) <= _APART * total:
        return ""
    return " over the measured time; that of a flow is over the time in which it was active"


DATA: Final = "data packets"
ACKS: Final = "TCP ACKs"
CONTROL: Final = "SYN, FIN or RST segments"
"""Kinds of dropped packets: with payload, pure ACKs, and those that open or close connections."""


def kind(row: Mapping[str, Any]) -> str:
    """Return the kind of the dropped packets in a row of `drops`."""
    if row["payload"]:
        return DATA
    return ACKS if row["ack"] else CONTROL


def drops(
    document: RunDocument, flows: set[str] | Sequence[set[str]] | None = None
) -> dict[Place, Counter[tuple[str, str]]]:
    """Count dropped packets by place and reason, then by flow and kind.

    Args: document: The document of a run. flows: The flows to count, or those of each replication;
        by default all.

    Returns: Mean packets per replication; the place with most first. ACKs that a newer one replaced
        come last: their content was not lost.
    """
    found: dict[Place, Counter[tuple[str, str]]] = {}
    runs = len(document["replications"])
    for number, replication in enumerate(document["replications"]):
        counted = flows if flows is None or isinstance(flows, set) else flows[number]
        for row in replication.get("drops", []):
            if counted is None or row["flow"] in counted:
                there = found.setdefault(Place(row["place"], row["reason"]), Counter())
                there[row["flow"], kind(row)] += row["packets"] / runs
    ranked = sorted(found.items(), key=lambda item: -item[1].total())
    return dict(sorted(ranked, key=lambda item: item[0].reason == "ack_filtered"))
