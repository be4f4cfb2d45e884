"""How the figures look, and how they are written: an SVG and the numbers beside it."""

from __future__ import annotations

import re
from typing import Any, Final

import altair as alt
import polars as pl
import vl_convert

INK: Final = "#1b2430"
MUTED: Final = "#5a6675"
GRID: Final = "#e4e8ee"
BLUE: Final = "#0063a8"
ORANGE: Final = "#c44f00"
GREEN: Final = "#00805c"
PURPLE: Final = "#9b4f96"
SERIES: Final = [BLUE, ORANGE, GREEN, PURPLE]
RAMP: Final = ["#d9b365", "#7fae8c", "#2b7f97", "#1d3f72"]

_CONFIG: Final[dict[str, Any]] = {
    "background": "#ffffff",
    "font": "Helvetica, Arial, sans-serif",
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 14,
        "fontWeight": 600,
        "offset": 10,
        "subtitleColor": MUTED,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
    },
    "axis": {
        "labelColor": MUTED,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12.5,
        "titleFontWeight": 500,
        "titlePadding": 8,
        "gridColor": GRID,
        "domainColor": "#8b96a3",
        "tickColor": "#8b96a3",
        "labelOverlap": "greedy",
    },
    "axisY": {"domain": False, "ticks": False},
    "header": {"labelColor": INK, "labelFontSize": 12.5, "labelFontWeight": 600, "title": None},
    "legend": {
        "labelColor": INK,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "labelLimit": 320,
        "symbolStrokeWidth": 2,
        "symbolSize": 70,
        "rowPadding": 4,
    },
    "rule": {"strokeWidth": 1.3},
    "line": {"strokeWidth": 1.8},
    "point": {"filled": True, "opacity": 1, "size": 45},
}


def rows(frame: pl.DataFrame) -> alt.InlineData:
    """Give a frame to a chart."""
    return alt.InlineData(values=frame.to_dicts())


def drawn(name: str, chart: Any, frame: pl.DataFrame) -> dict[str, Any]:
    """Give `name.svg` and `name.csv`: a chart, of altair, and the numbers it shows."""
    return {f"{name}.svg": chart, f"{name}.csv": frame}


def text(content: Any) -> str:
    """Write out a chart as SVG, numbers as CSV; text is as it stands."""
    if isinstance(content, str):
        return content
    if isinstance(content, pl.DataFrame):
        return content.write_csv(float_precision=6, float_scientific=False)
    spec = content.to_dict()
    spec["config"] = _CONFIG
    return _numbered_from_one(vl_convert.vegalite_to_svg(spec)) + "\n"


def _numbered_from_one(svg: str) -> str:
    """Number clip paths and gradients anew: the renderer goes on counting from chart to chart."""
    names: dict[str, str] = {}
    for name in re.findall(r'id="((?:clip|gradient_)\d+)"', svg):
        names.setdefault(name, f"part{len(names) + 1}")
    return re.sub(r"(?:clip|gradient_)\d+", lambda found: names.get(found[0], found[0]), svg)


def log_axis(title: str, values: list[float], **more: Any) -> dict[str, Any]:
    """Title, axis and scale of a logarithmic channel with marks at `values`."""
    return {
        "title": title,
        "scale": alt.Scale(type="log", **more),
        "axis": alt.Axis(format="~g", values=values),
    }


PERCENT_AXIS: Final[dict[str, Any]] = {
    "title": "packet loss (%)",
    "scale": alt.Scale(type="log", domain=[0.008, 40], nice=False),
    "axis": alt.Axis(values=[0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30], format="~g", grid=False),
}
