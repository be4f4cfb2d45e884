"""Workers on this machine: one process each, with one thread.

The processes are started as programs. A fork would copy the threads and locks of the caller, and
`multiprocessing` would run a user's script again in each worker. A killed worker is replaced, and
its unfinished points are given to others.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Self

from airtcp.inputs.workers import command, cores, environment

Task = tuple[int, list[list[str]]]
"""Number of a point in the plan, and path and text of its values."""
_QUEUED: Final = 2
"""Batches that a worker holds: one that it works on, and the next."""


@dataclass(frozen=True)
class Event:
    """News of a worker: results, or tasks that it lost when it was killed."""

    results: list[tuple[int, dict[str, Any]]] = field(default_factory=list[Any])
    lost: list[Task] = field(default_factory=list[Any])
    running: int | None = None
    """With lost tasks, the point that the worker was working on."""
    alone: bool = False
    """Whether that point is unknown: each of the lost ones runs alone next."""


class _Worker:
    """A process and the tasks that it has not answered."""

    def __init__(
        self, job: dict[str, Any], events: queue.SimpleQueue[tuple[_Worker, bytes]]
    ) -> None:
        self.tasks: dict[int, list[list[str]]] = {}
        self.batches: list[set[int]] = []
        self.process = subprocess.Popen(  # noqa: S603 - this program
            command("airtcp.questions.sweep.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
        )
        self._events = events
        self._say(job)
        threading.Thread(target=self._listen, daemon=True).start()

    def _say(self, message: Any) -> None:
        stdin = self.process.stdin
        # A killed worker reports itself at the end of its output.
        with suppress(BrokenPipeError, ValueError):
            if stdin is not None:
                stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                stdin.flush()

    def _listen(self) -> None:
        if self.process.stdout is not None:
            for line in self.process.stdout:
                # A worker that is killed while it writes leaves a part of a line.
                if line.endswith(b"\n"):
                    self._events.put((self, line))
            self.process.stdout.close()
        self._events.put((self, b""))

    def give(self, tasks: list[Task]) -> None:
        """Give tasks to the worker."""
        self.tasks |= dict(tasks)
        self.batches.append({number for number, _ in tasks})
        self._say(tasks)

    def answered(self, number: int) -> None:
        """Forget a finished task."""
        self.tasks.pop(number, None)
        if self.batches:
            self.batches[0].discard(number)
            if not self.batches[0]:
                self.batches.pop(0)

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        # The reading thread closes the output when it has read it.
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()


class LocalPool:
    """Workers on this machine."""

    def __init__(self, job: dict[str, Any], workers: int | None) -> None:
        """Start the workers.

        Args: job: What they need beside points. workers: Their number; by default one per core.
        """
        self.workers = workers or cores()
        self._job = job
        self._events: queue.SimpleQueue[tuple[_Worker, bytes]] = queue.SimpleQueue()
        self._all = [_Worker(job, self._events) for _ in range(self.workers)]

    def __enter__(self) -> Self:
        """Use the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        for worker in self._all:
            worker.end()

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return [worker.process.pid for worker in self._all]

    def free(self) -> int:
        """Return how many batches can be given."""
        return sum(_QUEUED - len(worker.batches) for worker in self._all)

    def give(self, tasks: list[Task]) -> None:
        """Give a batch to the worker with the fewest."""
        min(self._all, key=lambda worker: len(worker.tasks)).give(tasks)

    def wait(self, seconds: float) -> Event | None:
        """Return the next news, or None if there is none within this time."""
        try:
            worker, line = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:
            return self._replaced(worker)
        results: list[tuple[int, dict[str, Any]]] = json.loads(line)
        for number, _ in results:
            worker.answered(number)
        return Event(results=results)

    def _replaced(self, worker: _Worker) -> Event | None:
        """Start another worker in place of one that ended."""
        if worker not in self._all:
            return None
        worker.end()
        self._all[self._all.index(worker)] = _Worker(self._job, self._events)
        lost = list(worker.tasks.items())
        return Event(lost=lost, running=lost[0][0] if lost else None)
