"""Values of the varied keys: texts with a unit as numbers in SI units, and ranges between two.

Units are those of a scenario (`crates/units`). A text with another unit stays a text: only the
scenario decides whether a value is valid.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.inputs.toml_text import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_SCALES: Final[dict[str, dict[str, float]]] = {
    "": {"%": 0.01},
    "s": {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0},
    "bps": {
        prefix + unit: scale
        for prefix, scale in (("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9))
        for unit in ("b/s", "bit/s", "bps")
    },
    "bytes": {
        "B": 1.0,
        "byte": 1.0,
        "bytes": 1.0,
        "kB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "KiB": 1024.0,
        "MiB": 1024.0**2,
        "GiB": 1024.0**3,
    },
}
"""Units by dimension. The dimension is the ending of a column's name."""
_UNITS: Final = {
    unit: (dimension, scale) for dimension, of in _SCALES.items() for unit, scale in of.items()
}
_QUANTITY: Final = re.compile(r"\s*([+-]?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*(\S*)\s*")
_DIGITS: Final = 12
"""Significant digits of the values within a range."""

Cell = float | str
"""A value in a column of the results."""


@dataclass(frozen=True)
class Quantity:
    """A number with its unit."""

    number: float
    unit: str

    @property
    def dimension(self) -> str:
        """The dimension, as the ending of a column's name; empty for a plain number."""
        return _UNITS[self.unit][0] if self.unit else ""

    @property
    def si(self) -> float:
        """The value in SI units."""
        if not self.unit:
            return self.number
        scale = _UNITS[self.unit][1]
        # A division by a power of ten rounds once, a product with its inverse twice.
        return self.number / round(1 / scale) if scale < 1 else self.number * scale


def quantity(value: Any) -> Quantity | None:
    """Read a number, or a text of a number and a unit; None for any other value.

    >>> quantity("20 ms").si, quantity("1 %").si, quantity(3).dimension, quantity("cubic")
    (0.02, 0.01, '', None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Quantity(value, "") if math.isfinite(value) else None
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if found is None or (found[2] and found[2] not in _UNITS):
        return None
    number = float(found[1].replace("_", ""))
    return Quantity(number, found[2]) if math.isfinite(number) else None


def column_of(values: Sequence[Any]) -> str | None:
    """Return the ending of the column of these values if all are quantities of one dimension.

    >>> column_of(["10 ms", "1 s"]), column_of([0.01, "2 %"]), column_of(["10 ms", 3])
    ('s', '', None)
    """
    found = [quantity(value) for value in values]
    dimensions = {one.dimension for one in found if one is not None}
    return dimensions.pop() if None not in found and len(dimensions) == 1 else None


def cell(value: Any, dimension: str | None) -> Cell:
    """Return a value as it stands in its column.

    Args: value: The value. dimension: The dimension of the column; None if it is a column of texts.

    >>> cell("20 ms", "s"), cell(True, None), cell({"kind": "red"}, None)
    (0.02, 'true', '{ "kind" = "red" }')
    """
    found = quantity(value) if dimension is not None else None
    return value_text(value) if found is None else float(found.si)


@dataclass(frozen=True)
class Span:
    """A range of values between two quantities."""

    low: Quantity
    high: Quantity
    log: bool
    whole: bool
    """Whether the values are whole numbers: both ends are."""

    def at(self, share: float) -> float | int | str:
        """Return the value at a share of the range, in the unit of its beginning.

        >>> Span(Quantity(10, "ms"), Quantity(1, "s"), log=True, whole=False).at(0.5)
        '100 ms'
        >>> Span(Quantity(1, ""), Quantity(10, ""), log=False, whole=True).at(0.5)
        6
        """
        low, high = self.low.number, self.high.number
        if self.high.unit != self.low.unit:
            high = self.high.si / Quantity(1, self.low.unit).si
        if self.log:
            # math.log and math.exp differ between C libraries in the last digit, which is cut off.
            value = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            value = low + share * (high - low)
        if self.whole:
            return math.floor(value + 0.5)
        text = f"{value:.{_DIGITS}g}"
        return f"{text} {self.low.unit}" if self.low.unit else float(text)

    def steps(self, number: int) -> list[float | int | str]:
        """Return values at equal steps, with both ends; equal values stand once."""
        found = [self.at(i / (number - 1)) for i in range(number)]
        return list(dict.fromkeys(found))
