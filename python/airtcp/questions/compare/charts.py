"""The charts of a comparison: goodput and differences with intervals, delay, windows.

Specifications name their data, as in `airtcp.charts.parts`. Every TCP has one colour and one shape
on the whole page, so that no chart depends on colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import crosses, finish, n, named, q, spread, zoom
from airtcp.data.metrics import record

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW: Final = 30
_ROW_SPLIT: Final = 15
"""Height of a channel within the row of a TCP."""
_SHAPES: Final = ["circle", "diamond", "triangle-up", "square", "cross", "triangle-down"]
_DASHES: Final = [[1, 0], [6, 3], [2, 2]]
_CHANNELS: Final = ["the trace", "independent losses", "Gilbert-Elliott"]
_CHANNEL_COLOURS: Final = [theme.TRACE, theme.INDEPENDENT, theme.CHAIN]


def _outcome(key: str) -> str:
    """Return the axis title of a metric of a TCP or remedy."""
    return record("compare", "Outcome")[key].label


def name_axis() -> alt.Axis:
    """Show names in full, without a line."""
    return alt.Axis(labelColor=theme.INK, labelLimit=190, domain=False, ticks=False)


def _names(variants: Sequence[str]) -> alt.Y:
    return alt.Y("variant:N", title=None, sort=list(variants), axis=name_axis())


def colour_of(variants: Sequence[str], *, legend: bool) -> alt.Color:
    """Give each variant its colour."""
    colours = [theme.SERIES[i % len(theme.SERIES)] for i in range(len(variants))]
    scale = alt.Scale(domain=list(variants), range=colours)
    key = alt.Legend(title=None, columns=6, symbolOpacity=1) if legend else None
    return alt.Color("variant:N", scale=scale, legend=key)


def shape_of(variants: Sequence[str], *, legend: bool) -> alt.Shape:
    """Give each variant its shape."""
    # Two TCPs with the same colour have different shapes.
    shapes = [_SHAPES[(i + i // len(theme.SERIES)) % len(_SHAPES)] for i in range(len(variants))]
    key = alt.Legend(title=None, columns=6, symbolOpacity=1) if legend else None
    scale = alt.Scale(domain=list(variants), range=shapes)
    return alt.Shape("variant:N", scale=scale, legend=key)


def _channel_colour(*, several: bool) -> Any:
    if not several:
        return alt.value(theme.TRACE)
    scale = alt.Scale(domain=_CHANNELS, range=_CHANNEL_COLOURS)
    return alt.Color("channel:N", scale=scale, legend=alt.Legend(title=None, symbolOpacity=1))


def _offset(*, several: bool) -> dict[str, Any]:
    if not several:
        return {}
    return {"yOffset": alt.YOffset("channel:N", sort=_CHANNELS)}


def _height(variants: Sequence[str], *, several: bool) -> int:
    return (_ROW_SPLIT * len(_CHANNELS) if several else _ROW) * max(len(variants), 2) + 40


def goodput(
    variants: Sequence[str], unit: str, *, several: bool, runs: bool = True
) -> dict[str, Any]:
    """Goodput of each TCP: the replications, their mean, its confidence interval.

    Args: variants: The TCPs, in order. unit: Unit of the goodput. several: Whether there are
        several channels. runs: Whether to draw the single replications.
    """
    y, colour, offset = _names(variants), _channel_colour(several=several), _offset(several=several)
    title = f"goodput ({unit})"
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=True))
    ticks = (
        named("runs")
        .mark_tick(thickness=1.2, opacity=0.28, size=9)
        .encode(x=x, y=y, color=colour, **offset)
    )
    means = named("means")
    bars = means.mark_rule(strokeWidth=2.5).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", y=y, color=colour, **offset
    )
    points = means.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("mean:Q", title=title),
        y=y,
        color=colour,
        tooltip=[
            n("variant", "TCP"),
            n("channel", "over"),
            *spread("mean", title, ""),
        ],
        **offset,
    )
    layers = [ticks, bars, points] if runs else [bars, points]
    chart = alt.layer(*layers).add_params(zoom("x"))
    return finish(chart, _height(variants, several=several))


def difference(variants: Sequence[str], reference: str, *, several: bool) -> dict[str, Any]:
    """Goodput minus the reference's, in percent; differences that are not significant are faint."""
    y, colour, offset = _names(variants), _channel_colour(several=several), _offset(several=several)
    base = named("means").transform_filter("isValid(datum.gain)")
    zero = named("unit").mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0))
    strong = alt.condition("datum.significant", alt.value(1), alt.value(0.35))
    x = alt.X("gain_low:Q", title=f"goodput against {reference} (%)", scale=alt.Scale(zero=True))
    bars = base.mark_rule(strokeWidth=2.5).encode(
        x=x, x2="gain_high:Q", y=y, color=colour, opacity=strong, **offset
    )
    points = base.mark_point(filled=True, size=80).encode(
        x=alt.X("gain:Q"),
        y=y,
        color=colour,
        opacity=strong,
        tooltip=[
            n("variant", "TCP"),
            n("channel", "over"),
            *spread("gain", f"against {reference} (%)"),
            n("standing", "which is"),
        ],
        **offset,
    )
    # The line at zero has no field, so the zoom belongs to the points.
    chart = alt.layer(zero, bars, points.add_params(zoom("x")))
    return finish(chart, _height(variants, several=several))


