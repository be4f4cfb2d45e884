"""The charts of link protocols: goodput against latency of each path, and the use of the rate.

Specifications name their data, as in `airtcp.charts.parts`; the rows are those of
`airtcp.questions.run.rows_link`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import labels, theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q
from airtcp.data.metrics import record
from airtcp.words import columns

TRADE_OFF_HEIGHT: Final = 320
"""Height of the trade-off chart in pixels, for placing names."""
_ROW: Final = 24
_FEWEST_ROWS: Final = 3
_MOST_ROWS: Final = 40


def trade_off() -> dict[str, Any]:
    """Goodput over latency of each path; larger and darker points mean more loss."""
    titles = {key: metric.label for key, metric in columns.paths().items()}
    base = named("paths").encode(
        x=alt.X("latency:Q", title=titles["latency"], scale=alt.Scale(zero=True)),
        y=alt.Y("goodput:Q", title=titles["goodput"], scale=alt.Scale(zero=True)),
    )
    points = base.mark_point(filled=True, opacity=0.85, color=theme.TRACE).encode(
        size=alt.Size(
            "residual:Q",
            title=titles["residual"],
            scale=alt.Scale(zero=True, range=[60, 900]),
        ),
        tooltip=[
            n("name", "from"),
            n("to", "to"),
            q("hops", "links"),
            q("goodput", titles["goodput"]),
            q("latency", titles["latency"]),
            q("residual", titles["residual"], ".3~g"),
        ],
    )
    names = [
        base.transform_filter(f"datum.corner === '{corner}'")
        .mark_text(
            align="left" if dx > 0 else "right",
            baseline="middle",
            dx=dx * labels.ASIDE[0],
            dy=-dy * labels.ASIDE[1],
            fontSize=labels.FONT,
            color=theme.INK,
        )
        .encode(text="name:N")
        for corner, (dx, dy) in labels.CORNERS.items()
    ]
    return finish(alt.layer(points, *names), TRADE_OFF_HEIGHT)


def bits(links: int) -> dict[str, Any]:
    """What each link sent: data, and the parity or repetitions that protect it."""
    chart = (
        named("bits")
        .mark_bar(opacity=0.8)
        .encode(
            y=alt.Y(
                "name:N", title=None, sort=None, axis=alt.Axis(labelColor=theme.INK, labelLimit=160)
            ),
            x=alt.X(
                "sent:Q",
                title=record("run", "ProtocolResult")["throughput_bps"].label,
                stack="zero",
            ),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=["Data", "PFEC", "RFEC"], range=theme.SERIES[:3]),
                legend=alt.Legend(title=None),
            ),
            order=alt.Order("part:N", sort="descending"),
            tooltip=[n("name", "link"), n("part", "what"), q("sent", "sent (Mb/s)")],
        )
    )
    return finish(chart, _ROW * min(max(links, _FEWEST_ROWS), _MOST_ROWS) + 10)
