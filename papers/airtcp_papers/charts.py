"""The charts of reproduced papers: the results here, with the published points.

A driver describes a plot as layers of rows (`airtcp_papers.outcome`). This module turns it into a
Vega-Lite specification that names its data (`layer0`, `layer1` ..., `published`), which the page
fills in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, ramp, zoom

if TYPE_CHECKING:
    from airtcp_papers.outcome import Axis, Layer, Plot

_HEIGHT: Final = 300
_MANY: Final = 150
_LONG: Final = 20
"""Longest name in a legend with three columns."""
_SHAPES: Final = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"]


def _scale(axis: Axis) -> alt.Scale:
    options: dict[str, Any] = {"nice": axis.scale == "linear", "padding": 8}
    if axis.domain is not None:
        options |= {"domain": list(axis.domain), "nice": False}
    if axis.scale == "linear":
        options["zero"] = False
    return alt.Scale(type=axis.scale, **options)


def _ticks(axis: Axis) -> alt.Axis:
    if axis.percent:
        return alt.Axis(format=".0%")
    if axis.scale == "log":
        # Writes 10k and 3M, but 0.003: "3m" could mean metres or millions.
        plain = "datum.value < 1 ? format(datum.value, '~r') : format(datum.value, '~s')"
        return alt.Axis(labelExpr=plain, values=[10.0**e * m for e in range(-6, 8) for m in (1, 3)])
    return alt.Axis(format="~r")


def _series(plot: Plot) -> list[str]:
    return list(
        dict.fromkeys(
            row["series"]
            for layer in plot.layers
            for row in layer.rows
            if row.get("series") is not None
        )
    )


def _axes(plot: Plot) -> tuple[alt.X, alt.Y]:
    return (
        alt.X("x:Q", title=plot.x.title, scale=_scale(plot.x), axis=_ticks(plot.x)),
        alt.Y("y:Q", title=plot.y.title, scale=_scale(plot.y), axis=_ticks(plot.y)),
    )


def _told(plot: Plot, fields: set[str]) -> list[alt.Tooltip]:
    """Return the tooltips of a plot."""
    told = [n("label", "what")] if "label" in fields else []
    told += [n("series", "series")] if "series" in fields else []
    told += [q("x", plot.x.title), q("y", plot.y.title)]
    return [*told, q("shade", plot.shaded)] if plot.shaded and "shade" in fields else told


def _by_series(layer: Layer, names: list[str]) -> dict[str, Any]:
    """Distinguish the series by colour, and points by shape as well."""
    legend = None
    if len(names) > 1:
        columns = 2 if max(map(len, names)) > _LONG else 3
        legend = alt.Legend(title=None, columns=columns, labelLimit=400, symbolOpacity=1)

    def scale(values: list[str]) -> dict[str, Any]:
        ranged = [values[i % 6] for i in range(len(names))]
        return {"scale": alt.Scale(domain=names, range=ranged), "legend": legend}

    found: dict[str, Any] = {"color": alt.Color("series:N", **scale(theme.SERIES))}
    if layer.mark == "point":
        found["shape"] = alt.Shape("series:N", **scale(_SHAPES))
    return found


def _drawn(plot: Plot, layer: Layer, data: str, names: list[str]) -> Any:
    fields = {name for row in layer.rows for name in row}
    x, y = _axes(plot)
    encoding: dict[str, Any] = {"x": x, "y": y}
    tooltip = _told(plot, fields)
    if plot.shaded and "shade" in fields:
        encoding["color"] = ramp("shade", plot.shaded)
    elif "series" in fields:
        encoding |= _by_series(layer, names)
    base = named(data)
    if layer.mark == "rule":
        return base.mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2).encode(
            x=x, y=y, detail="detail:N"
        )
    if layer.mark == "band":
        encoding["y2"] = alt.Y2("y2:Q")
        return base.mark_area(opacity=0.18).encode(**encoding)
    if layer.mark == "line":
        return base.mark_line(strokeWidth=2, clip=True).encode(**encoding, tooltip=tooltip)
    if layer.mark == "step":
        marked = base.mark_line(interpolate="step-after", strokeWidth=1.8, clip=True)
        return marked.encode(**encoding, tooltip=tooltip)
    size = 52 if len(layer.rows) <= _MANY else 22
    points = base.mark_point(filled=True, size=size, opacity=0.8).encode(
        **encoding, tooltip=tooltip
    )
    if not {"low", "high"} <= fields:
        return points
    bars = base.mark_rule(strokeWidth=1.4).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q", color=encoding.get("color", alt.value(theme.TRACE))
    )
    return alt.layer(bars, points)


def _published(plot: Plot, points: list[dict[str, Any]]) -> Any:
    """Draw published values: a diamond, or a line where only one coordinate was published."""
    x, y = _axes(plot)
    base = named("published")
    layers: list[Any] = []
    if any(point["x"] is not None and point["y"] is not None for point in points):
        whole = base.transform_filter("isValid(datum.x) && isValid(datum.y)")
        mark = whole.mark_point(
            shape="diamond", size=150, filled=False, strokeWidth=2.4, color=theme.INK, opacity=1
        )
        layers.append(mark.encode(x=x, y=y, tooltip=[n("label", "published")]))
    said = [n("label", "published")]
    if any(point["y"] is None for point in points):
        layers.append(_line(base, "x", "y").encode(x=x, tooltip=said))
    if any(point["x"] is None for point in points):
        layers.append(_line(base, "y", "x").encode(y=y, tooltip=said))
    return alt.layer(*layers)


def _line(base: alt.Chart, known: str, missing: str) -> alt.Chart:
    chosen = base.transform_filter(f"isValid(datum.{known}) && !isValid(datum.{missing})")
    return chosen.mark_rule(color=theme.INK, strokeDash=[2, 3], strokeWidth=1.6)


def chart(plot: Plot, published: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the specification of a plot.

    Args: plot: The plot. published: The published points on it: `x`, `y` (one may be missing),
        `label`.
    """
    names = _series(plot)
    layers = [
        _drawn(plot, layer, f"layer{i}", names) for i, layer in enumerate(plot.layers) if layer.rows
    ]
    if layers and published:
        layers.append(_published(plot, published))
    return finish(alt.layer(*layers).add_params(zoom()), _HEIGHT) if layers else {}


