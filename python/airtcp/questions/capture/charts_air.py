"""The charts of a capture of the air: what happens over time, and the packets around a timeout.

Specifications name their data, as in `airtcp.charts.parts`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom
from airtcp.questions.run import charts as charts_run


def _signal() -> dict[str, Any]:
    """Signal of the 802.11 links over time."""
    pick, encoding = lines("name")
    drawn = named("links").mark_line(interpolate="step-after", strokeWidth=1.2, clip=True)
    return finish(
        drawn.encode(
            x=alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False)),
            y=alt.Y("signal:Q", title="signal at the sniffer (dBm)", scale=alt.Scale(zero=False)),
            **encoding,
        ).add_params(pick, zoom("x"))
    )


AIR: Final = {
    "air_attempts": ("links", "attempts", "captured attempts per second"),
    "air_loss": ("links", "loss", "attempts without captured MAC ACK"),
    "air_rate": ("links", "rate", "mean rate (Mb/s)"),
    "air_signal": ("links", "signal", "signal at the sniffer (dBm)"),
    "air_airtime": ("stations", "airtime", "share of the airtime"),
}
"""The charts of the air over time: their rows, the quantity, and its title."""


def air_charts(rows: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return the charts of the air over time for which there are values, by their names."""
    charts: dict[str, dict[str, Any]] = {}
    for name, (data, quantity, title) in AIR.items():
        if all(row[quantity] is None for row in rows[data]):
            continue
        is_signal = quantity == "signal"
        charts[name] = _signal() if is_signal else charts_run.series(data, "name", quantity, title)
    return charts


def around_timeout(quantity: str, title: str) -> dict[str, Any]:
    """Packets of a link around a timeout, as in figure 8 of S2: each mark is a packet."""
    colour = alt.Color(
        "fate:N", scale=alt.Scale(range=theme.SERIES), legend=alt.Legend(title=None), sort=None
    )
    shape = alt.Shape("what:N", legend=alt.Legend(title=None), sort=None)
    points = named("packets").transform_filter(f"isValid(datum.{quantity})")
    marks = points.mark_point(size=60, strokeWidth=1.4, opacity=0.9, clip=True)
    return finish(
        marks.encode(
            x=alt.X(
                "t:Q", title="time since the first copy was sent (s)", scale=alt.Scale(nice=False)
            ),
            y=alt.Y(f"{quantity}:Q", title=title, scale=alt.Scale(zero=True)),
            color=colour,
            shape=shape,
            tooltip=[
                n("what", "what"),
                n("fate", "fate"),
                n("sequence", "sequence number"),
                q("t", "time (s)", ".6~f"),
                q("attempts", "attempts", ",d"),
                q("latency", "time on the link (ms)", ".3~f"),
            ],
        ).add_params(zoom("x"))
    )


TIMEOUT: Final = {
    "timeout_attempts": ("attempts", "attempts"),
    "timeout_latency": ("latency", "time on the link (ms)"),
}
"""The charts of the packets around a timeout: the quantity, and its title."""


def timeout_charts(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the charts of the packets around a timeout, by their names; none without packets."""
    return {name: around_timeout(*what) for name, what in TIMEOUT.items()} if rows else {}
