"""The chart beside the answer of a capture: data in flight of its largest connection over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, zoom

if TYPE_CHECKING:
    from collections.abc import Collection

NAME: Final = "flight"
LOST: Final = "sent again"
TIMEOUT: Final = "timeout"
_COLOURS: Final = {LOST: "@series1", TIMEOUT: "@late"}
_HEIGHT: Final = 320


def flight(shown: Collection[str] = tuple(_COLOURS)) -> dict[str, Any]:
    """Data in flight over time; a mark on it for each segment sent again, and each timeout.

    Args: shown: What occurs of both.
    """
    marked = [what for what in _COLOURS if what in shown]
    x = alt.X("t:Q", title="time since the first packet (s)", scale=alt.Scale(nice=False))
    line = named(NAME).mark_line(
        interpolate="step-after", strokeWidth=1.2, clip=True, color=theme.TRACE
    )
    marks = named("marks").mark_point(filled=True, size=44, opacity=0.9, clip=True)
    colour = alt.Color(
        "what:N",
        scale=alt.Scale(domain=marked, range=[_COLOURS[what] for what in marked]),
        legend=alt.Legend(title=None, symbolOpacity=1),
        sort=None,
    )
    layers: Any = alt.layer(
        line.encode(
            x=x,
            y=alt.Y("kb:Q", title="data in flight (kB)", scale=alt.Scale(zero=True)),
            tooltip=[q("t", "time (s)", ".4~f"), q("kb", "in flight (kB)")],
        ).add_params(zoom("x")),
        marks.encode(
            x=x,
            y=alt.Y("kb:Q", title="data in flight (kB)"),
            color=colour,
            tooltip=[n("what", "what"), q("t", "time (s)", ".4~f")],
        ),
    )
    return finish(layers, _HEIGHT)