def against_delay(variants: Sequence[str], unit: str) -> dict[str, Any]:
    """Goodput against round-trip time, both with intervals: up and to the left is better."""
    base = named("means").transform_filter("isValid(datum.rtt)")
    colour, shape = colour_of(variants, legend=True), shape_of(variants, legend=True)
    x = alt.X("rtt:Q", title=_outcome("rtt_mean_s"), scale=alt.Scale(zero=False, padding=16))
    y = alt.Y("mean:Q", title=f"goodput ({unit})", scale=alt.Scale(zero=False, padding=16))
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("variant", "TCP"),
            q("mean", f"goodput ({unit})"),
            q("rtt", _outcome("rtt_mean_s")),
            q("rtt_p95", _outcome("rtt_p95_s")),
        ],
    )
    ends = crosses(base, (x, y), ("rtt_", ""), colour)
    return finish(alt.layer(*ends, points).add_params(zoom()), 320)


def trade_off(variants: Sequence[str], unit: str) -> dict[str, Any]:
    """Goodput against delivery time, with residual loss and cost beside the name."""
    base = named("means").transform_filter("datum.delivery > 0")
    title, late = f"goodput ({unit})", _outcome("delivery_p95_s")
    y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=True))
    x = alt.X("delivery:Q", title=late, scale=alt.Scale(type="log", nice=False, padding=12))
    colour, shape = colour_of(variants, legend=True), shape_of(variants, legend=True)
    down = base.mark_rule(strokeWidth=1.6).encode(
        x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour
    )
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("variant", "remedy"),
            q("mean", title),
            q("delivery", late),
            q("left", _outcome("residual_loss")),
            q("cost", _outcome("bytes_per_byte")),
        ],
    )
    return finish(alt.layer(down, points).add_params(zoom()), 320)


def shares(variants: Sequence[str], rival: str) -> dict[str, Any]:
    """Share of each TCP beside the rival; half is fair."""
    base = named("means").transform_filter("isValid(datum.share)")
    half = named("unit").mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(50))
    y = _names(variants)
    x = alt.X(
        "share:Q", title=f"share of what it and {rival} get (%)", scale=alt.Scale(domain=[0, 100])
    )
    bars = base.mark_rule(strokeWidth=2.5, color=theme.TRACE).encode(
        x=alt.X("share_low:Q"), x2="share_high:Q", y=y
    )
    points = base.mark_point(filled=True, size=80, opacity=1, color=theme.TRACE).encode(
        x=x,
        y=y,
        tooltip=[
            n("variant", "TCP"),
            *spread("share", "share (%)"),
            q("rival", f"{rival} gets (Mb/s)"),
        ],
    )
    return finish(alt.layer(half, bars, points), _height(variants, several=False))


def windows(variants: Sequence[str]) -> dict[str, Any]:
    """Congestion windows over time; a name in the key shows its line alone."""
    pick = alt.selection_point(name="pick", fields=["variant"], bind="legend")
    dashes = [_DASHES[(i // len(theme.SERIES)) % len(_DASHES)] for i in range(len(variants))]
    dash = alt.StrokeDash(
        "variant:N",
        scale=alt.Scale(domain=list(variants), range=dashes),
        legend=alt.Legend(title=None, columns=6, symbolOpacity=1),
    )
    line = (
        named("windows")
        .mark_line(interpolate="step-after", strokeWidth=1.3, clip=True)
        .encode(
            x=alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False)),
            y=alt.Y("cwnd:Q", title="window (packets)", scale=alt.Scale(zero=True)),
            color=colour_of(variants, legend=True),
            strokeDash=dash,
            opacity=alt.when(pick).then(alt.value(0.9)).otherwise(alt.value(0.07)),
        )
        .add_params(pick, zoom("x"))
    )
    return finish(line, 280)


def by_link(variants: Sequence[str], links: Sequence[str], reference: str) -> dict[str, Any]:
    """Difference to the reference over several links; those not significant are faint."""
    base = named("means").transform_filter("isValid(datum.gain)")
    zero = named("unit").mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0))
    y = alt.Y("link:N", title=None, sort=list(links), axis=name_axis())
    others = [name for name in variants if name != reference]
    offset = alt.YOffset("variant:N", sort=others)
    colour = colour_of(variants, legend=True)
    strong = alt.condition("datum.significant", alt.value(1), alt.value(0.3))
    x = alt.X("gain_low:Q", title=f"goodput against {reference} (%)", scale=alt.Scale(zero=True))
    bars = base.mark_rule(strokeWidth=1.6).encode(
        x=x,
        x2="gain_high:Q",
        y=y,
        yOffset=offset,
        color=colour,
        opacity=strong,
    )
    points = base.mark_point(filled=True, size=44).encode(
        x=alt.X("gain:Q"),
        y=y,
        yOffset=offset,
        color=colour,
        shape=shape_of(variants, legend=True),
        opacity=strong,
        tooltip=[
            n("link", "link"),
            n("variant", "TCP"),
            *spread("gain", f"against {reference} (%)"),
            n("standing", "which is"),
        ],
    )
    chart = alt.layer(zero, bars, points.add_params(zoom("x")))
    return finish(chart, max(len(links), 2) * max(9 * len(others), 26) + 40)
