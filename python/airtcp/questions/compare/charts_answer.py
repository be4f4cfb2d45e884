"""The chart beside the answer of a comparison: the one that shows the comparison of its headline.

Specifications name their data, as in `airtcp.charts.parts`; `chart` and `chart_cell` return both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import crosses, finish, n, named, q, spread, zoom
from airtcp.data.metrics import record
from airtcp.questions.compare import charts_cell
from airtcp.questions.compare import rows_answer as rows
from airtcp.questions.compare.charts import name_axis

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from airtcp.data.documents import CompareDocument, SchemesDocument

NAME: Final = "answer"
"""Name of the chart on the page."""
_ROW: Final = 22
_HEIGHT: Final = 340
_WHAT: Final = ["TCP", "remedy", "not ranked"]
_LINKS: Final = ["the best TCP", "the best remedy"]
_CELLS: Final = ["helps", "gains at a price", "other", "the cell as it is"]
_SHAPES: Final = ["circle", "diamond", "cross", "square"]

Drawn = tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]
"""A chart, and its data by name."""


def chart(document: CompareDocument) -> Drawn | None:
    """Return the chart of TCPs and remedies; none if nothing can be drawn."""
    subjects = [subject for subject in document["subjects"] if subject["cases"]]
    if len(subjects) == 1:
        found, reference, unit = rows.choices(subjects[0])
        if not any(row["mean"] for row in found):
            return None
        line = [] if reference is None else [{"value": reference}]
        return choices([row["name"] for row in found], unit), {"choices": found, "line": line}
    found = rows.links(subjects)
    if not found:
        return None
    units = {row["unit"] for row in found}
    names = list(dict.fromkeys(row["link"] for row in found))
    return links(names, *units if len(units) == 1 else ()), {"links": found}


def chart_cell(document: SchemesDocument) -> Drawn | None:
    """Return the chart of schemes; none if nothing can be drawn."""
    subjects = [subject for subject in document["subjects"] if subject["outcomes"]]
    if len(subjects) == 1:
        found = rows.cell(subjects[0], document["reference"])
        if not found:
            return None
        places = charts_cell.places([_across(row) for row in found])
        # The names of schemes without a gain would cover those of the others.
        told = [
            None if row["what"] == "other" else at for row, at in zip(found, places, strict=True)
        ]
        placed = [row | {"place": at} for row, at in zip(found, told, strict=True)]
        return cell(told), {"schemes": placed}
    found = rows.cells(subjects, document["reference"])
    return (cells(), {"cells": found}) if found else None


def _across(row: dict[str, Any]) -> dict[str, Any]:
    """Return a point in the coordinates that places of names are chosen in."""
    ends = {f"goodput{end}": row[f"slowest{end}"] for end in ("", "_low", "_high")}
    ends |= {f"jain{end}": row[f"goodput{end}"] for end in ("", "_low", "_high")}
    return {"variant": row["variant"] if row["what"] != "other" else "", **ends}


def _keyed(kinds: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    """Give each kind of point a colour and a shape."""
    colours = [theme.SERIES[0], theme.SERIES[1], theme.MUTED, theme.INK][: len(kinds)]
    key = alt.Legend(title=None, symbolOpacity=1)
    colour = alt.Color("what:N", scale=alt.Scale(domain=list(kinds), range=colours), legend=key)
    shapes = _SHAPES[: len(kinds)]
    shape = alt.Shape("what:N", scale=alt.Scale(domain=list(kinds), range=shapes), legend=key)
    return colour, shape


def choices(names: Sequence[str], unit: str) -> dict[str, Any]:
    """Goodput of each TCP and remedy with its interval, the most first; the reference as a line.

    Args:
        names: The TCPs and remedies, in order.
        unit: The unit of goodput.
    """
    title = f"goodput ({unit})"
    colour, shape = _keyed(_WHAT)
    y = alt.Y("name:N", title=None, sort=list(names), axis=name_axis())
    line = (
        named("line")
        .mark_rule(strokeDash=[4, 3], color=theme.GUIDE)
        .encode(x=alt.X("value:Q", title=title))
    )
    base = named("choices")
    bars = base.mark_rule(strokeWidth=2.5).encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(zero=True)), x2="high:Q", y=y, color=colour
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("mean:Q", title=title),
        y=y,
        color=colour,
        shape=shape,
        tooltip=[n("name", "name"), *spread("mean", title, "")],
    )
    layers = alt.layer(line, bars, points.add_params(zoom("x")))
    return finish(layers, _ROW * max(len(names), 3) + 40)


def links(names: Sequence[str], unit: str = "") -> dict[str, Any]:
    """Goodput of the best TCP over each link, and of its best remedy.

    Args:
        names: The links, in order.
        unit: The unit of goodput, if all have the same.
    """
    title = f"goodput ({unit})" if unit else "goodput"
    colour, shape = _keyed(_LINKS)
    y = alt.Y("link:N", title=None, sort=list(names), axis=name_axis())
    base = named("links")
    scale = alt.Scale(type="log", nice=False, padding=12)
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("mean:Q", title=title, scale=scale),
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("link", "link"),
            n("variant", "name"),
            *spread("mean", title, ""),
        ],
    )
    return finish(points.add_params(zoom("x")), _ROW * max(len(names), 3) + 40)


def _title(key: str) -> str:
    return record("schemes", "SchemeOutcome")[key].label


def cell(beside: Collection[str | None]) -> dict[str, Any]:
    """Total goodput over the slowest flow's, a point a scheme, the cell as it is marked.

    Args:
        beside: The places of names that occur, of `charts_cell.places`.
    """
    colour, shape = _keyed(_CELLS)
    flat = alt.Scale(zero=False, padding=16)
    x = alt.X("slowest:Q", title=_title("slowest_flow_bps"), scale=flat)
    y = alt.Y("goodput:Q", title=_title("total_goodput_bps"), scale=flat)
    base = named("schemes")
    points = base.mark_point(filled=True, size=95, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        shape=shape,
        tooltip=[
            n("variant", "scheme"),
            n("what", "verdict"),
            q("goodput", _title("total_goodput_bps")),
            q("slowest", _title("slowest_flow_bps")),
        ],
    )
    ends = crosses(base, (x, y), ("slowest_", "goodput_"), colour)
    names = charts_cell.beside_points(base, (x, y), beside)
    return finish(alt.layer(*ends, points.add_params(zoom()), *names), _HEIGHT)


def cells() -> dict[str, Any]:
    """Total goodput over the slowest flow's: each cell as it is, and with what helps it."""
    flat = alt.Scale(zero=False, padding=16)
    x = alt.X("slowest:Q", title=_title("slowest_flow_bps"), scale=flat)
    y = alt.Y("goodput:Q", title=_title("total_goodput_bps"), scale=flat)
    base = named("cells")
    way = base.mark_rule(strokeWidth=1.3, opacity=0.6, color=theme.GUIDE).encode(
        x=x, x2="then_slowest:Q", y=y, y2="then_goodput:Q"
    )
    before = base.mark_point(filled=True, size=70, opacity=1, color=theme.INK).encode(
        x=x, y=y, tooltip=[n("scenario", "scenario")]
    )
    after = base.mark_point(
        filled=True, size=95, opacity=1, color=theme.SERIES[0], shape="diamond"
    ).encode(
        x=alt.X("then_slowest:Q"),
        y=alt.Y("then_goodput:Q"),
        tooltip=[n("scenario", "scenario"), n("variant", "scheme")],
    )
    return finish(alt.layer(way, before, after.add_params(zoom())), _HEIGHT)
