"""The charts of a sweep: response curves, heat maps, the Pareto front, and shares of variance.

The rows are those of `airtcp.questions.sweep.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEIGHT: Final = 270
_CELL: Final = 34
_MANY: Final = 400
_LABELLED: Final = 80
_LONGEST: Final = 340
"""Pixels of the longest name: names of lines are keys with their values."""


@dataclass(frozen=True)
class Drawn:
    """An axis of a chart."""

    title: str
    numeric: bool
    log: bool
    """Whether the values span more than a factor of 30, all above zero."""


def _place(field: str, axis: Drawn) -> dict[str, Any]:
    if not axis.numeric:
        return {"field": field, "type": "nominal", "title": axis.title, "sort": None}
    scale = (
        alt.Scale(type="log", nice=False, padding=12)
        if axis.log
        else alt.Scale(zero=False, nice=False, padding=12)
    )
    apart = alt.Axis(labelOverlap="greedy", labelSeparation=4)
    return {
        "field": field,
        "type": "quantitative",
        "title": axis.title,
        "scale": scale,
        "axis": apart,
    }


def curve(x: Drawn, title: str, *, joined: bool, bars: bool) -> dict[str, Any]:
    """Draw a measure against a key, a line for each level of another key.

    Args: x: The key. title: Title of the measure. joined: Whether lines join the dots. bars:
        Whether any dot has an interval.
    """
    pick, line = lines("line")
    base = named("points")
    across = alt.X(**_place("x", x))
    up = alt.Y("y:Q", title=title, scale=alt.Scale(zero=False))
    tips = [n("x_text", x.title), n("line", "line"), q("y", title), n("interval", "95 % interval")]
    tips.append(q("points", "points", "d"))
    # All layers have the same legend; dashes would need a second one.
    del line["strokeDash"]
    legend = alt.Legend(title=None, symbolOpacity=1, labelLimit=_LONGEST)
    key = line["color"] = alt.Color(
        "line:N", scale=alt.Scale(range=theme.SERIES), legend=legend, sort=None
    )
    dots = base.mark_point(filled=True, size=44).encode(
        x=across, y=up, color=key, opacity=line["opacity"], tooltip=tips
    )
    # Only numbers can be moved and zoomed.
    view = zoom() if x.numeric else zoom("y")
    layers: list[Any] = [dots.add_params(pick, view)]
    if bars:
        ends = base.mark_rule(strokeWidth=1.4).encode(
            x=across,
            y=alt.Y("low:Q", title=title),
            y2="high:Q",
            color=key,
            opacity=line["opacity"],
        )
        layers.insert(0, ends)
    if joined:
        layers.insert(0, base.mark_line(strokeWidth=2).encode(x=across, y=up, **line))
    chart = alt.layer(*layers)
    return finish(chart, _HEIGHT)


def heat(x: Drawn, y: Drawn, title: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Draw a measure over two keys; each cell has its value and its interval.

    Args: x: The key along. y: The key upwards. title: Title of the measure. rows: The cells.
    """
    cells, high = len(rows), len({row["y_text"] for row in rows})
    values = [row["value"] for row in rows]
    middle = (min(values) + max(values)) / 2
    base = named("points")
    along = alt.X("x_text:N", title=x.title, sort=None, axis=alt.Axis(labelAngle=0))
    up = alt.Y(
        "y_text:N",
        title=y.title,
        sort={"field": "y_order", "order": "descending"},
        axis=alt.Axis(labelLimit=_LONGEST),
    )
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(range=theme.RAMP),
        legend=alt.Legend(title=title, type="gradient"),
    )
    tips = [
        *(n("x_text", x.title), n("y_text", y.title), q("value", title)),
        *(n("interval", "95 % interval"), q("points", "points", "d")),
    ]
    tiles = base.mark_rect().encode(x=along, y=up, color=colour, tooltip=tips)
    chart: Any = tiles
    if cells <= _LABELLED:
        # The ramp ends far from the ink in one scheme, and far from the surface in the other.
        # The first of two lines stands in the middle of the cell without a shift.
        shift = -6 if any("\n" in row["label"] for row in rows) else 0
        letters = base.mark_text(fontSize=10.5, lineBreak="\n", dy=shift).encode(
            x=along,
            y=up,
            text="label:N",
            color=alt.condition(
                f"datum.value > {middle!r}", alt.value(theme.SURFACE), alt.value(theme.INK)
            ),
        )
        chart = alt.layer(tiles, letters)
    return finish(chart, max(_CELL * high, 120))


