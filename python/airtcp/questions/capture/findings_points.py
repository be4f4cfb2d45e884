"""What captures at several points of a path show of one connection, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.words.sentences import Finding, count, counted, number, share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CERTAIN: Final = ("dsack", "timestamps", "early_ack", "frto")
"""What the capture of a sender can show of a spurious retransmission."""


def at_senders(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the connections; of one that several points have, that of the one nearest its sender.

    The sender is the end that sent more data.
    """
    return [c for _, c in placed_at_senders(document)]


def placed_at_senders(document: Mapping[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the same connections with their numbers in the document."""
    far: dict[tuple[frozenset[str], str], set[int]] = {}
    for pair in document.get("between", ()):
        ends = frozenset((pair["client"], pair["server"]))
        for near, sender in enumerate((pair["client"], pair["server"])):
            far.setdefault((ends, sender), set()).add(pair["points"][1 - near])

    def is_kept(connection: Mapping[str, Any]) -> bool:
        ends = frozenset((connection["client"], connection["server"]))
        sender = max(connection["directions"], key=lambda d: d["unique_bytes"])["from"]
        return connection.get("point") not in far.get((ends, sender), ())

    return [(n, c) for n, c in enumerate(document["connections"]) if is_kept(c)]


def points(document: Mapping[str, Any]) -> str | None:
    """Write which files were captured at which point, and at which interfaces."""
    named: list[str] = []
    for point in document.get("points", ()):
        files = ", ".join(Path(path).name for path in point["files"])
        at = ", ".join(point.get("interfaces", ()))
        named.append(f"point {point['point']}: {files}{f' at {at}' if at else ''}")
    return "; ".join(named) or None


def findings(document: Mapping[str, Any]) -> list[Finding]:
    """Say what happened between the points to the data of each connection, the busiest first."""
    return [_direction(pair, direction, *way) for pair, direction, way in directions(document)]


def directions(
    document: Mapping[str, Any],
) -> list[tuple[Mapping[str, Any], Mapping[str, Any], tuple[str, str]]]:
    """Return what was sent between two points, the direction with most segments first.

    Returns: The comparison, its direction, and the names of the points on the way of the data.
    """
    names = _names(document)
    found = [
        (pair, direction, (names[pair["points"][near]], names[pair["points"][1 - near]]))
        for pair in document.get("between", ())
        for near, direction in enumerate(pair["directions"])
        if direction["sent"]
    ]
    return sorted(found, key=lambda item: -item[1]["sent"])


def way_of(pair: Mapping[str, Any], direction: Mapping[str, Any]) -> tuple[str, str]:
    """Return sender and receiver of a direction."""
    sender = direction["from"]
    return sender, pair["server"] if sender == pair["client"] else pair["client"]


def far(document: Mapping[str, Any]) -> int:
    """Return how many of the connections are those of another point once more."""
    seen: dict[frozenset[str], set[int]] = {}
    for pair in document.get("between", ()):
        seen.setdefault(frozenset((pair["client"], pair["server"])), set()).update(pair["points"])
    return sum(len(points) - 1 for points in seen.values())


def halves(document: Mapping[str, Any]) -> Finding | None:
    """Say that two files hold one direction of a connection each."""
    heard: dict[frozenset[str], list[frozenset[str]]] = {}
    for connection in document["connections"]:
        if connection.get("point") is not None:
            ends = frozenset((connection["client"], connection["server"]))
            senders = (d["from"] for d in connection["directions"] if d["packets"])
            heard.setdefault(ends, []).append(frozenset(senders))
    split = [
        ends
        for ends, found in heard.items()
        if len(frozenset[str]().union(*found)) > max(map(len, found))
    ]
    if not split:
        return None
    return Finding(
        f"{counted(len(split), 'connection')} split by direction",
        "each file has the packets of one end only, as two taps of a full-duplex line give them. "
        "Round-trip times and losses need both: merge the files with 'mergecap -w BOTH FILE FILE'.",
        "warn",
    )


def _names(document: Mapping[str, Any]) -> dict[int, str]:
    """Name each point by its interfaces or its file; by its number if that is not one name."""
    points = document.get("points", ())
    names = {
        point["point"]: "+".join(point.get("interfaces", ())) or Path(point["files"][0]).name
        for point in points
        if len(point["files"]) == 1
    }
    every = list(names.values())
    return {
        point["point"]: name
        if (name := names.get(point["point"])) is not None and every.count(name) == 1
        else f"point {point['point']}"
        for point in points
    }


def interfaces(document: Mapping[str, Any]) -> list[str]:
    """Return the interfaces that are points, if a file has several."""
    return ["+".join(at) for point in document.get("points", ()) if (at := point.get("interfaces"))]


def _direction(
    pair: Mapping[str, Any], direction: Mapping[str, Any], first: str, second: str
) -> Finding:
    lost, sent = direction["lost"], direction["sent"]
    head = f"{share(lost / sent)} lost between {first} and {second}"
    text = f"{count(lost)} of {counted(sent, 'data segment')} of {direction['from']}"
    parts = [text, *_retransmissions(direction), *_delays(pair, direction)]
    return Finding(head, "; ".join(parts) + ".", "warn" if lost else "good")


def _retransmissions(direction: Mapping[str, Any]) -> Iterator[str]:
    again, spurious = direction["retransmissions"], direction["spurious"]
    shown = sum(
        counts["arrived"]
        for evidence, counts in direction["by_evidence"].items()
        if any(name in evidence for name in _CERTAIN)
    )
    if again and spurious is None:
        yield (
            f"{counted(again, 'retransmission')}: only a capture at the receiver shows whether a "
            "loss made them necessary"
        )
    elif again:
        yield f"{count(spurious)} of {counted(again, 'retransmission')} spurious"
    if spurious:
        yield f"the capture near the sender alone shows {count(shown)} as spurious"
    if duplicated := direction["duplicated"]:
        yield f"{counted(duplicated, 'segment')} duplicated by the network"
    if unseen := direction["not_seen_sent"]:
        yield f"{counted(unseen, 'segment')} not in the capture near the sender"


def _delays(pair: Mapping[str, Any], direction: Mapping[str, Any]) -> Iterator[str]:
    delay, within = direction["delay_s"], pair["clock"]["uncertainty_s"]
    if delay["p50"] is None:
        return
    median, longest = delay["p50"] * 1e3, delay["p99"] * 1e3
    if within == 0:
        yield f"the median delay is {number(median)} ms, that of 99 % at most {number(longest)} ms"
        return
    if within is None:
        yield f"99 % of the delays at most {number(longest)} ms above the least one"
        return
    unsure = within * 1e3
    low, high = number(max(0.0, median - unsure)), number(median + unsure)
    yield (
        f"the median delay lies between {low} and {high} ms, 99 % of the delays at most "
        f"{number(longest - median)} ms above it"
    )
