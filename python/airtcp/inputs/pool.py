"""Workers on this machine: one process each, with one thread.

The processes are started as programs. A fork would copy the threads and locks of the caller, and
`multiprocessing` would run a user's script again in each worker. A killed worker is replaced, and
its unfinished tasks are given to others.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from airtcp.inputs.workers import command, cores, environment

Task = tuple[int, Any]
"""Number of a task, and what a worker needs for it, as JSON types."""
_QUEUED: Final = 2
"""Batches that a worker holds: one that it works on, and the next."""


@dataclass(frozen=True)
class Job:
    """What workers do."""

    call: str
    """The function, as `package.module:function`."""
    given: dict[str, Any]
    """Its first argument, as JSON types."""
    serves: bool = False
    """Whether the function talks to this process itself; else it is called for each task."""

    def message(self) -> dict[str, Any]:
        """Return the first line that a worker reads."""
        return {"call": self.call, "given": self.given, "serves": self.serves}


@dataclass(frozen=True)
class Event:
    """News of a worker: results, or tasks that it lost when it was killed."""

    results: list[tuple[int, Any]] = field(default_factory=list[Any])
    lost: list[Task] = field(default_factory=list[Any])
    running: int | None = None
    """With lost tasks, the task that the worker was working on."""
    alone: bool = False
    """Whether that task is unknown: each of the lost ones runs alone next."""
    code: int | None = None
    """Exit status of the worker that ended; negative for a signal."""
    why: str | None = None
    """Why it ended, if it could say so: a compiled law did not return."""


class _Worker:
    """A process and the tasks that it has not answered."""

    def __init__(self, job: Job, events: queue.SimpleQueue[tuple[_Worker, bytes]]) -> None:
        self.tasks: dict[int, Any] = {}
        self.batches: list[set[int]] = []
        self.why: str | None = None
        self.process = subprocess.Popen(  # noqa: S603 - this program
            command("airtcp.inputs.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
        )
        self._events = events
        self.say(job.message())
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, message: Any) -> None:
        """Send a line."""
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
        self.say(tasks)

    def answered(self, number: int) -> None:
        """Forget a finished task."""
        self.tasks.pop(number, None)
        if self.batches:
            self.batches[0].discard(number)
            if not self.batches[0]:
                self.batches.pop(0)

    def end(self) -> int:
        """End the process, and return its exit status."""
        self.process.kill()
        code = self.process.wait()
        # The reading thread closes the output when it has read it.
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        return code


class Pool:
    """Workers on this machine."""

    def __init__(self, job: Job, workers: int | None, *, queued: int = _QUEUED) -> None:
        """Start the workers.

        Args: job: What they do. workers: Their number; by default one per core. queued: Batches
            that a worker holds.
        """
        self.workers = workers or cores()
        self._job, self._queued = job, queued
        self._events: queue.SimpleQueue[tuple[_Worker, bytes]] = queue.SimpleQueue()
        self._all = [_Worker(job, self._events) for _ in range(self.workers)]
        self._told: list[Any] = []

    def __enter__(self) -> Self:
        """Use the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self.close()

    def close(self) -> None:
        """End the workers."""
        for worker in self._all:
            worker.end()

    @property
    def processes(self) -> list[int]:
        """The process numbers of the workers."""
        return [worker.process.pid for worker in self._all]

    def free(self) -> int:
        """Return how many batches can be given."""
        return sum(self._queued - len(worker.batches) for worker in self._all)

    def give(self, tasks: list[Task]) -> None:
        """Give a batch to the worker with the fewest."""
        min(self._all, key=lambda worker: len(worker.tasks)).give(tasks)

    def tell(self, message: Any) -> None:
        """Send something to all workers that serve, also to those that start later."""
        self._told.append(message)
        for worker in self._all:
            worker.say(message)

    def wait(self, seconds: float) -> Event | None:
        """Return the next news, or None if there is none within this time."""
        try:
            worker, line = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        if not line:
            return self._replaced(worker)
        said: Any = json.loads(line)
        if isinstance(said, dict):
            worker.why = cast("dict[str, str]", said)["ended"]
            return None
        results: list[tuple[int, Any]] = said
        for number, _ in results:
            worker.answered(number)
        return Event(results=results)

    def _replaced(self, worker: _Worker) -> Event | None:
        """Start another worker in place of one that ended."""
        if worker not in self._all:
            return None
        code = worker.end()
        fresh = _Worker(self._job, self._events)
        for message in self._told:
            fresh.say(message)
        self._all[self._all.index(worker)] = fresh
        lost = list(worker.tasks.items())
        running = lost[0][0] if lost else None
        return Event(lost=lost, running=running, code=code, why=worker.why)
