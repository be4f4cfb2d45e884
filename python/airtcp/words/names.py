"""Names that a person would say, for the tags and keys of the program.

The machine's name follows in a table where it is needed to type it.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAID: Final = {
    "sack@ll-arq:arq=selective": "retransmission on the link",
    "sack@ll-arq": "retransmission on the link",
    "sack@ll-harq": "retransmission with parity on the link",
    "sliding": "a coded transport (sliding)",
    "lt-tcp": "a coded transport (LT-TCP)",
}
"""Names by tag."""
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


def said(tag: str) -> str:
    """Return the name of a tag or key of a scenario that a person would say.

    Args:
        tag: The tag of a variant or scheme, or the path of a key; one without a name is returned.

    >>> said("sack@ll-arq:arq=selective"), said("links[0].delay"), said("cubic")
    ('retransmission on the link', 'delay of the first link', 'cubic')
    >>> said("flows[0].tcp.congestion")
    'congestion control of the first flow'
    >>> said("cells[1].stations[0].distance_m")
    'distance of the first station of the second cell'
    """
    if tag in _SAID:
        return _SAID[tag]
    return _key(tag) or tag


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


def shell_paths(paths: Sequence[str], most: int = 1) -> str | None:
    """Quote the paths of a command for a shell; None if there are more than a line has place for.

    Args:
        paths: The paths.
        most: Most paths.

    >>> shell_paths(["-a b.txt"]), shell_paths(["a", "b"])
    ("'./-a b.txt'", None)
    """
    if len(paths) > most:
        return None
    return shlex.join(f"./{path}" if path.startswith("-") else path for path in paths)


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
