"""The page of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.sweep import charts as charts_sweep
from airtcp.questions.sweep import choices, tables
from airtcp.questions.sweep import rows as sweep_rows
from airtcp.questions.sweep.answer import answer
from airtcp.questions.sweep.charts import Drawn
from airtcp.questions.sweep.findings import findings
from airtcp.questions.sweep.leading import ROWS
from airtcp.questions.sweep.rows import Axis
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.data.metrics import Metric
    from airtcp.questions.sweep.document import SweepAsked, SweepDocument
    from airtcp.questions.sweep.leading import Leading

_CURVES: Final = 6
_MAPS: Final = 4
_FAILURES: Final = 200
_RINGED: Final = 50
_CURVES_ABOUT: Final = (
    "Drag to move, Shift and wheel to zoom, double-click to go back. A name in the key shows its"
    " line alone."
)
_WHAT: Final = {"run": "Simulation", "study": "Study", "compare": "Comparison"}


def sweep_page(
    document: SweepDocument,
    axes: Sequence[Axis],
    rows: list[dict[str, Any]],
    share: float,
    metric: Callable[[str], Metric],
    leading: Leading | None,
) -> Page:
    """Make the page of a sweep.

    Args: document: The document of a sweep. axes: The varied keys. rows: Rows of the dataset.
        share: The share of the points that the rows are of. metric: Returns how a measure is shown.
        leading: The points by their main measure.
    """
    rows = sorted(rows, key=lambda row: (row["key"], row["kind"], row["name"]))
    asked = document["sweep"]
    values = sweep_rows.differing(
        {key: sweep_rows.measured(rows, metric(key), axes) for key in asked["measure"]}
    )
    varying = [axis for axis in axes if len({row[axis.column] for row in rows}) > 1]
    sampled = asked["design"] in {"latin-hypercube", "sobol"}
    order = _by_weight(document, varying)
    curves = _curves(values, order, metric, joined=not sampled) if varying else ()
    pair = _pair(varying, rows)
    maps = () if pair is None else _maps(values, pair, metric, sampled=sampled)
    known = [key for key in asked["measure"] if any(row[key] is not None for row in rows)]
    sections = [
        *((Section("curves", "Response curves", _CURVES_ABOUT, curves),) if curves else ()),
        *((Section("maps", "Two keys at once", plots=maps),) if maps else ()),
        *_front(rows, axes, known, metric),
        *_matters(document, metric),
        *_failures(document),
        Section("sweep", "The sweep", code=indented(asked)),
        Section("method", "Method", terms=_terms(document)),
    ]
    points = document["points"]
    subject = ", ".join(asked["of"]) or "the scenario"
    return Page(
        answer(document, leading),
        sections,
        document,
        chart=_beside(curves, leading),
        whole=None if leading is None else tables.best(document, leading, ROWS),
        title=document["title"] or f"Sweep of {subject}",
        lead=f"{_WHAT[asked['kind']]} at {words.counted(points['distinct'], 'point')}.",
        facts=[
            ("Design", asked["design"].replace("-", " ")),
            ("Keys", words.count(len(axes))),
            ("Replications", _replications(asked)),
        ],
        findings=findings(document, lambda key: metric(key).label),
        banners=_banners(document, share),
    )


def _banners(document: SweepDocument, share: float) -> list[str]:
    """Say what the page does not show yet, or not at all."""
    found: list[str] = []
    if document["running"]:
        found.append(
            "The sweep is running. This page reloads every 10 s and shows the points so far."
        )
    if share < 1:
        found.append(
            f"The sweep has many points: the plots show {100 * share:.2g} % of them, chosen by"
            " their keys."
        )
    return found


def _by_weight(document: SweepDocument, varying: Sequence[Axis]) -> dict[str, list[Axis]]:
    """Return the keys of each measure, the one that matters most first, as far as it is known."""
    axes = {axis.column: axis for axis in varying}
    return {
        of["measure"]: [
            axes[key["column"]]
            for key in sorted(of["keys"], key=lambda key: -(key["total"] or key["first"])["mean"])
            if key["column"] in axes
        ]
        for of in document["sensitivity"]
    } | {"": list(varying)}


def _beside(plots: Sequence[Plot], leading: Leading | None) -> str:
    """Return the chart beside the answer: that of the main measure, or of one that equals it."""
    names = [plot.name for plot in plots]
    wanted = "" if leading is None else f"curve-{leading.measure}"
    return wanted if wanted in names else next(iter(names), "")


def _replications(asked: SweepAsked) -> str:
    if asked["until"]:
        return f"{asked['min_replications']} to {words.count(asked['max_replications'] or 0)}"
    return "the scenario's" if asked["replications"] is None else words.count(asked["replications"])


def _drawn(axis: Axis, values: Sequence[sweep_rows.Value]) -> Drawn:
    return Drawn(axis.title, axis.numeric, sweep_rows.is_log(axis, values))


def _chosen(
    values: Sequence[sweep_rows.Value], axes: Sequence[Axis], x: Axis, second: Axis | None
) -> tuple[Axis, Axis | None]:
    """Give each value of a choice such as TCP a line, over the first of the other keys."""
    counts = {axis.column: len(sweep_rows.levels(axis, values)) for axis in axes}
    choice = choices.choice_of(axes, counts)
    others = (axis for axis in axes if axis is not choice and counts[axis.column] > 1)
    along = next(others, None)
    if choice is None or along is None or any(value.line for value in values):
        return x, second
    return along, choice


def _curves(
    values: dict[str, list[sweep_rows.Value]],
    order: dict[str, list[Axis]],
    metric: Callable[[str], Metric],
    *,
    joined: bool,
) -> tuple[Plot, ...]:
    """Draw response curves: along the key that matters most, else the one with the most values."""
    every = order[""]
    plots: list[Plot] = []
    for key, found in list(values.items())[:_CURVES]:
        weighed = order.get(key)
        x = (
            weighed[0]
            if weighed
            else max(every, key=lambda axis: (axis.numeric, len(sweep_rows.levels(axis, found))))
        )
        second = sweep_rows.second_axis(weighed or every, x, found, ranked=bool(weighed))
        x, second = _chosen(found, weighed or every, x, second)
        rows = sweep_rows.curve(found, x, second)
        others = [axis.title for axis in every if axis not in {x, second}] if joined else []
        name = f"curve-{key}"
        chart = charts_sweep.curve(
            _drawn(x, found),
            metric(key).label,
            joined=joined,
            bars=any(row["low"] is not None for row in rows),
        )
        caption = metric(key).meaning or "Mean over the replications."
        if any(row["low"] is not None for row in rows):
            caption += " Bars are 95 % intervals of the means."
        if others:
            caption += f" Each dot is a mean over {words.listed(others)}."
        plots.append(Plot(name, metric(key).head, caption, chart, {"points": rows}))
    return tuple(plots)


def _pair(varying: Sequence[Axis], rows: Sequence[dict[str, Any]]) -> tuple[Axis, Axis] | None:
    """Return the two keys with the most values, numbers first."""
    if len(varying) < 2:  # noqa: PLR2004 - two
        return None
    number = {axis.column: len({row[axis.column] for row in rows}) for axis in varying}
    first, second = sorted(varying, key=lambda axis: (-axis.numeric, -number[axis.column]))[:2]
    return first, second


def _maps(
    values: dict[str, list[sweep_rows.Value]],
    pair: tuple[Axis, Axis],
    metric: Callable[[str], Metric],
    *,
    sampled: bool,
) -> tuple[Plot, ...]:
    plots: list[Plot] = []
    x, y = pair
    for key, found in list(values.items())[:_MAPS]:
        # A cell must not mix the variants of a comparison, or several flows.
        if len({value.line for value in found}) > 1:
            continue
        name = f"map-{key}"
        rows = sweep_rows.heat(found, x, y)
        title = metric(key).label
        if sampled:
            chart = charts_sweep.scatter(_drawn(x, found), _drawn(y, found), title)
            caption = "A dot is a point of the design."
        else:
            chart = charts_sweep.heat(_drawn(x, found), _drawn(y, found), title, rows)
            caption = "Mean, with the half width of its 95 % interval where a cell is one point."
        plots.append(Plot(name, metric(key).head, caption, chart, {"points": rows}))
    return tuple(plots)


def _front(
    rows: Sequence[dict[str, Any]],
    axes: Sequence[Axis],
    known: Sequence[str],
    metric: Callable[[str], Metric],
) -> tuple[Section, ...]:
    """Draw the points by goodput, delay and waste, and list those that no other is better than."""
    chosen = sweep_rows.objectives(known)
    if chosen is None:
        return ()
    points = sweep_rows.pareto(rows, axes, chosen, metric)
    if len(points) < 2:  # noqa: PLR2004 - a front needs two
        return ()
    scales = [metric(key) if key else None for key in chosen]
    goodput, delay, waste = (of.label if of else "" for of in scales)
    plot = Plot(
        "pareto",
        "Goodput against delay",
        "Each dot is a point of the sweep. Upper left is better.",
        charts_sweep.pareto(goodput, delay, waste, len(points)),
        {"points": points},
        wide=True,
    )
    best = sorted((p for p in points if p["front"]), key=lambda p: -p["goodput"])
    heads = [of.head for of in scales if of]
    ringed = best[:_RINGED]
    columns = [
        Column(head, [words.number(p[name]) for p in ringed], keys=[p[name] for p in ringed])
        for head, name in zip(heads, ("goodput", "delay", "waste"), strict=False)
    ]
    about = (
        f"{words.counted(len(best), 'point has', 'points have')} a ring: no other point is better"
        " in one of the three and at least as good in the others. The comparison is of means,"
        " without their intervals."
    )
    grid = Grid("Point", [p["at"] for p in ringed], columns, "The points with a ring")
    return (Section("front", "Goodput, delay and waste", about, (plot,), grid),)


def _failures(document: SweepDocument) -> tuple[Section, ...]:
    """List the points that failed."""
    failures = document["failures"]
    if not failures:
        return ()
    first = failures[:_FAILURES]
    names = [
        ", ".join(f"{path} = {value}" for path, value in one["values"].items()) for one in first
    ]
    grid = Grid("Values", names, [Column("Message", [one["message"] for one in first], left=True)])
    more = len(failures) - len(first)
    notes = (f"{more} more are in sweep.json.",) if more else ()
    about = "The next call of the same command runs these points again."
    return (Section("failures", "Failures", about, grid=grid, notes=notes),)


def _terms(document: SweepDocument) -> tuple[tuple[str, str], ...]:
    """Return the terms of the method."""
    seed = document["seed"]
    draws = (
        "The sweep varies the seed: points with the same seed share random numbers."
        if seed is None
        else f"All points have the root seed {seed}. In replication k, a link, flow or station of"
        " the same name has the same stream of random numbers at every point (common random"
        " numbers). Values at different points are therefore not independent. Usually they rise"
        " and fall together over the replications, and the difference between two points is less"
        " uncertain than their intervals suggest; the report does not estimate it."
    )
    intervals = (
        "95 % confidence intervals over the replications of one point. Means over several points,"
        " flows or links have none."
    )
    data = "All points are in the folder points beside this page, as Parquet files."
    return (("Same draws", draws), ("Intervals", intervals), ("Data", data))


def _matters(document: SweepDocument, metric: Callable[[str], Metric]) -> tuple[Section, ...]:
    """Draw how much each key matters."""
    plots: list[Plot] = []
    for of in document["sensitivity"][:_MAPS]:
        name = f"matters-{of['measure']}"
        totals = any(key["total"] is not None for key in of["keys"])
        rows: list[dict[str, Any]] = [
            {
                "key": key["column"],
                "what": what,
                "share": share["mean"],
                "low": share["ci_low"],
                "high": share["ci_high"],
            }
            for key in sorted(of["keys"], key=lambda key: -key["first"]["mean"])
            for what, share in (
                ("alone (first order)", key["first"]),
                ("with interactions (total)", key["total"]),
            )
            if share is not None
        ]
        rows += [
            {
                "key": " with ".join(joint["columns"]),
                "what": "interaction",
                "share": joint["share"]["mean"],
                "low": joint["share"]["ci_low"],
                "high": joint["share"]["ci_high"],
            }
            for joint in of.get("interactions", [])
            if joint["share"]["mean"] >= _LEAST_SHARE
        ]
        bars = len({row["key"] for row in rows})
        chart = charts_sweep.shares(
            bars, total=totals, ends=any(row["low"] is not None for row in rows)
        )
        caption = _METHODS[of["method"] if of["method"] == "sobol" or totals else "hypercube"]
        head = metric(of["measure"]).head
        plots.append(Plot(name, head, caption, chart, {"points": rows}))
    return (Section("matters", "Which keys matter", plots=tuple(plots)),) if plots else ()


_LEAST_SHARE: Final = 0.005
"""Smallest share of an interaction that is drawn."""
_METHODS: Final = {
    "sobol": "Sobol indices by SALib, with 95 % bootstrap intervals.",
    "anova": "Shares of the variance over the grid. Keys alone and interactions add up to 100 %;"
    " the scatter between replications is taken out. Lines are 95 % bootstrap intervals.",
    "hypercube": "Share of the variance between the values of a key (epsilon squared), with 95 %"
    " bootstrap intervals.",
}
"""What the shares are, by method."""

__all__ = ["Axis", "sweep_page"]
