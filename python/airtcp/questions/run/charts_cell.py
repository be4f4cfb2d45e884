"""The charts of an 802.11 cell: map, goodput, airtime, and causes of frame losses.

Specifications name their data, as in `airtcp.charts.parts`; the rows are those of
`airtcp.questions.run.rows_cell`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import labels, theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, spread
from airtcp.data.metrics import record

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW: Final = 24
_FEWEST_ROWS: Final = 3
_MOST_ROWS: Final = 40
_MAP: Final = 320
"""The longer side of the map, whose scale is the same in both directions."""
_NAMED: Final = 40
"""Most stations that the map names."""
_COLOURS: Final = [*theme.SERIES, theme.GUIDE, *theme.RAMP]


def _station(key: str) -> str:
    """Return the axis title of a metric of stations."""
    return record("run", "StationResult")[key].label


def _rows(count: int, each: int = _ROW) -> int:
    return each * min(max(count, _FEWEST_ROWS), _MOST_ROWS) + 10


def _names(title: str = "name") -> alt.Y:
    axis = alt.Axis(labelColor=theme.INK, labelLimit=160)
    return alt.Y(f"{title}:N", title=None, sort=None, axis=axis)


def goodput(stations: int, directions: int) -> dict[str, Any]:
    """Goodput of each station's flows, with its confidence interval."""
    base = named("goodput")
    title = record("run", "FlowResult")["goodput_bps"].label
    colour = alt.Color(
        "direction:N",
        scale=alt.Scale(domain=["sends", "gets"], range=theme.SERIES[:2]),
        legend=alt.Legend(title=None) if directions > 1 else None,
    )
    both: dict[str, Any] = {"y": _names(), "yOffset": alt.YOffset("direction:N", sort=None)}
    bars = base.mark_bar(height={"band": 0.72}, opacity=0.75).encode(
        x=alt.X("mean:Q", title=title, scale=alt.Scale(zero=True)),
        color=colour,
        tooltip=[
            n("name", "station"),
            n("direction", "direction"),
            *spread("mean", title, ""),
        ],
        **both,
    )
    intervals = base.mark_rule(strokeWidth=2, color=theme.INK).encode(
        x=alt.X("low:Q"), x2="high:Q", **both
    )
    return finish(alt.layer(bars, intervals), _rows(stations, _ROW if directions == 1 else 36))


def _stacked(data: str, who: str, what: str, title: str, domain: Sequence[str]) -> alt.Chart:
    return (
        named(data)
        .mark_bar(height={"band": 0.72})
        .encode(
            x=alt.X("share:Q", title=title, scale=alt.Scale(zero=True)),
            y=_names(who),
            color=alt.Color(
                f"{what}:N",
                scale=alt.Scale(domain=list(domain), range=_COLOURS[: len(domain)]),
                legend=alt.Legend(title=None, columns=4),
                sort=list(domain),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                n(who, who),
                n(what, what),
                *spread("share", "%", ""),
            ],
        )
    )


def airtime(stations: int, classes: Sequence[str]) -> dict[str, Any]:
    """Share of the time that each station's frames were on the air, by class."""
    title = _station("airtime_share")
    return finish(_stacked("airtime", "station", "frames", title, classes), _rows(stations))


def losses(kinds: int, causes: Sequence[str]) -> dict[str, Any]:
    """Share of the frames of each class that were lost, by cause."""
    title = "share of the frames sent (%)"
    return finish(_stacked("losses", "frames", "cause", title, causes), _rows(kinds, 56))


def rates(count: int) -> dict[str, Any]:
    """Data frames by rate, those that were decoded and those that were lost."""
    fates = ["decoded", "lost"]
    chart = (
        named("rates")
        .mark_bar(height={"band": 0.72})
        .encode(
            x=alt.X("frames:Q", title="data frames in a replication", scale=alt.Scale(zero=True)),
            y=_names("rate"),
            color=alt.Color(
                "fate:N",
                scale=alt.Scale(domain=fates, range=[theme.TRACE, theme.INDEPENDENT]),
                legend=alt.Legend(title=None),
                sort=fates,
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                n("rate", "rate"),
                n("fate", "fate"),
                q("frames", "frames"),
                q("share", "share of all (%)"),
            ],
        )
    )
    return finish(chart, _rows(count))


