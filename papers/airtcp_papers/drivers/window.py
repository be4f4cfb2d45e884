"""Congestion windows over time, and their reaction to losses (S3, figure 2.2).

One scenario, in one or more variants, with the window of one flow's sender in each. A *loss* is a
change of the slow-start threshold. Windows are in segments.

| measure | what |
|---|---|
| `before`, `after` | window just before a loss and just after it |
| `kept` | after / before |
| `threshold` | threshold after the loss / window before |
| `slow start` | growth of the window in a round trip below the threshold, the largest factor |
| `avoidance` | the same above the threshold, mean, in segments |
| `losses` | how many losses there were |

Means over the losses of a run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.drivers.base import Driver
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context

PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "the scenario, relative to the library", required=True),
    "variants": Key("open", "by name: values in place of the scenario's", required=True),
    "flow": Key("text", "the flow that is looked at", default="flow0"),
    "segment": Key("whole", "bytes of a segment", default=1460),
    "round_trip": Key("number", "seconds of a round trip", required=True),
}
_POINTS: Final = 1500


@dataclass(frozen=True)
class Windows:
    """A sender's windows over time."""

    t: list[float] = field(default_factory=list[float])
    cwnd: list[float] = field(default_factory=list[float])
    """Congestion windows, segments."""
    ssthresh: list[Any] = field(default_factory=list[Any])
    """Slow-start thresholds, segments; None for one that is not set."""


def windows(context: Context, parameters: Mapping[str, Any], variant: Mapping[str, Any]) -> Windows:
    """Run a variant, and return time, window and threshold, in segments."""
    result = context.scenario(parameters["scenario"], variant, runs=1, series=True)
    series = result.table("window_series")
    segment = parameters["segment"]
    columns = ("flow", "side", "t_s", "cwnd_bytes", "ssthresh_bytes")
    chosen = [
        (time, cwnd / segment, None if limit is None else limit / segment)
        for flow, side, time, cwnd, limit in zip(*(series[key] for key in columns), strict=True)
        if flow == parameters["flow"] and side == "client"
    ]
    return Windows(*(list(column) for column in zip(*chosen, strict=True)))


def losses(seen: Windows) -> list[int]:
    """Return the rows at which the threshold changes to another finite value."""
    known = seen.ssthresh
    return [
        i
        for i in range(1, len(known))
        if known[i] is not None and known[i - 1] is not None and known[i] != known[i - 1]
    ]


def _growth(seen: Windows, round_trip: float) -> tuple[list[float], list[float]]:
    """Return the growth in each round trip that lies entirely below, or above, the threshold.

    Below the threshold it is the factor of the window's growth, above it the growth in segments.
    """
    times, cwnd, limit = seen.t, seen.cwnd, seen.ssthresh
    below, above = list[float](), list[float]()
    first = 0
    for i in range(1, len(times)):
        if limit[i] != limit[first] or cwnd[i] < cwnd[i - 1]:
            first = i
        elif times[i] - times[first] >= round_trip * 0.999:
            # Growth in the gap before a burst of acknowledgements belongs to the next round.
            if limit[i] is not None and cwnd[first] >= limit[i]:
                above.append(cwnd[i] - cwnd[first])
            elif limit[i] is None or cwnd[i] < limit[i]:
                below.append(cwnd[i] / cwnd[first])
            first = i
    return below, above


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    rows: list[dict[str, Any]] = []
    for name, variant in cast("dict[str, dict[str, Any]]", parameters["variants"]).items():
        at = {"variant": name}
        seen = windows(context, parameters, variant)
        cwnd, limit = seen.cwnd, seen.ssthresh
        found = losses(seen)
        below, above = _growth(seen, parameters["round_trip"])
        outcome.measures += [
            Measure("losses", at, float(len(found)), unit="losses"),
            Measure("before", at, _mean([cwnd[i - 1] for i in found]), unit="segments"),
            Measure("after", at, _mean([cwnd[i] for i in found]), unit="segments"),
            Measure("kept", at, _mean([cwnd[i] / cwnd[i - 1] for i in found])),
            Measure("threshold", at, _mean([limit[i] / cwnd[i - 1] for i in found])),
            Measure("slow start", at, max(below) if below else None),
            Measure("avoidance", at, _mean(above), unit="segments"),
        ]
        every = max(len(cwnd) // _POINTS, 1)
        rows += [
            {"x": t, "y": w, "series": name}
            for t, w in zip(seen.t[::every], cwnd[::every], strict=True)
        ]
    if draw:
        outcome.plots.append(
            Plot(
                "window",
                "Congestion window over time",
                "Simulated; the loss of given segments.",
                Axis("time (s)"),
                Axis("window (segments)"),
                [Layer("step", rows)],
            )
        )
    return outcome


DRIVER = Driver("window", "congestion windows, and what a loss does to them", PARAMETERS, measure)
