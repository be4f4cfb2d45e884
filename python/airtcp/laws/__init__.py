"""Congestion controls of one's own.

A congestion control, or law, is a class on `Law`. It decides how the window grows above the
slow-start threshold, and what a congestion episode leaves of it; everything else it has from `Law`:

    >>> from airtcp.laws import Ack, Congestion, Law
    >>> class Aimd(Law):
    ...     '''Adds `a` segments per round trip, multiplies by `b` on congestion'''
    ...     a: float = 1.0
    ...     b: float = 0.5
    ...     def avoid(self, ack: Ack) -> None:
    ...         self.grow(self.a * self.mss * ack.acked / self.cwnd)
    ...     def reduced(self, c: Congestion) -> float:
    ...         return self.b * self.cwnd

`airtcp.run` and `airtcp.compare` take such a class wherever they take the name of a TCP, and the
commands take its file: `airtcp compare link.toml --tcp my_law.py:Aimd:a=2,cubic`.
"""

from airtcp._core import (
    Ack,
    Congestion,
    Idle,
    LawError,
    Lost,
    Params,
    Promises,
    Random,
    Rate,
    Sent,
)
from airtcp.laws import math
from airtcp.laws.base import BoundLaw, Law, begun
from airtcp.laws.compiling import compiled
from airtcp.laws.filters import WindowFilter, window_filter

__all__ = [
    "Ack",
    "BoundLaw",
    "Congestion",
    "Idle",
    "Law",
    "LawError",
    "Lost",
    "Params",
    "Promises",
    "Random",
    "Rate",
    "Sent",
    "WindowFilter",
    "begun",
    "compiled",
    "math",
    "window_filter",
]
