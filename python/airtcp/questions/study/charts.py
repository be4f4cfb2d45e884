"""The charts of a study over all its links, after the figures of S1.

TCP against PRR, which stands beside the answer; its gain from the order of losses; and the
Gilbert-Elliott chain.
Specifications name their data, as in `airtcp.charts.parts`; the fields are those of
`airtcp.questions.study.rows`. Those of one link are in `airtcp.questions.study.charts_link`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, ramp, spread, studied, zoom

ANSWER: Final = "answer"
"""Name of the chart beside the answer."""
DIFFERS: Final = "differs from independent losses"
WITHIN: Final = "within chance"
"""What a point is, by whether TCP over the trace differs from TCP over independent losses."""
OVERVIEW_HEIGHT: Final = 340
_MANY: Final = 150


def ring(base: alt.Chart, x: Any, y: Any) -> alt.Chart:
    """Ring the chosen link; under the dots, so that it takes no hover from them."""
    mark = base.mark_point(strokeWidth=2, color=theme.INK, filled=False, tooltip=None)
    chosen = alt.condition("datum.index === chosen", alt.value(200), alt.value(0))
    return mark.encode(x=x, y=y, size=chosen)


def size(links: int) -> int:
    """Return the area of a link's dot, which is smaller among many."""
    return 28 if links > _MANY else 62


def _overview(*layers: Any) -> dict[str, Any]:
    chart = alt.layer(*layers).add_params(alt.param(name="chosen", value=-1))
    return finish(chart, OVERVIEW_HEIGHT)


def _rate_scale(scale: str) -> alt.Scale:
    if scale == "log":
        return alt.Scale(type="log", nice=False, padding=10)
    return alt.Scale(zero=True, nice=False, padding=10)


def _rate_axis(scale: str) -> alt.Axis:
    if scale == "log":
        return alt.Axis(format="~r", values=[10.0**e for e in range(-5, 6)])
    return alt.Axis(format="~r")


def _intervals(base: alt.Chart, scale: str, mean: str, low: str, high: str) -> alt.Chart:
    """Draw intervals as bars; on a logarithmic axis, one that contains 0 ends below all dots."""
    lowest = f"isValid(datum.{low}) ? datum.{low} : datum.{mean}"
    if scale == "log":
        base = base.transform_joinaggregate(floor=f"min({mean})")
        lowest = f"max({lowest}, datum.floor / 1.5)"
    ends = {"low_end": lowest, "high_end": f"isValid(datum.{high}) ? datum.{high} : datum.{mean}"}
    bars = base.transform_calculate(**ends).mark_rule(strokeWidth=1.2)
    return bars.encode(y=alt.Y("low_end:Q"), y2="high_end:Q")


def _unless_chance(opacity: float, faint: float) -> Any:
    return alt.condition("datum.more_than_chance", alt.value(opacity), alt.value(faint))


def _gain_intervals(base: alt.Chart, field: str) -> alt.Chart:
    """Begin bars from `low_end` to `high_end`, the interval of a gain."""
    # Without any interval, bars of zero length keep the axis of the dots.
    ends = {
        f"{end}_end": f"isValid(datum.{field}_{end}) ? datum.{field}_{end} : datum.{field}"
        for end in ("low", "high")
    }
    return base.transform_calculate(**ends).mark_rule(strokeWidth=1.2)


def gain(unit: str, links: int) -> dict[str, Any]:
    """Throughput minus that over independent losses, against mu (S1, figures 6 to 10)."""
    field = "gain" if unit == "rate" else "gain_percent"
    title = "gain over independent losses " + ("(packets/s)" if unit == "rate" else "(%)")
    base = named("links").transform_filter(f"isValid(datum.mu) && isValid(datum.{field})")
    x = alt.X("mu:Q", title=studied("mu"), scale=alt.Scale(nice=True, zero=False))
    zero = named("unit").mark_rule(strokeDash=[4, 3]).encode(y=alt.datum(0))
    y = alt.Y("low_end:Q", title=title, scale=alt.Scale(nice=False, padding=12))
    bars = _gain_intervals(base, field).encode(
        x=x, y=y, y2="high_end:Q", opacity=_unless_chance(0.7, 0.12)
    )
    area = size(links)
    tooltip = [
        n("name", "link"),
        q("mu", studied("mu")),
        q("prr", studied("prr")),
        *spread(field, "gain"),
        n("more_than_chance", "significant"),
        n("converged", "mu has settled"),
    ]
    # A hole in the dot shows that mu has not settled; a varying outline would change the legend.
    points = (
        base.mark_point(filled=True, size=area, cursor="pointer")
        .encode(
            x=x,
            y=f"{field}:Q",
            color=ramp("prr", studied("prr")),
            opacity=_unless_chance(1, 0.3),
            tooltip=tooltip,
        )
        .add_params(zoom())
    )
    holes = base.mark_point(
        filled=True, size=area / 4, color=theme.SURFACE, opacity=1, cursor="pointer"
    ).encode(
        x=x,
        y=f"{field}:Q",
        size=alt.condition("datum.converged", alt.value(0), alt.value(area / 3.2)),
        tooltip=tooltip,
    )
    return _overview(zero, ring(base, x, f"{field}:Q"), bars, points, holes)


