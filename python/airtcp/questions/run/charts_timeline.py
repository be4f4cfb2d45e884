"""The chart of a medium over time: frames and losses, back-off and NAV, lane by lane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, zoom
from airtcp.questions.run import cells
from airtcp.questions.run import rows_timeline as timeline_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.run.rows_timeline import Lanes

_LANE: Final = 46
_COLOURS: Final = {
    # Frames without a separate colour are rare management frames.
    **dict.fromkeys(cells.CLASSES.values(), theme.SERIES[-1]),
    **dict(zip(cells.CLASSES.values(), theme.SERIES, strict=False)),
    timeline_rows.BACK_OFF: theme.GUIDE,
    timeline_rows.NAV: theme.RAMP[0],
}
_SHAPES: Final = {
    "overlapped": "M-1,-1L1,1M-1,1L1,-1",
    "receiver sending": "M-1,0L1,0M0,-1L0,1",
    "captured away": "diamond",
    "interferer": "triangle-up",
    "noise": "circle",
}
_OF_A_WAIT: Final = [
    n("station", "station"),
    n("what", "waits for"),
    n("slots", "slots left"),
    n("category", "category"),
    n("at", "from"),
    q("length", "length (us)", ".4~f"),
]
_OF_A_FRAME: Final = [
    n("station", "from"),
    n("to", "to"),
    n("what", "frame"),
    n("fate", "fate"),
    q("attempt", "attempt", "d"),
    q("bytes", "bytes", "d"),
    q("rate", "rate (Mb/s)"),
    n("at", "starts at"),
    q("length", "length (us)", ".4~f"),
]


def medium(lanes: Lanes, start: str) -> dict[str, Any]:
    """Draw the use of the medium.

    Args: lanes: The lanes to draw. start: When the interval begins, in words.
    """
    x = alt.X(
        "t0:Q",
        title=f"time since {start} (ms)",
        scale=alt.Scale(domain=[0, lanes.span_ms], nice=False, zero=False),
    )
    where: dict[str, Any] = {"x": x, "x2": "t1:Q", "y": _lanes(lanes.names), "y2": "y1:Q"}
    what = _colours(lanes)
    rules = named("lanes").mark_rule(color="@grid", strokeWidth=1).encode(y=alt.Y("y0:Q"))
    waits = named("waits").mark_rect(clip=True)
    waits = waits.encode(**where, color=alt.Color("what:N", **what), tooltip=_OF_A_WAIT)
    frames = named("frames")
    bars = frames.mark_rect(clip=True, strokeWidth=0.7).encode(
        **where,
        color=alt.Color("what:N", **what),
        stroke=alt.Stroke("what:N", **what),
        fillOpacity=alt.condition("datum.why", alt.value(0.3), alt.value(0.95)),
        tooltip=_OF_A_FRAME,
    )
    # The lines between the lanes have no place in time: the zoom belongs to the frames.
    layers: list[Any] = [rules, waits, bars.add_params(zoom("x"))]
    reasons = {row["why"] for row in lanes.frames if row["why"]}
    if marked := [why for why in _SHAPES if why in reasons]:
        layers.append(_causes(frames, marked))
    return finish(alt.layer(*layers), _LANE * len(lanes.names))


def _colours(lanes: Lanes) -> dict[str, Any]:
    """Return the colours of the frames and waits that occur, with their legend."""
    present = {row["what"] for row in (*lanes.frames, *lanes.waits)}
    shown = [name for name in _COLOURS if name in present]
    return {
        "scale": alt.Scale(domain=shown, range=[_COLOURS[name] for name in shown]),
        "sort": shown,
        "legend": alt.Legend(title=None, columns=4, symbolType="square", symbolOpacity=1),
    }


def _lanes(names: Sequence[str]) -> alt.Y:
    """Return the vertical axis: one labelled lane per station."""
    count = len(names)
    labels = ", ".join(f"'{_quoted(name)}'" for name in names)
    return alt.Y(
        "y0:Q",
        title=None,
        scale=alt.Scale(domain=[0, count], reverse=True, nice=False, zero=False),
        axis=alt.Axis(
            values=[lane + 0.5 for lane in range(count)],
            # The theme's tick count would thin out given values as well.
            tickCount=count,
            labelExpr=f"[{labels}][floor(datum.value)]",
            labelColor=theme.INK,
            labelLimit=120,
            labelOverlap=False,
            grid=False,
        ),
    )


def _causes(frames: alt.Chart, causes: Sequence[str]) -> alt.Chart:
    """Mark each lost frame with the shape of its cause."""
    marks = frames.transform_filter("datum.why").transform_calculate(
        middle="(datum.t0 + datum.t1) / 2", height="(datum.y0 + datum.y1) / 2"
    )
    return marks.mark_point(
        clip=True, color=theme.INK, filled=False, strokeWidth=1.8, size=52, opacity=1
    ).encode(
        x=alt.X("middle:Q"),
        y=alt.Y("height:Q"),
        shape=alt.Shape(
            "why:N",
            scale=alt.Scale(domain=causes, range=[_SHAPES[why] for why in causes]),
            legend=alt.Legend(
                title="lost:", titleOrient="left", orient="bottom", columns=3, offset=2
            ),
            sort=causes,
        ),
        tooltip=_OF_A_FRAME,
    )


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")
