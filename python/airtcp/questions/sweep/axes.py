"""A varied key of a sweep: its paths, its values, and its column in the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

from airtcp.inputs.toml_text import value_text
from airtcp.questions.sweep.errors import found, known, refuse
from airtcp.questions.sweep.file_keys import AXIS_KEYS, MOST_VALUES, SCALES, limits
from airtcp.questions.sweep.quantities import Cell, Span, cell, column_of, quantity

RESERVED: Final = ("key", "replications", "narrow", "kind", "name")
"""Names of other columns of the results."""


@dataclass(frozen=True)
class Axis:
    """A varied key."""

    name: str
    """As in the file: the path, or the name of a table with `key`."""
    paths: tuple[str, ...]
    """Paths of the scenario, as in --set, or `options.NAME`; all get the same value."""
    values: tuple[Any, ...]
    """The values; empty if `span` is sampled."""
    span: Span | None
    dimension: str | None
    """Dimension of the column; None for a column of texts."""

    @property
    def column(self) -> str:
        """The name of the column: that of the axis, with the unit as its ending."""
        ending = f"_{self.dimension}" if self.dimension else ""
        return self.name if self.name.endswith(ending) else self.name + ending

    @property
    def numeric(self) -> bool:
        """True if the column has numbers."""
        return self.dimension is not None

    def sampled(self, share: float) -> Any:
        """Return the value at a share from 0 to 1 of the range, or of the list."""
        if self.span is not None:
            return self.span.at(share)
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def cell(self, value: Any) -> Cell:
        """Return a value as it stands in the column."""
        return cell(value, self.dimension)

    def text(self, value: Any) -> str:
        """Return a value as --set takes it."""
        return value_text(value)


def axis_of(name: str, given: Any, *, grid: bool) -> Axis:
    """Read an entry of [vary].

    Args: name: Its key. given: Its value. grid: Whether a range needs `steps`.

    Raises:
        AirtcpError: If it is neither a list nor a range.
    """
    place = f"vary.{name}"
    if name in RESERVED:
        refuse(place, f'"{name}" is a column of the results; give another name')
    if isinstance(given, list):
        return _listed(name, (name,), cast("list[Any]", given), place)
    if not isinstance(given, dict):
        refuse(place, f"found {found(given)}; expected a list, or a range {{ from, to, steps }}")
    table = cast("dict[str, Any]", given)
    known(place, table, AXIS_KEYS)
    key = table.get("key", name)
    paths: list[Any] = cast("list[Any]", key) if isinstance(key, list) else [key]
    if not paths or not all(isinstance(path, str) and path for path in paths):
        refuse(f"{place}.key", f"found {found(key)}; expected a path, or a list of paths")
    if "values" in table:
        return _valued(name, tuple(paths), table, place)
    return _ranged(name, tuple(paths), table, place, grid=grid)


def _valued(name: str, paths: tuple[str, ...], table: dict[str, Any], place: str) -> Axis:
    if extra := sorted(set(table) - {"key", "values"}):
        refuse(f"{place}.{extra[0]}", "stands beside `values`; expected a list or a range")
    values = table["values"]
    if not isinstance(values, list):
        refuse(f"{place}.values", f"found {found(values)}; expected a list")
    return _listed(name, paths, cast("list[Any]", values), place)


def _ranged(
    name: str, paths: tuple[str, ...], table: dict[str, Any], place: str, *, grid: bool
) -> Axis:
    span = _span(table, place)
    steps = table.get("steps")
    if not grid:
        if steps is not None:
            refuse(f"{place}.steps", "the design chooses the values; remove the key")
        return Axis(name, paths, (), span, span.low.dimension)
    least, most = limits(AXIS_KEYS, "steps")
    if isinstance(steps, bool) or not isinstance(steps, int) or not least <= steps <= most:
        was = "missing" if steps is None else f"found {found(steps)}"
        refuse(f"{place}.steps", f"{was}; expected a whole number from {least} to {most}")
    return Axis(name, paths, tuple(span.steps(steps)), None, span.low.dimension)


def _listed(name: str, paths: tuple[str, ...], values: list[Any], place: str) -> Axis:
    if not 1 <= len(values) <= MOST_VALUES:
        refuse(place, f"has {len(values)} values; expected 1 to {MOST_VALUES}")
    return Axis(name, paths, tuple(values), None, column_of(values))


def _span(table: dict[str, Any], place: str) -> Span:
    ends = [(key, quantity(table.get(key))) for key in ("from", "to")]
    for key, end in ends:
        if end is None:
            was = "missing" if key not in table else f"found {found(table[key])}"
            refuse(f"{place}.{key}", f'{was}; expected a number, or a quantity such as "10 ms"')
    low, high = (cast("Any", end) for _, end in ends)
    if low.dimension != high.dimension or bool(low.unit) != bool(high.unit):
        said = f"{table['to']} and {table['from']} have different units; write both alike"
        refuse(f"{place}.to", said)
    if low.si >= high.si:
        refuse(f"{place}.to", f"is {table['to']}; expected more than `from` ({table['from']})")
    scale = table.get("scale", "linear")
    if scale not in SCALES:
        refuse(f"{place}.scale", f'found {found(scale)}; expected "linear" or "log"')
    if scale == "log" and low.si <= 0:
        refuse(f"{place}.from", f"is {table['from']}; expected more than 0 with a log scale")
    whole = all(isinstance(table[key], int) for key in ("from", "to"))
    return Span(low, high, scale == "log", whole)