def against_chain(scale: str, links: int) -> dict[str, Any]:
    """Throughput over the Gilbert-Elliott chain against that over the trace (S1, figure 19)."""
    base = named("links").transform_filter("isValid(datum.chain)")
    diagonal = named("diagonal")
    if scale == "log":
        base = base.transform_filter("datum.tcp > 0 && datum.chain > 0")
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
    bars = _intervals(base, scale, "chain", "chain_low", "chain_high").encode(
        x=x, opacity=alt.value(0.7)
    )
    mark = base.mark_point(filled=True, size=size(links), cursor="pointer", opacity=0.9)
    points = mark.encode(
        x=x,
        y=y,
        color=ramp("mu", studied("mu")),
        tooltip=[
            n("name", "link"),
            q("tcp", "trace"),
            *spread("chain", "chain"),
            q("mu", studied("mu")),
            q("prr", studied("prr")),
        ],
    ).add_params(zoom())
    return _overview(band, line, ring(base, x, y), bars, points)


def longest(kind: str, links: int) -> dict[str, Any]:
    """Longest run of the trace against that of the chain (S1, figure 20)."""
    mine, chain = f"longest_{kind}", f"expected_{kind}"
    base = named("links").transform_filter(f"datum.{mine} >= 1 && datum.{chain} >= 1")
    diagonal = named("runs")
    scale = alt.Scale(type="log", nice=False, padding=8)
    noun = "successes" if kind == "success" else "losses"
    axis = alt.Axis(format="~s", values=[10**e * m for e in range(7) for m in (1, 3)])
    x = alt.X(f"{chain}:Q", title=f"expected of the chain (run of {noun})", scale=scale, axis=axis)
    y = alt.Y(f"{mine}:Q", title=f"longest run of {noun}", scale=scale, axis=axis)
    line = diagonal.mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2).encode(
        x=alt.X(f"{kind}:Q", scale=scale), y=alt.Y(f"{kind}:Q", scale=scale)
    )
    mark = base.mark_point(filled=True, size=size(links), cursor="pointer", opacity=0.9)
    points = mark.encode(
        x=x,
        y=y,
        color=ramp("prr", studied("prr")),
        tooltip=[
            n("name", "link"),
            q(mine, "longest", ".0f"),
            q(chain, "chain's"),
            q("prr", studied("prr")),
            q("mu", studied("mu")),
        ],
    ).add_params(zoom())
    return _overview(line, ring(base, x, y), points)


def over_prr(links: int) -> dict[str, Any]:
    """Draw TCP over each link against PRR, and the curve of independent losses."""
    x = alt.X(
        "prr:Q",
        title=studied("prr"),
        scale=alt.Scale(domain=[0, 1], padding=10),
        axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f"),
    )
    scale = alt.Scale(type="log", nice=False, padding=10)
    axis = alt.Axis(format="~r", values=[10.0**e for e in range(-5, 6)])
    title = studied("packets_per_second")
    line = (
        named("curve")
        .mark_line(color=theme.INDEPENDENT, strokeDash=[4, 3], strokeWidth=1.4, clip=True)
        .encode(x=x, y=alt.Y("independent:Q", title=title, scale=scale, axis=axis))
    )
    kinds = alt.Scale(domain=[DIFFERS, WITHIN], range=[theme.TRACE, theme.MUTED])
    y = alt.Y("tcp:Q", title=title, scale=scale, axis=axis)
    dots = named("links").mark_point(
        filled=True,
        size=size(links),
        opacity=0.85,
        clip=True,
        cursor="pointer",
    )
    points = dots.encode(
        x=x,
        y=y,
        color=alt.Color("differs:N", scale=kinds, legend=alt.Legend(title=None, labelLimit=240)),
        tooltip=[
            n("name", "link"),
            q("prr", studied("prr")),
            q("tcp", "TCP (packets/s)"),
            q("independent", "independent losses"),
        ],
    ).add_params(zoom())
    layers = alt.layer(line, ring(named("links"), x, y), points)
    return finish(layers.add_params(alt.param(name="chosen", value=-1)), 300)
