"""The charts of one link of a study, after the figures of S1.

TCP over the trace beside both models of its losses, and the losses themselves: their runs, their
memory, and their change over time. Specifications name their data, as in `airtcp.charts.parts`;
the fields are those of `airtcp.questions.study.rows`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, ramp, spread, studied, zoom

MODELS: Final = ["this trace", "independent losses", "Gilbert-Elliott"]
"""The trace and its models, in the order of the legend."""

_STEPS: Final = 160
"""Lengths at which the runs of a model are drawn."""
_OF_CHAIN: Final = "isValid(datum.mu) ? pow(datum.mu, datum.lag) : null"
_COLOURS: Final = [theme.TRACE, theme.INDEPENDENT, theme.CHAIN]
_SHAPES: Final = ["circle", "diamond", "triangle-up"]


def model_colour(*, legend: bool = True) -> alt.Color:
    """Colour by trace or model, the same in every chart of a study."""
    key = alt.Legend(title=None, symbolOpacity=1) if legend else None
    return alt.Color("model:N", scale=alt.Scale(domain=MODELS, range=_COLOURS), legend=key)


def model_shape() -> alt.Shape:
    """Shape the marks by trace or model."""
    return alt.Shape("model:N", scale=alt.Scale(domain=MODELS, range=_SHAPES))


def link_throughput() -> dict[str, Any]:
    """One link: the trace's throughput beside every replica of the models of it."""
    y = alt.Y(
        "model:N",
        title=None,
        sort=MODELS,
        axis=alt.Axis(labelFontSize=12.5, labelColor=theme.INK, domain=False, ticks=False),
    )
    scale = alt.Scale(zero=True, nice=True)
    colour = model_colour(legend=False)
    ticks = (
        named("replicas")
        .mark_tick(thickness=1.5, size=26, opacity=0.35)
        .encode(
            x=alt.X("value:Q", title=studied("packets_per_second"), scale=scale),
            y=y,
            color=colour,
            tooltip=[n("model", "losses"), q("value", "one replica")],
        )
    )
    means = named("means")
    bars = means.mark_rule(strokeWidth=3).encode(x="low:Q", x2="high:Q", y=y, color=colour)
    points = means.mark_point(filled=True, size=130, opacity=1).encode(
        x="mean:Q",
        y=y,
        color=colour,
        shape=model_shape().legend(None),
        tooltip=[
            n("model", "losses"),
            *spread("mean", studied("packets_per_second"), ""),
        ],
    )
    return finish(alt.layer(ticks, bars, points).add_params(zoom("x")), 170)


def window() -> dict[str, Any]:
    """One link: the congestion window over time."""
    chart = named("cwnd").mark_line(
        interpolate="step-after", strokeWidth=1.2, color=theme.TRACE, clip=True
    )
    hover = alt.selection_point(
        name="hover",
        nearest=True,
        on="pointermove",
        encodings=["x"],
        empty=False,
        clear="pointerout",
    )
    x = alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False))
    line = chart.encode(
        x=x, y=alt.Y("cwnd:Q", title="window (packets)", scale=alt.Scale(nice=True, zero=True))
    )
    near = (
        named("cwnd")
        .mark_point(filled=True, color=theme.TRACE)
        .encode(
            x=x,
            y="cwnd:Q",
            size=alt.when(hover).then(alt.value(60)).otherwise(alt.value(1)),
            opacity=alt.when(hover).then(alt.value(1)).otherwise(alt.value(0)),
            tooltip=[q("t", "time (s)", ".2f"), q("cwnd", "window", ".1f")],
        )
        .add_params(hover)
    )
    return finish(alt.layer(line, near).add_params(zoom("x")), 220)


def bursts(kind: str, view: str) -> dict[str, Any]:
    """One link: the lengths of its runs, beside those of each model (S1, figures 4 and 15)."""
    noun = "losses" if kind == "loss" else "successes"
    tail = view == "tail"
    field = "tail" if tail else "share"
    title = f"share of runs {'at least' if tail else 'at most'} this long"
    scale_x = alt.Scale(type="log", nice=False, domainMin=1)
    ticks = alt.Axis(format="~s", values=[10**e * m for e in range(6) for m in (1, 3)])
    x = alt.X("length:Q", title=f"run of {noun} (packets)", scale=scale_x, axis=ticks)
    scale_y = alt.Scale(type="log", nice=False) if tail else alt.Scale(domain=[0, 1], nice=False)
    axis = (
        alt.Axis(format=".0e", values=[10.0**-e for e in range(7)])
        if tail
        else alt.Axis(format=".0%")
    )
    y = alt.Y(f"{field}:Q", title=title, scale=scale_y, axis=axis)
    dash = alt.StrokeDash("model:N", scale=alt.Scale(domain=MODELS, range=[[1, 0], [2, 3], [7, 4]]))
    measured = (
        named(kind)
        .transform_joinaggregate(total="sum(count)")
        .transform_window(until="sum(count)", sort=[{"field": "length"}], frame=[None, 0])
        .transform_calculate(
            model=f"'{MODELS[0]}'",
            share="datum.until / datum.total",
            tail="(datum.total - datum.until + datum.count) / datum.total",
        )
    )
    # Lengths of the runs of a model are geometric: drawn at steps up to the longest of the trace.
    modelled = (
        named("models")
        .transform_calculate(step=f"sequence({_STEPS + 1})")
        .transform_flatten(["step"])
        .transform_calculate(
            length=f"max(1, round(pow(datum.longest, datum.step / {_STEPS})))",
            share="1 - pow(datum.stay, datum.length)",
            above="pow(datum.stay, datum.length - 1)",
            tail="datum.above >= datum.floor ? datum.above : null",
        )
    )
    lines = [
        chart.mark_line(
            interpolate="linear" if tail else "step-after", strokeWidth=2, clip=True
        ).encode(x=x, y=y, color=model_colour(), strokeDash=dash)
        for chart in (modelled, measured)
    ]
    points = measured.mark_point(filled=True, size=26, opacity=1).encode(
        x=x,
        y=y,
        color=model_colour(),
        tooltip=[
            q("length", "run length", ".0f"),
            q("count", "runs of this length", ".0f"),
            q("share", "at most this long", ".2%"),
            q("tail", "at least this long", ".3~%"),
        ],
    )
    return finish(alt.layer(*lines, points).add_params(zoom("x")))


