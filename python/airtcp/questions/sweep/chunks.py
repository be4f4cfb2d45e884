"""Chunks of results: Parquet files that appear whole or not at all.

The name of a chunk is its number and a digest of its bytes, `00000001-1f0c3b9a52d7e864.parquet`. A
reader compares the two, because Parquet itself finds few of the bits that a disk or a copy changes.
"""

from __future__ import annotations

import hashlib
import io
import os
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.sweep.errors import refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from airtcp.questions.sweep.plan import Plan

Column = tuple[str, str | None]
"""Name and type (`text`, `number`, `count`, `flag`); without a type, that of the values."""
KEY: Final = "key"
HIDDEN: Final = ".part-"
_DIGITS: Final = 16
"""Hexadecimal digits of SHA-256 in a name: another content has the same once in 2**64 times."""


def columns_of(plan: Plan) -> list[Column]:
    """Return the columns of the results: key, axes, replications, subject, measures."""
    columns: list[Column] = [(KEY, "text")]
    columns += [(axis.column, "number" if axis.numeric else "text") for axis in plan.sweep.axes]
    columns += [("replications", "count"), ("narrow", "flag"), ("kind", "text"), ("name", "text")]
    for name in plan.sweep.measures:
        columns += [(name + ending, "number") for ending in ("", "_ci_low", "_ci_high")]
    return columns


def write_chunk(folder: Path, number: int, columns: Sequence[Column], rows: Any) -> Path:
    """Write a chunk.

    Args: folder: Its folder. number: Its number. columns: Its columns; none if `rows` is a table of
        arro3. rows: The rows.

    Returns:
        The file.
    """
    from airtcp.data.table import Table

    table = Table(_table(columns, rows) if columns else rows)
    packed = io.BytesIO()
    table.write_parquet(packed)
    whole = packed.getvalue()
    # Some readers take hidden files too: only the final name ends in .parquet.
    part = folder / f"{HIDDEN}{number:08d}"
    with part.open("wb") as file:
        file.write(whole)
        file.flush()
        os.fsync(file.fileno())
    path = folder / f"{number:08d}-{_digest(whole)}.parquet"
    part.rename(path)
    _settle(folder)
    return path


def number_of(path: Path) -> int:
    """Return the number of a chunk; 0 if its name is none of ours."""
    number = path.stem.partition("-")[0]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _digest(whole: bytes) -> str:
    return hashlib.sha256(whole).hexdigest()[:_DIGITS]


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

    # A file that is open while it is read would stay open as long as the table.
    whole = path.read_bytes()
    if path.stem.partition("-")[2] != _digest(whole):
        refuse(
            str(path),
            "not a chunk as a sweep wrote it: its bytes do not have the digest that its name says; "
            "remove the file, and its points run again",
        )
    try:
        table: Any = read_parquet(io.BytesIO(whole)).read_all()
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


def stored(
    folder: Path,
) -> Callable[[Sequence[str], Collection[str] | None], Iterator[dict[str, Any]]]:
    """Return what reads columns of the chunks in a folder, row by row.

    Returns:
        A function of the names of columns, and of the keys of points if only these are wanted.
    """

    def read(names: Sequence[str], keys: Collection[str] | None) -> Iterator[dict[str, Any]]:
        for path in sorted(folder.glob("*.parquet")):
            table = read_chunk(path)
            known = table.column(KEY).to_pylist()
            if keys is not None and not set(known) & set(keys):
                continue
            columns = [table.column(name).to_pylist() for name in names]
            for key, *row in zip(known, *columns, strict=True):
                if keys is None or key in keys:
                    yield dict(zip(names, row, strict=True))

    return read
