"""The result of a reproduction: its rows and its page."""

from __future__ import annotations

import copy
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from airtcp.data.plain import printable_values
from airtcp.questions.result_files import Written
from airtcp.words import sentences as words
from airtcp_papers.rows import counted, shown, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer
    from airtcp_papers.rows import Counts, Row
    from airtcp_papers.runs import Reproduced


class PapersResult(Written):
    """The results of the requested tables and figures."""

    _kind = "reproduce"

    def __init__(self, figures: Sequence[Reproduced], *, seed: int, interrupted: bool) -> None:
        """Hold the reproduced figures."""
        self.figures = list(figures)
        self.seed = seed
        self.interrupted = interrupted
        """True if Ctrl-C stopped the work; the result then holds what is finished."""

    @cached_property
    def rows(self) -> list[Row]:
        """One row for each published value and each claimed ordering."""
        return [row for figure in self.figures for row in figure.rows]

    @property
    def json(self) -> list[Row]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The rows, as `airtcp reproduce --json` prints them."""
        return self.rows

    @cached_property
    def text(self) -> str:
        """The rows as JSON text."""
        return json.dumps(self.rows, ensure_ascii=False, indent=1)

    def shown(self) -> Self:
        """Return the same result with names that are safe to show in a terminal."""
        other = copy.copy(self)
        other.rows = printable_values(self.rows, keep="")
        return other

    def _answer(self, document: Sequence[Row]) -> Answer:
        from airtcp_papers.answer import answer

        return answer(document, interrupted=self.interrupted)

    @property
    def verdicts(self) -> dict[str, int]:
        """Number of rows by verdict."""
        return tally(self.rows)

    @property
    def counts(self) -> dict[str, Counts]:
        """Counts of published statements (`published`) and of our `own` ones."""
        published, own = counted(self.rows)
        return {"published": published, "own": own}

    @cached_property
    def table(self) -> Table:
        """The rows as a table; lists are left out."""
        from airtcp.data.table import Table

        return Table.from_rows(_flat(row) for row in self.rows)

    def _make_page(self) -> Page:
        from airtcp_papers.sections import papers_page

        return papers_page(
            self.figures, self.seed, interrupted=self.interrupted, answer=self.answer()
        )

    def _frames(self) -> Iterator[tuple[str, Table]]:
        yield "rows", self.table

    def __repr__(self) -> str:
        """Describe the result by its verdicts."""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.items())
        return f"PapersResult({words.counted(len(self.figures), 'figure')}: {counts})"


def _flat(row: Row) -> dict[str, Any]:
    low, high = row["published_interval"] or (None, None)
    here_low, here_high = row["here_interval"] or (None, None)
    published = row["published"]
    return {
        "id": row["id"],
        "kind": row["kind"],
        "measure": shown(row),
        "published": published if not isinstance(published, str) else None,
        "published_low": low,
        "published_high": high,
        "claim": published if row["kind"] == "ordering" else None,
        "here": row["here"],
        "here_low": here_low,
        "here_high": here_high,
        "right": row["right"],
        "ratio": row["ratio"],
        "unit": row["unit"],
        "verdict": row["verdict"],
        "reason": row["reason"],
        "own": row["own"],
        "derived": "; ".join(row["derived"]),
        "depends_on": "; ".join(row["depends_on"]),
    }
