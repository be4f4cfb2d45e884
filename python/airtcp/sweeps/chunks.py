"""Chunks of results: Parquet files that appear whole or not at all."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, Final

from airtcp.sweeps.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from airtcp.sweeps.plan import Plan

Column = tuple[str, str | None]
"""Name and type (`text`, `number`, `count`, `flag`); without a type, that of the values."""
KEY: Final = "key"
HIDDEN: Final = ".part-"
_MARK: Final = b"PAR1"
_LEAST: Final = 12
"""Bytes of the marks and the length of the footer."""


def columns_of(plan: Plan) -> list[Column]:
    """Return the columns of the results: key, axes, replications, subject, measures."""
    columns: list[Column] = [(KEY, "text")]
    columns += [(axis.column, "number" if axis.numeric else "text") for axis in plan.sweep.axes]
    columns += [("replications", "count"), ("narrow", "flag"), ("kind", "text"), ("name", "text")]
    for name in plan.sweep.measures:
        columns += [(name + ending, "number") for ending in ("", "_ci_low", "_ci_high")]
    return columns


def write_chunk(path: Path, columns: Sequence[Column], rows: Any) -> None:
    """Write a chunk.

    Args: path: The file. columns: Its columns; none if `rows` is a table of arro3. rows: The rows.
    """
    from airtcp.table import Table

    table = Table(_table(columns, rows) if columns else rows)
    # Some readers take hidden files too: only the final name ends in .parquet.
    part = path.with_name(HIDDEN + path.stem)
    with part.open("wb") as file:
        table.write_parquet(file)
        file.flush()
        os.fsync(file.fileno())
    part.rename(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Force a new name to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _table(columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> Any:
    from arro3.core import Array, DataType, Table

    types: dict[str, Any] = {
        "text": DataType.utf8(),
        "number": DataType.float64(),
        "count": DataType.int64(),
        "flag": DataType.bool(),
    }
    made: dict[str, Any] = {}
    for (name, kind), values in zip(columns, zip(*rows, strict=True), strict=True):
        made[name] = Array(list(values), type=types[kind or _kind(values)])
    make: Any = Table.from_pydict  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return make(made)


def _kind(values: Sequence[Any]) -> str:
    """Return the type of a column from its first value."""
    first = next((value for value in values if value is not None), 0.0)
    if isinstance(first, bool):
        return "flag"
    if isinstance(first, int):
        return "count"
    return "text" if isinstance(first, str) else "number"


def read_chunk(path: Path) -> Any:
    """Read a chunk as a table of arro3.

    Raises:
        AirtcpError: If the file is damaged, or is no chunk of a sweep.
    """
    from arro3.io import read_parquet

    whole = path.read_bytes()
    # The library panics on a file without these marks at its ends.
    framed = len(whole) >= _LEAST and whole[:4] == whole[-4:] == _MARK
    table: Any = None
    if framed:
        # A file that is open while it is read would stay open as long as the table.
        try:
            table = read_parquet(io.BytesIO(whole)).read_all()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # noqa: BLE001 - a panic of the library is no ordinary exception
            table = None
    if table is None or KEY not in table.column_names:
        refuse(str(path), "not a chunk of a sweep: remove the file, and its points run again")
    return table


def keys_in(table: Any) -> list[str]:
    """Return the key of each row."""
    return table.column(KEY).to_pylist()


def select(
    table: Any,
    keys: Sequence[str],
    wanted: Collection[str],
    columns: Sequence[Column],
    cells: Mapping[str, Mapping[str, Any]],
) -> list[tuple[Any, ...]]:
    """Return the rows of some points, with the given columns.

    Args: table: The chunk. keys: The key of each row. wanted: The points. columns: The columns.
        cells: Values of the axes by key, where they replace those of the chunk.
    """
    there = set(table.column_names)
    read = {name: table.column(name).to_pylist() for name, _ in columns if name in there}
    found: list[tuple[Any, ...]] = []
    for i, key in enumerate(keys):
        if key in wanted:
            own = cells.get(key, {})
            found.append(
                tuple(
                    own[name] if name in own else (read[name][i] if name in read else None)
                    for name, _ in columns
                )
            )
    return found
