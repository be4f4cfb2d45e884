"""Colours, fonts and axes of the charts, in light and in dark.

A chart names colours by role (`@trace`), and the page fills in those of the present scheme. The
three series colours are from the Okabe-Ito set, which readers with any common colour deficiency can
distinguish; each series also has its own mark.
"""

from __future__ import annotations

from typing import Any, Final

TRACE: Final = "@trace"
INDEPENDENT: Final = "@independent"
CHAIN: Final = "@chain"
GUIDE: Final = "@guide"
INK: Final = "@ink"
MUTED: Final = "@muted"
SURFACE: Final = "@surface"
RAMP: Final = ["@ramp0", "@ramp1", "@ramp2", "@ramp3"]
SERIES: Final = ["@series0", "@series1", "@series2", "@series3", "@series4", "@series5"]

LIGHT: Final[dict[str, str]] = {
    "@trace": "#0063a8",
    "@independent": "#c44f00",
    "@chain": "#00805c",
    "@guide": "#8b96a3",
    "@ink": "#1b2430",
    "@muted": "#5a6675",
    "@grid": "#e4e8ee",
    "@surface": "#ffffff",
    "@ramp0": "#d9b365",
    "@ramp1": "#7fae8c",
    "@ramp2": "#2b7f97",
    "@ramp3": "#1d3f72",
    "@series0": "#0063a8",
    "@series1": "#c44f00",
    "@series2": "#00805c",
    "@series3": "#9b4f96",
    "@series4": "#8a6d00",
    "@series5": "#4a5a6a",
    "@late": "#a3262a",
}

DARK: Final[dict[str, str]] = {
    "@trace": "#62b6f5",
    "@independent": "#f5a04a",
    "@chain": "#3fcf9e",
    "@guide": "#7a8698",
    "@ink": "#e8edf4",
    "@muted": "#9eabbc",
    "@grid": "#2a3442",
    "@surface": "#171e29",
    "@ramp0": "#8a5a2e",
    "@ramp1": "#a99a5b",
    "@ramp2": "#67bfb0",
    "@ramp3": "#c9ecff",
    "@series0": "#62b6f5",
    "@series1": "#f5a04a",
    "@series2": "#3fcf9e",
    "@series3": "#d79ad2",
    "@series4": "#e0c34f",
    "@series5": "#a9b8c8",
    "@late": "#f58d8f",
}

_FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"

CONFIG: Final[dict[str, Any]] = {
    "background": "transparent",
    "font": _FONT,
    "padding": {"left": 2, "right": 10, "top": 6, "bottom": 2},
    "autosize": {"type": "fit-x", "contains": "padding"},
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 11.5,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "titlePadding": 8,
        "labelPadding": 5,
        "gridColor": "@grid",
        "domainColor": "@grid",
        "tickColor": "@grid",
        "tickSize": 4,
        "labelOverlap": "greedy",
        "labelFlush": False,
    },
    "axisX": {"grid": False, "domainColor": GUIDE, "tickColor": GUIDE, "tickCount": 6},
    "axisY": {"domain": False, "ticks": False, "tickCount": 5},
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "labelColor": INK,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "symbolSize": 70,
        "offset": 8,
        "columnPadding": 14,
        "gradientLength": 140,
        "gradientThickness": 8,
    },
    "rule": {"color": GUIDE},
    "text": {"color": MUTED, "fontSize": 11},
}
