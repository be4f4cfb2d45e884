"""A scenario of an 802.11 cell in variants: what the flows got, and what frames were lost to.

Every combination of the values of `axis` is one scenario, run with several seeds; a value whose
name is a number counts as one. A system or a protocol more is one line more in an axis.

| measure | what, of each replication |
|---|---|
| `goodput` | application bytes of all flows, Mb/s |
| `share` | the same, as a share of the rate `rate_mbps` |
| `throughput` | the data frames that arrived, MAC header included, of all flows, Mb/s (S3) |
| `MAC throughput` | all frames on the air, MAC ACKs and 24-byte preambles included, Mb/s (S0) |
| `preambles` | share of the time in which preambles are on the air, times `rate_mbps`, Mb/s |
| `JFI` | Jain's index of the flows' throughput |
| `slowest`, `fastest` | the least and the greatest throughput of a flow, Mb/s |
| `difference` | the distance of these two, Mb/s |
| `timeouts`, `fast retransmits` | of all flows together |
| `data error`, `ACK error`, `RTS error` | data, TCP ACKs, RTS that were lost, % of those sent |
| `data-data`, `data-ACK`, `data-RTS` | data lost to an overlap with such a frame, % of data sent |
| `ACK-data`, `ACK-ACK`, `ACK-RTS` | the same of TCP ACKs |
| `data-sending`, `ACK-sending` | lost because the receiver was itself sending, % |
| `data-captured`, `ACK-captured` | lost because the receiver went over to a stronger frame, % |
| `data-interferer` | data lost to an interferer, % |
| `hold` | milliseconds for which station `station` keeps a packet, from the head of its queue on |
| `queue drops`, `retry drops` | packets that found a full queue, that were given up |

Means over replications, with intervals. Of the measures that `extremes` names there are also
`least slowest`, `greatest slowest` and so on, over all replications.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.papers.drivers.base import Driver
from airtcp.papers.form import Form, Key, is_number
from airtcp.papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.papers.context import Context

_PREAMBLE_BITS: Final = 192
"""S0 counts a preamble as 24 bytes."""
_PREAMBLE_S: Final = 192e-6


@dataclass(frozen=True)
class Run:
    """One replication, with what the driver was told."""

    document: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def stations(self) -> list[dict[str, Any]]:
        """Stations of the first cell, its access point among them."""
        return self.document["cells"][0]["stations"]

    @property
    def rates(self) -> list[float]:
        """Throughput of each flow in Mb/s, counted in data frames at the MAC."""
        return [flow["mac_delivered_bps"] / 1e6 for flow in self.document["flows"]]

    def summed(self, name: str) -> float:
        """Add up a measure of the stations."""
        return sum(station[name] for station in self.stations)

    def of_flows(self, name: str) -> float:
        """Add up a measure of the flows."""
        return sum(flow[name] for flow in self.document["flows"])

    def frames(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What became of the frames of a class, or of all, station by station."""
        return [
            counts
            for station in self.stations
            for name, counts in station["frames"].items()
            if kind is None or name == kind
        ]

    def lost(self, kind: str, cause: str | None = None) -> float | None:
        """Give the share of the frames of a class that was lost, to a cause or at all, in %."""
        frames = self.frames(kind)
        sent = sum(counts["sent"] for counts in frames)
        if not sent:
            return None
        chosen = [
            n
            for counts in frames
            for name, n in counts["lost"].items()
            if cause is None or name == cause
        ]
        return 100 * sum(chosen) / sent

    @property
    def frames_per_second(self) -> float:
        """Frames of all classes that were sent in a second."""
        seconds = self.document["flows"][0]["active_s"]
        return sum(counts["sent"] for counts in self.frames()) / seconds


