"""RED: its average against the formula, and what it does to the queue of TCP flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt
import laws
import polars as pl
import simulate
import style

if TYPE_CHECKING:
    from collections.abc import Mapping

LOW: Final = 25
HIGH: Final = 90
MAX_P: Final = 0.1


def red_average() -> dict[str, Any]:
    """A constant overload drops the excess; the average queue is where RED drops just that."""
    table = []
    for load in [1.01, 1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.35, 1.5, 2.0, 3.0]:
        text = (
            'duration = "300 s"\nwarmup = "100 s"\nreplications = 6\n'
            '[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\n'
            f'queue = {{ kind = "red", min = {LOW}, max = {HIGH}, max_p = {MAX_P}, limit = 1000 }}\n'
            '[[flows]]\nfrom = "a"\nto = "b"\ntransport = "udp"\n'
            f'app = {{ kind = "constant-rate", rate = "{load * 1e7 * 1472 / 1500:.0f} b/s", message = "1472 B" }}\n'
        )
        result = simulate.run(text)
        link, flow = simulate.summary(result, "link"), simulate.summary(result, "flow")
        queue, low, high = link["mean_queue_packets"]
        offered, drops = flow["segments_sent"][0], flow["datagrams_lost"]
        excess = 1 - 1 / load
        table.append(
            {
                "load": load,
                "drop_share": drops[0] / offered,
                "drop_share_formula": excess,
                "queue": queue,
                "low": low,
                "high": high,
                "queue_formula": laws.red_average(excess, LOW, HIGH, MAX_P),
            }
        )
    frame = pl.DataFrame(table)
    line = [
        {"x": x / 10, "y": laws.red_average(x / 1000, LOW, HIGH, MAX_P)} for x in range(0, 701, 2)
    ]
    x = alt.X("x:Q", title="share of packets dropped (%)", axis=alt.Axis(grid=False))
    y = alt.Y("y:Q", title="queue (packets)", scale=alt.Scale(domain=[0, 150]))
    curve = alt.Chart(alt.InlineData(values=line)).mark_line(color=style.ORANGE).encode(x=x, y=y)
    points = alt.Chart(style.rows(frame)).transform_calculate(x="100 * datum.drop_share")
    marks = points.mark_point(color=style.BLUE).encode(x=x, y="queue:Q")
    bars = points.mark_rule(color=style.BLUE).encode(x=x, y="low:Q", y2="high:Q")
    levels = alt.Chart(alt.InlineData(values=[{"y": LOW, "t": "min"}, {"y": HIGH, "t": "max"}]))
    rule = levels.mark_rule(color=style.MUTED, strokeDash=[4, 3], strokeWidth=1).encode(y="y:Q")
    name = levels.mark_text(align="right", dx=-4, dy=-7, color=style.MUTED, fontSize=12).encode(
        x=alt.value(480), y="y:Q", text="t:N"
    )
    chart = (rule + name + curve + bars + marks).properties(
        width=480,
        height=290,
        title=alt.Title(
            "Gentle RED under constant overload: the queue settles where RED drops the excess",
            subtitle="points: time average of the queue, 6 runs of 200 s, "
            "101 % to 300 % load; line: share = 2 p_b",
        ),
    )
    return style.drawn("red-average", chart, frame)


QUEUES: Final = {
    "drop-tail, 100 packets": 'queue = { kind = "drop-tail", packets = 100 }',
    "RED with ECN": 'queue = { kind = "red", ecn = true }',
}


def red_ecn() -> dict[str, Any]:
    """Queue over time of four flows, behind drop-tail and behind RED that marks."""
    series, table = [], []
    for name, queue in QUEUES.items():
        text = (
            'duration = "60 s"\nwarmup = "10 s"\n'
            f'[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\ndelay = "40 ms"\n{queue}\n'
            '[[flows]]\nfrom = "a"\nto = "b"\ncount = 4\nstart_spread = "1 s"\n'
            f'tcp = {{ profile = "linux", half_of_cwnd = true, ecn = {str("ECN" in name).lower()} }}\n'
        )
        result = simulate.run(text, series=True)
        link = simulate.summary(result, "link")
        total = result.json["summary"]["total_goodput_bps"]["mean"]
        lost = sum(result.json["replications"][0]["links"][0]["drops"].values())
        table.append(
            {
                "queue": name,
                "mean_queue_packets": link["mean_queue_packets"][0],
                "dropped": lost,
                "marked": link["marked_packets"][0],
                "total_goodput_mbps": total / 1e6,
            }
        )
        queued = result.table("queue_series").to_polars()
        forward = queued.filter(pl.col("link") == queued["link"][0])
        # One point every 50 ms is as fine as the picture shows.
        series.append(
            forward.group_by(t=(pl.col("t_s") * 20).floor() / 20, maintain_order=True)
            .agg(packets=pl.col("queue_packets").last())
            .with_columns(queue=pl.lit(name))
        )
    frame = pl.DataFrame(table)
    label = {
        row["queue"]: f"{row['queue']}: {row['mean_queue_packets']:.0f} packets on average, "
        f"{row['dropped']:.0f} dropped, {row['marked']:.0f} marked, {row['total_goodput_mbps']:.2f} Mb/s"
        for row in table
    }
    points = pl.concat(series).with_columns(pl.col("queue").replace(label))
    return style.drawn("red-ecn", _over_time(points, list(label.values())), frame)


def _over_time(points: pl.DataFrame, labels: list[str]) -> alt.Chart:
    return (
        alt.Chart(style.rows(points))
        .mark_line(strokeWidth=1, interpolate="step-after")
        .encode(
            x=alt.X("t:Q", title="time (s)", axis=alt.Axis(grid=False)),
            y=alt.Y("packets:Q", title="queue (packets)", axis=alt.Axis(tickCount=5)),
            color=alt.Color(
                "queue:N",
                scale=alt.Scale(domain=labels, range=style.SERIES[:2]),
                legend=None,
            ),
            row=alt.Row(
                "queue:N",
                sort=labels,
                header=alt.Header(labelAnchor="start", labelOrient="top"),
            ),
        )
        .properties(width=640, height=120)
        .properties(
            title=alt.Title(
                "Four TCP flows share 10 Mb/s at 80 ms", subtitle="means over 10 s to 60 s"
            )
        )
    )


def ecn_table(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Means of both queues."""
    lines = [
        "| queue | packets queued on average | dropped | marked | goodput (Mb/s) |",
        "|---|---|---|---|---|",
    ]
    for name, queued, dropped, marked, goodput in numbers["red-ecn.csv"].iter_rows():
        lines.append(f"| {name} | {queued:.0f} | {dropped} | {marked:.0f} | {goodput:.2f} |")
    return "\n".join(lines)
