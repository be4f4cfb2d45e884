"""The pictures of a study, after the figures of S1.

Each function returns a Vega-Lite specification that names its data (`links`, `models` ...);
the page fills the data in, for all links or for the one that is chosen, and the colours. The
fields are those of `airtcp.report.rows`. Heights are fixed, widths follow the page.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import altair as alt

from airtcp.report import theme

HEIGHT: Final = 270
OVERVIEW_HEIGHT: Final = 340
MODELS: Final = ["this trace", "independent losses", "Gilbert-Elliott"]
_COLOURS: Final = [theme.TRACE, theme.INDEPENDENT, theme.CHAIN]
_SHAPES: Final = ["circle", "diamond", "triangle-up"]
_MANY: Final = 150
_RATE: Final = "TCP throughput (packets/s)"


def finish(chart: Any, height: int = HEIGHT) -> dict[str, Any]:
    """Turn a chart into a specification that the page completes."""
    spec: dict[str, Any] = chart.properties(width="container", height=height).to_dict()
    spec.pop("config", None)
    spec.pop("$schema", None)
    return spec


def zoom(*encodings: str) -> alt.Parameter:
    """Drag to move, Shift and wheel to zoom: the plain wheel scrolls the page, as everywhere."""
    return alt.selection_interval(
        name="view",
        bind="scales",
        encodings=list(encodings or ("x", "y")),  # pyright: ignore[reportArgumentType]
        zoom="wheel![event.shiftKey]",
        clear="dblclick",
    )


def q(field: str, title: str, fmt: str = ".3~r") -> alt.Tooltip:
    """Show a quantity under the pointer."""
    return alt.Tooltip(field=field, type="quantitative", title=title, format=fmt)


def n(field: str, title: str) -> alt.Tooltip:
    """Show a name under the pointer."""
    return alt.Tooltip(field=field, type="nominal", title=title)


def _data(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name))


def _model_colour(*, legend: bool = True) -> alt.Color:
    key = alt.Legend(title=None, symbolOpacity=1) if legend else None
    return alt.Color("model:N", scale=alt.Scale(domain=MODELS, range=_COLOURS), legend=key)


def _model_shape() -> alt.Shape:
    return alt.Shape("model:N", scale=alt.Scale(domain=MODELS, range=_SHAPES))


def ramp(field: str, title: str, *, legend: bool = True) -> alt.Color:
    """Colour by a share, from 0 to 1; what lies beyond has the colour of the end.

    Args:
        field: The field that holds it.
        title: Heading of the legend.
        legend: Whether there is one.
    """
    scale = alt.Scale(domain=[0, 1], clamp=True, range=theme.RAMP)
    key = alt.Legend(title=title, type="gradient", format=".1f") if legend else None
    return alt.Color(f"{field}:Q", scale=scale, legend=key)


def _ring(base: alt.Chart, x: Any, y: Any) -> alt.Chart:
    """Ring the chosen link; under the dots, so that it takes no hover from them."""
    ring = base.mark_point(strokeWidth=2, color=theme.INK, filled=False, tooltip=None)
    chosen = alt.condition("datum.index === chosen", alt.value(200), alt.value(0))
    return ring.encode(x=x, y=y, size=chosen)


def _overview(*layers: Any, params: tuple[Any, ...] = ()) -> dict[str, Any]:
    chart = alt.layer(*layers).add_params(alt.param(name="chosen", value=-1), *params)
    return finish(chart, OVERVIEW_HEIGHT)


def _rate_scale(scale: str) -> alt.Scale:
    if scale == "log":
        return alt.Scale(type="log", nice=False, padding=10)
    return alt.Scale(zero=True, nice=False, padding=10)


def _rate_axis(scale: str) -> alt.Axis:
    if scale == "log":
        return alt.Axis(format="~r", values=[10.0**e for e in range(-5, 6)])
    return alt.Axis(format="~r")


def throughput(scale: str, links: int) -> dict[str, Any]:
    """TCP throughput against PRR: the trace and both models of it (S1, figure 3)."""
    pick = alt.selection_point(name="models", fields=["model"], bind="legend")
    base = _data("models")
    if scale == "log":
        base = base.transform_filter("datum.mean > 0 && (!isValid(datum.low) || datum.low > 0)")
    x = alt.X(
        "prr:Q",
        title="packet reception ratio (PRR)",
        scale=alt.Scale(domain=[0, 1], padding=10),
        axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f"),
    )
    y = alt.Y("mean:Q", title=_RATE, scale=_rate_scale(scale), axis=_rate_axis(scale))
    bars = base.mark_rule(strokeWidth=1.2).encode(
        x=x,
        y=alt.Y("low:Q"),
        y2="high:Q",
        color=_model_colour(),
        opacity=alt.when(pick).then(alt.value(0.5)).otherwise(alt.value(0.04)),
    )
    mark = base.mark_point(filled=True, size=58 if links <= _MANY else 24, cursor="pointer")
    points = mark.encode(
        x=x,
        y=y,
        color=_model_colour(),
        shape=_model_shape(),
        opacity=alt.when(pick)
        .then(alt.value(0.9 if links <= _MANY else 0.55))
        .otherwise(alt.value(0.05)),
        tooltip=[
            n("name", "link"),
            n("model", "losses"),
            q("prr", "PRR"),
            q("mean", "packets/s"),
            q("low", "from"),
            q("high", "to"),
        ],
    ).add_params(pick, zoom())
    ring = _ring(base.transform_filter(f"datum.model === '{MODELS[0]}'"), x, y)
    return _overview(ring, bars, points)


def _unless_chance(opacity: float, faint: float) -> Any:
    return alt.condition("datum.more_than_chance", alt.value(opacity), alt.value(faint))


def gain(unit: str, links: int) -> dict[str, Any]:
    """Throughput less that over independent losses, against mu (S1, figures 6 to 10)."""
    field = "gain" if unit == "rate" else "gain_percent"
    title = "gain over independent losses " + ("(packets/s)" if unit == "rate" else "(%)")
    base = _data("links").transform_filter(f"isValid(datum.mu) && isValid(datum.{field})")
    x = alt.X("mu:Q", title="burstiness (mu)", scale=alt.Scale(nice=True, zero=False))
    y = alt.Y(f"{field}_low:Q", title=title, scale=alt.Scale(nice=False, padding=12))
    zero = _data("unit").mark_rule(strokeDash=[4, 3]).encode(y=alt.datum(0))
    bars = base.mark_rule(strokeWidth=1.2).encode(
        x=x, y=y, y2=f"{field}_high:Q", opacity=_unless_chance(0.7, 0.12)
    )
    size = 62 if links <= _MANY else 28
    tooltip = [
        n("name", "link"),
        q("mu", "mu"),
        q("prr", "PRR"),
        q(field, "gain"),
        q(f"{field}_low", "from"),
        q(f"{field}_high", "to"),
        n("more_than_chance", "more than chance"),
        n("converged", "mu has settled"),
    ]
    # A hole in the dot says that mu has not settled; a varying outline would spoil the key.
    points = (
        base.mark_point(filled=True, size=size, cursor="pointer")
        .encode(
            x=x,
            y=f"{field}:Q",
            color=ramp("prr", "PRR"),
            opacity=_unless_chance(1, 0.3),
            tooltip=tooltip,
        )
        .add_params(zoom())
    )
    holes = base.mark_point(
        filled=True, size=size / 4, color=theme.SURFACE, opacity=1, cursor="pointer"
    ).encode(
        x=x,
        y=f"{field}:Q",
        size=alt.condition("datum.converged", alt.value(0), alt.value(size / 3.2)),
        tooltip=tooltip,
    )
    return _overview(zero, _ring(base, x, f"{field}:Q"), bars, points, holes)


def against_chain(scale: str, links: int) -> dict[str, Any]:
    """Throughput over the Gilbert-Elliott chain against that over the trace (S1, figure 19)."""
    base = _data("links").transform_filter("isValid(datum.chain)")
    diagonal = _data("diagonal")
    if scale == "log":
        base = base.transform_filter("datum.tcp > 0 && datum.chain > 0 && !(datum.chain_low <= 0)")
        diagonal = diagonal.transform_filter("datum.tcp > 0")
    else:
        diagonal = diagonal.transform_filter("datum.tcp == 0 || datum.top")
    axis = _rate_axis(scale)
    x = alt.X("tcp:Q", title="over the trace (packets/s)", scale=_rate_scale(scale), axis=axis)
    y = alt.Y("chain:Q", title="over the chain (packets/s)", scale=_rate_scale(scale), axis=axis)
    band = diagonal.mark_area(opacity=0.13, color=theme.GUIDE).encode(
        x=x, y=alt.Y("low:Q"), y2="high:Q"
    )
    line = diagonal.mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2).encode(
        x=x, y=alt.Y("tcp:Q")
    )
    bars = base.mark_rule(strokeWidth=1.2, opacity=0.7).encode(
        x=x, y=alt.Y("chain_low:Q"), y2="chain_high:Q"
    )
    mark = base.mark_point(
        filled=True, size=62 if links <= _MANY else 28, cursor="pointer", opacity=0.9
    )
    points = mark.encode(
        x=x,
        y=y,
        color=ramp("mu", "mu"),
        tooltip=[
            n("name", "link"),
            q("tcp", "trace"),
            q("chain", "chain"),
            q("chain_low", "from"),
            q("chain_high", "to"),
            q("mu", "mu"),
            q("prr", "PRR"),
        ],
    ).add_params(zoom())
    return _overview(band, line, _ring(base, x, y), bars, points)


def longest(kind: str, links: int) -> dict[str, Any]:
    """Longest run of the trace against that of the chain (S1, figure 20)."""
    mine, chain = f"longest_{kind}", f"expected_{kind}"
    base = _data("links").transform_filter(f"datum.{mine} >= 1 && datum.{chain} >= 1")
    diagonal = _data("runs")
    scale = alt.Scale(type="log", nice=False, padding=8)
    noun = "successes" if kind == "success" else "losses"
    axis = alt.Axis(format="~s", values=[10**e * m for e in range(7) for m in (1, 3)])
    x = alt.X(f"{chain}:Q", title=f"expected of the chain (run of {noun})", scale=scale, axis=axis)
    y = alt.Y(f"{mine}:Q", title=f"longest run of {noun}", scale=scale, axis=axis)
    line = diagonal.mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2).encode(
        x=alt.X(f"{kind}:Q", scale=scale), y=alt.Y(f"{kind}:Q", scale=scale)
    )
    mark = base.mark_point(
        filled=True, size=62 if links <= _MANY else 28, cursor="pointer", opacity=0.9
    )
    points = mark.encode(
        x=x,
        y=y,
        color=ramp("prr", "PRR"),
        tooltip=[
            n("name", "link"),
            q(mine, "longest", ".0f"),
            q(chain, "chain's"),
            q("prr", "PRR"),
            q("mu", "mu"),
        ],
    ).add_params(zoom())
    return _overview(line, _ring(base, x, y), points)


def link_throughput() -> dict[str, Any]:
    """One link: the trace's throughput beside every replica of the models of it."""
    y = alt.Y(
        "model:N",
        title=None,
        sort=MODELS,
        axis=alt.Axis(labelFontSize=12.5, labelColor=theme.INK, domain=False, ticks=False),
    )
    scale = alt.Scale(zero=True, nice=True)
    colour = _model_colour(legend=False)
    ticks = (
        _data("replicas")
        .mark_tick(thickness=1.5, size=26, opacity=0.35)
        .encode(
            x=alt.X("value:Q", title=_RATE, scale=scale),
            y=y,
            color=colour,
            tooltip=[n("model", "losses"), q("value", "one replica")],
        )
    )
    means = _data("means")
    bars = means.mark_rule(strokeWidth=3).encode(x="low:Q", x2="high:Q", y=y, color=colour)
    points = means.mark_point(filled=True, size=130, opacity=1).encode(
        x="mean:Q",
        y=y,
        color=colour,
        shape=_model_shape().legend(None),
        tooltip=[
            n("model", "losses"),
            q("mean", "packets/s"),
            q("low", "from"),
            q("high", "to"),
        ],
    )
    return finish(alt.layer(ticks, bars, points).add_params(zoom("x")), 170)


