"""The charts of a run: goodput of each flow, and the series over time if there are any.

Specifications name their data, as in `airtcp.charts.parts`; rates are in Mb/s and times in
milliseconds on the axes, though the documents are in SI units.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, spread, zoom
from airtcp.data.metrics import record
from airtcp.questions.run import rows_time

_ROW: Final = 26
_FEWEST_ROWS: Final = 3
_MOST_ROWS: Final = 24


def label(key: str) -> str:
    """Return the axis title of a metric of flows."""
    return record("run", "FlowResult")[key].label


def goodput(flows: int) -> dict[str, Any]:
    """Goodput of each flow: the replications, their mean, its confidence interval."""
    y = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelColor=theme.INK, labelLimit=160))
    x = alt.X("goodput:Q", title=label("goodput_bps"), scale=alt.Scale(zero=True))
    ticks = (
        named("replications")
        .mark_tick(thickness=1.5, opacity=0.35, color=theme.TRACE)
        .encode(x=x, y=y, tooltip=[n("name", "flow"), q("goodput", "one replication (Mb/s)")])
    )
    means = named("means")
    bars = means.mark_rule(strokeWidth=3, color=theme.TRACE).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y
    )
    points = means.mark_point(filled=True, size=110, opacity=1, color=theme.TRACE).encode(
        x=alt.X("mean:Q"),
        y=y,
        tooltip=[
            n("name", "flow"),
            *spread("mean", label("goodput_bps"), ""),
        ],
    )
    height = _ROW * min(max(flows, _FEWEST_ROWS), _MOST_ROWS) + 10
    return finish(alt.layer(ticks, bars, points).add_params(zoom("x")), height)


def limited(names: list[str], *, outlined: bool) -> dict[str, Any]:
    """Goodput of the flows as bars, and as outlines what it would be without the limit."""
    axis = alt.Axis(labelColor=theme.INK, labelLimit=180)
    y = alt.Y("name:N", title=None, sort=names, axis=axis)
    tooltip = [
        n("name", "flow"),
        q("goodput", label("goodput_bps")),
        q("without", "without the limit (Mb/s)"),
        n("limit", "limit"),
    ]
    outlines = (
        named("limited")
        .mark_bar(fillOpacity=0, stroke=theme.TRACE, strokeDash=[4, 3], strokeWidth=1.5)
        .encode(x=alt.X("without:Q"), y=y, tooltip=tooltip)
    )
    bars = (
        named("limited")
        .mark_bar(color=theme.TRACE, opacity=0.8)
        .encode(x=alt.X("goodput:Q", title=label("goodput_bps")), y=y, tooltip=tooltip)
    )
    height = _ROW * max(len(names), _FEWEST_ROWS) + 10
    return finish(alt.layer(outlines, bars) if outlined else alt.layer(bars), height)


def series(data: str, who: str, value: str, title: str, end: float | None = None) -> dict[str, Any]:
    """One quantity over time, a line for each name; a name in the key shows it alone.

    Args:
        data: The name of its rows.
        who: The field with the names of lines; empty for one line without a name.
        value: The field.
        title: The title of its axis.
        end: The end of the axis of time, in seconds, of charts below each other.
    """
    line = _line(data, value, title, end)
    if who:
        pick, encoding = lines(who)
        line = line.encode(**encoding).add_params(pick)
    return finish(line.add_params(zoom("x")), _HEIGHT if end is None else _LOW)


def _line(data: str, value: str, title: str, end: float | None) -> alt.Chart:
    """Draw steps over time; with an end of the axis, with as much room for the numbers in each."""
    room: dict[str, Any] = (
        {} if end is None else {"axis": alt.Axis(minExtent=_MARGIN, maxExtent=_MARGIN)}
    )
    line = named(data).mark_line(
        interpolate="step-after", strokeWidth=1.2, clip=True, color=theme.TRACE
    )
    return line.encode(
        x=_time(end), y=alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=True), **room)
    )


def _time(end: float | None) -> alt.X:
    axis: dict[str, Any] = {} if end is None else {"domain": [0, end]}
    return alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False, **axis))


def window(end: float) -> dict[str, Any]:
    """The window of one sender over time; a triangle is a cut, a cross a timeout.

    Args:
        end: The end of the axis, in seconds.
    """
    line = _line("window", "cwnd", WINDOW, end)
    kinds = [rows_time.CUT, rows_time.TIMEOUT]
    colours = alt.Scale(domain=kinds, range=[theme.INDEPENDENT, "@late"])
    key = alt.Legend(title=None, orient="top")
    marks = (
        named("marks")
        .mark_point(filled=True, size=46, opacity=1, clip=True)
        .encode(
            x=_time(end),
            y=alt.Y("cwnd:Q"),
            color=alt.Color("what:N", scale=colours, legend=key),
            shape=alt.Shape(
                "what:N",
                scale=alt.Scale(domain=kinds, range=["triangle-down", "cross"]),
                legend=key,
            ),
            tooltip=[n("what", "what"), q("t", "time (s)"), q("cwnd", "window after it (kB)")],
        )
    )
    return finish(alt.layer(line, marks).add_params(zoom("x")), _LOW)


_HEIGHT: Final = 230
_LOW: Final = 150
"""Height of one of several charts below each other."""
WINDOW: Final = "congestion window (kB)"
QUEUE: Final = "queue (packets)"
_MARGIN: Final = 52
"""Room for the numbers of an axis, so that charts below each other have one axis of time."""