def jain(values: Sequence[float]) -> float | None:
    """Give Jain's index.

    >>> jain([1.0, 1.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def _hold(run: Run) -> float | None:
    station = next(s for s in run.stations if s["name"] == run.parameters["station"])
    mean = station["service_mean_s"]
    return None if mean is None else 1e3 * mean


def _lost(kind: str, cause: str | None = None) -> tuple[str, Callable[[Run], float | None]]:
    return "%", lambda run: run.lost(kind, cause)


MEASURES: Final[dict[str, tuple[str, Callable[[Run], float | None]]]] = {
    "goodput": ("Mb/s", lambda run: run.document["total_goodput_bps"] / 1e6),
    "share": (
        "%",
        lambda run: run.document["total_goodput_bps"] / 1e4 / run.parameters["rate_mbps"],
    ),
    "throughput": ("Mb/s", lambda run: sum(run.rates)),
    "MAC throughput": (
        "Mb/s",
        lambda run: (run.summed("mac_bps") + _PREAMBLE_BITS * run.frames_per_second) / 1e6,
    ),
    "preambles": (
        "Mb/s",
        lambda run: run.frames_per_second * _PREAMBLE_S * run.parameters["rate_mbps"],
    ),
    "JFI": ("", lambda run: jain(run.rates)),
    "slowest": ("Mb/s", lambda run: min(run.rates)),
    "fastest": ("Mb/s", lambda run: max(run.rates)),
    "difference": ("Mb/s", lambda run: max(run.rates) - min(run.rates)),
    "timeouts": ("timeouts", lambda run: run.of_flows("timeouts")),
    "fast retransmits": ("", lambda run: run.of_flows("fast_retransmits")),
    "data error": _lost("data"),
    "ACK error": _lost("tcp_ack"),
    "RTS error": _lost("rts"),
    "data-data": _lost("data", "with_data"),
    "data-ACK": _lost("data", "with_tcp_ack"),
    "data-RTS": _lost("data", "with_rts"),
    "ACK-data": _lost("tcp_ack", "with_data"),
    "ACK-ACK": _lost("tcp_ack", "with_tcp_ack"),
    "ACK-RTS": _lost("tcp_ack", "with_rts"),
    "data-sending": _lost("data", "transmitter_side"),
    "ACK-sending": _lost("tcp_ack", "transmitter_side"),
    "data-captured": _lost("data", "captured"),
    "ACK-captured": _lost("tcp_ack", "captured"),
    "data-interferer": _lost("data", "interferer"),
    "hold": ("ms", _hold),
    "queue drops": ("packets", lambda run: run.summed("queue_drops")),
    "retry drops": ("packets", lambda run: run.summed("retry_drops")),
}
VARIED: Final[Form] = {
    "name": Key("text", "name of the condition", required=True),
    "title": Key("text", "title of the axis, with the unit; the name if left out"),
    "values": Key(
        "open", "by name of the value: what it changes in the scenario, by path", required=True
    ),
}
PARAMETERS: Final[Form] = {
    "scenario": Key("scenario", "the scenario, relative to the library", required=True),
    "set": Key("open", "values in place of the scenario's and the axes', by path", default={}),
    "axis": Key("tables", "what is varied: the x axis of the plot first", required=True, of=VARIED),
    "measure": Key("texts", "what is measured", required=True, accepted=tuple(MEASURES)),
    "extremes": Key(
        "texts", "measures whose extremes count too", default=[], accepted=tuple(MEASURES)
    ),
    "rate_mbps": Key("number", "the rate that shares refer to", default=11),
    "station": Key("text", "the station whose packets are timed", default="sta0"),
    "runs": Key("whole", "replications", default=6),
    "plot": Key("texts", "the measures that are drawn", default=[], accepted=tuple(MEASURES)),
}


def _condition(name: str) -> str | float:
    """Read the name of a value; numbers are numbers.

    >>> _condition("80"), _condition("RTS/CTS")
    (80, 'RTS/CTS')
    """
    try:
        number = float(name)
    except ValueError:
        return name
    return int(number) if number.is_integer() else number


def _measured(
    at: Mapping[str, str | float], runs: Sequence[Run], parameters: Mapping[str, Any]
) -> list[Measure]:
    found: list[Measure] = []
    for name in dict.fromkeys([*parameters["measure"], *parameters["extremes"]]):
        unit, take = MEASURES[name]
        values = [take(run) for run in runs]
        found.append(repeated(name, at, values, unit, f"no {name} in this variant"))
        known = [value for value in values if value is not None]
        if name in parameters["extremes"] and known:
            found += [
                Measure(f"least {name}", at, min(known), unit=unit),
                Measure(f"greatest {name}", at, max(known), unit=unit),
            ]
    return found


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    axes = cast("list[dict[str, Any]]", parameters["axis"])
    names = [axis["name"] for axis in axes]
    for values in product(*(axis["values"] for axis in axes)):
        at = {name: _condition(value) for name, value in zip(names, values, strict=True)}
        overrides: dict[str, Any] = {}
        for axis, value in zip(axes, values, strict=True):
            overrides |= axis["values"][value]
        # What is set goes before what is varied: an assumption may concern either.
        overrides |= parameters["set"]
        runs = [
            Run(document, parameters)
            for document in context.replications(
                parameters["scenario"], overrides, runs=context.repeats(parameters["runs"])
            )
        ]
        outcome.measures += _measured(at, runs, parameters)
    if draw:
        outcome.plots += [_plot(name, axes[0], outcome) for name in parameters["plot"]]
    return outcome


def _plot(name: str, axis: Mapping[str, Any], outcome: Outcome) -> Plot:
    """Draw a measure over the first axis, whose values are numbers."""
    rows = [
        {
            "x": found.at[axis["name"]],
            "y": found.value,
            "low": found.low,
            "high": found.high,
            "series": ", ".join(str(v) for k, v in found.at.items() if k != axis["name"]) or name,
        }
        for found in outcome.measures
        if found.metric == name and is_number(found.at[axis["name"]])
    ]
    title = axis.get("title", axis["name"])
    unit = MEASURES[name][0]
    return Plot(
        name.replace(" ", "-"),
        f"{name[0].upper()}{name[1:]} over {title}",
        "Simulated; bars are 95 % intervals over replications.",
        Axis(title),
        Axis(f"{name} ({unit})" if unit else name),
        [Layer("line", rows), Layer("point", rows)],
    )


DRIVER = Driver("cells", "an 802.11 cell in variants", PARAMETERS, measure)
