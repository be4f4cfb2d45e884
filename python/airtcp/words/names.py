"""Names of keys that a person would say, and paths as commands take them.

The machine's name follows in a table where it is needed to type it. Names of remedies are those of
`questions/compare/effects.py`.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYS: Final = {
    "tcp.congestion": "congestion control",
    "tcp.mss": "segment size",
    "loss.probability": "loss rate",
    "queue.packets": "queue length",
    "queue.discipline": "queue discipline",
}
"""Names by the end of a key."""
_PARTS: Final = {
    "links": "link",
    "flows": "flow",
    "cells": "cell",
    "stations": "station",
}
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")
_KEY: Final = re.compile(r"(\w+)\[(\d+)\]\.(.+)")


def said(key: str) -> str:
    """Return the name of a key of a scenario that a person would say.

    Args:
        key: The path of the key; one without a name is returned.

    >>> said("links[0].delay"), said("flows[0].tcp.congestion"), said("duration")
    ('delay of the first link', 'congestion control of the first flow', 'duration')
    >>> said("cells[1].stations[0].distance_m")
    'distance of the first station of the second cell'
    """
    return _key(key) or key


def _key(path: str) -> str | None:
    owner = ""
    while found := _KEY.fullmatch(path):
        kind, number, path = found[1], int(found[2]), found[3]
        if kind not in _PARTS:
            return None
        place = f"the {ordinal(number)} {_PARTS[kind]}"
        owner = f"{place} of {owner}" if owner else place
    if not owner:
        return None
    return f"{short(path)} of {owner}"


def short(path: str) -> str:
    """Return the name of a key without its place.

    >>> short("links[0].loss.probability"), short("links[0].delay_s"), short("queue.limit")
    ('loss rate', 'delay', 'limit queue')
    """
    path = path.rpartition("].")[2]
    words = re.sub(r"_(s|m|bps|db|dbm|packets|bytes)$", "", path).split(".")
    return _KEYS.get(path) or " ".join(reversed(words)).replace("_", " ")


def path_argument(path: str) -> str:
    """Return a path that no command reads as an option; "-" is standard input.

    >>> path_argument("-a.txt"), path_argument("-")
    ('./-a.txt', '-')
    """
    return f"./{path}" if path.startswith("-") and path != "-" else path


def shell_paths(paths: Sequence[str]) -> str | None:
    """Quote the paths of a command for a shell; None if one is standard input, which has ended.

    >>> shell_paths(["-a b.txt", "c"]), shell_paths(["-"])
    ("'./-a b.txt' c", None)
    """
    return None if "-" in paths else shlex.join(map(path_argument, paths))


def ordinal(number: int) -> str:
    """Return the ordinal of a thing counted from 0.

    >>> ordinal(0), ordinal(10), ordinal(20)
    ('first', '11th', '21st')
    """
    if number < len(_ORDINALS):
        return _ORDINALS[number]
    place = number + 1
    teens = place % 100 in range(11, 14)
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
