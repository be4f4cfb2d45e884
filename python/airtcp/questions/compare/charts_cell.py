"""The pictures of a comparison of schemes: goodput by station, and fairness against goodput.

Specifications name their data, as in `airtcp.charts.parts`. Every scheme has one colour and one
shape on the whole page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import crosses, finish, n, named, q, spread, zoom
from airtcp.data.metrics import record
from airtcp.questions.compare.charts import colour_of, name_axis, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

_LINE: Final = 9
"""Height of a scheme within the row of a station."""
_NAMED_LINE: Final = 13
"""The same if the axis names every scheme."""
_LEAST_ROW: Final = 26
_WIDTH: Final = 900
_HEIGHT: Final = 340
_LETTER: Final = 6.4
"""About the size of the chart of the trade-off, and of a letter in it, in pixels."""
PLACES: Final[dict[str, tuple[Literal["left", "right"], int, int]]] = {
    "above right": ("left", 6, -9),
    "below right": ("left", 6, 10),
    "above left": ("right", -6, -9),
    "below left": ("right", -6, 10),
}
"""Where a name may stand beside its point, off the bars of its intervals: alignment and distance in
pixels."""


def _title(key: str) -> str:
    return record("schemes", "SchemeOutcome")[key].label


def stations(variants: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Goodput of each station under each scheme: the mean and its confidence interval."""
    label = record("schemes", "SchemeStation")["goodput_bps"].label
    # With more schemes than colours, the axis names each of them, and no legend is needed.
    many = len(variants) > len(theme.SERIES)
    colour, shape = colour_of(variants, legend=not many), shape_of(variants, legend=not many)
    base = named("means")
    where: dict[str, Any]
    if many:
        base = base.transform_calculate(row="datum.station + ', ' + datum.variant")
        rows: list[str] = []
        for i, name in enumerate(names):
            # Blanks separate the stations; every row of the domain needs a name of its own.
            rows += [" " * i] if i else []
            rows += [f"{name}, {variant}" for variant in variants]
        scale = alt.Scale(domain=rows)
        where = {"y": alt.Y("row:N", title=None, sort=rows, scale=scale, axis=name_axis())}
    else:
        where = {
            "y": alt.Y("station:N", title=None, sort=list(names), axis=name_axis()),
            "yOffset": alt.YOffset("variant:N", sort=list(variants)),
        }
    bars = base.mark_rule(strokeWidth=1.6).encode(
        x=alt.X("low:Q", title=label, scale=alt.Scale(zero=True)),
        x2="high:Q",
        color=colour,
        **where,
    )
    points = base.mark_point(filled=True, size=44, opacity=1).encode(
        x=alt.X("mean:Q"),
        color=colour,
        shape=shape,
        tooltip=[
            n("station", "station"),
            n("variant", "scheme"),
            *spread("mean", label, ""),
            q("airtime", record("schemes", "SchemeStation")["airtime_share"].label),
            n("against", "against the reference"),
        ],
        **where,
    )
    chart = alt.layer(bars, points.add_params(zoom("x")))
    line = _NAMED_LINE if many else _LINE
    return finish(chart, max(len(names), 2) * max(line * (len(variants) + many), _LEAST_ROW) + 40)


def places(rows: Sequence[dict[str, Any]]) -> list[str | None]:
    """Choose where the name of each point stands, so that no name covers a point or a name.

    Args:
        rows: The points, with `variant`, `goodput` and `jain` and the ends of their intervals.

    Returns:
        A key of `PLACES` for each row, or `None` if there is no room.
    """
    drawn = [row for row in rows if row["jain"] is not None]
    across, up = (_scale(drawn, key) for key in ("goodput", "jain"))
    at = [
        None
        if row["jain"] is None
        else (_WIDTH * across(row["goodput"]), _HEIGHT * (1 - up(row["jain"])))
        for row in rows
    ]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in (point for point in at if point is not None)]
    found: list[str | None] = []
    for row, point in zip(rows, at, strict=True):
        chosen = None
        for place, (align, dx, dy) in PLACES.items() if point is not None else ():
            assert point is not None  # noqa: S101 - for the type checker
            wide = _LETTER * len(row["variant"])
            left = point[0] + dx - (wide if align == "right" else 0)
            box = (left, point[1] + dy - 6, left + wide, point[1] + dy + 6)
            if (
                box[0] >= 0
                and box[2] <= _WIDTH
                and not any(_overlap(box, other) for other in taken)
            ):
                chosen = place
                taken.append(box)
                break
        found.append(chosen)
    return found


def _scale(rows: Sequence[dict[str, Any]], key: str) -> Callable[[float], float]:
    """Map the values of a quantity, intervals included, to 0 to 1."""
    values = [row[name] for row in rows for name in (key, f"{key}_low", f"{key}_high")]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return lambda value: (value - low) / ((high - low) or 1.0)


_Box = tuple[float, float, float, float]


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def trade_off(variants: Sequence[str], beside: Collection[str | None]) -> dict[str, Any]:
    """Jain's index against goodput, both with intervals: up and to the right is better.

    Args:
        variants: The schemes, in order.
        beside: The places of names that occur, of `places`. The data have that of each scheme.
    """
    base = named("means").transform_filter("isValid(datum.jain)")
    colour, shape = colour_of(variants, legend=True), shape_of(variants, legend=True)
    flat = alt.Scale(zero=False, padding=16)
    x = alt.X("goodput:Q", title=_title("total_goodput_bps"), scale=flat)
    y = alt.Y("jain:Q", title=f"{_title('jain_index')}, Jain's index", scale=flat)
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("variant", "scheme"),
            q("goodput", _title("total_goodput_bps")),
            q("jain", _title("jain_index")),
            q("slowest", _title("slowest_flow_bps")),
            q("ack", _title("ack_error")),
        ],
    )
    ends = crosses(base, (x, y), ("goodput_", "jain_"), colour)
    names = beside_points(base, (x, y), beside)
    return finish(alt.layer(*ends, points.add_params(zoom()), *names), _HEIGHT)


def beside_points(
    base: alt.Chart, place: tuple[alt.X, alt.Y], beside: Collection[str | None]
) -> list[Any]:
    """Write the names of points beside them.

    Args:
        base: The data, with the place of each name.
        place: Where the points stand.
        beside: The places of names that occur.
    """
    x, y = place
    return [
        base.transform_filter(f"datum.place === '{where}'")
        .mark_text(align=align, dx=dx, dy=dy, fontSize=11, color=theme.INK)
        .encode(x=x, y=y, text="variant:N")
        for where, (align, dx, dy) in PLACES.items()
        if where in beside
    ]
