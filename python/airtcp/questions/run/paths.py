"""The paths of a run's flows: their links, link protocols, and shared links.

A *path* is the sequence of links between two nodes, each with a link protocol. Its latency is the
sum of the links' means, its residual loss that of all links together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.words import columns

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument


def mean(row: dict[str, Any], key: str) -> float | None:
    """Return the mean of a quantity, if the flow or link has it."""
    return row[key]["mean"] if key in row else None


def coded_flows(document: RunDocument) -> list[dict[str, Any]]:
    """Return the flows whose transport sends parity of blocks."""
    rows: list[dict[str, Any]] = document["summary"]["flows"]
    return [row for row in rows if mean(row, "pfec_bps") is not None]


def protocol_links(document: RunDocument) -> list[dict[str, Any]]:
    """Return the links with a protocol that carried data."""
    rows: list[dict[str, Any]] = document["summary"]["links"]
    return [row for row in rows if mean(row, "data_bps")]


def _incoming(document: RunDocument) -> dict[str, list[tuple[str, int]]]:
    """Return the link directions that lead to each node: their start and number."""
    found: dict[str, list[tuple[str, int]]] = {}
    links: list[dict[str, Any]] = document["scenario"].get("links", [])
    for i, link in enumerate(links):
        found.setdefault(link["to"], []).append((link["from"], 2 * i))
        found.setdefault(link["from"], []).append((link["to"], 2 * i + 1))
    return found


def _path(incoming: dict[str, list[tuple[str, int]]], start: str, end: str) -> list[int] | None:
    """Return the directions of links that packets take; None if links do not lead there.

    The order is the simulator's: breadth first from the end, and among equal paths the one whose
    link was written first.
    """
    after: dict[str, tuple[str, int] | None] = {end: None}
    queue = [end]
    for node in queue:
        for before, number in incoming.get(node, []):
            if before not in after:
                after[before] = (node, number)
                queue.append(before)
    path: list[int] = []
    step = after.get(start)
    while step is not None:
        path.append(step[1])
        step = after[step[0]]
    return path if start in after else None


def protocol_paths(document: RunDocument) -> list[dict[str, Any]]:
    """Return every path that has a protocol on each link: goodput, latency, residual loss."""
    incoming = _incoming(document)
    links: list[dict[str, Any]] = document["summary"]["links"]
    goodputs: dict[tuple[str, str], float] = {}
    for flow, one in zip(
        document["replications"][0]["flows"] if document["replications"] else [],
        document["summary"]["flows"],
        strict=False,
    ):
        ends = (flow["from"], flow["to"])
        goodputs[ends] = goodputs.get(ends, 0.0) + (one["goodput_bps"]["mean"] or 0.0)
    metrics = columns.paths()
    found: list[dict[str, Any]] = []
    for (start, end), goodput in goodputs.items():
        path = _path(incoming, start, end)
        if not path or not all(mean(links[i], "latency_mean_s") for i in path):
            continue
        arrives = 1.0
        for i in path:
            arrives *= 1 - links[i]["loss_rate"]["mean"]
        found.append(
            {
                "name": start,
                "to": end,
                "hops": len(path),
                "goodput": goodput * metrics["goodput"].scale,
                "latency": sum(links[i]["latency_mean_s"]["mean"] for i in path)
                * metrics["latency"].scale,
                "residual": (1 - arrives) * metrics["residual"].scale,
            }
        )
    return found


def disjoint(document: RunDocument) -> bool:
    """Return whether some flows share no link with others."""
    incoming = _incoming(document)
    part: dict[str, str] = {}
    for start in incoming:
        waiting = [] if start in part else [start]
        part.setdefault(start, start)
        for node in waiting:
            new = dict.fromkeys((to for to, _ in incoming[node] if to not in part), start)
            part |= new
            waiting += new
    flows: list[dict[str, Any]] = (
        document["replications"][0]["flows"] if document["replications"] else []
    )
    parts = {part.get(flow["from"]) for flow in flows}
    # Flows that are not on a written link share a cell or a topology.
    return None not in parts and len(parts) > 1
