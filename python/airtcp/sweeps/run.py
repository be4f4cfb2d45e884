"""One call of a sweep: plan, folder, workers, document, page."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airtcp import _core, atomic_write
from airtcp.sweeps.coordinate import Coordinator, Outcome
from airtcp.sweeps.document import document_of
from airtcp.sweeps.local import LocalPool, cores
from airtcp.sweeps.plan import Plan
from airtcp.sweeps.result import SweepResult
from airtcp.sweeps.sensitivity import sensitivity
from airtcp.sweeps.store import DOCUMENT, POINTS, Store, finished_keys
from airtcp.sweeps.tasks import run_point

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from airtcp.arguments import Progress
    from airtcp.sweeps.coordinate import Pool
    from airtcp.sweeps.live import LivePage
    from airtcp.sweeps.sweep_file import Sweep


def run(
    sweep: Sweep,
    out: Path,
    *,
    workers: int | None,
    on: str | None,
    retry: int,
    report: bool,
    progress: Progress | None,
) -> SweepResult:
    """Run the points of a sweep that are not finished; the arguments are those of `api.sweep`."""
    plan = Plan(sweep)
    store = Store(out, plan)
    try:
        places = store.open(plan)
        state = State(sweep, plan, store, len(places), report=report)
        state.write(Outcome(), running=True)
        coordinator = Coordinator(
            plan,
            store,
            places,
            retry=retry,
            progress=progress,
            tick=lambda _done: state.tick(coordinator.outcome),
        )
        outcome = coordinator.outcome
        if len(store.done) < len(places):
            wanted = min(workers or 1_000_000, len(places) - len(store.done))
            with pool_on(on, plan.job, workers if workers is None else wanted) as pool:
                outcome = coordinator.run(pool)
        document = state.write(outcome, running=False)
        return SweepResult(out, document, plan)
    finally:
        store.close()


def estimate(sweep: Sweep, out: Path, workers: int | None) -> dict[str, Any]:
    """Run one point that is not finished, and return how long the others would take.

    Args: sweep: The sweep. out: The folder of its results. workers: Number of workers.

    Raises:
        AirtcpError: If the point fails.
    """
    plan = Plan(sweep)
    known = finished_keys(out)
    keys = {point.key: index for index, point in reversed(list(enumerate(plan)))}
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
        with LocalPool(job, workers) as pool:
            yield pool
        return
    from airtcp.sweeps.cluster import DaskPool

    with DaskPool(on, job, workers) as pool:
        yield pool


class State:
    """The document and the page of a running sweep."""

    def __init__(
        self, sweep: Sweep, plan: Plan, store: Store, distinct: int, *, report: bool
    ) -> None:
        """Prepare.

        Args: sweep: The sweep. plan: Its points. store: Its results. distinct: Number of points
            with different keys. report: Whether there is a page.
        """
        self._sweep, self._plan, self._store = sweep, plan, store
        self._distinct = distinct
        self._page: LivePage | None = None
        if report:
            from airtcp.sweeps.live import LivePage

            self._page = LivePage(store, plan)

    def write(self, outcome: Outcome, *, running: bool) -> dict[str, Any]:
        """Write the document, and the page."""
        document = document_of(
            self._sweep,
            number=len(self._plan),
            distinct=self._distinct,
            finished=len(self._store.done),
            sensitivity=[] if running else sensitivity(self._plan, self._store.folder / POINTS),
            columns=self._store.names,
            outcome=outcome,
            running=running,
        )
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        atomic_write.write_text(self._store.folder / DOCUMENT, text)
        if self._page is not None and (not running or self._page.due()):
            self._page.write(document)
        return document

    def tick(self, outcome: Outcome) -> None:
        """Write the document and the page of the running sweep if it is time."""
        if self._page is not None and self._page.due():
            self.write(outcome, running=True)
