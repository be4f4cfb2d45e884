"""Runs the scenes of an evaluation: each once, on all cores, in the order of the criteria.

Several criteria read one scene. A scene of a law is the same for every criterion, and equal scenes
of two laws (those of the law and of a baseline that is the same law) are one. `_simulate` is the
only place that runs something.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp._core import AirtcpError
from airtcp.inputs.workers import command, cores, environment
from airtcp.questions import scenarios
from airtcp.questions.evaluate.outcome import Rep, reps_of
from airtcp.questions.run.call import run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from airtcp.inputs.arguments import Progress
    from airtcp.questions.evaluate.scenes import Scene

_FRESH: Final = "\n# in a process of its own"
_POLL_S: Final = 0.1
"""Time between two looks at Ctrl-C."""
Key = tuple[str, int]
"""Text of a scene's scenario, and its replications."""


@dataclass(frozen=True)
class _Task:
    text: str
    files: dict[str, str]
    replications: int
    laws: tuple[str, ...]
    series: bool
    fresh: bool
    duration_s: float


class Work:
    """The scenes of an evaluation, and what they measured."""

    def __init__(self, seed: int, laws: Iterable[str] = ()) -> None:
        """Begin without a scene.

        Args: seed: The root seed of all. laws: Files of laws of one's own that scenes name.
        """
        self._seed = seed
        self._laws = tuple(dict.fromkeys(laws))
        self._tasks: dict[Key, _Task] = {}
        self._done: dict[Key, list[Rep]] = {}
        self._stop = threading.Event()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C stopped the work."""
        return self._stop.is_set()

    def ask(self, scene: Scene, replications: int) -> None:
        """Note a scene that is to run."""
        key = self._key(scene, replications)
        seconds = float(str(scene.scenario["duration"]).removesuffix(" s"))
        self._tasks.setdefault(
            key,
            _Task(
                key[0],
                dict(scene.files),
                replications,
                self._laws,
                scene.series,
                scene.fresh,
                seconds,
            ),
        )

    def of(self, scene: Scene, replications: int) -> list[Rep] | None:
        """Return what a scene measured; None if it did not run to its end."""
        return self._done.get(self._key(scene, replications))

    def run(self, workers: int | None, progress: Progress | None) -> None:
        """Run every scene. Ctrl-C keeps what is finished.

        Args: workers: Number of threads. progress: Called with done, total and a label.
        """
        total = len(self._tasks)
        with (
            tempfile.TemporaryDirectory(prefix="airtcp-") as folder,
            ThreadPoolExecutor(workers or cores()) as pool,
        ):
            home = Path(folder)
            for task in self._tasks.values():
                for name, text in task.files.items():
                    (home / name).write_text(text, encoding="utf-8")
            left = {
                pool.submit(self._simulate, task, home): key for key, task in self._tasks.items()
            }
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

    def _take(self, ended: Iterable[Future[list[Rep]]], left: dict[Any, Key]) -> None:
        for future in ended:
            key, reps = left.pop(future), future.result()
            if len(reps) == key[1]:
                self._done[key] = reps

    def _simulate(self, task: _Task, home: Path) -> list[Rep]:
        """Run a scene in a thread of its own; a scene that was stopped has fewer replications."""
        if self._stop.is_set():
            return []
        if task.fresh:
            return self._elsewhere(task, home)
        result = run(
            home / "scenario.toml",
            text=task.text,
            seed=self._seed,
            law=task.laws,
            replications=task.replications,
            series=task.series,
            workers=1,
            progress=self._watch,
        )
        return reps_of(result, task.duration_s, series=task.series)

    def _elsewhere(self, task: _Task, home: Path) -> list[Rep]:
        """Run a scene in a process of its own, which has nothing from this one."""
        place = home / f"fresh-{threading.get_ident()}.toml"
        place.write_text(task.text, encoding="utf-8")
        asked = ["--seed", str(self._seed), "-n", str(task.replications), "--workers", "1"]
        asked += [part for law in task.laws for part in ("--law", law)]
        asked += ["--why", "no", "--json", "--quiet"]
        ended = subprocess.run(  # noqa: S603 - this program, and a file of its own
            [*command(), "run", str(place), *asked],
            env=environment(),
            capture_output=True,
            check=False,
        )
        if ended.returncode:
            said = ended.stderr.decode(errors="replace").strip() or f"exit {ended.returncode}"
            raise AirtcpError(said)
        found = json.loads(ended.stdout)["replications"]
        return [Rep([], [], task.duration_s, one["fingerprint"]) for one in found]

    def _watch(self, _done: int, _total: int, _label: str) -> None:
        """End a run after Ctrl-C, which only the main thread receives."""
        if self._stop.is_set():
            raise KeyboardInterrupt

    @staticmethod
    def _key(scene: Scene, replications: int) -> Key:
        return f"{scenarios.table_text(scene.scenario)}{_FRESH * scene.fresh}", replications
