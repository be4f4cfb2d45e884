"""How links of a set are distributed by PRR (S1, figure 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.statistics import percent
from airtcp_papers.ensembles import DataMissingError
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context

PARAMETERS: Final[Form] = {
    "sets": Key("sets", "the sets of links", required=True),
    "ranges": Key("open", "ranges of PRR by name, both ends included", required=True),
    "ensemble": Key("open", "parameters of generated sets in place of their own", default={}),
    "runs": Key("whole", "independent draws of generated sets", default=3),
}


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    ranges = cast("dict[str, list[float]]", parameters["ranges"])
    lines: list[dict[str, Any]] = []
    for name in parameters["sets"]:
        change = parameters["ensemble"]
        links = context.set(name, change)
        repeats = 1 if links.measured else context.repeats(parameters["runs"])
        try:
            runs = [context.receptions(name, repeat=r, change=change) for r in range(repeats)]
        except DataMissingError as error:
            outcome.skipped.append(({"set": name}, str(error)))
            continue
        for which, (low, high) in ranges.items():
            shares = [percent(sum(low <= p <= high for p in run), len(run)) for run in runs]
            outcome.measures.append(repeated("share", {"set": name, "prr": which}, shares, "%"))
        outcome.measures.append(
            Measure("links", {"set": name}, sum(map(len, runs)) / len(runs), unit="links")
        )
        lines += [{"x": p, "y": y, "series": links.label} for p, y in _steps(runs[0])]
    if draw and lines:
        outcome.plots.append(
            Plot(
                "cdf",
                "Distribution of packet reception ratios",
                "Share of links with at most this PRR.",
                Axis("packet reception ratio (PRR)", domain=(0.0, 1.0)),
                Axis("share of links", domain=(0.0, 1.0), percent=True),
                [Layer("step", lines)],
            )
        )
    return outcome


def _steps(values: Sequence[float], most: int = 400) -> list[tuple[float, float]]:
    """Return the distribution function, thinned to a few hundred points."""
    ordered = sorted(values)
    count = len(ordered)
    every = max(count // most, 1)
    points = [(ordered[i], (i + 1) / count) for i in range(0, count, every)]
    return [(0.0, 0.0), *points, (1.0, 1.0)]


DRIVER = Driver(
    "prr-distribution", "how links are distributed by reception ratio", PARAMETERS, measure
)
