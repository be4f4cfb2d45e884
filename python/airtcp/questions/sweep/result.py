"""The result of a sweep."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from airtcp.data.table import Table
from airtcp.questions.shown import Shown
from airtcp.questions.sweep.chunks import read_chunk, stored
from airtcp.questions.sweep.leading import lead, value_of
from airtcp.questions.sweep.live import Sample, laid_out
from airtcp.questions.sweep.measures import axis_shown
from airtcp.questions.sweep.plan import axes_of
from airtcp.questions.sweep.store import POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from airtcp.pages.section import Page
    from airtcp.questions.sweep.document import FailedPoint, SweepDocument
    from airtcp.questions.sweep.leading import Leading
    from airtcp.questions.sweep.plan import Plan
    from airtcp.words.answer import Answer


class SweepResult(Shown):
    """The points of a sweep, and those that failed.

    The results stay in the folder; `points` reads them, and `figure` draws a chart of the report.
    """

    def __init__(
        self,
        folder: Path,
        document: SweepDocument,
        plan: Plan,
        leading: Leading | None = None,
        *,
        set_aside: int = 0,
    ) -> None:
        """Hold the folder, the document and the points of a sweep.

        Args: folder: The folder. document: The document. plan: The points. leading: The points by
            their measure; by default they are read from the folder. set_aside: Points of an earlier
            sweep that the folder keeps in `unused`.
        """
        self._given = leading
        self.set_aside = set_aside
        """Points of an earlier sweep in the folder that this one does not ask for."""
        self.folder = folder
        self.json = document
        """The document (`airtcp.sweep/1`), as in `sweep.json`."""
        self._plan = plan

    def __repr__(self) -> str:
        """Return the number of points."""
        counts = self.json["points"]
        return f"SweepResult({counts['finished']} of {counts['distinct']} points, {self.folder})"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled.

        Raises:
            TypeError: Always; the message says what can be pickled.
        """
        message = (
            f"a sweep's result is not pickled: its points stay in {self.folder}; pickle its `json`,"
            " or the table `points`"
        )
        raise TypeError(message)

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the sweep; the finished points are here."""
        return self.json["interrupted"]

    @property
    def failures(self) -> list[FailedPoint]:
        """The points without a result: `key`, `values` and `message`."""
        return self.json["failures"]

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.json, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def _leading(self) -> Leading | None:
        return self._given or lead(
            self.json["sweep"], axes_of(self._plan), stored(self.folder / POINTS)
        )

    def _answer(self, document: SweepDocument) -> Answer:
        from airtcp.questions.sweep.answer import answer

        return answer(document, self._leading)

    def _chunks(self) -> Iterator[Any]:
        return map(read_chunk, sorted((self.folder / POINTS).glob("*.parquet")))

    @cached_property
    def points(self) -> Table:
        """The rows of all points: key, values of the axes, replications, subject, measures.

        The order of the rows is that in which points finished.
        """
        import arro3.core as arrow

        tables = list(self._chunks())
        if not tables:
            return Table.from_rows([])
        batches = [batch for table in tables for batch in table.to_batches()]
        return Table(arrow.Table.from_batches(batches))

    def first(self, number: int) -> list[dict[str, Any]]:
        """Return the first finished points in the order of the sweep.

        Returns:
            For each point, and for each variant of a comparison, `at` (texts of its values),
            `replications`, and `values`: mean, `ci_low` and `ci_high` by measure. The value is that
            of the run, or of its only flow or link in its own direction; the mean of several has no
            interval.
        """
        wanted: dict[str, list[dict[str, Any]]] = {}
        for point in self._plan:
            if len(wanted) >= number:
                break
            wanted.setdefault(point.key, [])
        for table in self._chunks():
            keys = table.column("key").to_pylist()
            if not wanted.keys() & set(keys):
                continue
            for row in Table(table).rows():
                if row["key"] in wanted:
                    wanted[row["key"]].append(row)
        found: list[dict[str, Any]] = []
        for rows in wanted.values():
            found += self._shown(rows)
        return found[:number]

    @property
    def heads(self) -> list[str]:
        """Headings of the texts `at` of `first`."""
        axes = self._plan.sweep.axes
        heads = [axis_shown(axis.column, axis.dimension)[0] for axis in axes]
        return [*heads, *(["variant"] if self.json["sweep"]["kind"] == "compare" else [])]

    def _shown(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lines = dict.fromkeys(row["name"] if row["kind"] == "variant" else "" for row in rows)
        found: list[dict[str, Any]] = []
        for line in lines:
            own = [row for row in rows if row["kind"] != "variant" or row["name"] == line]
            at: list[str] = []
            for axis in self._plan.sweep.axes:
                _, scale = axis_shown(axis.column, axis.dimension)
                value = own[0][axis.column]
                at.append(f"{value * scale:.4g}" if axis.numeric else str(value))
            found.append(
                {
                    "key": own[0]["key"],
                    "at": [*at, *([line] if line else [])],
                    "replications": own[0]["replications"],
                    "values": {key: value_of(own, key) for key in self.json["sweep"]["measure"]},
                }
            )
        return found

    def _make_page(self) -> Page:
        sample = Sample()
        for table in self._chunks():
            columns = [table.column(name).to_pylist() for name in self.json["columns"]]
            sample.add(zip(*columns, strict=True))
        return laid_out(self.json, self._plan, self.json["columns"], sample, self._leading)

    def _frames(self) -> Iterator[tuple[str, Table]]:
        yield "points", self.points
