"""Results whose document is made in Python, with tables that are made of it."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from airtcp.questions.result_files import Written
from airtcp.words.answer import answered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from airtcp.data.table import Table


class DocumentResult(Written):
    """The common part: a method `_NAME` returns the rows of the table `NAME`."""

    _tables: ClassVar[tuple[str, ...]]
    _schemas: ClassVar[Mapping[str, Mapping[str, type]]]
    """Types of the columns by table; the rows show those of other tables."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Hold the document."""
        self.json = answered(document, self._answer(document))

    @cached_property
    def text(self) -> str:
        """The document as JSON text; equal inputs and seed give equal text."""
        return json.dumps(self.json, ensure_ascii=False, separators=(",", ":"))

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the work; what is finished is here."""
        return self.json["interrupted"]

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return list(self._tables)

    def table(self, table: str) -> Table:
        """Return a table.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If there is no such table.
        """
        from airtcp.data.table import Table

        if table not in self._tables:
            message = f'no table "{table}" (there are {", ".join(self._tables)})'
            raise KeyError(message)
        rows: list[dict[str, Any]] = getattr(self, f"_{table}")()
        return Table.from_rows(rows, self._schemas.get(table))

    def _frames(self) -> Iterator[tuple[str, Table]]:
        return ((name, self.table(name)) for name in self.tables)
