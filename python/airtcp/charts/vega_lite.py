"""Builds Vega-Lite specifications from parts: charts, channels, parameters.

A part is a dictionary with the keys of the Vega-Lite schema (version 6), under the name that the
schema gives it. A chart changes nothing in place: each method returns another chart. Only what the
charts of airtcp use is here; the names are those of altair, with which tests compare the result.
"""

from __future__ import annotations

import copy
import re
from typing import Any, Final, Self, cast

_TYPES: Final = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
_SHORTHAND: Final = re.compile(
    r"(?:(?P<aggregate>\w+)\((?P<of>[^()]*)\)|(?P<field>[^:()]*))(?::(?P<type>[QNOT]))?"
)
_SECOND: Final = {"x2", "y2"}
"""Channels that share the type of another channel."""

Part = dict[str, Any]


class Scale(Part):
    """How values become positions, colours or sizes."""


class Axis(Part):
    """An axis."""


class Legend(Part):
    """The key of a channel."""


class OverlayMarkDef(Part):
    """Points on a line."""


class NamedData(Part):
    """Data that the page fills in under this name."""

    def __init__(self, name: str) -> None:
        """Hold the name."""
        super().__init__(name=name)


class Data(Part):
    """Data in the specification; `values` are its rows."""


class Parameter(Part):
    """A variable or a selection."""

    empty: bool | None = None
    """Whether a selection of nothing selects everything; the conditions of a selection say so."""


class Channel(Part):
    """A field, a value or a datum, and how it is shown."""

    def __init__(self, shorthand: str | None = None, /, **keys: Any) -> None:
        """Hold a channel.

        Args:
            shorthand: `FIELD:TYPE` or `AGGREGATE(FIELD):TYPE`; the type is Q, N, O or T.
            **keys: Keys of the Vega-Lite schema.
        """
        super().__init__(**({} if shorthand is None else _parsed(shorthand)), **keys)

    def legend(self, legend: Legend | None) -> Self:
        """Return the same channel with another legend."""
        return type(self)(**{**self, "legend": legend})


class X(Channel):
    """The horizontal position."""


class Y(Channel):
    """The vertical position."""


class Y2(Channel):
    """The other end of a vertical range."""


class YOffset(Channel):
    """The place within a band of the vertical position."""


class Color(Channel):
    """The colour."""


class Fill(Channel):
    """The colour of the inside."""


class Stroke(Channel):
    """The colour of the outline."""


class StrokeDash(Channel):
    """The dashes of a line."""


class Shape(Channel):
    """The shape of a point."""


class Size(Channel):
    """The size of a mark."""


class Order(Channel):
    """The order of marks that lie on each other."""


class Tooltip(Channel):
    """A line of the text that appears beside the pointer."""


def _parsed(shorthand: str) -> Part:
    """Return the keys that a shorthand stands for.

    >>> _parsed("mean(rate):Q")
    {'aggregate': 'mean', 'field': 'rate', 'type': 'quantitative'}
    """
    found = _SHORTHAND.fullmatch(shorthand)
    if found is None:
        message = f'"{shorthand}" is no FIELD:TYPE'
        raise ValueError(message)
    field = found["of"] if found["aggregate"] else found["field"]
    keys = {"aggregate": found["aggregate"], "field": field, "type": _TYPES.get(found["type"])}
    return {key: value for key, value in keys.items() if value}


def value(of: Any) -> Part:
    """Return a channel with the same value for every mark."""
    return {"value": of}


def datum(of: Any) -> Part:
    """Return a channel with a value on the scale of the data."""
    return {"datum": of}


def condition(test: str, then: Part, otherwise: Part) -> Part:
    """Choose between two values of a channel by an expression."""
    return {"condition": {"test": test, **then}, **otherwise}


class when:  # noqa: N801 - the name that altair gives it
    """Choose between two values of a channel by a selection: `when(pick).then(a).otherwise(b)`."""

    def __init__(self, selection: Parameter) -> None:
        """Hold the selection."""
        self._condition: Part = {"param": selection["name"]}
        if selection.empty is not None:
            self._condition["empty"] = selection.empty

    def then(self, chosen: Part) -> when:
        """Set the value of what is selected."""
        self._condition |= chosen
        return self

    def otherwise(self, other: Part) -> Part:
        """Return the channel."""
        return {"condition": [self._condition], **other}


def param(*, name: str, value: Any) -> Parameter:
    """Return a variable."""
    return Parameter(name=name, value=value)


def selection_point(*, name: str, bind: str | None = None, **keys: Any) -> Parameter:
    """Return a selection of single values."""
    return _selection("point", name, bind, keys)


def selection_interval(*, name: str, bind: str | None = None, **keys: Any) -> Parameter:
    """Return a selection of a range."""
    return _selection("interval", name, bind, keys)


def _selection(kind: str, name: str, bind: str | None, keys: Part) -> Parameter:
    empty = keys.pop("empty", None)
    found = Parameter(name=name, select={"type": kind, **keys})
    found.empty = empty
    if bind is not None:
        found["bind"] = bind
    return found


