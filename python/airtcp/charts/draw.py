"""Completes a chart for paper, and draws it.

A figure is light and opaque. Its width is that of a column or a page of a journal, its text has
8 pt, and its font (`airtcp-sans.ttf`) is part of the files. The library that draws, vl-convert, is
loaded when a figure is drawn.
"""

from __future__ import annotations

import base64
import re
from copy import deepcopy
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final, Literal, TypeAlias, cast

from airtcp import _core
from airtcp.charts import theme

Width: TypeAlias = Literal["column", "page"]

WIDTHS: Final[dict[str, float]] = {"column": 88.0, "page": 180.0}
"""Millimetres."""
_MM: Final = 96 / 25.4
"""Pixels of a millimetre, at 96 an inch as in SVG."""
_PT: Final = 96 / 72
_TEXT: Final = 8 * _PT
_USUAL_HEIGHT: Final = 270
"""The height of most charts on a page; a figure has it in proportion to its width."""
_PROPORTION: Final = {"column": 0.68, "page": 0.5}
_CHARACTER: Final = 0.56 * _TEXT
_SYMBOL: Final = 32.0
_FAMILY: Final = "airtcp Sans"
_VEGA_LITE: Final = "v6.4"
_IDENTIFIER: Final = re.compile(r'(id="|url\(#|href="#)((?:clip|gradient_|shadow_)[0-9]+)')
_ROOT: Final = re.compile(r'(<svg\b[^>]*?) width="([0-9.]+)" height="([0-9.]+)"([^>]*>)')


@cache
def library() -> Any:
    """Load vl-convert.

    Raises:
        AirtcpError: If it is not installed; the message says how to install it.
    """
    try:
        import vl_convert
    except ImportError:
        message = 'figures need vl-convert: pip install "airtcp[figures]"'
        raise _core.AirtcpError(message) from None
    with resources.as_file(_font()) as path:
        vl_convert.register_font_directory(str(path.parent))
    return vl_convert


def _font() -> Any:
    return resources.files("airtcp.charts").joinpath("airtcp-sans.ttf")


def svg_of(
    chart: dict[str, Any], data: dict[str, Any], width: Width, *, shrinks: bool = False
) -> str:
    """Draw a chart as SVG in pixels, with text in the font of figures.

    Args:
        chart: The chart as a page has it.
        data: Its rows by name.
        width: The width.
        shrinks: Whether a chart that is higher than usual gets the usual height.

    Raises:
        AirtcpError: If vl-convert is not installed.
    """
    pixels = WIDTHS[width] * _MM
    spec: dict[str, Any] = _coloured(deepcopy(chart)) | {"datasets": data}
    _fit_legends(spec, data, pixels, None)
    if spec.get("width") == "container":
        spec["width"] = pixels
    most = round(pixels * _PROPORTION[width])
    height = spec.get("height")
    if height == _USUAL_HEIGHT or (shrinks and isinstance(height, int) and height > most):
        spec["height"] = most
    drawn = library().vegalite_to_svg(spec, vl_version=_VEGA_LITE, config=_config())
    return _numbered(drawn)


def _numbered(svg: str) -> str:
    """Number the identifiers from 0: Vega goes on counting from one chart to the next."""
    known: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        kind = found[2].rstrip("0123456789")
        return found[1] + known.setdefault(found[2], f"{kind}{len(known)}")

    return _IDENTIFIER.sub(number, svg)


def has_free_height(chart: dict[str, Any]) -> bool:
    """Return whether the height of a chart is not that of its rows: its y axis is a quantity.

    Args:
        chart: The chart as a page has it.
    """
    layers = [chart, *chart.get("layer", [])]
    kinds = [layer.get("encoding", {}).get("y", {}).get("type") for layer in layers]
    return set(kinds) <= {"quantitative", None} and "quantitative" in kinds


def sized(svg: str, title: str, *, embed: bool) -> str:
    """Give an SVG its size in millimetres, a title, and if wanted the font.

    Args:
        svg: The SVG in pixels.
        title: Its title.
        embed: Whether to embed the font.
    """
    found = _ROOT.search(svg)
    if found is None:
        return svg
    wide, high = (float(found[i]) / _MM for i in (2, 3))
    style = ""
    if embed:
        font = base64.b64encode(_font().read_bytes()).decode("ascii")
        source = f"url(data:font/ttf;base64,{font})"
        style = f'<style>@font-face{{font-family:"{_FAMILY}";src:{source}}}</style>'
    root = f'{found[1]} width="{wide:.2f}mm" height="{high:.2f}mm"{found[4]}'
    return f"{svg[: found.start()]}{root}<title>{escape(title)}</title>{style}{svg[found.end() :]}"


def in_points(svg: str) -> str:
    """Return an SVG whose size in points is its size in pixels, as vl-convert makes a PDF of it."""

    def scaled(root: re.Match[str]) -> str:
        wide, high = (float(root[i]) / _PT for i in (2, 3))
        return f'{root[1]} width="{wide:.3f}" height="{high:.3f}"{root[4]}'

    return _ROOT.sub(scaled, svg, count=1)


def _coloured(value: Any) -> Any:
    if isinstance(value, str):
        return theme.LIGHT.get(value, value)
    if isinstance(value, list):
        return [_coloured(part) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _coloured(part) for key, part in cast("dict[str, Any]", value).items()}
    return value


def _config() -> dict[str, Any]:
    config = _coloured(deepcopy(theme.CONFIG))
    ink = theme.LIGHT["@ink"]
    text = {"labelFontSize": _TEXT, "titleFontSize": _TEXT, "titleColor": ink, "labelColor": ink}
    config["background"] = "#ffffff"
    config["font"] = f"{_FAMILY}, sans-serif"
    config["padding"] = {"left": 1, "right": 6, "top": 4, "bottom": 1}
    config["axis"] |= text | {"titlePadding": 5, "labelPadding": 3, "titleFontWeight": "normal"}
    config["axis"]["labelOverlap"] = "greedy"
    config["axisX"]["tickCount"] = 5
    config["legend"] |= text | {
        "symbolSize": 50,
        "offset": 4,
        "columnPadding": 8,
        "rowPadding": 1,
        "titleFontWeight": "normal",
        "labelLimit": 0,
        "gradientLength": 100,
    }
    config["text"] = {"color": ink, "fontSize": _TEXT}
    return config


def _fit_legends(
    spec: dict[str, Any], data: dict[str, Any], width: float, inherited: str | None
) -> None:
    """Set every legend in as many columns as fit the width, so that it lists every name."""
    source = spec.get("data", {}).get("name", inherited)
    encoding = cast("dict[str, Any]", spec.get("encoding", {}))
    # Tooltips are a list of channels.
    channels = cast("list[dict[str, Any]]", [c for c in encoding.values() if isinstance(c, dict)])
    for channel in channels:
        legend: dict[str, Any] | None = channel.get("legend")
        if legend is None or channel.get("type") != "nominal":
            continue
        shown: Any = channel.get("scale", {}).get("domain")
        if not isinstance(shown, list):
            rows = cast("list[dict[str, Any]]", data.get(source or "") or [])
            shown = list(dict.fromkeys(row.get(channel["field"]) for row in rows))
        shown = cast("list[Any]", shown)
        longest = max([1, *(len(str(name)) for name in shown)])
        columns = int((width - 20) / (_SYMBOL + _CHARACTER * longest))
        channel["legend"] = legend | {
            "columns": max(1, min(columns, len(shown))),
            "symbolLimit": max(1, len(shown)),
        }
    for layer in spec.get("layer", []):
        _fit_legends(layer, data, width, source)
