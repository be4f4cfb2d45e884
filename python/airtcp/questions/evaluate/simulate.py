"""Runs one scene of an evaluation: in this process, in a worker, or in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp._core import AirtcpError, LawError
from airtcp.inputs.workers import command, environment
from airtcp.laws import elsewhere
from airtcp.laws.given import OwnLaws
from airtcp.laws.limit import STANDARD
from airtcp.questions.evaluate.outcome import Rep, reps_of
from airtcp.questions.run.call import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.inputs.arguments import Progress

CALL: Final = "airtcp.questions.evaluate.simulate:in_worker"


@dataclass(frozen=True)
class Laws:
    """The laws of one's own that scenes name."""

    sources: tuple[str, ...] = ()
    """Their files or modules."""
    hashes: tuple[str, ...] = ()
    """Hashes of their sources."""
    timeout: str = STANDARD
    """Processor time of a replication."""
    compiled: bool = False
    """Whether one of them is compiled."""

    def apart(self, workers: int) -> bool:
        """Return whether scenes run in other processes, if there are so many workers."""
        return self.compiled or (bool(self.sources) and workers > 1)


@dataclass(frozen=True)
class Task:
    """A scene as it runs."""

    text: str
    files: dict[str, str]
    replications: int
    series: bool
    fresh: bool
    again: bool
    duration_s: float


def simulate(
    task: Task, home: Path, seed: int, laws: Laws, watch: Progress | None = None
) -> list[Rep]:
    """Run a scene; one that was stopped has fewer replications.

    Args: task: The scene. home: The folder of its files. seed: The root seed. laws: The laws of
        one's own. watch: Called during the run; ends it by an exception.
    """
    if task.fresh:
        return _elsewhere(task, home, seed, laws)
    if task.again:
        simulate(replace(task, again=False), home, seed, laws, watch)
    result = run(
        home / "scenario.toml",
        text=task.text,
        seed=seed,
        law=laws.sources,
        law_timeout=laws.timeout,
        replications=task.replications,
        series=task.series,
        workers=1,
        progress=watch,
    )
    return reps_of(result, task.duration_s, series=task.series)


def _elsewhere(task: Task, home: Path, seed: int, laws: Laws) -> list[Rep]:
    """Run a scene in a process of its own, which has nothing from this one."""
    place = home / f"fresh-{threading.get_ident()}.toml"
    place.write_text(task.text, encoding="utf-8")
    asked = ["--seed", str(seed), "-n", str(task.replications), "--workers", "1"]
    asked += [part for law in laws.sources for part in ("--law", law)]
    asked += ["--law-timeout", laws.timeout, "--why", "no", "--json", "--quiet"]
    ended = subprocess.run(  # noqa: S603 - this program, and a file of its own
        [*command(), "run", str(place), *asked],
        env=environment(),
        capture_output=True,
        check=False,
    )
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip() or f"exit {ended.returncode}"
        kind = LawError if laws.sources else AirtcpError
        raise kind(said.removeprefix("error: "))
    found = json.loads(ended.stdout)["replications"]
    return [Rep([], [], task.duration_s, one["fingerprint"]) for one in found]


def given(seed: int, laws: Laws) -> dict[str, Any]:
    """Return what a worker needs beside scenes, as JSON types."""
    return {"seed": seed, "laws": asdict(laws), "path": sys.path}


def in_worker(given: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Run a scene in a worker.

    Args: given: What `given` returned. task: The scene, as a dictionary.

    Returns:
        The replications, or the error that ended them.
    """
    elsewhere.here(given["path"])
    own = given["laws"]
    laws = Laws(tuple(own["sources"]), tuple(own["hashes"]), own["timeout"], own["compiled"])
    try:
        _check(laws)
        with tempfile.TemporaryDirectory(prefix="airtcp-") as folder:
            write_files(Path(folder), task["files"])
            reps = simulate(Task(**task), Path(folder), given["seed"], laws)
    except AirtcpError as error:
        return {"error": str(error), "law": isinstance(error, LawError)}
    return {"reps": [asdict(rep) for rep in reps]}


def of_worker(said: dict[str, Any]) -> list[Rep]:
    """Return what a worker found.

    Raises:
        LawError: If a law failed there.
        AirtcpError: If a scenario was refused there.
    """
    if "error" in said:
        kind: Callable[[str], Exception] = LawError if said["law"] else AirtcpError
        raise kind(said["error"])
    return [Rep(**rep) for rep in said["reps"]]


@cache
def _check(laws: Laws) -> None:
    """Refuse a law that has changed since the evaluation began."""
    if set(laws.hashes) - set(OwnLaws(laws.sources).hashes):
        message = f"{', '.join(laws.sources)}: it has changed since the evaluation began"
        raise LawError(message)


def write_files(home: Path, files: dict[str, str]) -> None:
    """Write the files that a scene reads."""
    for name, text in files.items():
        (home / name).write_text(text, encoding="utf-8")
