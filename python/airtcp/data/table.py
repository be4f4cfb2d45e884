"""Tables of results, in Arrow's layout.

A `Table` holds an Arrow table and needs no data frame library. polars, pandas, pyarrow, DuckDB and
every other library with the Arrow PyCapsule interface read it, most of them without a copy.
"""

from __future__ import annotations

import io
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Protocol, Self, cast

from arro3.core import DataType
from arro3.core import Table as Arrow

from airtcp.data import table_columns, table_text

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import polars as pl

_SHOWN: Final = 60
_COMPRESSION: Final = "zstd(3)"


class ArrowStream(Protocol):
    """Anything that gives an Arrow table through the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with an Arrow C stream."""
        ...


def _library(name: str) -> Any:
    """Import a library that airtcp does not need itself.

    Raises:
        ImportError: If it is not installed; the message says how to install it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        message = f"{name} is not installed: pip install 'airtcp[{name}]'"
        raise ImportError(message, name=name) from error


class Table:
    """An immutable table of named, typed columns of equal length.

    >>> table = Table.from_rows([{"link": "a", "prr": 0.5}, {"link": "b", "prr": None}])
    >>> table.columns, len(table), table["prr"]
    (['link', 'prr'], 2, [0.5, None])
    >>> table
    Table: 2 rows, 2 columns
    link  prr
    a     0.5
    b       -
    """

    __slots__ = ("_arrow",)

    def __init__(self, data: ArrowStream) -> None:
        """Hold a table of any library with the Arrow PyCapsule interface.

        Args:
            data: A `Table`, or a table or frame of polars, pyarrow, DuckDB, arro3 or pandas.

        Raises:
            ValueError: If the name of a column holds a NUL character, or two columns have one name.
        """
        self._arrow = data if isinstance(data, Arrow) else Arrow.from_arrow(data)
        table_columns.checked(self._arrow.column_names)

    @classmethod
    def from_rows(
        cls, rows: Iterable[Mapping[str, Any]], types: Mapping[str, type] | None = None
    ) -> Self:
        """Make a table of rows.

        Args:
            rows: Dictionaries of texts, flags, numbers and None. A key that a row lacks is a
                missing value.
            types: `str`, `bool`, `int` or `float` by column. These columns come first and exist
                even without rows. The types of other columns are inferred from all their values;
                whole numbers together with real numbers make a column of real numbers, and a column
                without any value is one of real numbers.

        Raises:
            TypeError: If the values of a column have no common type, or not the declared one.
        """
        return cls(table_columns.of_rows(rows, types))

    @classmethod
    def from_columns(
        cls, columns: Mapping[str, Sequence[Any]], types: Mapping[str, type] | None = None
    ) -> Self:
        """Make a table of columns.

        Args:
            columns: The values of each column, as for `from_rows`.
            types: `str`, `bool`, `int` or `float` by column; inferred if absent.

        Raises:
            TypeError: As `from_rows`; or if a name is no text.
            ValueError: If the columns have different lengths, or two of them one name.
        """
        return cls(table_columns.of_columns(columns, types))

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._arrow.column_names

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._arrow.num_rows

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self.columns)

    def __contains__(self, column: object) -> bool:
        """Return whether there is a column of this name."""
        return column in self.columns

    def __getitem__(self, column: str) -> list[Any]:
        """Return the values of a column; a missing value is None.

        Raises:
            KeyError: If there is no such column.
        """
        self._known([column])
        values: Any = self._arrow.column(column)
        return values.to_pylist()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries."""
        names = self.columns
        return [
            dict(zip(names, row, strict=True)) for row in zip(*self.to_dict().values(), strict=True)
        ]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each column by its name."""
        return {name: self[name] for name in self.columns}

    def select(self, columns: Sequence[str]) -> Self:
        """Return a table of some columns, in the given order.

        Raises:
            KeyError: If there is no such column.
            ValueError: If a column is named twice.
        """
        self._known(columns)
        table_columns.checked(columns)
        return type(self)(self._arrow.select(list(columns)))

    def head(self, n: int = 5) -> Self:
        """Return the first rows.

        Args:
            n: Maximum number of rows.
        """
        return type(self)(self._arrow.slice(0, max(0, min(n, len(self)))))

    def _known(self, columns: Iterable[str]) -> None:
        names = self.columns
        for column in columns:
            if column not in names:
                message = f'no column "{column}" (there are {", ".join(names)})'
                raise KeyError(message)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as an Arrow C stream (Arrow PyCapsule interface)."""
        return self._arrow.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Return the names and types of the columns (Arrow PyCapsule interface)."""
        return self._arrow.__arrow_c_schema__()

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame, without a copy; needs polars (`pip install airtcp[polars]`)."""
        pl = _library("polars")
        return pl.DataFrame(self)

    def to_pandas(self) -> Any:
        """Return a pandas frame; needs pandas (`pip install airtcp[pandas]`), but not pyarrow.

        In a column with missing values, whole numbers become real numbers, and a missing value is
        NaN, as pandas has it.
        """
        pd = _library("pandas")
        series = {name: pd.Series(self[name], dtype=self._dtype(name)) for name in self.columns}
        return pd.DataFrame(series, index=pd.RangeIndex(len(self)))

    def _dtype(self, column: str) -> Any:
        """Return pandas' type of a column; texts have the type that pandas chooses."""
        values = self._arrow.column(column)
        kind, missing = values.type, values.null_count > 0
        if DataType.is_floating(kind) or (missing and DataType.is_integer(kind)):
            return "float64"
        if missing:
            return None if DataType.is_unicode(kind) else "object"
        if DataType.is_unsigned_integer(kind):
            return "uint64"
        if DataType.is_integer(kind):
            return "int64"
        return "bool" if DataType.is_boolean(kind) else None if len(self) else "object"

    def to_arrow(self) -> Any:
        """Return a pyarrow table, without a copy; needs pyarrow (`pip install airtcp[pyarrow]`)."""
        pa = _library("pyarrow")
        return pa.table(self)

    def __reduce__(self) -> tuple[Callable[[bytes], Table], tuple[bytes]]:
        """Pickle the table as an Arrow stream.

        >>> import pickle
        >>> pickle.loads(pickle.dumps(Table.from_rows([{"prr": 0.5}]))).rows()
        [{'prr': 0.5}]
        """
        from arro3.io import write_ipc_stream

        whole = io.BytesIO()
        write_ipc_stream(self._arrow, whole)
        return _of_stream, (whole.getvalue(),)

    def write_parquet(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        """Write the table as Parquet, compressed with Zstandard.

        Args:
            file: A path, or a file that is open for writing bytes.

        Raises:
            OSError: If the system refuses to write.
        """
        from arro3.io import write_parquet

        # The library reports a full disk by an error without a number, so it writes to memory.
        whole = io.BytesIO()
        write_parquet(self._arrow, whole, compression=_COMPRESSION)
        if hasattr(file, "write"):
            cast("BinaryIO", file).write(whole.getbuffer())
        else:
            Path(cast("str", file)).write_bytes(whole.getbuffer())

    def to_csv(self, text: Callable[[str], str] = lambda value: value) -> str:
        """Return the table as CSV: names first, an empty cell for a missing value.

        Args:
            text: Replaces a text before it is quoted.
        """
        return table_text.as_csv(self.to_dict(), text)

    def write_csv(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        """Write the table as CSV, in UTF-8.

        Args:
            file: A path, or a file that is open for writing bytes.

        Raises:
            OSError: If the system refuses to write.
        """
        whole = self.to_csv().encode()
        if hasattr(file, "write"):
            cast("BinaryIO", file).write(whole)
        else:
            Path(cast("str", file)).write_bytes(whole)

    def __repr__(self) -> str:
        """Show the first rows."""
        return table_text.described(self.head(_SHOWN).to_dict(), len(self))

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        return table_text.as_html(self.head(_SHOWN).to_dict(), len(self))


__all__ = ["ArrowStream", "Table"]


def _of_stream(data: bytes) -> Table:
    from arro3.io import read_ipc_stream

    return Table(read_ipc_stream(io.BytesIO(data)))
