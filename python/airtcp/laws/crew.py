"""Calls with laws in Python on several processes.

The interpreter runs one law at a time, so that threads do not help. Other processes make the same
call and do some of its jobs (replications of a TCP); see `crates/sim/src/shared.rs`. This process
begins at once, and the others join it if there is enough left to do.
"""

from __future__ import annotations

import time
import traceback
import warnings
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp._core import AirtcpError, LawError
from airtcp.inputs.pool import Job, Pool
from airtcp.laws import elsewhere

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from airtcp.inputs.worker import Talk
    from airtcp.laws.source import Found

_PATIENCE_S: Final = 0.3
"""Time after which other processes are worth their start, about as long."""
_WAIT_S: Final = 0.05
_FAILED: Final = -1
"""Number of the message that says why a process cannot go on."""
_CALL: Final = "airtcp.laws.crew:follow"


class Crew:
    """This process among others: it leads."""

    def __init__(
        self, given: dict[str, Any], others: int, alone: str | None, *, apart: bool = False
    ) -> None:
        """Prepare.

        Args: given: The call, as `follow` takes it. others: Number of other processes. alone: A law
            that they cannot load, if there is one. apart: Whether the others do all jobs.
        """
        self._alone, self._apart = alone, apart and alone is None
        self._job, self._others = Job(_CALL, given, serves=True), others
        self._pool: Pool | None = None
        self._left: deque[int] = deque()
        self._given: set[int] = set()
        self._history: list[list[str | None]] = []
        self._begun: float | None = None
        self._stopped = False

    def begin(self, jobs: list[int]) -> None:
        """A list of jobs begins."""
        self._left = deque(jobs)
        if self._begun is None:
            self._begun = time.monotonic()

    def take(self) -> int | None:
        """Take a job for this process."""
        if self._apart:
            return None
        return self._left.popleft() if self._left else None

    def wait(self) -> list[tuple[int, str | None]]:
        """Give jobs away, and return what the others have done.

        Raises:
            LawError: If a law has failed in another process.
        """
        pool = self._pool or self._grown()
        if pool is None:
            time.sleep(_WAIT_S)
            return []
        while self._left and pool.free():
            job = self._left.popleft()
            self._given.add(job)
            pool.give([(job, None)])
        event = pool.wait(_WAIT_S)
        if event is None:
            return []
        if event.code is not None:
            error = LawError(event.why or ended(event.code))
            error.job = event.running
            raise error
        for number, said in event.results:
            if number == _FAILED:
                self._refused(said)
                return []
            self._given.discard(number)
        return [(number, said) for number, said in event.results]

    def _refused(self, said: dict[str, Any]) -> None:
        """Take the jobs of the others back: what refuses there is refused here.

        Raises:
            LawError: If a law has failed.
        """
        if said["law"]:
            error = LawError(said["text"])
            error.job = said["job"]
            raise error from RuntimeError(said["cause"])
        self._left.extend(sorted(self._given))
        self._given.clear()
        self._others, self._apart = 0, False
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _grown(self) -> Pool | None:
        """Start the others if it is worth it."""
        waited = 0.0 if self._begun is None else time.monotonic() - self._begun
        if self._stopped or not (self._left and self._others):
            return None
        if waited < _PATIENCE_S and not self._apart:
            return None
        if self._alone is not None:
            self._others = 0
            message = (
                f"{self._alone} is defined in a notebook or in the program itself, so it runs in "
                "this process alone; write it to a file (%%writefile) to use all cores"
            )
            warnings.warn(message, stacklevel=1)
            return None
        self._pool = Pool(self._job, min(self._others, len(self._left)), queued=1)
        for results in self._history:
            self._pool.tell({"end": results})
        return self._pool

    def end(self, results: list[str | None]) -> None:
        """Send the results of a list to the others."""
        self._history.append(results)
        if self._pool is not None:
            self._pool.tell({"end": results})

    def stop(self) -> None:
        """End the others."""
        self._stopped = True
        self._left.clear()
        if self._pool is not None:
            self._pool.close()


def ended(code: int) -> str:
    """Say that another process has ended.

    Args: code: Its exit status; negative for a signal.
    """
    how = f"by signal {-code}" if code < 0 else f"with status {code}"
    return (
        f"a process that ran a law has ended {how}; airtcp run --workers 1 runs it in its own "
        "process, where its output is seen"
    )


class _Follower:
    """Another process: it does jobs."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._jobs: deque[int] = deque()
        self.job: int | None = None
        """The job that it has begun."""

    def next(self) -> int | list[str | None]:
        """Wait for a job, or for the results of the list."""
        while not self._jobs:
            message: Any = self._talk.hear()
            if "end" in message:
                return message["end"]
            self._jobs.extend(number for number, _ in message)
        self.job = self._jobs.popleft()
        return self.job

    def answer(self, job: int, result: str | None) -> None:
        """Send a result."""
        self._talk.say([[job, result]])


def follow(given: dict[str, Any], talk: Talk) -> None:
    """Make the call of another process, and do the jobs that it gives away.

    Args: given: Name and arguments of the call, and its laws. talk: The lines to that process.
    """
    follower = _Follower(talk)
    try:
        elsewhere.here(given["path"])
        laws = elsewhere.core_of(elsewhere.load(given["laws"]), given["seconds"])
        call = getattr(_core, given["call"])
        call(*given["args"], laws=laws, crew=follower)
    except AirtcpError as error:
        cause = "".join(traceback.format_exception(error.__cause__)) if error.__cause__ else ""
        said: dict[str, Any] = {"text": str(error), "law": isinstance(error, LawError)}
        said |= {"cause": cause, "job": follower.job}
        talk.say([[_FAILED, said]])


@contextmanager
def crew(
    call: str,
    args: list[Any],
    laws: Sequence[Found],
    seconds: float,
    workers: int,
    *,
    apart: bool = False,
) -> Generator[Crew | None]:
    """Let other processes share the jobs of a call.

    Args: call: Its name in the extension. args: Its arguments before those of laws, as JSON types.
        laws: Its laws. seconds: Processor time of a replication. workers: Number of processes that
            work. apart: Whether this process is none of them.
    """
    others = workers if apart else workers - 1
    if others < 1:
        yield None
        return
    specs = elsewhere.specs(laws)
    alone, known = (specs, []) if isinstance(specs, str) else (None, specs)
    if alone is not None and not any(law.is_python for law in laws):
        yield None  # threads are as good
        return
    given = {"call": call, "args": args, **elsewhere.job(known, seconds)}
    made = Crew(given, others, alone, apart=apart)
    try:
        yield made
    finally:
        made.stop()
