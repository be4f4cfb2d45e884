"""Runs the points of a sweep that are not finished, with any pool of workers.

Only this process writes results, so that each point is stored once. Points are given out in batches
of about half a second, so that the exchange of messages takes little of the time.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import FrameType

    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.pool import Event, Task
    from airtcp.questions.sweep.plan import Plan, Point
    from airtcp.questions.sweep.store import Store

_BATCH_S: Final = 0.5
_MOST: Final = 500
"""Points of a batch."""
_TICK_S: Final = 0.25
_DEATHS: Final = 3
"""Workers that a point may cost: then it is a failure."""
_SMOOTHING: Final = 0.2


class Pool(Protocol):
    """Workers, on this machine or on others."""

    workers: int

    def free(self) -> int:
        """Return how many batches can be given."""
        ...

    def give(self, tasks: list[Task]) -> None:
        """Give a batch."""
        ...

    def wait(self, seconds: float) -> Event | None:
        """Return the next news, or None if there is none within this time."""
        ...


@dataclass(frozen=True)
class Failure:
    """A point without a result."""

    key: str
    values: dict[str, str]
    """The text of each value by path."""
    message: str


@dataclass
class Outcome:
    """How far a call came."""

    failures: list[Failure] = field(default_factory=list[Failure])
    ran: int = 0
    interrupted: bool = False
    lost_workers: int = 0


@contextmanager
def heeding(outcome: Outcome) -> Generator[None]:
    """Let Ctrl-C set `interrupted`, however often it is pressed.

    An exception between two statements could store a chunk twice, or leave a document that says
    that the sweep runs.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before in {signal.SIG_IGN, None}:
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        outcome.interrupted = True

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Coordinator:
    """Gives out points and stores results."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        places: dict[str, int],
        *,
        retry: int = 0,
        progress: Progress | None = None,
        tick: Callable[[int], None] | None = None,
    ) -> None:
        """Prepare.

        Args: plan: The points. store: The results. places: Place of each distinct point, by key.
            retry: How often a failed point runs again. progress: Called with done, total and a
            label. tick: Called often with the number of finished points, for the live page.
        """
        self._plan, self._store = plan, store
        self._todo = [index for key, index in places.items() if key not in store.done]
        self._total, self._before = len(places), len(places) - len(self._todo)
        self._next = iter(self._todo)
        self._again: deque[int] = deque()
        self._given: dict[int, Point] = {}
        self._deaths: Counter[int] = Counter()
        self._refusals: Counter[int] = Counter()
        self._retry = retry
        self._progress = progress
        self._tick = tick
        self._left = len(self._todo)
        self._seconds: float | None = None
        self.outcome = Outcome()

    def run(self, pool: Pool) -> Outcome:
        """Run every point; call it within `heeding`. What is finished is stored."""
        try:
            self._loop(pool)
        except KeyboardInterrupt:
            self.outcome.interrupted = True
        if self.outcome.interrupted:
            # What workers have reported already is finished.
            while (event := pool.wait(0.0)) is not None:
                self._take(event)
        self._store.flush(now=True)
        return self.outcome

    def _loop(self, pool: Pool) -> None:
        clock = time.monotonic()
        self._tell()
        while self._left and not self.outcome.interrupted:
            while pool.free() and (tasks := self._batch(pool.workers)):
                pool.give(tasks)
            event = pool.wait(_TICK_S)
            if event is not None:
                now = time.monotonic()
                self._measure(len(event.results), now - clock, pool.workers)
                clock = now if event.results else clock
                self._take(event)
                self._tell()
            self._store.flush()
            if self._tick is not None:
                self._tick(self._before + self.outcome.ran)

    def _batch(self, workers: int) -> list[Task]:
        """Return the next points; few at the end, so that all workers end together."""
        size = 1
        if self._seconds is not None:
            even = self._left // (3 * workers) or 1
            size = min(max(int(_BATCH_S / self._seconds), 1), even, _MOST)
        tasks: list[Task] = []
        for index in self._upcoming():
            # A point that a worker died of may only harm itself.
            alone = self._deaths[index] > 0
            if alone and tasks:
                self._again.appendleft(index)
                break
            point = self._plan.point(index)
            self._given[index] = point
            tasks.append((index, [list(pair) for pair in point.sets]))
            if alone or len(tasks) >= size:
                break
        return tasks

    def _upcoming(self) -> Iterator[int]:
        while True:
            if self._again:
                yield self._again.popleft()
                continue
            index = next(self._next, None)
            if index is None:
                return
            yield index

    def _measure(self, number: int, seconds: float, workers: int) -> None:
        """Follow the time that a worker takes for a point."""
        if not number:
            return
        each = max(seconds, 1e-6) * workers / number
        before = self._seconds
        self._seconds = each if before is None else before + _SMOOTHING * (each - before)

    def _take(self, event: Event) -> None:
        for index, result in event.results:
            point = self._given.pop(index, None)
            if point is None:
                continue
            if "error" not in result:
                self._store.append(point, result)
                self.outcome.ran += 1
                self._left -= 1
                continue
            self._refusals[index] += 1
            if self._refusals[index] <= self._retry:
                self._again.append(index)
            else:
                self._failed(point, str(result["error"]))
        self._lost(event)

    def _lost(self, event: Event) -> None:
        """Give the points of a killed worker to others."""
        self.outcome.lost_workers += event.running is not None
        for index, _ in event.lost:
            point = self._given.pop(index, None)
            if point is None:
                continue
            if index == event.running or event.alone:
                self._deaths[index] += 1
            if event.why is not None and self._deaths[index] > 1:
                # It ran alone, so that the reason is its own.
                self._failed(point, event.why)
            elif self._deaths[index] >= _DEATHS:
                self._failed(point, f"{_DEATHS} workers ended while they ran this point")
            else:
                self._again.append(index)

    def _failed(self, point: Point, message: str) -> None:
        self.outcome.failures.append(Failure(point.key, dict(point.sets), message))
        self._left -= 1

    def _tell(self) -> None:
        if self._progress is not None:
            done = self._before + self.outcome.ran + len(self.outcome.failures)
            self._progress(done, self._total, "points")