class _Top:
    """What charts and layers have in common."""

    def __init__(self, spec: Part) -> None:
        self._spec = spec

    def _with(self, **keys: Any) -> Self:
        return type(self)({**self._spec, **keys})

    def properties(self, **keys: Any) -> Self:
        """Set keys of the specification, such as `width`."""
        return self._with(**keys)

    def resolve_scale(self, **channels: str) -> Self:
        """Say which channels of layers have scales of their own."""
        return self._with(resolve={"scale": channels})

    def to_dict(self) -> Part:
        """Return the specification."""
        return copy.deepcopy(self._spec)


class Chart(_Top):
    """A mark for each row of the data."""

    def __init__(self, data: Part) -> None:
        """Begin a chart of these data, or of a specification that holds its data."""
        super().__init__(data if "data" in data else {"data": data})

    def encode(self, **channels: Any) -> Self:
        """Add channels, as parts, as lists of them, or as shorthands."""
        known: Part = self._spec.get("encoding", {})
        added = {name: _channel(name, of) for name, of in channels.items()}
        return self._with(encoding=known | added)

    def add_params(self, *parameters: Parameter) -> Self:
        """Add selections or variables."""
        return self._with(params=[*self._spec.get("params", []), *parameters])

    def _mark(self, kind: str, keys: Part) -> Self:
        return self._with(mark={"type": kind, **keys})

    def mark_area(self, **keys: Any) -> Self:
        """Draw areas."""
        return self._mark("area", keys)

    def mark_bar(self, **keys: Any) -> Self:
        """Draw bars."""
        return self._mark("bar", keys)

    def mark_circle(self, **keys: Any) -> Self:
        """Draw filled circles."""
        return self._mark("circle", keys)

    def mark_line(self, **keys: Any) -> Self:
        """Draw lines."""
        return self._mark("line", keys)

    def mark_point(self, **keys: Any) -> Self:
        """Draw points."""
        return self._mark("point", keys)

    def mark_rect(self, **keys: Any) -> Self:
        """Draw rectangles."""
        return self._mark("rect", keys)

    def mark_rule(self, **keys: Any) -> Self:
        """Draw straight lines."""
        return self._mark("rule", keys)

    def mark_text(self, **keys: Any) -> Self:
        """Draw texts."""
        return self._mark("text", keys)

    def mark_tick(self, **keys: Any) -> Self:
        """Draw short lines."""
        return self._mark("tick", keys)

    def _transform(self, *more: Part) -> Self:
        return self._with(transform=[*self._spec.get("transform", []), *more])

    def transform_filter(self, test: str) -> Self:
        """Keep the rows for which an expression is true."""
        return self._transform({"filter": test})

    def transform_calculate(self, **fields: str) -> Self:
        """Add fields from expressions."""
        return self._transform(*({"calculate": of, "as": name} for name, of in fields.items()))

    def transform_flatten(self, fields: list[str]) -> Self:
        """Make a row of each element of fields that hold lists."""
        return self._transform({"flatten": fields})

    def transform_window(self, *, sort: list[Part], frame: list[int | None], **fields: str) -> Self:
        """Add aggregates over the rows around each, such as `sum(count)`, in an order."""
        return self._transform({"window": _aggregates(fields), "sort": sort, "frame": frame})

    def transform_joinaggregate(self, **fields: str) -> Self:
        """Add aggregates over all rows, such as `least="min(rate)"`, to each row."""
        return self._transform({"joinaggregate": _aggregates(fields)})


def _aggregates(fields: Part) -> list[Part]:
    found = [(name, _parsed(of)) for name, of in fields.items()]
    return [{"op": of["aggregate"], "field": of["field"], "as": name} for name, of in found]


def _channel(name: str, of: Any) -> Any:
    if isinstance(of, list):
        return [_channel(name, one) for one in cast("list[Any]", of)]
    found = Channel(of) if isinstance(of, str) else of
    return {k: v for k, v in found.items() if k != "type"} if name in _SECOND else found


class LayerChart(_Top):
    """Charts on each other."""

    def add_params(self, *parameters: Parameter) -> Self:
        """Add selections, which the first layer makes, and variables."""
        first, *rest = self._spec["layer"]
        selections = [one for one in parameters if "select" in one]
        variables = [one for one in parameters if "select" not in one]
        if selections:
            first = first | {"params": [*first.get("params", []), *selections]}
        known = [*self._spec.get("params", []), *variables]
        return self._with(layer=[first, *rest], **({"params": known} if known else {}))


def layer(*charts: Chart | LayerChart) -> LayerChart:
    """Put charts on each other; data that all of them share belong to the whole."""
    specs = [chart.to_dict() for chart in charts]
    shared = specs[0].get("data") if specs else None
    if shared is None or any(spec.get("data") != shared for spec in specs):
        return LayerChart({"layer": specs})
    return LayerChart({"layer": [_without(spec, "data") for spec in specs], "data": shared})


def _without(spec: Part, key: str) -> Part:
    return {name: of for name, of in spec.items() if name != key}