def data(plot: Plot, published: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the data of a picture by name; empty if there is nothing to draw."""
    found = {f"layer{i}": layer.rows for i, layer in enumerate(plot.layers) if layer.rows}
    return found | {"published": published} if found and published else found


_ROW: Final = 24
_WIDE: Final = 50.0


def compared(rows: list[dict[str, Any]], title: str) -> dict[str, Any]:
    """Draw published values and those here side by side.

    Args: rows: `name`, `published`, `here`, and `low` and `high` if there is an interval. title:
        Title of the axis.
    """
    values = [v for row in rows for v in (row["published"], row["here"])]
    wide = min(values) > 0 and max(values) > _WIDE * min(values)
    scale = alt.Scale(type="log", nice=False, padding=10) if wide else alt.Scale(zero=True)
    y = alt.Y(
        "name:N",
        title=None,
        sort=[row["name"] for row in rows],
        axis=alt.Axis(labelColor=theme.INK, labelLimit=260),
    )
    base = named("values")
    tooltip = [
        n("name", "measure"), q("published", "published"), q("here", "here"),
        q("low", "from"), q("high", "to"),
    ]  # fmt: skip
    limits = base.transform_filter("isValid(datum.low)" + (" && datum.low > 0" if wide else ""))
    bars = limits.mark_rule(strokeWidth=2.4, color=theme.TRACE).encode(
        x=alt.X("low:Q", scale=scale), x2="high:Q", y=y
    )
    here = base.mark_point(filled=True, size=90, color=theme.TRACE, opacity=1).encode(
        x=alt.X("here:Q", title=title, scale=scale, axis=alt.Axis(format="~r")),
        y=y,
        tooltip=tooltip,
    )
    said = base.mark_point(
        shape="diamond", size=130, filled=False, strokeWidth=2.2, color=theme.INK, opacity=1
    ).encode(x=alt.X("published:Q", scale=scale), y=y, tooltip=tooltip)
    known = [bars] if any(row["low"] is not None for row in rows) else []
    return finish(alt.layer(*known, here, said), _ROW * len(rows) + 20)
