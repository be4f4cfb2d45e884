"""Workers of a Dask cluster.

A batch is a Dask task that returns the results of its points. Dask gives the tasks of a killed
worker to others; a task that killed several workers comes back, and its points run one by one. The
files that a scenario names must have the same place on every worker.
"""

from __future__ import annotations

import queue
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Self

from airtcp import _core
from airtcp.inputs.pool import Event
from airtcp.inputs.workers import cores
from airtcp.questions.sweep.tasks import run_batch

if TYPE_CHECKING:
    from airtcp.inputs.pool import Task

_QUEUED: Final = 2
_CONNECT_S: Final = 20
_MISSING: Final = '--on dask needs Dask: pip install "airtcp[sweep]"'


class DaskPool:
    """Workers of a Dask cluster, or of one that this call starts on this machine."""

    def __init__(self, on: str, job: dict[str, Any], workers: int | None) -> None:
        """Connect.

        Args: on: `dask`, or the address of a scheduler. job: What workers need beside points.
            workers: Number of workers of a cluster that is started here.

        Raises:
            AirtcpError: If Dask is missing, or no scheduler answers.
        """
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise _core.AirtcpError(_MISSING) from None
        self._stack = ExitStack()
        self.cluster: Any = None
        """The cluster, if this call started it."""
        self._job = job
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._tasks: dict[Any, list[Task]] = {}
        try:
            if on in {"dask", "dask://"}:
                start: Any = LocalCluster
                cluster: Any = start(
                    n_workers=workers or cores(),
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=50,
                )
                self.cluster = self._stack.enter_context(cluster)
            else:
                cluster = on.replace("dask://", "tcp://", 1)
            client: Any = Client(cluster, timeout=_CONNECT_S, set_as_default=False)
            self._client = self._stack.enter_context(client)
        except (OSError, ValueError, TypeError) as error:
            self._stack.close()
            message = (
                f"--on {on}: no scheduler answers ({error or type(error).__name__}); "
                "expected dask or tcp://HOST:PORT"
            )
            raise _core.AirtcpError(message) from None
        self.workers = self._threads()

    def __enter__(self) -> Self:
        """Use the pool."""
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what is left, and disconnect; end a cluster that was started here."""
        self._client.cancel(list(self._tasks), force=True)
        self._stack.close()

    def _threads(self) -> int:
        return max(sum(self._client.nthreads().values()), 1)

    def free(self) -> int:
        """Return how many batches can be given: workers may come and go."""
        self.workers = self._threads()
        return _QUEUED * self.workers - len(self._tasks)

    def give(self, tasks: list[Task]) -> None:
        """Give a batch to the scheduler."""
        future = self._client.submit(run_batch, self._job, tasks, pure=False)
        self._tasks[future] = tasks
        future.add_done_callback(self._events.put)

    def wait(self, seconds: float) -> Event | None:
        """Return the next news, or None if there is none within this time."""
        try:
            future = self._events.get(timeout=seconds) if seconds else self._events.get_nowait()
        except queue.Empty:
            return None
        tasks = self._tasks.pop(future, None)
        if tasks is None:
            return None
        if future.status == "finished":
            return Event(results=future.result())
        # With one point, that point ended the workers; with several, each runs alone next.
        return Event(lost=tasks, running=tasks[0][0], alone=True)
