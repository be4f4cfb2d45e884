"""The chart beside the answer of a study: TCP over PRR, a point a link.

The line is TCP over independent losses of equal PRR: a point above it is a link whose order of
losses leaves TCP more. The rows are those of `airtcp.questions.study.rows_answer`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, studied, zoom
from airtcp.questions.study.charts import ring, size
from airtcp.questions.study.rows_answer import DIFFERS, WITHIN

NAME: Final = "answer"
HEIGHT: Final = 300


def over_prr(links: int) -> dict[str, Any]:
    """Draw TCP over each link against PRR, and the curve of independent losses.

    Args:
        links: Number of links.
    """
    x = alt.X(
        "prr:Q",
        title=studied("prr"),
        scale=alt.Scale(domain=[0, 1], padding=10),
        axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f"),
    )
    scale = alt.Scale(type="log", nice=False, padding=10)
    axis = alt.Axis(format="~r", values=[10.0**e for e in range(-5, 6)])
    title = studied("packets_per_second")
    line = (
        named("curve")
        .mark_line(color=theme.INDEPENDENT, strokeDash=[4, 3], strokeWidth=1.4, clip=True)
        .encode(x=x, y=alt.Y("independent:Q", title=title, scale=scale, axis=axis))
    )
    kinds = alt.Scale(domain=[DIFFERS, WITHIN], range=[theme.TRACE, theme.MUTED])
    y = alt.Y("tcp:Q", title=title, scale=scale, axis=axis)
    dots = named("links").mark_point(
        filled=True,
        size=size(links),
        opacity=0.85,
        clip=True,
        cursor="pointer",
    )
    points = dots.encode(
        x=x,
        y=y,
        color=alt.Color("differs:N", scale=kinds, legend=alt.Legend(title=None, labelLimit=240)),
        tooltip=[
            n("name", "link"),
            q("prr", studied("prr")),
            q("tcp", "TCP (packets/s)"),
            q("independent", "independent losses"),
        ],
    ).add_params(zoom())
    layers = alt.layer(line, ring(named("links"), x, y), points)
    return finish(layers.add_params(alt.param(name="chosen", value=-1)), HEIGHT)
