"""CUBIC's window between two losses against its function (S3, figure 4.1).

    W(t) = C (t - K)^3 + Wmax,    K = cbrt(Wmax beta / C)

with t since the reduction, W in segments and beta the relative reduction of the window. The driver
follows the window of one sender from the first loss of the scenario to the next one, or to its end.
Wmax is the window at the reduction, so nothing is fitted. The comparison starts one round trip
after the reduction, when recovery is over: `deviation` is the greatest relative distance from the
curve, `lag` the delay of the window behind the curve.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.window import losses, windows
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context

PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "the scenario, relative to the library", required=True),
    "set": Key("open", "values in place of the scenario's, by path", default={}),
    "flow": Key("text", "the flow that is looked at", default="flow0"),
    "segment": Key("whole", "bytes of a segment", default=1460),
    "round_trip": Key("number", "seconds of a round trip", required=True),
    "c": Key("number", "C, segments a second cubed", default=0.4),
    "beta": Key("number", "the share by which the window is reduced", default=0.2),
}
_POINTS: Final = 600
_STEEP: Final = 1.5
_STRETCHES: Final = {"first": (0.0, 0.25), "plateau": (0.875, 1.125), "probing": (1.75, 2.0)}
"""Intervals of time over which growth is measured, in K."""


def period(most: float, beta: float, c: float) -> float:
    """Give K, the seconds until the window is back at its maximum.

    >>> round(period(100, 0.2, 0.4), 3)
    3.684
    """
    return (most * beta / c) ** (1 / 3)


def _slope(points: Sequence[tuple[float, float]]) -> float | None:
    if len(points) < 2 or points[-1][0] <= points[0][0]:  # noqa: PLR2004 - a slope has two ends
        return None
    return (points[-1][1] - points[0][1]) / (points[-1][0] - points[0][0])


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    seen = windows(context, parameters, parameters["set"])
    times, cwnd = seen.t, seen.cwnd
    found = losses(seen)
    if not found:
        outcome.measures += [
            Measure(name, {}, None, note="the scenario has no loss")
            for name in ("kept", "period", "deviation", "lag")
        ]
        return outcome
    first = found[0]
    last = found[1] if len(found) > 1 else len(times)
    most, start = cwnd[first - 1], times[first]
    k = period(most, parameters["beta"], parameters["c"])

    def curve(t: float) -> float:
        return parameters["c"] * (t - k) ** 3 + most

    settled = [
        (times[i] - start, cwnd[i])
        for i in range(first, last)
        if times[i] - start >= 1.5 * parameters["round_trip"]
    ]
    back = next((t for t, w in settled if w >= most), None)
    deviation = max((abs(w / curve(t) - 1) for t, w in settled), default=None)
    # Shift of the curve in time, where the curve is steep enough.
    steep = [(t, w) for t, w in settled if t >= _STEEP * k]
    lags = [(curve(t) - w) / (3 * parameters["c"] * (t - k) ** 2) for t, w in steep]
    outcome.measures += [
        Measure("window at the loss", {}, most, unit="segments"),
        Measure("kept", {}, cwnd[first] / most),
        Measure("period", {}, None if back is None else back / k, note="it does not come back"),
        Measure("deviation", {}, None if deviation is None else 100 * deviation, unit="%"),
        Measure("lag", {}, mean(lags) if lags else None, unit="s", note="it ends too early"),
    ]
    for when, (begin, end) in _STRETCHES.items():
        slope = _slope([(t, w) for t, w in settled if begin * k <= t <= end * k])
        outcome.measures.append(Measure("growth", {"when": when}, slope, unit="segments/s"))
    if draw:
        outcome.plots.append(_plot(settled, [(t, curve(t)) for t, _ in settled]))
    return outcome


def _plot(here: Sequence[tuple[float, float]], curve: Sequence[tuple[float, float]]) -> Plot:
    every = max(len(here) // _POINTS, 1)
    rows = [
        {"x": t, "y": w, "series": series}
        for series, points in (("the law", here), ("C (t - K)^3 + Wmax", curve))
        for t, w in points[::every]
    ]
    return Plot(
        "window",
        "CUBIC's window after a loss, and its function",
        "Simulated; the curve is not fitted.",
        Axis("time since the loss (s)"),
        Axis("window (segments)"),
        [Layer("line", rows)],
    )


DRIVER = Driver("cubic-curve", "CUBIC's window against its function", PARAMETERS, measure)
