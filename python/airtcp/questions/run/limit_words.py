"""The names of causes and places that limit flows, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument

    Limit = Mapping[str, Any]

CAUSES: Final = {
    "link-losses": ("losses of the link{s} {where}", "without them"),
    "air-losses": ("losses on the air of {where}", "without them"),
    "queue": ("the queue{s} of {where}", "without drops"),
    "link-rate": ("the rate{s} of {where}", "at twice the rate"),
    "policer": ("the policer{s} of {where}", "at twice the rate"),
    "shaper": ("the shaper{s} of {where}", "at twice the rate"),
    "return-path": ("the return path {where}", "with a faster one"),
    "medium": ("the airtime of {where}", "if each frame took half the time"),
    "other-flows": ("the traffic of {where}", "without it"),
    "receive-window": ("the receive buffer{s} of {where}", "with a larger one"),
    "send-buffer": ("the send buffer{s} of {where}", "with a larger one"),
    "application": ("the application of {where}", "with endless data"),
    "slow-station": ("the slow station{s} {where}", "near the access point"),
    "distance": ("the distance of {where}", "next to the access point"),
    "reordering": ("reordering on {where}", "in order"),
    "hidden-stations": (
        "hidden stations of {where}",
        "if all sensed each other",
    ),
    "interference": ("interference in {where}", "without it"),
    "other-cells": ("other cells on the channel ({where})", "on channels of their own"),
    "round-trip-time": ("the round-trip time over {where}", "with a quarter of the delays"),
}
"""By cause: what limits, and how its removal is said after "and 9 Mb/s"."""

NOUNS: Final = {
    "link-losses": "losses of the link",
    "air-losses": "losses on the air",
    "queue": "drops of the queue",
    "link-rate": "the rate of the link",
    "policer": "the policer",
    "shaper": "the shaper",
    "return-path": "the return path",
    "medium": "the medium",
    "other-flows": "other flows",
    "receive-window": "the receive buffer",
    "send-buffer": "the send buffer",
    "application": "the application",
    "slow-station": "a slow station",
    "distance": "the distance",
    "reordering": "reordering",
    "hidden-stations": "hidden stations",
    "interference": "interference",
    "other-cells": "other cells",
    "round-trip-time": "the round-trip time",
}
"""By cause: its name without a place."""

_PLURAL: Final = frozenset({"link-losses", "air-losses", "hidden-stations", "other-cells"})
_OF_A_FLOW: Final = frozenset({"receive-window", "send-buffer"})


def places(where: str) -> list[str]:
    """Return the names in a place: of each link, cell, station or buffer.

    >>> places("hop0 to hop3"), places("a, b and c"), places("home, guest (channel 36)")
    (['hop0', 'hop3'], ['a', 'b', 'c'], ['home', 'guest'])
    """
    return [
        name
        for name in re.split(r", | and | to ", re.sub(r" \(channel [^)]*\)", "", where))
        if name
    ]


def what(limit: Limit) -> tuple[str, bool]:
    """Name a cause with its place, in lower case, and tell whether it takes a plural verb.

    >>> what({"cause": "queue", "where": "ap"})
    ('the queue of ap', False)
    >>> what({"cause": "send-buffer", "where": "a (flow0) and b (flow1)"})
    ('the send buffers of a and b', True)
    >>> what({"cause": "link-losses", "where": "x and x (reverse)"})
    ('losses of the link x in both directions', True)
    >>> what({"cause": "receive-window", "where": "a (flow0, max_window)"})
    ('max_window of flow0', False)
    """
    cause, where = limit["cause"], limit["where"]
    if is_pause(limit):
        return f"the pauses of {shown(where)}", True
    if cause in _OF_A_FLOW:
        bounded = re.fullmatch(r"[^()]* \(([^()]*), max_window\)", where)
        if bounded is not None:
            return f"max_window of {bounded[1]}", False
        more = re.search(r" and \d+ more$", where)
        nodes = dict.fromkeys(re.findall(r"(?:^|, | and )([^,()]*?) \([^()]*\)", where))
        if nodes:
            where = ", ".join(nodes) + more[0] if more else words.listed(list(nodes))
    several = len(places(where)) > 1
    if cause == "queue" and where.startswith("the stations of "):
        several = True
    if where == "all links":
        return "the round-trip time", False
    there = shown(where)
    ending = "s" if several and not there.endswith(" in both directions") else ""
    text = CAUSES[cause][0].format(where=there, s=ending)
    own_plural = several and "{s}" in CAUSES[cause][0]
    return text, cause in _PLURAL or own_plural


def joint(together: Sequence[Limit]) -> list[str]:
    """Name the causes that only limit together; of those that are no limits, without a place.

    >>> joint([{"cause": "distance", "where": "phone", "with": ["medium"]}])
    ['the distance of phone', 'the medium']
    """
    names = [what(one)[0] for one in together]
    known = {one["cause"] for one in together}
    rest = dict.fromkeys(cause for one in together for cause in one["with"])
    return [*names, *(NOUNS[cause] for cause in rest if cause not in known)]


def shown(where: str) -> str:
    """Write a place: short if it is named in both directions, as a list if cells share a channel.

    >>> shown("x and x (reverse)"), shown("a, b, c (channel 44)"), shown("voice, video")
    ('x in both directions', 'a, b and c (channel 44)', 'voice and video')
    """
    there, _, back = where.partition(" and ")
    if back.replace(" (reverse)", "") == there:
        return f"{there} in both directions"
    cells, channel, number = where.partition(" (channel ")
    names = cells if " and " in cells or "(" in cells else words.listed(cells.split(", "))
    return f"{names}{channel}{number}"


def is_full(document: RunDocument, limit: Limit) -> bool:
    """Tell whether a link or medium that limits is full, and not only slow.

    A medium that back-off leaves idle for 40 % of the time is full.
    """
    names = places(limit["where"])
    summary = document["summary"]
    if limit["cause"] == "link-rate":
        links: list[dict[str, Any]] = summary["links"]
        used = [link["utilisation"]["mean"] or 0.0 for link in links if link["name"] in names]
        return len(names) == 1 and max(used, default=0.0) >= _FULL_LINK
    if limit["cause"] != "medium":
        return False
    cells: list[dict[str, Any]] = summary.get("cells", [])
    busy = (cell["busy_share"]["mean"] or 0.0 for cell in cells if cell["name"] in names)
    return sum(busy) >= _FULL_MEDIUM


_FULL_LINK: Final = 0.8
_FULL_MEDIUM: Final = 0.6


def removal(limit: Limit) -> str:
    """Say what the goodput is like without a limit, after a number."""
    if limit["cause"] == "queue":
        if any(FAIR_QUEUE in change for change in limit["change"]):
            return "with a fair queue there"
        if any("ecn = true" in change for change in limit["change"]):
            return "without drops and marks"
    if limit["cause"] in _OF_A_FLOW | {"return-path"}:
        return "with larger ones" if what(limit)[1] else CAUSES[limit["cause"]][1]
    if is_pause(limit):
        return "without them"
    keyed = [OWN_KEYS in change for change in limit["change"]]
    if limit["cause"] == "slow-station" and any(keyed):
        several = len(places(limit["where"])) > 1
        they, their = ("they were", "their") if several else ("it were", "its")
        return f"if {they} {'' if all(keyed) else 'near and '}as fast as {their} cell"
    return CAUSES[limit["cause"]][1]


def is_pause(limit: Limit) -> bool:
    """Tell whether an application limits by its pauses, and not by its rate."""
    return limit["cause"] == "application" and any(".app.think=" in key for key in limit["change"])


def is_queue_of_cell(limit: Limit) -> bool:
    """Tell whether a limit is a queue of 802.11 cells."""
    return limit["cause"] == "queue" and all(one.startswith("cells[") for one in limit["change"])


def options(change: Sequence[str]) -> str:
    """Write a change as options of a command.

    >>> options(["seed=2", "duration=10 s"])
    "--set 'seed=2' --set 'duration=10 s'"
    """
    return " ".join(f"--set '{one}'" for one in change)


BY_STATION: Final = frozenset({"slow-station", "distance"})
"""Two names of one removal: a far station is slow."""
OWN_KEYS: Final = ".stations["
FAIR_QUEUE: Final = "fq-codel"