def scatter(x: Drawn, y: Drawn, title: str) -> dict[str, Any]:
    """Draw the points of a sampled design over two keys, coloured by a measure."""
    tips = [
        n("x_text", x.title),
        n("y_text", y.title),
        q("value", title),
        n("interval", "95 % interval"),
    ]
    dots = (
        named("points")
        .mark_point(filled=True, size=46, opacity=0.85)
        .encode(
            x=alt.X(**_place("x", x)),
            y=alt.Y(**_place("y", y)),
            color=alt.Color(
                "value:Q",
                scale=alt.Scale(range=theme.RAMP),
                legend=alt.Legend(title=title, type="gradient"),
            ),
            tooltip=tips,
        )
    )
    numeric = [name for name, axis in (("x", x), ("y", y)) if axis.numeric]
    return finish(dots.add_params(zoom(*numeric)) if numeric else dots, _HEIGHT)


def pareto(goodput: str, delay: str, waste: str, points: int) -> dict[str, Any]:
    """Draw goodput against delay; colour is waste, and rings mark the front.

    Args: goodput: Title of the goodput. delay: Title of the delay. waste: Title of the waste; empty
        without one. points: Number of points.
    """
    tips = [n("at", "point"), q("goodput", goodput), q("delay", delay)]
    tips += [q("waste", waste)] if waste else []
    across = alt.X("delay:Q", title=delay, scale=alt.Scale(zero=False, padding=12))
    up = alt.Y("goodput:Q", title=goodput, scale=alt.Scale(zero=False, padding=12))
    colour: dict[str, Any] = {"color": alt.value(theme.TRACE)}
    if waste:
        key = alt.Legend(title=waste, type="gradient")
        colour = {"color": alt.Color("waste:Q", scale=alt.Scale(range=theme.RAMP), legend=key)}
    base = named("points")
    dots = base.mark_point(filled=True, size=48 if points <= _MANY else 20, opacity=0.8)
    front = base.transform_filter("datum.front").mark_point(
        size=110, strokeWidth=1.8, color=theme.INK
    )
    chart = alt.layer(
        dots.encode(x=across, y=up, tooltip=tips, **colour).add_params(zoom()),
        front.encode(x=across, y=up, tooltip=tips),
    )
    return finish(chart, 320)


def shares(keys: int, *, total: bool, ends: bool) -> dict[str, Any]:
    """Draw the share of the variance of each measure that each key explains.

    Args: keys: Number of keys. total: Whether there are total indices. ends: Whether any share has
        an interval.
    """
    x = alt.X(
        "share:Q",
        title="share of the variance",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format=".0%"),
    )
    y = alt.Y(
        "key:N", title=None, sort=None, axis=alt.Axis(labelColor=theme.INK, labelLimit=_LONGEST)
    )
    row = alt.YOffset("what:N", sort=None) if total else None
    base = named("points").transform_filter("isValid(datum.share)")
    both: dict[str, Any] = {"x": x, "y": y} | ({"yOffset": row} if row is not None else {})
    both["color"] = alt.Color(
        "what:N",
        scale=alt.Scale(range=theme.SERIES),
        legend=alt.Legend(title=None) if total else None,
        sort=None,
    )
    bars = base.mark_bar(height=9 if total else 12).encode(
        tooltip=[n("key", "key"), n("what", "index"), q("share", "share", ".1%")], **both
    )
    height = (40 if total else 26) * keys + 20
    if not ends:
        return finish(bars, height)
    span: dict[str, Any] = {"x": alt.X("low:Q"), "x2": "high:Q", "color": alt.value(theme.INK)}
    lines_of = base.mark_rule(color=theme.INK).encode(**(both | span))
    return finish(alt.layer(bars, lines_of), height)
