"""The shared work of drivers: links of a set with TCP over them, and runs of scenarios.

A context belongs to one reproduction. It does each piece of work once, because several figures use
the same links. The core uses all cores for one piece, so pieces are done one after the other while
other threads evaluate. Long work is cached as soon as it is done, so that a stopped reproduction
continues where it was.
"""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from airtcp import _core
from airtcp_papers import cache as kept
from airtcp_papers import ensembles
from airtcp_papers.captured import captured
from airtcp_papers.link_run import LinkRun, link_run
from airtcp_papers.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.questions.run.result import RunResult
    from airtcp_papers.ensembles import LinkSet, Recipe
    from airtcp_papers.library import Library

_A = TypeVar("_A")
_T = TypeVar("_T")
_ANALYSE: Final = {"cpdf_max_k": 1, "drawn_order": True}
_WAITING: Final = 4
"""Threads for each place on the processor."""
_FEW: Final = 1
"""Replicas if no model of the link is used."""


class StoppedError(Exception):
    """The user stopped the work."""


class Context:
    """One reproduction: its seed, its data, and its results so far."""

    def __init__(
        self,
        library: Library,
        *,
        seed: int = 1,
        runs: int | None = None,
        workers: int | None = None,
        data: Path | None = None,
        stop: Event | None = None,
        cache: kept.Cache | None = None,
    ) -> None:
        """Begin.

        Args: library: The papers, with their sets and scenarios. seed: Root seed. runs: Number of
            independent repeats, in place of the figures'. workers: Threads of the core. data: The
            folder of measured data. stop: Set to stop the work. cache: The cache; by default none.
        """
        self.library = library
        self.seed = seed
        self.runs = runs
        self.workers = workers
        self.data = data
        self.stop = stop or Event()
        self.cache = cache or kept.Cache(None)
        self._home = tempfile.TemporaryDirectory(prefix="airtcp-", ignore_cleanup_errors=True)
        self._known: dict[str, Any] = {}
        self._locks: dict[str, Lock] = {}
        self._guard = Lock()
        self._places = Places(workers)
        self._most: dict[str, int] = {}
        """Most requested replications of each scenario."""
        # A thread that waits for a place, or for the result of another, does not occupy a core.
        self._workers = ThreadPoolExecutor(_WAITING * self._places.total)

    def close(self) -> None:
        """Remove temporary files in the background, because it takes a second or two."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        Thread(target=self._home.cleanup).start()

    def check(self) -> None:
        """Raise an exception if the user stopped the work.

        Raises: StoppedError: If the user stopped the work.
        """
        if self.stop.is_set():
            raise StoppedError

    def repeats(self, said: int) -> int:
        """Return the number of repeats: the user's, else the figure's."""
        return said if self.runs is None else self.runs

    def once(self, question: Sequence[Any], work: Callable[[], _T]) -> _T:
        """Do a piece of work when it is first requested."""
        key = json.dumps(question, sort_keys=True, default=str)
        with self._guard:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._known:
                self.check()
                self._known[key] = work()
            return self._known[key]

    def _kept(self, content: Callable[[], Sequence[Any]], work: Callable[[], Any]) -> Any:
        """Do a piece of work, with a JSON result, unless the cache has it."""
        if self.cache.folder is None:
            return work()
        key = kept.key([*content(), self.seed])
        answer = self.cache.get(key)
        if answer is None:
            answer = work()
            self.cache.put(key, answer)
        return answer

    def digest(self, path: Path) -> str:
        """Hash a file or folder, once in a reproduction."""
        return self.once(["digest", path], lambda: kept.digest(path))

    def _content(self, links: LinkSet) -> list[Any]:
        """List the content of a set: its description, and the data of a measured set."""
        data = self.digest(links.data(self.data)) if links.measured else ""
        return [links.name, links.table, data]

    def set(self, name: str, change: Mapping[str, Any] | None = None) -> LinkSet:
        """Return the description of a set, with other parameters."""
        return ensembles.changed(ensembles.read_set(self.library, name), change or {})

    def links(
        self,
        name: str,
        *,
        repeat: int = 0,
        change: Mapping[str, Any] | None = None,
        tcp: Mapping[str, Any] | None = None,
        profile: str = "s1",
        replicas: int = 20,
        extremes: bool = False,
    ) -> list[LinkRun]:
        """Return the links of a set, with TCP over them and over models of them.

        Args: name: The set. repeat: The number of the draw of a generated set; a measured set is
            always the same. change: Parameters of the set in place of its own. tcp: TCP keys in
            place of the profile's. profile: TCP profile; `s1` scales S1's timers with the slot.
            replicas: Synthetic links of each model. extremes: Whether to add the links of groups
            that have no models.

        Raises: DataMissingError: If the data of a measured set are missing.
        """
        links = self.set(name, change)
        if links.measured:
            links.data(self.data)
            repeat, change, extremes = 0, None, False
        asked = ["links", name, repeat, change or {}, tcp or {}, profile]
        question = [*asked, replicas, True]
        found = self.once(question, lambda: self._study(links, question))
        if not extremes:
            return found
        few = [*asked, _FEW, False]
        return found + self.once(few, lambda: self._study(links, few))

    def _study(self, links: LinkSet, question: list[Any]) -> list[LinkRun]:
        found = self._kept(
            lambda: [*question, *self._content(links)],
            lambda: [link.to_json() for link in self._simulated(links, question)],
        )
        return [LinkRun.from_json(link) for link in found]

    def _simulated(self, links: LinkSet, question: list[Any]) -> list[LinkRun]:
        _, _, repeat, change, tcp, profile, replicas, models = question
        options: dict[str, Any] = {
            "profile": profile,
            "tcp": tcp,
            "slot": links.slot,
            "seed": self.seed + repeat,
            "cwnd_links": 0,
            "analyse": _ANALYSE,
        }
        if links.measured:
            found = self._studied([links.data(self.data)], options, replicas)
            least = links.table["least_packets"]
            return [link for link in found if link.packets >= least]
        paths = self._traces(links, repeat, change, [models])
        return self._studied(paths, options, replicas, models=models)

    def _traces(
        self, links: LinkSet, repeat: int, change: Mapping[str, Any], parts: Sequence[bool]
    ) -> list[Path]:
        """Return the traces of a generated set, which are written when first asked for.

        The parts are the links over which models are made, and the others.
        """
        question = ["traces", links.name, repeat, change]
        home, recipes = self.once(question, lambda: self._recipes(links, repeat))
        for part in parts:
            write = partial(self._write, links, home, [r for r in recipes if r.models is part])
            self.once([*question, part], write)
        return [home / f"{recipe.name}.txt" for recipe in recipes if recipe.models in parts]

    def _recipes(self, links: LinkSet, repeat: int) -> tuple[Path, list[Recipe]]:
        home = Path(tempfile.mkdtemp(dir=self._home.name))
        return home, list(ensembles.recipes(links, self.seed, repeat))

    def _write(self, links: LinkSet, home: Path, recipes: Sequence[Recipe]) -> None:
        for recipe in recipes:
            self.check()
            path = home / f"{recipe.name}.txt"
            spec = {
                "path": str(path),
                "packets": recipe.packets,
                "seed": recipe.seed,
                "model": recipe.model,
                "format": "bits",
            }
            _core.trace_synth(json.dumps(spec))
            every = links.table["subsample"]
            if every > 1:
                bits = "".join(
                    line.strip() for line in path.read_text().splitlines() if line[:1] != "#"
                )
                path.write_text(bits[::every] + "\n")

    def receptions(
        self, name: str, *, repeat: int = 0, change: Mapping[str, Any] | None = None
    ) -> list[float]:
        """Return the PRR of every link of a set, without TCP.

        Raises: DataMissingError: If the data of a measured set are missing.
        """
        links = self.set(name, change)
        if links.measured:
            repeat, change = 0, None

        def work() -> list[float]:
            if links.measured:
                paths = [links.data(self.data)]
            else:
                paths = self._traces(links, repeat, change or {}, [True, False])
            options = json.dumps({"analyse": _ANALYSE, "seed": self.seed})
            with self._places.taken(self._places.total):
                document = _core.trace_stats([str(p) for p in paths], options, self._tell)
            least = links.table["least_packets"]
            found = json.loads(document)["links"]
            return [link["prr"] for link in found if link["packets"] >= least]

        question = ["receptions", name, repeat, change or {}]
        return self.once(
            question,
            lambda: self._kept(lambda: [*question, *self._content(links)], work),
        )

    def _studied(
        self, paths: list[Path], options: dict[str, Any], replicas: int, *, models: bool = True
    ) -> list[LinkRun]:
        if not paths:
            return []
        study = {**options, "replicas": replicas}
        if self.workers is not None:
            study["workers"] = self.workers
        with self._places.taken(self._places.total):
            self.check()
            result = _core.study(
                [str(path) for path in paths], json.dumps({"study": study}), self._tell
            )
        # On Ctrl-C the core returns the finished links, which are not the complete result.
        if result.interrupted:
            raise StoppedError
        document = json.loads(result.json())
        return [link_run(link, models=models) for link in document["links"]]

    def _tell(self, _done: int, _total: int, _label: str) -> None:
        self.check()

    def scenario(
        self,
        name: str,
        overrides: Mapping[str, Any] | None = None,
        *,
        runs: int | None = None,
        series: bool = False,
        repeat: int = 0,
    ) -> RunResult:
        """Run a scenario of the library.

        Args: name: Its path relative to the library. overrides: Values in place of the scenario's,
            by path. runs: Replications; by default the scenario's. series: Whether to record
            series, which the first replication alone has. repeat: The number of an independent run,
            each with its own seed.

        Raises:
            ScenarioError: If it cannot be run.
        """
        question = ["scenario", name, overrides or {}, runs, series, repeat]
        work = partial(self._run, name, dict(overrides or {}), runs, series=series, repeat=repeat)
        return self.once(question, work)

    def summary(
        self, name: str, overrides: Mapping[str, Any] | None = None, *, runs: int | None = None
    ) -> dict[str, Any]:
        """Run a scenario of the library, and return the summary over its replications.

        Args: name: Its path relative to the library. overrides: Values in place of the scenario's,
            by path. runs: Replications; by default the scenario's.

        Raises:
            ScenarioError: If it cannot be run.
        """
        return self._part("summary", name, overrides, runs)

    def replications(
        self, name: str, overrides: Mapping[str, Any] | None = None, *, runs: int, beside: int = 1
    ) -> list[dict[str, Any]]:
        """Run a scenario of the library, and return the result of each replication.

        If more replications of the same were requested, these are the first of them.

        Args: name: Its path relative to the library. overrides: Values in place of the scenario's,
            by path. runs: Replications. beside: Number of runs in parallel, this one included.

        Raises:
            ScenarioError: If it cannot be run.
        """
        asked = json.dumps([name, overrides or {}], sort_keys=True)
        with self._guard:
            most = self._most[asked] = max(runs, self._most.get(asked, 0))
        return self._part("replications", name, overrides, most, beside)[:runs]

    def captured(
        self, name: str, overrides: Mapping[str, Any], *, repeat: int = 0, radio: str | None = None
    ) -> dict[str, Any]:
        """Run a scenario of the library once, and analyse its captures (`airtcp_papers.captured`).

        Args: as of `scenario`. radio: The station whose radio captures; by default none.
        """
        question = ["captured", name, overrides, repeat, radio]
        path, seed = self.library.scenario(name), self.seed + repeat

        def work() -> dict[str, Any]:
            with self._places.taken(1):
                self.check()
                return captured(path, overrides, seed=seed, radio=radio, tell=self._tell)

        return self.once(question, lambda: self._kept(lambda: [*question, self.digest(path)], work))

    def side_by_side(self, work: Callable[[_A], _T], asked: Sequence[_A]) -> list[_T]:
        """Do the same work for each item on all cores, and return the results."""
        if len(asked) <= 1:
            return [work(one) for one in asked]
        waiting = [self._workers.submit(work, one) for one in asked]
        return [one.result() for one in waiting]

    def _part(
        self,
        part: Literal["summary", "replications"],
        name: str,
        overrides: Mapping[str, Any] | None,
        runs: int | None,
        beside: int = 1,
    ) -> Any:
        """Return a part of the document of a scenario's run; only this small part is cached."""
        question = [part, name, overrides or {}, runs]
        return self.once(
            question,
            lambda: self._kept(
                lambda: [*question, self.digest(self.library.scenario(name))],
                lambda: self._run(name, dict(overrides or {}), runs, beside=beside).json[part],
            ),
        )

    def _run(
        self,
        name: str,
        overrides: dict[str, Any],
        runs: int | None,
        *,
        series: bool = False,
        repeat: int = 0,
        beside: int = 1,
    ) -> RunResult:
        # The simulator's results import heavy libraries, so they are loaded when first used.
        from airtcp.questions.run import call

        places = self._places.fit(runs, beside)
        with self._places.taken(places):
            self.check()
            return call.run(
                self.library.scenario(name),
                seed=self.seed + repeat,
                replications=runs,
                overrides=overrides,
                series=series,
                workers=places,
                progress=self._tell,
            )
