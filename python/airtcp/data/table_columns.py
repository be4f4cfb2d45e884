"""Typed columns made of Python values.

A column is of texts, flags, whole numbers or real numbers. Its type is declared, or inferred from
all of its values. A missing value is None.
"""

from __future__ import annotations

import numbers
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from arro3.core import Array, DataType
from arro3.core import Table as Arrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1
_MOST_UNSIGNED: Final = (1 << 64) - 1
_EXPECTED: Final = "expected text, True or False, numbers, or None"
_DECLARED: Final = "str, bool, int or float"


def of_rows(rows: Iterable[Mapping[str, Any]], types: Mapping[str, type] | None) -> Arrow:
    """Make an Arrow table of rows, as `Table.from_rows` does."""
    held = list(rows)
    declared = types or {}
    names = dict.fromkeys(chain(declared, *held))
    return of_columns({name: [row.get(name) for row in held] for name in names}, declared)


def of_columns(columns: Mapping[str, Sequence[Any]], types: Mapping[str, type] | None) -> Arrow:
    """Make an Arrow table of columns, as `Table.from_columns` does."""
    declared = types or {}
    for name in cast("Iterable[object]", columns):
        if not isinstance(name, str):
            message = f"column {name!r}: the name is of type {type(name).__name__}; expected text"
            raise TypeError(message)
    names = [str(_text(name)) for name in columns]
    checked(names)
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        found = ", ".join(f'"{name}" has {len(values)}' for name, values in columns.items())
        message = f"columns need equally many values, but {found}"
        raise ValueError(message)
    arrays = [_array(name, values, declared.get(name)) for name, values in columns.items()]
    return Arrow.from_arrays(arrays, names=names)  # pyright: ignore[reportUnknownMemberType]


def checked(names: Iterable[str]) -> None:
    """Refuse equal names, and a name with NUL: in Arrow's C interface it would end the process."""
    seen: set[str] = set()
    for name in names:
        if "\0" in name:
            message = f"column {name!r}: a name must not hold a NUL character"
            raise ValueError(message)
        if name in seen:
            message = f'two columns have the name "{name}"; expected a name of its own for each'
            raise ValueError(message)
        seen.add(name)


def _array(name: str, values: Sequence[Any], declared: type | None) -> Array:
    kinds: set[type] = {type(value) for value in values if value is not None}
    kind = _common(name, kinds)
    # Numbers are missing more often than texts.
    declared = declared or kind or float
    if kind is not None and kind is not declared and (declared, kind) != (float, int):
        message = f'column "{name}" is declared as {declared.__name__} and holds {kind.__name__}'
        raise TypeError(message)
    if declared is str:
        return Array([_text(value) for value in values], DataType.string())
    if declared is bool:
        return Array([None if value is None else bool(value) for value in values], DataType.bool())
    if declared is int:
        whole = [None if value is None else int(value) for value in values]
        bounds = [value for value in whole if value is not None] or [0]
        if min(bounds) >= _LEAST and max(bounds) <= _MOST:
            return Array(whole, DataType.int64())
        if min(bounds) >= 0 and max(bounds) <= _MOST_UNSIGNED:
            return Array(whole, DataType.uint64())
    elif declared is not float:
        message = f'column "{name}" is declared as {declared.__name__}; expected {_DECLARED}'
        raise TypeError(message)
    return Array([_real(value) for value in values], DataType.float64())


def _common(name: str, kinds: Iterable[type]) -> type | None:
    """Return the type that holds values of all `kinds`."""
    found = {_plain(name, kind) for kind in kinds}
    if found <= {bool, int, float}:
        return next((kind for kind in (float, int, bool) if kind in found), None)
    if found == {str}:
        return str
    names = " and ".join(sorted(kind.__name__ for kind in found))
    message = f'column "{name}" holds {names}; expected values of one type'
    raise TypeError(message)


def _plain(name: str, kind: type) -> type:
    """Return the built-in type of a value; numbers of other libraries are numbers too."""
    if issubclass(kind, str):
        return str
    if issubclass(kind, bool) or kind.__name__ in ("bool", "bool_"):
        return bool
    if issubclass(kind, numbers.Integral):
        return int
    if issubclass(kind, numbers.Real):
        return float
    message = f'column "{name}" holds {kind.__name__}; {_EXPECTED}'
    raise TypeError(message)


def _real(value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _text(value: str | None) -> str | None:
    """Return the text in UTF-8's reach: names of files may hold bytes that are no text."""
    if value is None or value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode()
