"""The result of a sweep."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airtcp.sweep.chunks import read_chunk
from airtcp.sweep.store import POINTS

if TYPE_CHECKING:
    from pathlib import Path


class SweepResult:
    """The points of a sweep, and those that failed.

    The results stay in the folder; `points` reads them.
    """

    def __init__(self, folder: Path, document: dict[str, Any]) -> None:
        """Hold the document of a sweep and its folder."""
        self.folder = folder
        self.json = document

    def __repr__(self) -> str:
        """Return the number of points."""
        counts = self.json["points"]
        return f"SweepResult({counts['finished']} of {counts['number']} points, {self.folder})"

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the sweep; the finished points are here."""
        return self.json["interrupted"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The points without a result: `key`, `values` and `message`."""
        return self.json["failures"]

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.json, ensure_ascii=False, separators=(",", ":"))

    @property
    def points(self) -> Any:
        """The rows of all points as a table: key, axes, replications, subject, measures.

        The order of the rows is that of the chunks, which depends on the workers.
        """
        from arro3.core import Table

        tables = [read_chunk(path) for path in sorted((self.folder / POINTS).glob("*.parquet"))]
        if not tables:
            return Table.from_pydict({})
        return Table.from_batches([batch for table in tables for batch in table.to_batches()])
