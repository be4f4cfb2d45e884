"""The pictures of a comparison of schemes: goodput by station, and fairness against goodput.

Specifications name their data, as in `airtcp.report.charts`. Every scheme has one colour and one
shape on the whole page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from airtcp.metrics import record
from airtcp.report.charts import finish, n, named, q, zoom
from airtcp.report.charts_compare import colour_of, name_axis, shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE: Final = 9
"""Height of a scheme within the row of a station."""
_LEAST_ROW: Final = 26


def _title(key: str) -> str:
    return record("schemes", "SchemeOutcome")[key].label


def stations(variants: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Goodput of each station under each scheme: the mean and its confidence interval.

    Args:
        variants: The schemes, in order.
        names: The stations, in order.
    """
    base = named("means")
    label = record("schemes", "SchemeStation")["goodput_bps"].label
    y = alt.Y("station:N", title=None, sort=list(names), axis=name_axis())
    offset = alt.YOffset("variant:N", sort=list(variants))
    colour = colour_of(variants, legend=True)
    bars = base.mark_rule(strokeWidth=1.6).encode(
        x=alt.X("low:Q", title=label, scale=alt.Scale(zero=True)),
        x2="high:Q",
        y=y,
        yOffset=offset,
        color=colour,
    )
    points = base.mark_point(filled=True, size=44, opacity=1).encode(
        x=alt.X("mean:Q"),
        y=y,
        yOffset=offset,
        color=colour,
        shape=shape_of(variants, legend=True),
        tooltip=[
            n("station", "station"),
            n("variant", "scheme"),
            q("mean", label),
            q("low", "from"),
            q("high", "to"),
            q("airtime", record("schemes", "SchemeStation")["airtime_share"].label),
            n("against", "against the reference"),
        ],
    )
    chart = alt.layer(bars, points.add_params(zoom("x")))
    return finish(chart, max(len(names), 2) * max(_LINE * len(variants), _LEAST_ROW) + 40)


def trade_off(variants: Sequence[str]) -> dict[str, Any]:
    """Jain's index against goodput, both with intervals: up and to the right is better."""
    base = named("means").transform_filter("isValid(datum.jain)")
    colour, shape = colour_of(variants, legend=True), shape_of(variants, legend=True)
    flat = alt.Scale(zero=False, padding=16)
    x = alt.X("goodput:Q", title=_title("total_goodput_bps"), scale=flat)
    y = alt.Y("jain:Q", title=f"{_title('jain_index')}, Jain's index", scale=flat)
    across = base.mark_rule(strokeWidth=1.3, opacity=0.7).encode(
        x=alt.X("goodput_low:Q", title=_title("total_goodput_bps"), scale=flat),
        x2="goodput_high:Q",
        y=y,
        color=colour,
    )
    down = base.mark_rule(strokeWidth=1.3, opacity=0.7).encode(
        x=x, y=alt.Y("jain_low:Q"), y2="jain_high:Q", color=colour
    )
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("variant", "scheme"),
            q("goodput", _title("total_goodput_bps")),
            q("jain", _title("jain_index")),
            q("slowest", _title("slowest_flow_bps")),
            q("ack", _title("ack_error")),
        ],
    )
    return finish(alt.layer(across, down, points).add_params(zoom()), 340)
