"""The charts of a capture: time-sequence diagram, round-trip times, windows, losses, rates.

Specifications name their data, as in `airtcp.charts.parts`. The page fills in only as many
segments, ACKs and blocks as it shows, and fills in others when a reader zooms.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom

FIRST: Final = "first"
WINDOW: Final = "receive window"
ACK: Final = "ACK"
SACK: Final = "SACK block"
DSACK: Final = "duplicate SACK"
CAUSES: Final = {
    "fast": "fast retransmission",
    "timeout": "timeout",
    "after_timeout": "after a timeout",
    "tail_loss_probe": "tail-loss probe",
    "unknown": "sent again, cause unknown",
}
KINDS: Final = {"out_of_order": "out of order", "duplicate": "duplicate"}
_COLOURS: Final = {
    FIRST: theme.INK,
    ACK: theme.CHAIN,
    WINDOW: theme.GUIDE,
    SACK: "@series3",
    DSACK: "@series4",
    CAUSES["fast"]: "@series1",
    CAUSES["timeout"]: "@late",
    CAUSES["after_timeout"]: "@late",
    CAUSES["tail_loss_probe"]: "@series0",
    CAUSES["unknown"]: "@series5",
    KINDS["out_of_order"]: "@ramp2",
    KINDS["duplicate"]: "@ramp0",
}
COLOURED: Final = tuple(_COLOURS)
"""Everything that a diagram can have, in the order of its key."""
_SHAPES: Final = {
    CAUSES["fast"]: "circle",
    CAUSES["timeout"]: "square",
    CAUSES["after_timeout"]: "triangle-up",
    CAUSES["tail_loss_probe"]: "diamond",
    CAUSES["unknown"]: "cross",
    KINDS["out_of_order"]: "triangle-down",
    KINDS["duplicate"]: "triangle-left",
}
_HEIGHT: Final = 460
_BYTES: Final = "byte of the stream"
_TIME: Final = "time since the first packet (s)"


def time_sequence(names: list[str], end_s: float, top: float) -> dict[str, Any]:
    """Segments, ACKs, SACK blocks and the edge of the receiver's window over time.

    Args: names: What occurs, in the order of the key. end_s: End of the time. top: Highest byte.
    """
    scale: dict[str, Any] = {"domain": names, "range": [_COLOURS[name] for name in names]}
    # One line, so that the page sets the key in as many columns as fit.
    key = alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1)
    colour = alt.Color("what:N", scale=alt.Scale(**scale), sort=names, legend=key)
    across = alt.Scale(domain=[0, end_s], nice=False, zero=False)
    up = alt.Scale(domain=[0, top], nice=False, zero=False)
    x = alt.X("t:Q", title=_TIME, scale=across)
    y = alt.Y("b:Q", title=_BYTES, scale=up, axis=alt.Axis(format="~s"))
    bars: dict[str, Any] = {"x": x, "x2": "t2:Q", "y": y, "y2": "e:Q", "color": colour}
    span = [n("what", "what"), q("t", "time (s)", ".6~f"), q("b", "from byte", ",d")]
    span.append(q("e", "to byte", ",d"))
    steps = [
        named(name)
        .mark_line(interpolate="step-after", strokeWidth=1.2, clip=True)
        .encode(x=x, y=y, color=colour)
        for name in ("acks", "edges")
    ]
    blocks = named("blocks").mark_rule(strokeWidth=1.6, clip=True, opacity=0.8)
    first = named("segments").mark_rule(strokeWidth=1.8, strokeCap="round", clip=True)
    again = named("again").mark_rule(strokeWidth=3, clip=True)
    marks = named("again").mark_point(size=44, strokeWidth=1.6, clip=True, opacity=1)
    why = [n("what", "what"), n("fate", "fate"), *span[1:]]
    present = [name for name in _SHAPES if name in names]
    shape = alt.Shape(
        "what:N",
        scale=alt.Scale(domain=present, range=[_SHAPES[name] for name in present]),
        sort=present,
        legend=None,
    )
    layers: Any = alt.layer(
        *steps,
        blocks.encode(**bars, tooltip=span),
        first.encode(**bars, tooltip=span).add_params(zoom("x", "y")),
        again.encode(**bars, tooltip=why),
        marks.encode(
            x=x,
            y=y,
            color=colour,
            fill=alt.Fill("what:N", scale=alt.Scale(**scale), sort=names, legend=None),
            fillOpacity=alt.condition("datum.fate === 'needed'", alt.value(1), alt.value(0)),
            shape=shape,
            tooltip=why,
        ),
    )
    return finish(layers.resolve_scale(shape="independent", fill="independent"), _HEIGHT)


def windows() -> dict[str, Any]:
    """Flight, congestion window and receive window over time; they differ by powers of ten."""
    pick, encoding = lines("name")
    drawn = named("window").mark_line(interpolate="step-after", strokeWidth=1.2, clip=True)
    return finish(
        drawn.encode(
            x=alt.X("t:Q", title=_TIME, scale=alt.Scale(nice=False)),
            y=alt.Y("kb:Q", title="bytes (kB)", scale=alt.Scale(type="log")),
            **encoding,
        ).add_params(pick, zoom("x"))
    )


def gaps() -> dict[str, Any]:
    """The time and the segments between losses (S4)."""
    points = named("gaps").mark_point(filled=True, size=30, opacity=0.6)
    return finish(
        points.encode(
            x=alt.X("dt:Q", title="time since the loss before (s)", scale=alt.Scale(type="log")),
            y=alt.Y(
                "dn:Q", title="data segments since the loss before", scale=alt.Scale(type="symlog")
            ),
            color=alt.Color(
                "what:N", scale=alt.Scale(range=theme.SERIES), legend=alt.Legend(title=None)
            ),
            tooltip=[
                n("what", "sent again"),
                q("dt", "time (s)", ".4~r"),
                q("dn", "segments", ",d"),
            ],
        ).add_params(zoom())
    )


def _by_link() -> dict[str, Any]:
    """Return what the charts of the 802.11 links have in common: a row for each link and rate."""
    return {
        "x": alt.X("rate:O", title="rate (Mb/s)", axis=alt.Axis(labelAngle=0)),
        "color": alt.Color(
            "link:N",
            scale=alt.Scale(range=theme.SERIES),
            legend=alt.Legend(title=None, labelLimit=340),
            sort=None,
        ),
        "tooltip": [
            n("link", "link"),
            n("rate", "rate (Mb/s)"),
            q("attempts", "attempts", ",d"),
            q("loss", "raw loss", ".1%"),
        ],
    }


def rates() -> dict[str, Any]:
    """Attempts of the 802.11 links by rate; the colour is the raw loss."""
    bars = named("rates").mark_bar()
    return finish(
        bars.encode(
            y=alt.Y("attempts:Q", title="captured attempts"),
            **_by_link(),
        )
    )


def rate_losses() -> dict[str, Any]:
    """Raw loss of the 802.11 links by rate."""
    points = named("rates").transform_filter("isValid(datum.loss)")
    return finish(
        points.mark_point(filled=True, size=80, opacity=0.9).encode(
            y=alt.Y(
                "loss:Q", title="raw loss", scale=alt.Scale(zero=True), axis=alt.Axis(format="%")
            ),
            **_by_link(),
        )
    )
