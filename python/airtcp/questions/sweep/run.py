"""One call of a sweep: plan, folder, workers, document, page."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.files import atomic_write
from airtcp.inputs.pool import Job
from airtcp.inputs.pool import Pool as LocalPool
from airtcp.inputs.workers import cores
from airtcp.questions.sweep.answer import answer
from airtcp.questions.sweep.check import check
from airtcp.questions.sweep.chunks import read_chunk, stored
from airtcp.questions.sweep.coordinate import Coordinator, heeding
from airtcp.questions.sweep.gather import document_of
from airtcp.questions.sweep.leading import lead
from airtcp.questions.sweep.plan import Plan, axes_of
from airtcp.questions.sweep.result import SweepResult
from airtcp.questions.sweep.sensitivity import sensitivity
from airtcp.questions.sweep.store import DOCUMENT, POINTS, Store, finished_keys, places_of
from airtcp.questions.sweep.tasks import run_point
from airtcp.questions.sweep.until import uncertain
from airtcp.words.answer import answered

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from airtcp.inputs.arguments import Progress
    from airtcp.questions.sweep.coordinate import Outcome, Pool
    from airtcp.questions.sweep.document import SweepDocument
    from airtcp.questions.sweep.leading import Leading
    from airtcp.questions.sweep.live import LivePage
    from airtcp.questions.sweep.sweep_file import Sweep
    from airtcp.questions.sweep.until import Estimate

_POINT: Final = "airtcp.questions.sweep.tasks:run_point"


def run(
    sweep: Sweep,
    out: Path,
    *,
    workers: int | None,
    on: str | None,
    retry: int,
    page: Path | None,
    progress: Progress | None,
) -> SweepResult:
    """Run the points of a sweep that are not finished.

    The arguments are those of `sweep`; `page` is the file of the page.
    """
    plan = Plan(sweep)
    check(plan)
    store = Store(out, plan)
    try:
        _check_laws(sweep, out)
        places = store.open(plan, progress)
        state = State(sweep, plan, store, len(places), page)
        coordinator = Coordinator(
            plan,
            store,
            places,
            retry=retry,
            progress=progress,
            tick=lambda _done: state.tick(coordinator.outcome),
        )
        with heeding(coordinator.outcome):
            state.write(coordinator.outcome, running=True)
            if len(store.done) < len(places):
                wanted = min(workers or 1_000_000, len(places) - len(store.done))
                with pool_on(on, plan.job, workers if workers is None else wanted) as pool:
                    coordinator.run(pool)
            document = state.write(coordinator.outcome, running=False)
        return SweepResult(out, document, plan, state.leading, set_aside=store.set_aside)
    finally:
        store.close()


def _check_laws(sweep: Sweep, out: Path) -> None:
    """Refuse to go on with another version of a law.

    Raises:
        LawError: If a law is not that of the results in the folder.
    """
    try:
        before: Any = json.loads((out / DOCUMENT).read_text("utf-8"))["sweep"]["laws"]
        known = {one["name"]: one["sha256"] for one in before}
    except (OSError, ValueError, KeyError, TypeError):
        return
    for law in sweep.laws.all:
        if known.get(law.label, law.sha256) != law.sha256:
            message = (
                f"{law.file}: {law.label} has changed since {out} was begun (SHA-256 "
                f"{law.sha256[:12]}, then {known[law.label][:12]}); restore the file, or give "
                "another folder with --out"
            )
            raise _core.LawError(message)


def estimate(
    sweep: Sweep, out: Path, workers: int | None, progress: Progress | None = None
) -> dict[str, Any]:
    """Run one point that is not finished, and return how long the others would take.

    Args: sweep: The sweep. out: The folder of its results. workers: Number of workers. progress:
        Called with done, total and a label while points are planned.

    Raises:
        AirtcpError: If the point fails.
    """
    plan = Plan(sweep)
    check(plan)
    known = finished_keys(out)
    keys = places_of(plan, progress)
    left = [index for key, index in keys.items() if key not in known]
    said: dict[str, Any] = {
        "points": len(keys),
        "finished": len(keys) - len(left),
        "workers": min(workers or cores(), max(len(left), 1)),
        "replications": None,
        "point_s": None,
    }
    if left:
        begin = time.perf_counter()
        result = run_point(plan.job, plan.point(min(left)).sets)
        if "error" in result:
            raise _core.AirtcpError(result["error"])
        said |= {"replications": result["n"], "point_s": time.perf_counter() - begin}
    return said


@contextmanager
def pool_on(on: str | None, job: dict[str, Any], workers: int | None) -> Generator[Pool]:
    """Start workers, or connect to them."""
    if on is None:
        with LocalPool(Job(_POINT, job), workers) as pool:
            yield pool
        return
    from airtcp.questions.sweep.cluster import DaskPool

    with DaskPool(on, job, workers) as pool:
        yield pool


class State:
    """The document and the page of a running sweep."""

    def __init__(
        self, sweep: Sweep, plan: Plan, store: Store, distinct: int, page: Path | None
    ) -> None:
        """Prepare.

        Args: sweep: The sweep. plan: Its points. store: Its results. distinct: Number of points
            with different keys. page: The file of the page, if there is one.
        """
        self._sweep, self._plan, self._store = sweep, plan, store
        self._distinct = distinct
        self._page: LivePage | None = None
        self.leading: Leading | None = None
        """The points by their measure, when the last document was written."""
        if page is not None:
            from airtcp.questions.sweep.live import LivePage

            self._page = LivePage(store, plan, page)

    def write(self, outcome: Outcome, *, running: bool) -> SweepDocument:
        """Write the document, and the page."""
        folder, until = self._store.folder / POINTS, self._sweep.rule.until
        wide, zero = (
            (None, None) if running or not until else uncertain(_open(folder, until), until)
        )
        document = document_of(
            self._sweep,
            number=len(self._plan),
            distinct=self._distinct,
            finished=len(self._store.done),
            columns=self._store.names,
            outcome=outcome,
            sensitivity=None if running else sensitivity(self._plan, folder),
            wide=wide,
            zero=zero,
        )
        self.leading = leading = self._leading(document, running=running)
        document = answered(document, answer(document, leading))
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        atomic_write.write_text(self._store.folder / DOCUMENT, text)
        if self._page is not None and (not running or self._page.due()):
            self._page.write(document, leading)
        return document

    def _leading(self, document: SweepDocument, *, running: bool) -> Leading | None:
        """Return the points by their measure; of a running sweep those that the page shows."""
        if not running:
            folder = self._store.folder / POINTS
            return lead(document["sweep"], axes_of(self._plan), stored(folder))
        return None if self._page is None else self._page.leading(document)

    def tick(self, outcome: Outcome) -> None:
        """Write the document and the page of the running sweep if it is time."""
        if self._page is not None and self._page.due():
            self.write(outcome, running=True)


def _open(
    folder: Path, until: dict[str, float]
) -> Iterator[tuple[str, list[tuple[str, Estimate]]]]:
    """Yield key and watched estimates of each row that is not narrow."""
    names = [name + ending for name in until for ending in ("", "_ci_low", "_ci_high")]
    for path in sorted(folder.glob("*.parquet")):
        table = read_chunk(path)
        columns = [table.column(name).to_pylist() for name in ("key", "narrow", *names)]
        for key, narrow, *values in zip(*columns, strict=True):
            if not narrow:
                thirds = zip(values[::3], values[1::3], values[2::3], strict=True)
                yield key, list(zip(until, thirds, strict=True))
