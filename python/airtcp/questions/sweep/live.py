"""The page of a sweep, written again and again while the sweep runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from airtcp.files import atomic_write
from airtcp.questions.sweep.leading import lead
from airtcp.questions.sweep.measures import forward
from airtcp.questions.sweep.plan import axes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from airtcp.pages.section import Page
    from airtcp.questions.sweep.document import SweepDocument
    from airtcp.questions.sweep.leading import Leading, Read
    from airtcp.questions.sweep.plan import Plan
    from airtcp.questions.sweep.store import Store

PAGE: Final = "report.html"
_HEAD: Final = "<head>"
_RELOAD: Final = '<head>\n<meta http-equiv="refresh" content="10">'
_FIRST_S: Final = 5.0
_EVERY_S: Final = 10.0
_SHARE: Final = 30.0
"""Least time between two pages, in times that a page takes: 3 % of the coordinator's time."""
_MOST_ROWS: Final = 20_000


class Sample:
    """Rows for the page: all, or those of a share of the points that their keys choose."""

    def __init__(self, most: int = _MOST_ROWS) -> None:
        """Begin without rows."""
        self.rows: list[tuple[Any, ...]] = []
        self._most = most
        self._bits = 0

    @property
    def share(self) -> float:
        """The share of the points that are kept."""
        return 0.5**self._bits

    def add(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows; halve the share of points whenever there are too many."""
        self.rows += [row for row in rows if self._kept(row)]
        while len(self.rows) > self._most:
            self._bits += 1
            self.rows = [row for row in self.rows if self._kept(row)]

    def reader(self, names: Sequence[str]) -> Read:
        """Return what reads the rows as dictionaries; `names` are those of the columns."""

        def read(_wanted: Sequence[str], keys: Collection[str] | None) -> Iterator[dict[str, Any]]:
            for row in self.rows:
                if keys is None or row[0] in keys:
                    yield dict(zip(names, row, strict=True))

        return read

    def _kept(self, row: tuple[Any, ...]) -> bool:
        return not self._bits or int(row[0][:8], 16) >> (32 - self._bits) == 0


class LivePage:
    """Writes the page of a running sweep."""

    def __init__(self, store: Store, plan: Plan, path: Path) -> None:
        """Follow the rows of a store; the page is written to `path`."""
        self._store, self._plan, self._path = store, plan, path
        self.sample = Sample()
        self._next = time.monotonic() + _FIRST_S
        store.listen(self.sample.add)

    def due(self) -> bool:
        """Return whether it is time for a page."""
        return time.monotonic() >= self._next

    def leading(self, document: SweepDocument) -> Leading | None:
        """Return the points that the page shows, by their measure."""
        return lead(document["sweep"], axes_of(self._plan), self.sample.reader(self._store.names))

    def write(self, document: SweepDocument, leading: Leading | None) -> None:
        """Write the page, with the answer that follows from the points."""
        begin = time.monotonic()
        page = laid_out(document, self._plan, self._store.names, self.sample, leading).html()
        reloading = page.replace(_HEAD, _RELOAD, 1) if document["running"] else page
        atomic_write.write_text(self._path, reloading)
        taken = time.monotonic() - begin
        self._next = time.monotonic() + max(_EVERY_S, _SHARE * taken)


def laid_out(
    document: SweepDocument,
    plan: Plan,
    names: list[str],
    sample: Sample,
    leading: Leading | None,
) -> Page:
    """Make the page.

    Args: document: The document. plan: The points. names: Names of the columns. sample: The rows.
        leading: The points by their measure.
    """
    from airtcp.questions.sweep.measures import metric_of
    from airtcp.questions.sweep.sections import sweep_page

    every = (dict(zip(names, row, strict=True)) for row in sample.rows)
    rows = [row for row in every if forward(row)]
    kind = plan.sweep.kind
    return sweep_page(
        document, axes_of(plan), rows, sample.share, lambda key: metric_of(kind, key), leading
    )