def positions(
    rows: Sequence[dict[str, Any]], neighbours: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Map the cell and the stations of others on its medium, at one scale in both directions."""
    xs, ys = ([row[axis] for row in (*rows, *neighbours)] for axis in ("x", "y"))
    spans = max(xs) - min(xs), max(ys) - min(ys)
    # A row of stations needs no square, but names need room.
    half = [0.66 * max(span, 0.35 * max(spans)) or 1.0 for span in spans]
    at: dict[str, Any] = {
        "x": alt.X("x:Q", title="x (m)", **_centred(xs, half[0])),
        "y": alt.Y("y:Q", title="y (m)", **_centred(ys, half[1])),
    }
    layers = _stations(rows, at)
    if neighbours:
        layers.insert(0, _neighbours(at))
    if len(rows) + len(neighbours) <= _NAMED:
        placed = labels.placed([*rows, *neighbours], metre=_MAP / (2 * max(half)))
        names = alt.Chart(alt.Data(values=placed)).mark_text(fontSize=labels.FONT, color=theme.INK)
        layers.append(names.encode(**at, text="name:N"))
    width, height = (round(_MAP * reach / max(half)) for reach in half)
    return finish(alt.layer(*layers), height) | {"width": width}


def _centred(values: Sequence[float], reach: float) -> dict[str, Any]:
    """Return a scale and an axis that reach equally far to both sides of all values."""
    middle = (min(values) + max(values)) / 2
    return {
        "scale": alt.Scale(domain=[middle - reach, middle + reach], nice=False, zero=False),
        "axis": alt.Axis(grid=True, gridOpacity=0.6, tickCount=5),
    }


def _stations(rows: Sequence[dict[str, Any]], at: dict[str, Any]) -> list[alt.Chart]:
    """Draw the stations, coloured by their lost frames, and lines to the access point."""
    base = named("stations")
    ways = base.transform_filter("datum.role === 'station'").mark_rule(opacity=0.35)
    worst = [row["error"] for row in rows if row["error"] is not None]
    colour = alt.Color(
        "error:Q",
        scale=alt.Scale(range=theme.RAMP, domain=[0, max([1.0, *worst])]),
        legend=alt.Legend(title="frames lost (%)", type="gradient", format=".2~r", tickCount=4),
    )
    shaped: dict[str, Any] = at | {
        "shape": alt.Shape(
            "role:N",
            scale=alt.Scale(domain=["access point", "station"], range=["triangle-up", "circle"]),
            legend=None,
        ),
        "size": alt.condition("datum.role === 'station'", alt.value(110), alt.value(240)),
        "tooltip": [
            n("name", "station"),
            q("distance", _station("distance_m")),
            q("snr", _station("snr_db")),
            q("error", "its frames lost (%)"),
            q("hidden", _station("hidden_stations")),
            q("sends", _station("goodput_from_bps")),
            q("gets", _station("goodput_to_bps")),
        ],
    }
    known = base.transform_filter("isValid(datum.error)").mark_point(filled=True, opacity=1)
    # A station that sent nothing has no share of lost frames, and no colour.
    silent = base.transform_filter("!isValid(datum.error)").mark_point(color=theme.GUIDE)
    return [
        ways.encode(**at, x2="to_x:Q", y2="to_y:Q"),
        silent.encode(**shaped),
        known.encode(color=colour, **shaped),
    ]


def _neighbours(at: dict[str, Any]) -> alt.Chart:
    """Draw the stations of other cells on the medium."""
    marks = named("neighbours").mark_point(size=70, opacity=0.7, color=theme.INK, shape="square")
    return marks.encode(**at, tooltip=[n("name", "station"), n("cell", "of cell")])
