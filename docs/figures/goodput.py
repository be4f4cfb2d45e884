"""Goodput over random loss, against the square-root law and Padhye's model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt
import laws
import polars as pl
import simulate
import style

if TYPE_CHECKING:
    from collections.abc import Mapping

LOSSES: Final = [1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3]
RTTS: Final = [10, 80, 200]
RECOVERIES: Final = {"newreno": "NewReno", "sack": "SACK"}
SEGMENT: Final = 1460
MIN_TIMEOUT: Final = 1.0
CAPACITY: Final = 10e6 * SEGMENT / 1500

LINKS: Final = {
    "goodput-10mbps": 'rate = "10 Mb/s"\nqueue = { kind = "drop-tail", packets = 100 }',
    "goodput-unlimited": 'rate = "1 Gb/s"\nqueue = { kind = "drop-tail", packets = 100000 }',
}


def measure(figure: str) -> pl.DataFrame:
    """Run every point of a figure."""
    table = []
    for rtt in RTTS:
        for loss in LOSSES:
            # Long enough for some sixty losses a run, and for many timeouts where they rule.
            rate = min(laws.padhye(loss, rtt / 1e3, MIN_TIMEOUT), 1e5)
            seconds = min(max(60 / (loss * rate), 100.0 if loss < 0.05 else 1500.0), 2000.0)
            for recovery, label in RECOVERIES.items():
                text = simulate.transfer(
                    f'{LINKS[figure]}\ndelay = "{500 * rtt} us"\n'
                    f'loss = {{ model = "bernoulli", probability = {loss} }}',
                    f'recovery = "{recovery}", ack_every = 1, receive_buffer = "64 MB"',
                    seconds=seconds,
                    warmup=seconds / 10,
                    runs=6,
                )
                flow = simulate.summary(simulate.run(text), "flow")
                goodput, low, high = flow["goodput_bps"]
                packets = goodput / 8 / SEGMENT
                table.append(
                    {
                        "recovery": label,
                        "rtt_ms": rtt,
                        "loss_percent": 100 * loss,
                        "seconds": round(seconds),
                        "goodput_bps": goodput,
                        "ci_low": low,
                        "ci_high": high,
                        "rtt_mean_s": flow["rtt_mean_s"][0],
                        "timeouts_per_run": flow["timeouts"][0],
                        "over_padhye": packets / laws.padhye(loss, rtt / 1e3, MIN_TIMEOUT),
                        "over_square_root": packets / laws.square_root(loss, rtt / 1e3),
                        "constant": packets / laws.square_root(loss, rtt / 1e3, 1.0),
                    }
                )
    return pl.DataFrame(table)


def _laws(limit: float) -> pl.DataFrame:
    lines = []
    for rtt in RTTS:
        for step in range(71):
            loss = 1e-4 * 3000 ** (step / 70)
            for law, packets in {
                "1.22 / (RTT √p)": laws.square_root(loss, rtt / 1e3),
                "Padhye et al.": laws.padhye(loss, rtt / 1e3, MIN_TIMEOUT),
            }.items():
                mbps = min(packets * SEGMENT * 8, limit) / 1e6
                lines.append({"rtt": f"{rtt} ms", "law": law, "x": 100 * loss, "mbps": mbps})
    return pl.DataFrame(lines)


def _chart(frame: pl.DataFrame, limit: float, title: str) -> alt.LayerChart:
    points = frame.select(
        pl.col("recovery"),
        rtt=pl.format("{} ms", "rtt_ms"),
        x="loss_percent",
        mbps=pl.col("goodput_bps") / 1e6,
        low=pl.col("ci_low") / 1e6,
        high=pl.col("ci_high") / 1e6,
    ).filter(pl.col("low") > 0)
    order = [f"{rtt} ms" for rtt in RTTS]
    colour = alt.Color(
        "rtt:N", title="round-trip time", scale=alt.Scale(domain=order, range=style.SERIES[:3])
    )
    lines = (
        alt.Chart(style.rows(_laws(limit)))
        .mark_line(clip=True, opacity=0.75)
        .encode(
            x=alt.X("x:Q"),
            y=alt.Y("mbps:Q"),
            color=colour,
            strokeDash=alt.StrokeDash(
                "law:N",
                title="model",
                scale=alt.Scale(
                    domain=["Padhye et al.", "1.22 / (RTT √p)"], range=[[1, 0], [5, 4]]
                ),
            ),
        )
    )
    base = alt.Chart(style.rows(points))
    x = alt.X("x:Q", **style.PERCENT_AXIS)
    y = alt.Y(
        "mbps:Q",
        **style.log_axis(
            "goodput (Mb/s)",
            [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
            domain=[0.003, 300 if limit > 1e8 else 15],
            nice=False,
        ),
    )
    bars = base.mark_rule(clip=True).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=colour)
    marks = base.mark_point(size=52, clip=True).encode(
        x=x,
        y=y,
        color=colour,
        shape=alt.Shape(
            "recovery:N",
            title="TCP, simulated",
            scale=alt.Scale(domain=["NewReno", "SACK"], range=["circle", "triangle-up"]),
        ),
    )
    return (lines + bars + marks).properties(
        width=560,
        height=360,
        title=alt.Title(
            title,
            subtitle="bulk transfer, 1460 B segments, an ACK per segment, "
            "least timeout 1 s; bars: 95 % intervals of 6 runs",
        ),
    )


def _ratios(frame: pl.DataFrame) -> alt.HConcatChart:
    order = [f"{rtt} ms" for rtt in RTTS]
    points = frame.with_columns(rtt=pl.format("{} ms", "rtt_ms"))
    panels = []
    for field, title, values in [
        ("over_padhye", "simulated / Padhye et al.", [0.5, 0.7, 1, 1.5, 2, 3, 5]),
        ("over_square_root", "simulated / (1.22 / (RTT √p))", [0.003, 0.01, 0.03, 0.1, 0.3, 1]),
    ]:
        scale = alt.Scale(type="log", domain=[min(values), 1.4 * max(values)], nice=False)
        base = alt.Chart(style.rows(points))
        one = (
            alt.Chart(alt.InlineData(values=[{}]))
            .mark_rule(color=style.MUTED)
            .encode(y=alt.datum(1))
        )
        line = base.mark_line(strokeWidth=1.2, opacity=0.6).encode(
            x=alt.X("loss_percent:Q", **style.PERCENT_AXIS),
            y=alt.Y(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(values=values)),
            color=alt.Color(
                "rtt:N",
                title="round-trip time",
                scale=alt.Scale(domain=order, range=style.SERIES[:3]),
            ),
            detail="recovery:N",
        )
        marks = base.mark_point().encode(
            x="loss_percent:Q",
            y=f"{field}:Q",
            color="rtt:N",
            shape=alt.Shape(
                "recovery:N",
                title="TCP",
                scale=alt.Scale(domain=["NewReno", "SACK"], range=["circle", "triangle-up"]),
            ),
        )
        panels.append((one + line + marks).properties(width=330, height=270))
    return alt.hconcat(*panels, spacing=30).properties(
        title=alt.Title(
            "Simulated TCP over what the models say, on a link that only losses limit",
            subtitle="RTT: twice the delay; T0 = 1 s, b = 1",
        )
    )


def ten() -> dict[str, Any]:
    """Goodput on a 10 Mb/s link."""
    frame = measure("goodput-10mbps")
    title = "TCP over random loss on a 10 Mb/s link with a queue of 100 packets"
    return style.drawn("goodput-10mbps", _chart(frame, CAPACITY, title), frame)


def unlimited() -> dict[str, Any]:
    """Goodput where only losses limit, and its ratio to the models."""
    frame = measure("goodput-unlimited")
    title = "TCP over random loss on a link that only losses limit (1 Gb/s)"
    return style.drawn("goodput-unlimited", _chart(frame, 1e9, title), frame) | style.drawn(
        "goodput-over-models", _ratios(frame), frame
    )


def constants(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the constant C of goodput = C / (RTT sqrt(p)), of NewReno and SACK."""
    frame = numbers["goodput-unlimited.csv"].with_columns(
        c=laws.PERIODIC * pl.col("over_square_root")
    )
    found = {
        tuple(at): c for *at, c in frame.select("recovery", "rtt_ms", "loss_percent", "c").rows()
    }
    lines = ["| loss | RTT 10 ms | 80 ms | 200 ms |", "|---|---|---|---|"]
    for percent in (0.01, 0.1, 0.5, 1.0, 5.0, 20.0):
        cells = [
            ", ".join(f"{found[name, rtt, percent]:.2f}" for name in RECOVERIES.values())
            for rtt in RTTS
        ]
        lines.append(f"| {percent:g} % | {' | '.join(cells)} |")
    return "\n".join(lines)
