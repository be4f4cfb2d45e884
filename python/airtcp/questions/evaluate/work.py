"""Runs the scenes of an evaluation: each once, on all cores, in the order of the criteria.

Several criteria read one scene. A scene of a law is the same for every criterion, and equal scenes
of two laws (those of the law and of a baseline that is the same law) are one. Scenes run in
threads, or in processes if a law is one's own: the interpreter runs one law at a time, and a
compiled law that does not return ends its process. A scene in which a law fails has no result, and
the others go on; after a law that did not return, no other scene begins.
"""

from __future__ import annotations

import tempfile
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp._core import LawError
from airtcp.inputs.pool import Job, Pool
from airtcp.inputs.workers import cores
from airtcp.laws.crew import ended
from airtcp.laws.limit import ALLOWS_MORE
from airtcp.questions import scenarios
from airtcp.questions.evaluate.simulate import (
    CALL,
    Laws,
    Task,
    given,
    of_worker,
    simulate,
    write_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.pool import Event
    from airtcp.questions.evaluate.outcome import Rep
    from airtcp.questions.evaluate.recorded import Recorded
    from airtcp.questions.evaluate.scenes import Scene

_FRESH: Final = "\n# in a process of its own"
_AGAIN: Final = "\n# twice"
_POLL_S: Final = 0.1
"""Time between two looks at Ctrl-C."""
Key = tuple[str, int]
"""Text of a scene's scenario, and its replications."""


class Work:
    """The scenes of an evaluation, and what they measured."""

    def __init__(
        self,
        seed: int,
        laws: Laws | None = None,
        *,
        recorded: Recorded | None = None,
    ) -> None:
        """Begin without a scene.

        Args: seed: The root seed of all. laws: The laws of one's own that scenes name. recorded:
            Results of scenes that need not run.
        """
        self._seed, self._recorded = seed, recorded
        self.recorded = 0
        """Scenes whose recorded results were taken."""
        self._laws = laws or Laws()
        self.tasks: dict[Key, Task] = {}
        self.done: dict[Key, list[Rep]] = {}
        self.failed: dict[Key, str] = {}
        """Why a law failed in a scene."""
        self.late = False
        """Whether a law did not return, so that the rest did not run."""
        self._stop = threading.Event()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C stopped the work."""
        return self._stop.is_set()

    def ask(self, scene: Scene, replications: int) -> None:
        """Note a scene that is to run."""
        key = self._key(scene, replications)
        seconds = float(str(scene.scenario["duration"]).removesuffix(" s"))
        task = Task(
            key[0], dict(scene.files), replications, scene.series, scene.fresh, scene.again, seconds
        )
        self.tasks.setdefault(key, task)

    def of(self, scene: Scene, replications: int) -> list[Rep] | None:
        """Return what a scene measured; None if it did not run to its end."""
        return self.done.get(self._key(scene, replications))

    def failure(self, scene: Scene, replications: int) -> str | None:
        """Return why a law failed in a scene."""
        return self.failed.get(self._key(scene, replications))

    def run(self, workers: int | None, progress: Progress | None) -> None:
        """Run every scene. Ctrl-C keeps what is finished.

        Args: workers: Number of threads or processes. progress: Called with done, total and a
            label.
        """
        if self._recorded is not None:
            known = {key: self._recorded.of(task) for key, task in self.tasks.items()}
            self.done |= {key: reps for key, reps in known.items() if reps is not None}
            self.recorded = len(self.done)
        todo = {key: task for key, task in self.tasks.items() if key not in self.done}
        number = min(workers or cores(), max(len(todo), 1))
        if self._laws.apart(number):
            self._in_processes(todo, number, progress)
        else:
            self._in_threads(todo, number, progress)

    def _in_threads(self, todo: dict[Key, Task], workers: int, progress: Progress | None) -> None:
        total = len(todo)
        with (
            tempfile.TemporaryDirectory(prefix="airtcp-") as folder,
            ThreadPoolExecutor(workers) as pool,
        ):
            home = Path(folder)
            for task in todo.values():
                write_files(home, task.files)
            left = {pool.submit(self._simulate, task, home): key for key, task in todo.items()}
            try:
                while left:
                    ended, _ = wait(left, _POLL_S, FIRST_COMPLETED)
                    self._take(ended, left)
                    if progress is not None:
                        progress(total - len(left), total, "scenarios")
            except KeyboardInterrupt:
                self._stop.set()
                self._take(wait(left)[0], left)
            except BaseException:
                self._stop.set()
                raise

    def _in_processes(self, todo: dict[Key, Task], workers: int, progress: Progress | None) -> None:
        keys = list(todo)
        left, running = list(range(len(keys)))[::-1], set[int]()
        with Pool(Job(CALL, given(self._seed, self._laws)), workers) as pool:
            try:
                while running or (left and not self.late):
                    while left and pool.free() and not self.late:
                        number = left.pop()
                        running.add(number)
                        pool.give([(number, asdict(todo[keys[number]]))])
                    left += self._heard(pool.wait(_POLL_S), keys, running)
                    if progress is not None:
                        progress(len(keys) - len(left) - len(running), len(keys), "scenarios")
            except KeyboardInterrupt:
                self._stop.set()
                while (event := pool.wait(0.0)) is not None:
                    self._heard(event, keys, running)

    def _heard(self, event: Event | None, keys: list[Key], running: set[int]) -> list[int]:
        """Take the results of workers; return the scenes that one lost without running them."""
        if event is None:
            return []
        for number, said in event.results:
            running.discard(number)
            self._keep(keys[number], lambda said=said: of_worker(said))
        lost = [number for number, _ in event.lost if number != event.running]
        running.difference_update(lost)
        if event.code is not None and event.running is not None:
            running.discard(event.running)
            self._fail(keys[event.running], event.why or ended(event.code))
        return lost

    def _take(self, ended: Iterable[Future[list[Rep]]], left: dict[Any, Key]) -> None:
        for future in ended:
            self._keep(left.pop(future), future.result)

    def _keep(self, key: Key, found: Callable[[], list[Rep]]) -> None:
        """Keep what a scene measured, or why a law failed in it."""
        try:
            reps = found()
        except LawError as error:
            self._fail(key, str(error))
            return
        if len(reps) == key[1]:
            self.done[key] = reps

    def _fail(self, key: Key, reason: str) -> None:
        self.failed[key] = reason
        self.late = self.late or ALLOWS_MORE in reason

    def _simulate(self, task: Task, home: Path) -> list[Rep]:
        """Run a scene in a thread of its own; a scene that was stopped has fewer replications."""
        if self._stop.is_set() or self.late:
            return []
        return simulate(task, home, self._seed, self._laws, self._watch)

    def _watch(self, _done: int, _total: int, _label: str) -> None:
        """End a run after Ctrl-C, which only the main thread receives."""
        if self._stop.is_set():
            raise KeyboardInterrupt

    @staticmethod
    def _key(scene: Scene, replications: int) -> Key:
        notes = f"{_FRESH * scene.fresh}{_AGAIN * scene.again}"
        return f"{scenarios.table_text(scene.scenario)}{notes}", replications
