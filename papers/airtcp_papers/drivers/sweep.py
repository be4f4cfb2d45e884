"""A scenario over one or two swept parameters: measures of its flows, with intervals.

Every combination of the values of `sweep` is one run of the scenario. A swept value is written into
the scenario as it is, or by `pattern` with the value in place of `{}`. Measures are the flows' of
`airtcp schema run`, of the flow `flow`, or `total_goodput_bps`; `scale` converts their unit. With
`half`, the driver also gives the value of the first swept parameter at which the first measure
falls to half of its first value, interpolated on a logarithmic scale.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import exp, log
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.drivers.base import Driver
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context

SWEPT: Final[Form] = {
    "name": Key("text", "name of the condition", required=True),
    "title": Key("text", "title of the axis, with the unit; the name if left out"),
    "path": Key("text", "the value's place in the scenario", required=True),
    "values": Key("list", "the values", required=True),
    "written": Key("list", "the same as the scenario has them, if it has them otherwise"),
    "pattern": Key("text", "how a value is written, {} standing for it", default="{}"),
}
MEASURED: Final[Form] = {
    "name": Key("text", "name of the measure", required=True),
    "of": Key("text", "the measure of a flow, or total_goodput_bps", required=True),
    "scale": Key("number", "factor to the unit", default=1.0),
    "unit": Key("text", "the unit", default=""),
}
PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "the scenario, relative to the library", required=True),
    "set": Key("open", "values in place of the scenario's, by path", default={}),
    "sweep": Key("tables", "what is swept: the x axis first", required=True, of=SWEPT),
    "measure": Key("tables", "what is measured", required=True, of=MEASURED),
    "flow": Key("whole", "number of the flow", default=0),
    "half": Key("flag", "also find where the first measure is halved", default=False),
    "runs": Key("whole", "replications", default=6),
    "x_scale": Key("text", "scale of the x axis", accepted=("linear", "log", "symlog")),
    "y_scale": Key("text", "scale of the y axis", accepted=("linear", "log")),
}


def _overrides(sweeps: Sequence[Mapping[str, Any]], values: Sequence[Any]) -> dict[str, Any]:
    """Write the swept values as the scenario has them."""
    found: dict[str, Any] = {}
    for sweep, value in zip(sweeps, values, strict=True):
        pattern = sweep["pattern"]
        written = sweep.get("written", sweep["values"])[sweep["values"].index(value)]
        found[sweep["path"]] = written if pattern == "{}" else pattern.format(written)
    return found


def _values(summary: Mapping[str, Any], flow: int, of: str) -> dict[str, float | None]:
    return summary[of] if of == "total_goodput_bps" else summary["flows"][flow][of]


def _halved(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the x at which y falls to half of its first value, on log x."""
    if not points or points[0][1] <= 0:
        return None
    half = points[0][1] / 2
    for (x0, y0), (x1, y1) in pairwise(points):
        if y1 <= half < y0:
            part = (y0 - half) / (y0 - y1)
            if x0 <= 0:
                return x0 + part * (x1 - x0)
            return exp(log(x0) + part * (log(x1) - log(x0)))
    return None


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    sweeps = cast("list[dict[str, Any]]", parameters["sweep"])
    wanted = cast("list[dict[str, Any]]", parameters["measure"])
    x = sweeps[0]["name"]
    curves: dict[tuple[str, str], list[dict[str, Any]]] = {}
    others: dict[str, dict[str, Any]] = {}
    for values in product(*(sweep["values"] for sweep in sweeps)):
        at = {sweep["name"]: value for sweep, value in zip(sweeps, values, strict=True)}
        overrides = {**parameters["set"], **_overrides(sweeps, values)}
        runs = context.repeats(parameters["runs"])
        summary = context.summary(parameters["scenario"], overrides, runs=runs)
        rest = {name: value for name, value in at.items() if name != x}
        series = ", ".join(f"{name} {value}" for name, value in rest.items())
        others[series] = rest
        for one in wanted:
            found = _values(summary, parameters["flow"], one["of"])
            mean, low, high = (
                None if found[end] is None else found[end] * one["scale"]  # pyright: ignore[reportOptionalOperand]
                for end in ("mean", "ci_low", "ci_high")
            )
            outcome.measures.append(Measure(one["name"], at, mean, low, high, one["unit"]))
            row = {"x": at[x], "y": mean, "low": low, "high": high, "series": series or one["name"]}
            curves.setdefault((one["name"], series), []).append(row)
    first = wanted[0]
    if parameters["half"]:
        for series, rest in others.items():
            rows = curves[first["name"], series]
            points = [(row["x"], row["y"]) for row in rows if row["y"] is not None]
            note = "it does not fall to half"
            outcome.measures.append(Measure("half at", rest, _halved(points), note=note))
    if draw:
        outcome.plots += [_plot(one, curves, parameters, x) for one in wanted]
    return outcome


def _plot(
    one: Mapping[str, Any],
    curves: Mapping[tuple[str, str], list[dict[str, Any]]],
    parameters: Mapping[str, Any],
    x: str,
) -> Plot:
    rows = [row for (name, _), part in curves.items() if name == one["name"] for row in part]
    unit = f" ({one['unit']})" if one["unit"] else ""
    title = parameters["sweep"][0].get("title", x)
    return Plot(
        one["name"].replace(" ", "-"),
        f"{one['name'].capitalize()} over {title}",
        "Simulated; bars are 95 % intervals over replications.",
        Axis(title, parameters.get("x_scale", "linear")),
        Axis(one["name"] + unit, parameters.get("y_scale", "linear")),
        [Layer("line", rows), Layer("point", rows)],
    )


DRIVER = Driver("sweep", "a scenario over swept parameters", PARAMETERS, measure)
