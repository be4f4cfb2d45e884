"""The charts of a diagnosis: what each TCP would get, and the backlog at each loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, spread, zoom
from airtcp.questions.compare.charts import name_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

PREDICTIONS: Final = "predictions"
BACKLOG: Final = "backlog"
_ROW: Final = 22
_ORIGINS: Final = ["link", "queue", "unknown"]
_COLOURS: Final = [theme.TRACE, theme.CHAIN, theme.INDEPENDENT]


def predictions(variants: Sequence[str]) -> dict[str, Any]:
    """Median and 90 % interval of each TCP, and the goodput of the captured transfer as a line."""
    title = "goodput (Mb/s)"
    y = alt.Y("variant:N", title=None, sort=list(variants), axis=name_axis())
    colour = alt.value(theme.TRACE)
    rows = named(PREDICTIONS)
    scale = alt.Scale(zero=True)
    bars = rows.mark_rule(strokeWidth=2.5).encode(
        x=alt.X("low:Q", title=title, scale=scale), x2="end:Q", y=y, color=colour
    )
    points = rows.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("middle:Q", title=title),
        y=y,
        color=colour,
        tooltip=[n("variant", "TCP"), *spread("middle", title, "")],
    )
    line = (
        named("observed")
        .mark_rule(strokeDash=[4, 3], color=theme.INK)
        .encode(x=alt.X("goodput:Q", title=title), tooltip=[q("goodput", "this transfer (Mb/s)")])
    )
    height = _ROW * max(len(variants), 2) + 40
    return finish(alt.layer(bars, points, line).add_params(zoom("x")), height)


def backlog() -> dict[str, Any]:
    """Packets that waited at the bottleneck when each lost packet came."""
    colour = alt.Color(
        "origin:N",
        scale=alt.Scale(domain=_ORIGINS, range=_COLOURS),
        legend=alt.Legend(title="lost by", symbolOpacity=1),
    )
    points = (
        named("lost")
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=alt.X("time:Q", title="time (s)"),
            y=alt.Y("backlog:Q", title="backlog (packets)", scale=alt.Scale(zero=True)),
            color=colour,
            tooltip=[q("time", "time (s)"), q("backlog", "backlog"), n("origin", "lost by")],
        )
    )
    return finish(points.add_params(zoom("x")), 240)
