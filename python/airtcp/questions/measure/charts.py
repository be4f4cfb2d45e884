"""The charts of a measurement that no other command has: runs of losses, bursts over time."""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, zoom

_HEIGHT: Final = 150
_WIDE: Final = 230


def runs() -> dict[str, Any]:
    """Lengths of runs of losses: how many there are of each, on a logarithmic axis."""
    marks = (
        named("runs")
        .mark_point(filled=True, size=60, opacity=0.85)
        .encode(
            x=alt.X("packets:Q", title="packets lost one after the other"),
            y=alt.Y("count:Q", title="runs of losses", scale=alt.Scale(type="log")),
            **_colours(),
            tooltip=[n("name", "direction"), q("packets", "packets"), q("count", "runs")],
        )
    )
    return finish(marks.add_params(zoom()), _WIDE)


def bursts() -> dict[str, Any]:
    """The rate of each burst over time."""
    marks = (
        named("bursts")
        .mark_point(filled=True, size=60, opacity=0.85)
        .encode(
            x=alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False)),
            y=alt.Y("mbps:Q", title="rate of a burst (Mb/s)", scale=alt.Scale(zero=True)),
            **_colours(),
            tooltip=[n("name", "direction"), q("t", "time (s)"), q("mbps", "rate (Mb/s)")],
        )
    )
    return finish(marks.add_params(zoom("x")), _HEIGHT)


def _colours() -> dict[str, Any]:
    """Encode the direction as colour and shape."""
    key = alt.Legend(title=None, symbolOpacity=1)
    return {
        "color": alt.Color("name:N", scale=alt.Scale(range=theme.SERIES), legend=key, sort=None),
        "shape": alt.Shape("name:N", legend=key, sort=None),
    }
