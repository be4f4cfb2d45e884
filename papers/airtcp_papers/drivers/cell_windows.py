"""Congestion windows of the flows of an 802.11 cell over time (S3, figures 7.4, 7.5 and 7.14).

Independent runs of one scenario. In each, `slowest` and `fastest` are the flows that carried least
and most in the whole run; a *span* is an interval of time with a name. A *reduction* is a fast
retransmission or a timeout; of a span, a fall of the window to a new slow-start threshold.

| measure | at | what |
|---|---|---|
| `reductions` | `node` | reductions of the window in the run |
| `reductions` | `node`, `span` | the same within the span |
| `window` | `node`, `span` | mean of the window over the span, kB |
| `largest window` | `node` | the largest the window ever was, kB |
| `growth` | `node` | window at the end of the last span, less that at its begin, kB |
| `slow start until` | - | mean over all flows of the time at which slow start ended, s |
| `JFI` | - | Jain's index of the flows' throughput |

`node` is `slowest` or `fastest`. Values are means over runs, with intervals. `least reductions`,
`greatest reductions` and `greatest largest window` are extremes over the runs. Slow start ends when
the window first reaches its threshold, or with the first reduction. The chart shows the run with
the greatest, the median or the least Jain's index.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.cell_run import CellRun
from airtcp_papers.drivers.statistics import jain
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context

SPAN: Final[Form] = {
    "name": Key("text", "name of the span", required=True),
    "from_s": Key("number", "its begin, s", required=True),
    "to_s": Key("number", "its end, s", required=True),
}
PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "the scenario, relative to the library", required=True),
    "set": Key("open", "values in place of the scenario's, by path", default={}),
    "span": Key("tables", "intervals of time, the last of the run last", required=True, of=SPAN),
    "runs": Key("whole", "independent runs", default=8),
    "shown": Key(
        "text",
        "the run that is drawn, by how fair it is",
        default="middle",
        accepted=("fairest", "middle", "least fair"),
    ),
    "receive_window": Key("number", "a line in the picture: bytes", default=65535),
}
_POINTS: Final = 400
"""Points of a flow in the chart, besides those around reductions."""
_KB: Final = 1e3
_WHICH: Final = {
    "fairest": "the fairest",
    "middle": "in the middle by fairness",
    "least fair": "the least fair",
}


@dataclass(frozen=True)
class Window:
    """The window of one sender: at each change the time, the window and the threshold, bytes."""

    times: list[float]
    cwnd: list[float]
    limit: list[float | None]

    def at(self, time: float) -> float:
        """Return the window at a time; before the first change its first value."""
        before = [w for t, w in zip(self.times, self.cwnd, strict=True) if t <= time]
        return before[-1] if before else self.cwnd[0]

    def mean(self, start: float, end: float) -> float:
        """Return the mean over an interval of time.

        >>> Window([0.0, 1.0], [10.0, 30.0], [None, None]).mean(0.5, 1.5)
        20.0
        """
        inside = [(t, w) for t, w in zip(self.times, self.cwnd, strict=True) if start < t < end]
        steps = [(start, self.at(start)), *inside, (end, 0.0)]
        return sum(w * (then - t) for (t, w), (then, _) in pairwise(steps)) / (end - start)

    def falls(self) -> list[int]:
        """Return the changes that set a new threshold with a smaller window.

        >>> Window([0.0, 1.0, 2.0], [10.0, 30.0, 15.0], [None, None, 15.0]).falls()
        [2]
        """
        return [
            i
            for i in range(1, len(self.times))
            if self.limit[i] != self.limit[i - 1] and self.cwnd[i] < self.cwnd[i - 1]
        ]

    def slow_start_end(self) -> float | None:
        """Return the time at which slow start ended, if it did."""
        falls = self.falls()
        first = self.times[falls[0]] if falls else None
        for t, w, limit in zip(self.times, self.cwnd, self.limit, strict=True):
            if first is not None and t >= first:
                break
            if limit is not None and w >= limit:
                return t
        return first


@dataclass(frozen=True)
class Seen:
    """One run: its document and the windows of its flows, in their order."""

    run: CellRun
    windows: Sequence[Window]

    def node(self, which: str) -> int:
        """Return the index of the slowest or fastest flow."""
        rates = self.run.rates
        return rates.index(min(rates) if which == "slowest" else max(rates))

    def reductions(self, flow: int) -> float:
        """Count the fast retransmissions and timeouts of a flow."""
        counts = self.run.document["flows"][flow]
        return counts["fast_retransmits"] + counts["timeouts"]


def _seen(context: Context, parameters: Mapping[str, Any], repeat: int) -> Seen:
    result = context.scenario(
        parameters["scenario"], parameters["set"], runs=1, series=True, repeat=repeat
    )
    document = result.json["replications"][0]
    series = result.table("window_series")
    windows = {flow["name"]: Window([], [], []) for flow in document["flows"]}
    columns = ("flow", "side", "t_s", "cwnd_bytes", "ssthresh_bytes")
    for flow, side, time, cwnd, limit in zip(*(series[key] for key in columns), strict=True):
        if side == "client":
            own = windows[flow]
            own.times.append(time)
            own.cwnd.append(cwnd)
            own.limit.append(limit)
    return Seen(CellRun(document, parameters), list(windows.values()))


def _of_node(which: str, seen: Sequence[Seen], spans: Sequence[Mapping[str, Any]]) -> list[Measure]:
    at = {"node": which}
    chosen = [(one, one.node(which)) for one in seen]
    windows = [one.windows[flow] for one, flow in chosen]
    counts = [one.reductions(flow) for one, flow in chosen]
    largest = [max(window.cwnd) / _KB for window in windows]
    found = [
        repeated("reductions", at, counts, "reductions", weights=[1.0] * len(counts)),
        Measure("least reductions", at, min(counts), unit="reductions"),
        Measure("greatest reductions", at, max(counts), unit="reductions"),
        repeated("largest window", at, largest, "kB"),
        Measure("greatest largest window", at, max(largest), unit="kB"),
    ]
    for span in spans:
        start, end = span["from_s"], span["to_s"]
        within = {**at, "span": span["name"]}
        falls = [float(sum(start <= w.times[i] < end for i in w.falls())) for w in windows]
        found += [
            repeated("reductions", within, falls, "reductions", weights=[1.0] * len(falls)),
            repeated("window", within, [w.mean(start, end) / _KB for w in windows], "kB"),
        ]
    start, end = spans[-1]["from_s"], spans[-1]["to_s"]
    grown = [(w.at(end) - w.at(start)) / _KB for w in windows]
    return [*found, repeated("growth", at, grown, "kB")]


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    seen = [
        _seen(context, parameters, repeat) for repeat in range(context.repeats(parameters["runs"]))
    ]
    outcome = Outcome()
    for which in ("slowest", "fastest"):
        outcome.measures += _of_node(which, seen, parameters["span"])
    ends: list[float | None] = []
    for one in seen:
        known = [end for end in (w.slow_start_end() for w in one.windows) if end is not None]
        ends.append(sum(known) / len(known) if known else None)
    outcome.measures += [
        repeated("slow start until", {}, ends, "s", "no flow left slow start"),
        repeated("JFI", {}, [jain(one.run.rates) for one in seen]),
    ]
    if draw:
        ranked = sorted(seen, key=lambda one: -(jain(one.run.rates) or 0.0))
        place = {"fairest": 0, "middle": len(ranked) // 2, "least fair": -1}[parameters["shown"]]
        outcome.plots.append(_plot(ranked[place], parameters))
    return outcome


def _plot(seen: Seen, parameters: Mapping[str, Any]) -> Plot:
    rows: list[dict[str, Any]] = []
    for i, (window, rate) in enumerate(zip(seen.windows, seen.run.rates, strict=True)):
        every = max(len(window.times) // _POINTS, 1)
        falls = window.falls()
        kept = {*range(0, len(window.times), every), *falls, *(j - 1 for j in falls)}
        rows += [
            {
                "x": window.times[j],
                "y": window.cwnd[j] / _KB,
                "series": f"node {i + 1}: {rate:.2f} Mb/s",
            }
            for j in sorted(kept)
        ]
    ends = [min(row["x"] for row in rows), max(row["x"] for row in rows)]
    limit = parameters["receive_window"] / _KB
    index = jain(seen.run.rates)
    fairness = "nothing arrived" if index is None else f"Jain's index {index:.2f}"
    return Plot(
        "windows",
        "Congestion windows over time",
        f"Simulated; of all runs the one that is {_WHICH[parameters['shown']]}: {fairness}. "
        "Dashed: the receiver's window.",
        Axis("time (s)"),
        Axis("window (kB)"),
        [Layer("rule", [{"x": x, "y": limit} for x in ends]), Layer("step", rows)],
    )


DRIVER = Driver(
    "cell-windows", "congestion windows of an 802.11 cell over time", PARAMETERS, measure
)
