"""Results: a document, tables, and a page.

The extension module makes tables in Arrow's layout. `airtcp.Table` holds them; polars, pyarrow and
every other user of the Arrow PyCapsule interface read them without a copy.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, cast

from airtcp.data.plain import is_printable_json
from airtcp.questions.result_files import Written
from airtcp.questions.shown import not_pickled
from airtcp.words.answer import answered, answered_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from airtcp import _core
    from airtcp.data.table import Table
    from airtcp.words.answer import Answer

_OPTIONS: Final = '"options":{'


class TableResult(Written):
    """A result of the extension module: a document and tables."""

    def __init__(self, core: _core.CoreResult, asked: Mapping[str, Any] | None = None) -> None:
        """Hold the result.

        Args: core: The result of the extension module. asked: Options that the document lacks, such
            as those of reading traces; they join the document's options.
        """
        self._core = core
        self._asked = {key: value for key, value in (asked or {}).items() if value}

    @cached_property
    def text(self) -> str:
        """The document as JSON text. Equal inputs and seeds give equal text."""
        return answered_text(self._bare_text, self._said)

    @cached_property
    def _said(self) -> Answer | None:
        return self._answer(self._bare)

    @cached_property
    def _bare(self) -> Any:
        """The document without its answer."""
        return json.loads(self._bare_text)

    @cached_property
    def _document(self) -> Any:
        """The document with its answer."""
        return answered(self._bare, self._said)

    @cached_property
    def _bare_text(self) -> str:
        text = self._core.json()
        if not self._asked:
            return text
        more = json.dumps(self._asked, ensure_ascii=False, separators=(",", ":"))
        # Only a schema, a version and a seed precede the options, so the first match is the key.
        return text.replace(_OPTIONS, f"{_OPTIONS}{more[1:-1]},", 1)

    def shown(self) -> Self:
        """Return the same result with names that are safe to show in a terminal."""
        return self if is_printable_json(self._bare_text) else super().shown()

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the work; the result then holds what is finished."""
        return self._core.interrupted

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return self._core.table_names()

    def arrow(self, table: str) -> _core.Table:
        """Return a table as an object with `__arrow_c_stream__`.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If no table has this name.
        """
        return self._core.table(table)

    def table(self, table: str) -> Table:
        """Return a table.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If no table has this name.
        """
        from airtcp.data.table import Table

        return Table(self.arrow(table))

    def _one(self, table: str | None) -> Table:
        return self.table(self.tables[0] if table is None else table)

    def __copy__(self) -> Self:
        """Return a result of the same tables."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled.

        Raises:
            TypeError: Always; the message says what can be pickled.
        """
        raise not_pickled(self)

    def _frames(self) -> Iterator[tuple[str, Table]]:
        return ((name, self.table(name)) for name in self.tables)


class SeededResult(TableResult):
    """A result that depends on a seed."""

    def __init__(self, core: _core.CoreResult, asked: Mapping[str, Any] | None = None) -> None:
        """Hold the result, as `TableResult` does."""
        super().__init__(core, asked)
        self._seed = cast("int", core.seed)

    @property
    def seed(self) -> int:
        """The root seed. Equal seeds, inputs and versions give equal results."""
        return self._seed
