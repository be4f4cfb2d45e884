"""The charts of an evaluation.

Specifications name their data, as in `airtcp.charts.parts`; the rows are those of `rows`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom

_HEIGHT: Final = 270
_CELL: Final = 34
_LEAST: Final = 60
_ROW: Final = 26


def heat(title: str, rows: list[dict[str, Any]], *, share: bool) -> dict[str, Any]:
    """Draw a quantity over round-trip time and rate; each cell has its value.

    Args: title: The quantity. rows: The cells. share: Whether it is a share.
    """
    top = 1.0 if share else max((row["value"] for row in rows), default=0.0) or 1.0
    base = named("cells")
    along = alt.X(
        "x:N",
        title="round-trip time (ms)",
        sort={"field": "rtt", "order": "ascending"},
        axis=alt.Axis(labelAngle=0),
    )
    up = alt.Y("y:N", title="rate (Mb/s)", sort={"field": "order", "order": "descending"})
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(range=theme.RAMP, domain=[0, top], clamp=True),
        legend=alt.Legend(title=title, type="gradient"),
    )
    tips = [
        q("rate", "rate (Mb/s)"),
        q("rtt", "round-trip time (ms)"),
        q("value", title),
        q("other", "the first standard law"),
        n("verdict", "verdict"),
    ]
    tiles = base.mark_rect().encode(x=along, y=up, color=colour, tooltip=tips)
    ink = alt.condition(
        f"datum.value > {top / 2:.6g}", alt.value(theme.SURFACE), alt.value(theme.INK)
    )
    text = base.mark_text(fontSize=11).encode(
        x=along, y=up, text="label:N", color=ink, tooltip=tips
    )
    high = _CELL * len({row["y"] for row in rows}) + _LEAST
    return finish(alt.layer(tiles, text), high)


def shares() -> dict[str, Any]:
    """Draw the share beside a rival over the length of the queue, a line for each law."""
    x = alt.X("buffer:Q", title="queue (BDP)", scale=alt.Scale(type="log", nice=False, padding=10))
    title = "share of the goodput"
    y = alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    tips = [n("who", "law"), n("rival", "beside"), q("buffer", "queue (BDP)"), q("share", title)]
    return _lines("shares", x, y, tips)


def losses() -> dict[str, Any]:
    """Draw the share of a lossy link over the loss rate, a line for each law."""
    x = alt.X("loss:Q", title="random loss (%)", scale=alt.Scale(type="log", nice=False))
    title = "share of what the losses leave"
    y = alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, 1]))
    tips = [n("who", "law"), q("loss", "loss (%)"), q("share", title)]
    return _lines("losses", x, y, tips)


def _lines(data: str, x: alt.X, y: alt.Y, tips: list[alt.Tooltip]) -> dict[str, Any]:
    """Draw dots joined by lines, with a colour for each law."""
    pick, line = lines("who")
    del line["strokeDash"]  # The dots could not share its legend.
    base = named(data)
    joined = base.mark_line(strokeWidth=2).encode(x=x, y=y, **line)
    dots = base.mark_point(filled=True, size=50).encode(x=x, y=y, tooltip=tips, **line)
    return finish(alt.layer(joined, dots.add_params(pick, zoom("x"))), _HEIGHT)


def over_time(field: str, title: str) -> dict[str, Any]:
    """Draw a quantity over time, a line for each law.

    Args: field: The quantity. title: The title of its axis.
    """
    pick, line = lines("who")
    x = alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False))
    y = alt.Y(f"{field}:Q", title=title, scale=alt.Scale(zero=True))
    drawn = named("series").mark_line(strokeWidth=1.4, clip=True).encode(x=x, y=y, **line)
    return finish(drawn.add_params(pick, zoom("x")), _HEIGHT)


def cells(names: list[str], first: str) -> dict[str, Any]:
    """Draw the goodput of each Wi-Fi cell over that of a yardstick.

    Args: names: The cells, in order. first: The yardstick.
    """
    title = f"goodput / that of {first}"
    y = alt.Y("cell:N", title=None, sort=names, axis=alt.Axis(labelColor=theme.INK, labelLimit=190))
    x = alt.X("ratio:Q", title=title, scale=alt.Scale(zero=True))
    base = named("cells")
    tips = [
        n("cell", "cell"),
        q("ratio", title),
        q("goodput", "goodput (Mb/s)"),
        q("other", f"{first} (Mb/s)"),
        n("verdict", "verdict"),
    ]
    bars = base.mark_rule(strokeWidth=2.5, color=theme.TRACE).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=y
    )
    dots = base.mark_point(filled=True, size=80, opacity=1, color=theme.TRACE).encode(
        x=x, y=y, tooltip=tips
    )
    return finish(alt.layer(bars, dots), _ROW * max(len(names), 3) + 20)