def convergence() -> dict[str, Any]:
    """One link: mu of the first n packets, with the error of the whole (S1, figures 17, 18)."""
    x = alt.X(
        "packets:Q",
        title="packets from the start",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(format="~s", values=[10**e * m for e in range(1, 8) for m in (1, 2, 5)]),
    )
    y = alt.Y("mu:Q", title="mu so far", scale=alt.Scale(zero=False, nice=True))
    band = (
        named("band")
        .mark_area(opacity=0.16, color=theme.TRACE)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    seen = alt.condition("datum.seen", alt.value(1), alt.value(0))
    guides = named("guides").mark_rule(strokeDash=[3, 4]).encode(x=x, opacity=seen)
    sides: tuple[tuple[Literal["left", "right"], int], ...] = (("right", -4), ("left", 4))
    labels = [
        named("guides")
        .mark_text(align=align, dx=dx, dy=2, baseline="top", color=theme.MUTED)
        .encode(x=x, y=alt.value(0), text=f"{align}:N")
        for align, dx in sides
    ]
    line = named("prefix").mark_line(
        strokeWidth=2, color=theme.TRACE, point=alt.OverlayMarkDef(size=18, color=theme.TRACE)
    )
    curve = line.encode(x=x, y=y, tooltip=[q("packets", "packets", ",.0f"), q("mu", "mu", ".3f")])
    return finish(alt.layer(band, guides, *labels, curve).add_params(zoom()))


def conditional() -> dict[str, Any]:
    """One link: probability of delivery after k losses or k successes in a row."""
    x = alt.X(
        "k:Q",
        title="losses in a row  \N{LEFTWARDS ARROW}  before this packet  \N{RIGHTWARDS ARROW}  "
        "successes in a row",
        axis=alt.Axis(labelExpr="abs(datum.value)"),
    )
    y = alt.Y(
        "probability:Q",
        title="delivered next",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%"),
    )
    rule = (
        named("means")
        .mark_rule(strokeDash=[4, 3], color=theme.INDEPENDENT, strokeWidth=1.4)
        .encode(y="prr:Q", tooltip=[q("prr", "PRR, what independence gives")])
    )
    zero = named("unit").mark_rule(opacity=0.6).encode(x=alt.datum(0))
    points = (
        named("cpdf")
        .mark_circle(color=theme.TRACE, opacity=0.9)
        .encode(
            x=x,
            y=y,
            size=alt.Size("samples:Q", scale=alt.Scale(type="log", range=[16, 110]), legend=None),
            tooltip=[
                q("k", "k", "d"),
                q("probability", "delivered", ".1%"),
                q("samples", "times seen", ",.0f"),
            ],
        )
    )
    return finish(alt.layer(zero, rule, points.add_params(zoom())))


def autocorrelation() -> dict[str, Any]:
    """One link: correlation of outcomes by lag, beside the chain's mu to the power of the lag."""
    x = alt.X(
        "lag:Q",
        title="packets apart",
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=alt.Axis(values=[1, 3, 10, 30, 100, 300, 1000, 10_000], format="~s"),
    )
    y = alt.Y("value:Q", title="correlation of outcomes")
    noise = (
        named("autocorrelation")
        .mark_area(opacity=0.14, color=theme.GUIDE)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    stems = (
        named("autocorrelation")
        .mark_rule(color=theme.TRACE, strokeWidth=2)
        .encode(x=x, y=y, y2=alt.datum(0))
    )
    heads = (
        named("autocorrelation")
        .transform_calculate(chain=_OF_CHAIN)
        .mark_circle(color=theme.TRACE, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            tooltip=[
                q("lag", "packets apart", "d"),
                q("value", "correlation", ".3f"),
                q("chain", "chain's", ".3f"),
            ],
        )
    )
    chain = (
        named("autocorrelation")
        .transform_filter("isValid(datum.mu)")
        .transform_calculate(chain=_OF_CHAIN)
        .mark_line(color=theme.CHAIN, strokeDash=[7, 4], strokeWidth=2, interpolate="monotone")
        .encode(x=x, y="chain:Q")
    )
    return finish(alt.layer(noise, stems, chain, heads).add_params(zoom()))


def reception_over_time() -> dict[str, Any]:
    """One link: the share of packets that arrives, window by window."""
    chart = (
        named("time")
        .mark_rect(clip=True)
        .encode(
            x=alt.X("from:Q", title="time (s)", scale=alt.Scale(nice=False)),
            x2="to:Q",
            y=alt.Y(
                "prr:Q",
                title="received",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", values=[0, 0.5, 1]),
            ),
            y2=alt.datum(0),
            color=ramp("prr", "", legend=False),
            tooltip=[
                q("from", "from (s)", ".2f"),
                q("to", "to (s)", ".2f"),
                q("prr", "received", ".1%"),
            ],
        )
    )
    return finish(chart.add_params(zoom("x")), 120)
