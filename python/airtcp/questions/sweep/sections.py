"""The page of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.pages.page import indented, render
from airtcp.questions.sweep import charts as charts_sweep
from airtcp.questions.sweep import rows as sweep_rows
from airtcp.questions.sweep import tables
from airtcp.questions.sweep.answer import answer
from airtcp.questions.sweep.charts import Drawn
from airtcp.questions.sweep.findings import findings
from airtcp.questions.sweep.leading import ROWS
from airtcp.questions.sweep.rows import Axis
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.data.metrics import Metric
    from airtcp.questions.sweep.document import SweepAsked, SweepDocument
    from airtcp.questions.sweep.leading import Leading

_CURVES: Final = 6
_MAPS: Final = 4
_HEAD: Final = "<head>"
_RELOAD: Final = '<head>\n<meta http-equiv="refresh" content="10">'
_FAILURES: Final = 200
_WHAT: Final = {"run": "Simulation", "study": "Study", "compare": "Comparison"}


def sweep_page(
    document: SweepDocument,
    axes: Sequence[Axis],
    rows: list[dict[str, Any]],
    share: float,
    metric: Callable[[str], Metric],
    leading: Leading | None,
) -> str:
    """Make the page of a sweep; that of a running sweep reloads itself.

    Args: document: The document of a sweep. axes: The varied keys. rows: Rows of the dataset.
        share: The share of the points that the rows are of. metric: Returns how a measure is shown.
        leading: The points by their main measure.

    Returns:
        A complete HTML document.
    """
    rows = sorted(rows, key=lambda row: (row["key"], row["kind"], row["name"]))
    asked = document["sweep"]
    payload: dict[str, Any] = {"charts": {}, "points": {}, "line": []}
    values = sweep_rows.differing(
        {key: sweep_rows.measured(rows, metric(key), axes) for key in asked["measure"]}
    )
    varying = [axis for axis in axes if len({row[axis.column] for row in rows}) > 1]
    sampled = asked["design"] in {"latin-hypercube", "sobol"}
    order = _by_weight(document, varying)
    plots = _curves(payload, values, order, metric, joined=not sampled) if varying else []
    pair = _pair(varying, rows)
    maps = [] if pair is None else _maps(payload, values, pair, metric, sampled=sampled)
    known = [key for key in asked["measure"] if any(row[key] is not None for row in rows)]
    front = _front(payload, rows, axes, known, metric)
    matters = _matters(payload, document, metric)
    points = document["points"]
    subject = ", ".join(asked["of"]) or "the scenario"
    page = render(
        "sweep.html.j2",
        "points.js",
        payload,
        document,
        answer=answer(document, leading),
        chart=_beside(plots, leading),
        whole=None if leading is None else tables.best(document, leading, ROWS),
        title=document["title"] or f"Sweep of {subject}",
        lead=f"{_WHAT[asked['kind']]} at {words.counted(points['distinct'], 'point')}.",
        facts=[
            ("Design", asked["design"].replace("-", " ")),
            ("Keys", words.count(len(axes))),
            ("Replications", _replications(asked)),
        ],
        findings=findings(document, lambda key: metric(key).label),
        plots=plots,
        maps=maps,
        front=front,
        matters=matters,
        shown=share,
        failures=document["failures"][:_FAILURES],
        more=max(len(document["failures"]) - _FAILURES, 0),
        running=document["running"],
        options=indented(asked),
    )
    return page.replace(_HEAD, _RELOAD, 1) if document["running"] else page


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


def _beside(plots: Sequence[dict[str, str]], leading: Leading | None) -> str:
    """Return the chart beside the answer: that of the main measure, or of one that equals it."""
    names = [plot["name"] for plot in plots]
    wanted = "" if leading is None else f"curve-{leading.measure}"
    return wanted if wanted in names else next(iter(names), "")


def _replications(asked: SweepAsked) -> str:
    if asked["until"]:
        return f"{asked['min_replications']} to {words.count(asked['max_replications'] or 0)}"
    return "the scenario's" if asked["replications"] is None else words.count(asked["replications"])


def _drawn(axis: Axis, values: Sequence[sweep_rows.Value]) -> Drawn:
    return Drawn(axis.title, axis.numeric, sweep_rows.is_log(axis, values))


def _curves(
    payload: dict[str, Any],
    values: dict[str, list[sweep_rows.Value]],
    order: dict[str, list[Axis]],
    metric: Callable[[str], Metric],
    *,
    joined: bool,
) -> list[dict[str, str]]:
    """Add response curves: along the key that matters most, else the one with the most values."""
    every = order[""]
    plots: list[dict[str, str]] = []
    for key, found in list(values.items())[:_CURVES]:
        weighed = order.get(key)
        x = (
            weighed[0]
            if weighed
            else max(every, key=lambda axis: (axis.numeric, len(sweep_rows.levels(axis, found))))
        )
        second = sweep_rows.second_axis(weighed or every, x, found, ranked=bool(weighed))
        rows = sweep_rows.curve(found, x, second)
        others = [axis.title for axis in every if axis not in {x, second}] if joined else []
        name = f"curve-{key}"
        payload["charts"][name] = charts_sweep.curve(
            _drawn(x, found),
            metric(key).label,
            joined=joined,
            bars=any(row["low"] is not None for row in rows),
        )
        payload["points"][name] = rows
        caption = metric(key).meaning or "Mean over the replications."
        if any(row["low"] is not None for row in rows):
            caption += " Bars are 95 % intervals of the means."
        if others:
            caption += f" Each dot is a mean over {words.listed(others)}."
        plots.append({"name": name, "heading": metric(key).head, "caption": caption})
    return plots


def _pair(varying: Sequence[Axis], rows: Sequence[dict[str, Any]]) -> tuple[Axis, Axis] | None:
    """Return the two keys with the most values, numbers first."""
    if len(varying) < 2:  # noqa: PLR2004 - two
        return None
    number = {axis.column: len({row[axis.column] for row in rows}) for axis in varying}
    first, second = sorted(varying, key=lambda axis: (-axis.numeric, -number[axis.column]))[:2]
    return first, second


def _maps(
    payload: dict[str, Any],
    values: dict[str, list[sweep_rows.Value]],
    pair: tuple[Axis, Axis],
    metric: Callable[[str], Metric],
    *,
    sampled: bool,
) -> list[dict[str, str]]:
    plots: list[dict[str, str]] = []
    x, y = pair
    for key, found in list(values.items())[:_MAPS]:
        # A cell must not mix the variants of a comparison, or several flows.
        if len({value.line for value in found}) > 1:
            continue
        name = f"map-{key}"
        rows = sweep_rows.heat(found, x, y)
        payload["points"][name] = rows
        title = metric(key).label
        if sampled:
            chart = charts_sweep.scatter(_drawn(x, found), _drawn(y, found), title)
            caption = "A dot is a point of the design."
        else:
            chart = charts_sweep.heat(_drawn(x, found), _drawn(y, found), title, rows)
            caption = "Mean, with the half width of its 95 % interval where a cell is one point."
        payload["charts"][name] = chart
        plots.append({"name": name, "heading": metric(key).head, "caption": caption})
    return plots


def _front(
    payload: dict[str, Any],
    rows: Sequence[dict[str, Any]],
    axes: Sequence[Axis],
    known: Sequence[str],
    metric: Callable[[str], Metric],
) -> dict[str, Any] | None:
    chosen = sweep_rows.objectives(known)
    if chosen is None:
        return None
    points = sweep_rows.pareto(rows, axes, chosen, metric)
    if len(points) < 2:  # noqa: PLR2004 - a front needs two
        return None
    scales = [metric(key) if key else None for key in chosen]
    goodput, delay, waste = (of.label if of else "" for of in scales)
    payload["charts"]["pareto"] = charts_sweep.pareto(goodput, delay, waste, len(points))
    payload["points"]["pareto"] = points
    best = sorted((p for p in points if p["front"]), key=lambda p: -p["goodput"])
    head = [of.head for of in scales if of]
    table = [
        [p["at"], *(words.number(p[name]) for name in ("goodput", "delay", "waste")[: len(head)])]
        for p in best[:50]
    ]
    return {"head": head, "rows": table, "number": len(best)}


def _matters(
    payload: dict[str, Any], document: SweepDocument, metric: Callable[[str], Metric]
) -> list[dict[str, str]]:
    plots: list[dict[str, str]] = []
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
        payload["charts"][name] = charts_sweep.shares(
            bars, total=totals, ends=any(row["low"] is not None for row in rows)
        )
        payload["points"][name] = rows
        caption = _METHODS[of["method"] if of["method"] == "sobol" or totals else "hypercube"]
        plots.append({"name": name, "heading": metric(of["measure"]).head, "caption": caption})
    return plots


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
