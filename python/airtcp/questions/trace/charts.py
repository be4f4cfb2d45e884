"""The charts of models of bursty links: the error of each model, and on which links.

A link is a dot, coloured by its PRR. `share` is TCP's throughput in percent of what the link
carries, `burst` the longest run of received packets; both are means over synthetic links, and
`trace_share`, `trace_burst` are those of the trace. `off` and `factor` are the differences. The
rows are those of `airtcp.questions.trace.sections`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, ramp, studied, zoom

_HEIGHT: Final = 260
_ROW: Final = 26
_MANY: Final = 150


def _dots(base: alt.Chart, links: int) -> Any:
    return base.mark_point(
        filled=True, size=58 if links <= _MANY else 24, opacity=0.8, clip=True
    ).encode(
        color=ramp("prr", studied("prr")),
        tooltip=[
            n("synthesiser", "model"),
            n("link", "link"),
            q("prr", studied("prr")),
            q("trace_share", "trace (%)"),
            q("share", "model (%)"),
            q("trace_burst", "longest burst, trace"),
            q("burst", "longest burst, model"),
        ],
    )


def overview(field: str, models: list[str], links: int) -> dict[str, Any]:
    """Draw the error of each model, with a dot per link.

    Args: field: `off`, or `factor`. models: The models, from the top. links: Number of links.
    """
    if field == "off":
        lines = ["TCP over the model, less that over the trace", "(% of what the link carries)"]
        x, right = alt.X("off:Q", title=lines), 0.0
    else:
        scale = alt.Scale(type="log", nice=False, padding=10)
        title = "longest burst of the model, over that of the trace"
        x, right = alt.X("factor:Q", title=title, scale=scale, axis=alt.Axis(format="~r")), 1.0
    base = named("points").transform_filter(f"isValid(datum.{field})")
    guide = named("line").mark_rule(strokeDash=[4, 3], strokeWidth=1.2).encode(x=alt.datum(right))
    y = alt.Y(
        "synthesiser:N",
        title=None,
        scale=alt.Scale(domain=models),
        axis=alt.Axis(labelColor=theme.INK, labelLimit=170, grid=True, gridColor="@grid"),
    )
    dots = _dots(base, links).encode(x=x, y=y)
    return finish(alt.layer(guide, dots), _ROW * len(models) + 10)


def against(field: str, links: int) -> dict[str, Any]:
    """Draw a value of one model's links against that of their traces.

    Args:
        field: `share`, or `burst`.
        links: Number of links.
    """
    if field == "share":
        titles = "TCP over the trace (%)", "TCP over the model (%)"
        scale, axis = alt.Scale(zero=True, nice=False, padding=10), alt.Axis(format="~r")
    else:
        titles = "longest burst of the trace", "longest burst of the model"
        scale = alt.Scale(type="log", nice=False, padding=10)
        axis = alt.Axis(format="~r")
    base = named("points").transform_filter(
        f"isValid(datum.{field}) && isValid(datum.trace_{field})"
    )
    x = alt.X(f"trace_{field}:Q", title=titles[0], scale=scale, axis=axis)
    y = alt.Y(f"{field}:Q", title=titles[1], scale=scale, axis=axis)
    line = (
        named("line")
        .mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2, clip=True)
        .encode(x=alt.X(f"{field}:Q", scale=scale), y=f"{field}:Q")
    )
    bars = base.mark_rule(strokeWidth=1.2, opacity=0.5, color=theme.TRACE, clip=True).encode(
        x=x, y=alt.Y(f"{field}_low:Q"), y2=f"{field}_high:Q"
    )
    dots = _dots(base, links).encode(x=x, y=y).add_params(zoom())
    return finish(alt.layer(line, bars, dots), _HEIGHT)
