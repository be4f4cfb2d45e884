"""The largest or smallest value of the last while, as BBR and Copa use it."""

from __future__ import annotations

from collections import deque
from typing import Final, Literal

_KINDS: Final = {"max": 1.0, "min": -1.0}


class WindowFilter:
    """The largest or smallest value of a sliding window, in amortised constant time."""

    def __init__(self, kind: Literal["max", "min"], length: float) -> None:
        """Keep values up to `length` old, in the unit of the times given to `add`."""
        self._sign = _KINDS[kind]
        self._length = length
        self._kept: deque[tuple[float, float]] = deque()

    def add(self, at: float, value: float) -> float:
        """Take a value at a time that does not decrease, and return the filter's value."""
        while self._kept and self._sign * self._kept[-1][1] <= self._sign * value:
            self._kept.pop()
        self._kept.append((at, value))
        while self._kept[0][0] < at - self._length:
            self._kept.popleft()
        return self._kept[0][1]

    @property
    def value(self) -> float | None:
        """The value after the last one added; `None` before the first."""
        return self._kept[0][1] if self._kept else None


def window_filter(kind: Literal["max", "min"], length: float) -> WindowFilter:
    """Return a filter of the largest or smallest value of the last `length`.

    >>> low = window_filter("min", 10.0)
    >>> [low.add(0, 5), low.add(4, 7), low.add(10, 6), low.add(11, 9)]
    [5, 5, 5, 6]
    """
    return WindowFilter(kind, length)
