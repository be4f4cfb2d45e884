"""Windows of the four recoveries over one script of losses."""

from __future__ import annotations

from typing import Any, Final

import altair as alt
import polars as pl
import simulate
import style

SEGMENT: Final = 1460
SCRIPTS: Final = {"one loss in a window": "[150]", "three losses in a window": "[150, 153, 156]"}
RECOVERIES: Final = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}


def _panel(part: pl.DataFrame, ends: list[Any], title: str, *, first: bool) -> alt.LayerChart:
    """One window over time, with what was sent again."""
    line = (
        alt.Chart(style.rows(part))
        .mark_line(interpolate="step-after", color=style.BLUE, clip=True)
        .encode(
            x=alt.X(
                "t:Q",
                title="time (s)",
                scale=alt.Scale(domain=[0.5, 3.5], nice=False),
                axis=alt.Axis(grid=False, tickCount=5),
            ),
            y=alt.Y(
                "cwnd:Q",
                title="window (segments)" if first else None,
                scale=alt.Scale(domain=[0, 36]),
            ),
        )
    )
    note = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_text(align="left", baseline="top", color=style.MUTED, fontSize=12)
        .encode(x=alt.value(5), y=alt.value(2), text="text:N")
    )
    return (line + note).properties(
        width=195, height=150, title=alt.Title(title, fontSize=12.5, offset=6)
    )


def recoveries() -> dict[str, Any]:
    """Window over time, and the data segments that were sent again."""
    windows, ends, table = [], [], []
    for script, drop in SCRIPTS.items():
        for recovery, name in RECOVERIES.items():
            text = simulate.transfer(
                'rate = "10 Mb/s"\ndelay = "40 ms"\n'
                f'loss = {{ model = "script", drop = {drop}, only = "data" }}',
                f'profile = "s0", recovery = "{recovery}", initial_ssthresh = "{16 * SEGMENT} B"',
                seconds=6,
            )
            result = simulate.run(text, series=True)
            flow = result.flows.to_polars().row(0, named=True)
            series = result.table("window_series").to_polars().filter(pl.col("side") == "client")
            windows.append(
                series.select(
                    t="t_s",
                    cwnd=pl.col("cwnd_bytes") / SEGMENT,
                    script=pl.lit(script),
                    recovery=pl.lit(name),
                )
            )
            table.append(
                {
                    "losses": script,
                    "recovery": name,
                    "timeouts": flow["timeouts"],
                    "retransmissions": flow["retransmissions"],
                    "delivered_kB": flow["delivered_bytes"] / 1000,
                }
            )
            ends.append(
                {
                    "script": script,
                    "recovery": name,
                    "text": f"{flow['retransmissions']} sent again, "
                    f"{flow['timeouts']} timeout{'s' * (flow['timeouts'] != 1)}",
                }
            )
    frame = pl.DataFrame(table)
    points = pl.concat(windows).filter(pl.col("t").is_between(0.5, 3.5))
    names = list(RECOVERIES.values())
    rows = []
    for script in SCRIPTS:
        panels = []
        for name in names:
            part = points.filter((pl.col("script") == script) & (pl.col("recovery") == name))
            own = [e for e in ends if e["script"] == script and e["recovery"] == name]
            title = f"{name}: {script.split(' in')[0]}"
            panels.append(_panel(part, own, title, first=name == names[0]))
        rows.append(alt.hconcat(*panels, spacing=14))
    chart = alt.vconcat(*rows, spacing=16).properties(
        title=alt.Title(
            "Congestion window of the four recoveries over the same losses",
            subtitle="10 Mb/s, 80 ms, ACK per segment, least timeout 200 ms; "
            "data packet 150, or 150, 153 and 156, is lost",
        )
    )
    return style.drawn("recoveries", chart, frame)