def window() -> dict[str, Any]:
    """One link: the congestion window over time."""
    chart = _data("cwnd").mark_line(
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
        _data("cwnd")
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
    """One link: how long its runs are, beside what each model expects (S1, figures 4 and 15)."""
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
    lines = (
        _data(kind)
        .mark_line(interpolate="linear" if tail else "step-after", strokeWidth=2, clip=True)
        .encode(x=x, y=y, color=_model_colour(), strokeDash=dash)
    )
    points = (
        _data(kind)
        .transform_filter(f"datum.model === '{MODELS[0]}'")
        .mark_point(filled=True, size=26, opacity=1)
        .encode(
            x=x,
            y=y,
            color=_model_colour(),
            tooltip=[
                q("length", "run length", ".0f"),
                q("count", "runs of this length", ".0f"),
                q("share", "at most this long", ".2%"),
                q("tail", "at least this long", ".3~%"),
            ],
        )
    )
    return finish(alt.layer(lines, points).add_params(zoom("x")))


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
        _data("band")
        .mark_area(opacity=0.16, color=theme.TRACE)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    seen = alt.condition("datum.seen", alt.value(1), alt.value(0))
    guides = _data("guides").mark_rule(strokeDash=[3, 4]).encode(x=x, opacity=seen)
    sides: tuple[tuple[Literal["left", "right"], int], ...] = (("right", -4), ("left", 4))
    labels = [
        _data("guides")
        .mark_text(align=align, dx=dx, dy=2, baseline="top", color=theme.MUTED)
        .encode(x=x, y=alt.value(0), text=f"{align}:N")
        for align, dx in sides
    ]
    line = _data("prefix").mark_line(
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
        _data("means")
        .transform_filter(f"datum.model === '{MODELS[0]}'")
        .mark_rule(strokeDash=[4, 3], color=theme.INDEPENDENT, strokeWidth=1.4)
        .encode(y="prr:Q", tooltip=[q("prr", "PRR, what independence gives")])
    )
    zero = _data("unit").mark_rule(opacity=0.6).encode(x=alt.datum(0))
    points = (
        _data("cpdf")
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
        _data("autocorrelation")
        .mark_area(opacity=0.14, color=theme.GUIDE)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    stems = (
        _data("autocorrelation")
        .mark_rule(color=theme.TRACE, strokeWidth=2)
        .encode(x=x, y=y, y2=alt.datum(0))
    )
    heads = (
        _data("autocorrelation")
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
        _data("autocorrelation")
        .transform_filter("isValid(datum.chain)")
        .mark_line(color=theme.CHAIN, strokeDash=[7, 4], strokeWidth=2, interpolate="monotone")
        .encode(x=x, y="chain:Q")
    )
    return finish(alt.layer(noise, stems, chain, heads).add_params(zoom()))


def reception_over_time() -> dict[str, Any]:
    """One link: what share of the packets arrives, window by window."""
    chart = (
        _data("time")
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


def study_charts(links: int) -> dict[str, dict[str, Any]]:
    """Every picture of a study's page, by the name the page has for it."""
    charts = {
        "link-tcp": link_throughput(),
        "link-cwnd": window(),
        "link-time": reception_over_time(),
        "link-success": bursts("success", "share"),
        "link-success-tail": bursts("success", "tail"),
        "link-loss": bursts("loss", "share"),
        "link-loss-tail": bursts("loss", "tail"),
        "link-convergence": convergence(),
        "link-cpdf": conditional(),
        "link-autocorrelation": autocorrelation(),
    }
    if links > 1:
        charts |= {
            "throughput": throughput("linear", links),
            "throughput-log": throughput("log", links),
            "gain": gain("rate", links),
            "gain-percent": gain("percent", links),
            "chain": against_chain("linear", links),
            "chain-log": against_chain("log", links),
            "longest": longest("success", links),
            "longest-loss": longest("loss", links),
        }
    return charts
