"""The charts of a run: goodput of each flow, and the series over time if there are any.

Specifications name their data, as in `airtcp.charts.parts`; rates are in Mb/s and times in
milliseconds on the axes, though the documents are in SI units.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom
from airtcp.data.metrics import record

_ROW: Final = 26
_FEWEST_ROWS: Final = 3
_MOST_ROWS: Final = 24


def _flow(key: str) -> str:
    """Return the axis title of a metric of flows."""
    return record("run", "FlowResult")[key].label


def goodput(flows: int) -> dict[str, Any]:
    """Goodput of each flow: the replications, their mean, its confidence interval."""
    y = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelColor=theme.INK, labelLimit=160))
    x = alt.X("goodput:Q", title=_flow("goodput_bps"), scale=alt.Scale(zero=True))
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
            q("mean", _flow("goodput_bps")),
            q("low", "from"),
            q("high", "to"),
        ],
    )
    height = _ROW * min(max(flows, _FEWEST_ROWS), _MOST_ROWS) + 10
    return finish(alt.layer(ticks, bars, points).add_params(zoom("x")), height)


def limited(names: list[str], *, outlined: bool) -> dict[str, Any]:
    """Goodput of the flows as bars, and as outlines what it would be without the limit."""
    axis = alt.Axis(labelColor=theme.INK, labelLimit=120)
    y = alt.Y("name:N", title=None, sort=names, axis=axis)
    tooltip = [
        n("name", "flow"),
        q("goodput", _flow("goodput_bps")),
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
        .encode(x=alt.X("goodput:Q", title=_flow("goodput_bps")), y=y, tooltip=tooltip)
    )
    height = _ROW * max(len(names), _FEWEST_ROWS) + 10
    return finish(alt.layer(outlines, bars) if outlined else alt.layer(bars), height)


def series(data: str, who: str, value: str, title: str, height: int = 230) -> dict[str, Any]:
    """One quantity over time, a line for each flow or link; a name in the key shows it alone."""
    pick, encoding = lines(who)
    line = (
        named(data)
        .mark_line(interpolate="step-after", strokeWidth=1.2, clip=True)
        .encode(
            x=alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False)),
            y=alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=True)),
            **encoding,
        )
        .add_params(pick, zoom("x"))
    )
    return finish(line, height)


def run_charts(flows: int, *, recorded: bool, stations: bool) -> dict[str, dict[str, Any]]:
    """Return every chart of a run's page, by its name on the page."""
    charts = {"goodput": goodput(flows)}
    if recorded:
        charts |= {
            "window": series("window", "name", "cwnd", "congestion window (kB)"),
            "rtt": series("rtt", "name", "rtt", _flow("rtt_mean_s")),
            "queue": series("queue", "name", "packets", "queue (packets)"),
        }
    if stations:
        charts |= {
            "airtime": series(
                "airtime", "name", "share", record("run", "StationResult")["airtime_share"].label
            ),
            "rate": series("rate", "name", "mbps", "rate (Mb/s)"),
        }
    return charts
