"""The parts of charts: named data, tooltips, zoom and the colour ramp.

Each function of the modules `charts_...` returns a Vega-Lite specification that names its data
(`links`, `models` ...); the page fills in the data, for all links or for the chosen one, and the
colours. Heights are fixed, widths follow the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.words import columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEIGHT: Final = 270
_DASHES: Final = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3]]
"""Dashes of lines that share a colour: with the colours, as many as `run_rows.MAX_NAMES`."""
_RATE: Final = re.compile(r"(packets/s|[kM]b/s)\b(?! ?,)")


def finish(chart: Any, height: int = HEIGHT) -> dict[str, Any]:
    """Turn a chart into a specification that the page completes."""
    spec: dict[str, Any] = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    spec.pop("$schema", None)
    return spec


def assume(charts: Mapping[str, Any], note: str) -> dict[str, Any]:
    """Add a note to the title of every axis and tooltip that shows a rate.

    >>> assume({"a": {"y": {"title": "goodput (packets/s)"}}}, "slot 10 ms assumed")
    {'a': {'y': {'title': 'goodput (packets/s, slot 10 ms assumed)'}}}
    """

    def noted(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            found = cast("dict[str, Any]", value)
            return {name: noted(part, name) for name, part in found.items()}
        if isinstance(value, list):
            return [noted(part, key) for part in cast("list[Any]", value)]
        if key == "title" and isinstance(value, str):
            return _RATE.sub(lambda unit: f"{unit[0]}, {note}", value)
        return value

    return noted(dict(charts)) if note else dict(charts)


def zoom(*encodings: str) -> alt.Parameter:
    """Drag to move, Shift and wheel to zoom: the plain wheel scrolls the page, as everywhere."""
    return alt.selection_interval(
        name="view",
        bind="scales",
        encodings=list(encodings or ("x", "y")),  # pyright: ignore[reportArgumentType]
        zoom="wheel![event.shiftKey]",
        clear="dblclick",
    )


def q(field: str, title: str, fmt: str = ".3~r") -> alt.Tooltip:
    """Return a tooltip for a quantity."""
    return alt.Tooltip(field=field, type="quantitative", title=title, format=fmt)


def spread(field: str, title: str, ends: str | None = None) -> list[alt.Tooltip]:
    """Return tooltips for a quantity and the ends of its interval.

    Args: field: The quantity. title: Its title. ends: What the fields of the ends begin with; by
        default the quantity.
    """
    before = f"{field}_" if ends is None else ends
    return [q(field, title), q(f"{before}low", "from"), q(f"{before}high", "to")]


def n(field: str, title: str) -> alt.Tooltip:
    """Return a tooltip for a name."""
    return alt.Tooltip(field=field, type="nominal", title=title)


def named(name: str) -> alt.Chart:
    """Begin a chart of the page's data under this name."""
    return alt.Chart(alt.NamedData(name))


def crosses(
    base: alt.Chart, place: tuple[alt.X, alt.Y], fields: tuple[str, str], colour: Any
) -> list[Any]:
    """Draw the intervals of points in both directions.

    Args:
        base: The data: each field with its ends, `_low` and `_high`.
        place: Where the points stand.
        fields: The names before `_low` and `_high`, across and up.
        colour: The colour of the points.
    """
    x, y = place
    across, up = fields
    ends = base.mark_rule(strokeWidth=1.3, opacity=0.7)
    return [
        ends.encode(x=alt.X(f"{across}low:Q"), x2=f"{across}high:Q", y=y, color=colour),
        ends.encode(x=x, y=alt.Y(f"{up}low:Q"), y2=f"{up}high:Q", color=colour),
    ]


def lines(who: str) -> tuple[alt.Parameter, dict[str, Any]]:
    """Draw a line for each name; a name in the key shows it alone.

    Args: who: The field with the names.

    Returns:
        The parameter of the chart, and the encodings of colour, dash and opacity.
    """
    pick = alt.selection_point(name="pick", fields=[who], bind="legend")
    key = alt.Legend(title=None, symbolOpacity=1, symbolSize=240)
    # Colours repeat: the seventh line has the first colour and another dash.
    dashes = [dash for dash in _DASHES for _ in theme.SERIES]
    return pick, {
        "color": alt.Color(f"{who}:N", scale=alt.Scale(range=theme.SERIES), legend=key, sort=None),
        "strokeDash": alt.StrokeDash(
            f"{who}:N", scale=alt.Scale(range=dashes), legend=key, sort=None
        ),
        "opacity": alt.when(pick).then(alt.value(1)).otherwise(alt.value(0.08)),
    }


def ramp(field: str, title: str, *, legend: bool = True) -> alt.Color:
    """Colour by a share from 0 to 1; values beyond have the colour of the end.

    Args: field: The field with the share. title: Heading of the legend. legend: Whether there is
        one.
    """
    scale = alt.Scale(domain=[0, 1], clamp=True, range=theme.RAMP)
    key = alt.Legend(title=title, type="gradient", format=".1f") if legend else None
    return alt.Color(f"{field}:Q", scale=scale, legend=key)


def studied(key: str) -> str:
    """Return the axis title of a metric of studied links."""
    return columns.studied()[key].label


def rounded(value: Any) -> Any:
    """Keep five significant digits: a plot shows three, a table four."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    return value


def thin(values: Sequence[float], others: Sequence[float], keep: int) -> list[list[float]]:
    """Thin a curve to about `keep` points, with the low and high of every stretch.

    >>> thin([0, 1, 2, 3], [5, 9, 1, 4], 8)
    [[0, 5], [1, 9], [2, 1], [3, 4]]
    >>> thin(range(1000), [0] * 500 + [7] + [0] * 499, 10)[2:4]
    [[400, 0], [500, 7]]
    """
    total = len(values)
    if total <= keep:
        return [[rounded(x), rounded(y)] for x, y in zip(values, others, strict=True)]
    stretch = -(-total // max(keep // 2, 1))
    kept: list[int] = []
    for start in range(0, total, stretch):
        part = range(start, min(start + stretch, total))
        low = min(part, key=others.__getitem__)
        high = max(part, key=others.__getitem__)
        kept += sorted({low, high})
    return [[rounded(values[i]), rounded(others[i])] for i in kept]
