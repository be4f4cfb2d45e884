"""Places on the processor: small runs share it, and large runs get all of it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING, Final

from airtcp.inputs.workers import cores

if TYPE_CHECKING:
    from collections.abc import Generator

_BUSY: Final = 0.8
"""Least share of its places that a run keeps busy, over all rounds of its replications."""


class Places:
    """A place for each thread that may compute.

    >>> places = Places(4)
    >>> [places.fit(replications) for replications in (1, 2, 3, 4, 5, 6, 8, None)]
    [1, 2, 3, 4, 3, 3, 4, 4]

    Of several runs side by side each takes its share:

    >>> [places.fit(6, beside) for beside in (1, 2, 3, 12)]
    [3, 2, 1, 1]
    """

    def __init__(self, total: int | None = None) -> None:
        """Make `total` places, or one per core."""
        self.total = cores() if total is None else max(total, 1)
        self._free = self.total
        self._changed = Condition()

    def fit(self, replications: int | None, beside: int = 1) -> int:
        """Return the number of places of a run: the most that its replications keep busy.

        Args: replications: Its replications; by default the number of places. beside: Number of
            runs in parallel.
        """
        most = max(self.total // beside, 1)
        if replications is None:
            return most

        def busy(places: int) -> float:
            return replications / (-(-replications // places) * places)

        return max(n for n in range(1, most + 1) if n == 1 or busy(n) >= _BUSY)

    @contextmanager
    def taken(self, count: int) -> Generator[None]:
        """Wait for `count` places, and hold them."""
        with self._changed:
            self._changed.wait_for(lambda: self._free >= count)
            self._free -= count
        try:
            yield
        finally:
            with self._changed:
                self._free += count
                self._changed.notify_all()
