"""A scenario of an 802.11 cell in variants: throughput of flows, and causes of frame losses.

Every combination of the values of `axis` is one scenario, run with several seeds; a value whose
name is a number counts as a number. Another system or protocol is one more line in an axis.

| measure | what, of each replication |
|---|---|
| `goodput` | application bytes of all flows, Mb/s |
| `share` | the same, as a share of the rate `rate_mbps` |
| `throughput` | IP packets with data, or payload, that arrived (`counts`), all flows, Mb/s (S3) |
| `MAC throughput` | all frames on the air, MAC ACKs and 24-byte preambles included, Mb/s (S0) |
| `preambles` | share of the time in which preambles are on the air, times `rate_mbps`, Mb/s |
| `JFI` | Jain's index of the flows' throughput |
| `slowest`, `fastest` | the least and the greatest throughput of a flow, Mb/s |
| `difference` | the distance of these two, Mb/s |
| `difference at one distance` | the greatest of uploads from one distance, % of the mean of all |
| `frame throughput`, `frame slowest` ... | the same in data frames with their MAC header and FCS |
| `timeouts`, `fast retransmits` | of all flows together |
| `data error`, `ACK error`, `RTS error` | data, TCP ACKs, RTS that were lost, % of those sent |
| `data-data`, `data-ACK`, `data-RTS` | data lost to an overlap with such a frame, % of data sent |
| `ACK-data`, `ACK-ACK`, `ACK-RTS` | the same of TCP ACKs |
| `data-sending`, `ACK-sending` | lost because the receiver was itself sending, % |
| `data-captured`, `ACK-captured` | lost because the receiver went over to a stronger frame, % |
| `data-interferer` | data lost to an interferer, % |
| `hold` | milliseconds for which station `station` keeps a packet, from the head of its queue on |
| `longest hold` | the same of the packet that it keeps longest |
| `queue drops`, `retry drops` | packets that found a full queue, that were given up |
| `given up` | the latter, of stations that send more data than TCP ACKs, % of their packets |
| `wait at AP`, `wait at stations` | mean time in their queues, ms |
| `uploads`, `downloads` | throughput of the flows to, from the access point, Mb/s |
| `starved` | flows with less than a tenth of the mean throughput |
| `two fastest` | share of the two fastest flows in the throughput, % |

Means over replications, with intervals. Of the measures that `extremes` names there are also
`least slowest`, `greatest slowest` and so on, over all replications.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import once
from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.cell_run import COUNTS, CellRun
from airtcp_papers.drivers.statistics import jain, percent
from airtcp_papers.drivers.variants import measured, parameters_of, plots_of, runs_of, variants
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Measure, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp_papers.context import Context

_PREAMBLE_BITS: Final = 192
"""S0 counts a preamble as 24 bytes."""
_PREAMBLE_S: Final = 192e-6


def _hold(run: CellRun, of: str) -> float | None:
    station = next(s for s in run.stations if s["name"] == run.parameters["station"])
    time = station[of]
    return None if time is None else 1e3 * time


def _span(rates: Sequence[float]) -> float:
    return max(rates) - min(rates)


def _at_one_distance(run: CellRun) -> float | None:
    far = {s["name"]: s["distance_m"] for s in run.stations if s["distance_m"] is not None}
    groups: dict[int, list[float]] = {}
    for flow, rate in zip(run.document["flows"], run.rates, strict=True):
        if flow["from"] in far:
            groups.setdefault(round(1e3 * far[flow["from"]]), []).append(rate)
    total = sum(run.rates)
    most = max((_span(rates) for rates in groups.values()), default=None)
    return None if most is None or not total else 100 * most * len(run.rates) / total


def _starved(run: CellRun) -> float:
    limit = 0.1 * sum(run.rates) / len(run.rates)
    return sum(rate < limit for rate in run.rates)


def _wait(run: CellRun, *, at_ap: bool) -> float | None:
    chosen = run.stations[:1] if at_ap else run.stations[1:]
    known = [s["queue_delay_mean_s"] for s in chosen if s["queue_delay_mean_s"] is not None]
    return 1e3 * mean(known) if known else None


def _toward(run: CellRun, end: str) -> float:
    ap = run.stations[0]["name"]
    flows = zip(run.document["flows"], run.rates, strict=True)
    return sum(rate for flow, rate in flows if flow[end] == ap)


def _given_up(run: CellRun) -> float | None:
    given, packets = run.given_up
    return percent(given, packets)


def _two_fastest(run: CellRun) -> float | None:
    total = sum(run.rates)
    return 100 * sum(sorted(run.rates)[-2:]) / total if total else None


def _lost(kind: str, cause: str | None = None) -> tuple[str, Callable[[CellRun], float | None]]:
    return "%", lambda run: run.lost(kind, cause)


MEASURES: Final[dict[str, tuple[str, Callable[[CellRun], float | None]]]] = {
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
    "difference": ("Mb/s", lambda run: _span(run.rates)),
    "difference at one distance": ("%", _at_one_distance),
    "frame throughput": ("Mb/s", lambda run: sum(run.counted("frames"))),
    "frame slowest": ("Mb/s", lambda run: min(run.counted("frames"))),
    "frame fastest": ("Mb/s", lambda run: max(run.counted("frames"))),
    "frame difference": ("Mb/s", lambda run: _span(run.counted("frames"))),
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
    "hold": ("ms", lambda run: _hold(run, "service_mean_s")),
    "longest hold": ("ms", lambda run: _hold(run, "service_max_s")),
    "queue drops": ("packets", lambda run: run.summed("queue_drops")),
    "retry drops": ("packets", lambda run: run.summed("retry_drops")),
    "given up": ("%", _given_up),
    "wait at AP": ("ms", lambda run: _wait(run, at_ap=True)),
    "wait at stations": ("ms", lambda run: _wait(run, at_ap=False)),
    "uploads": ("Mb/s", lambda run: _toward(run, "to")),
    "downloads": ("Mb/s", lambda run: _toward(run, "from")),
    "starved": ("flows", _starved),
    "two fastest": ("%", _two_fastest),
}
_SHARES: Final = {"data": "data", "ACK": "tcp_ack", "RTS": "rts"}
"""The base of each share of lost frames, by the beginning of its name."""


_NO_EVENTS: Final = {"share", "given up", "two fastest", "difference at one distance"}
"""Percentages that are not shares of lost frames."""


def _hundredths(kind: str) -> Callable[[CellRun], float]:
    return lambda run: run.sent(kind) / 100


EVENTS: Final[dict[str, Callable[[CellRun], float]]] = {
    **{
        name: _hundredths(_SHARES[name.replace(" ", "-").split("-")[0]])
        for name, (unit, _) in MEASURES.items()
        if unit == "%" and name not in _NO_EVENTS
    },
    "given up": lambda run: run.given_up[1] / 100,
    **dict.fromkeys(("timeouts", "fast retransmits", "queue drops", "retry drops"), once),
}
"""For measures that are counts or rates of events: the events over the value."""
PARAMETERS: Final[Form] = parameters_of(
    MEASURES,
    {
        "extremes": Key(
            "texts", "measures whose extremes count too", default=[], accepted=tuple(MEASURES)
        ),
        "counts": Key(
            "text",
            "what the throughput of a flow counts: data frames with MAC header, IP packets with "
            "payload, or the payload",
            default="packets",
            accepted=tuple(COUNTS),
        ),
        "rate_mbps": Key("number", "the rate that shares refer to", default=11),
        "station": Key("text", "the station whose packets are timed", default="sta0"),
    },
)


def _measured(
    at: Mapping[str, str | float], runs: Sequence[CellRun], parameters: Mapping[str, Any]
) -> list[Measure]:
    found: list[Measure] = []
    for name in dict.fromkeys([*parameters["measure"], *parameters["extremes"]]):
        one = measured(name, at, runs, MEASURES, EVENTS)
        found.append(one)
        if name in parameters["extremes"] and one.value is not None:
            known = [value for value in one.each or [one.value] if value is not None]
            found += [
                Measure(f"least {name}", at, min(known), unit=one.unit),
                Measure(f"greatest {name}", at, max(known), unit=one.unit),
            ]
    return found


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    every = list(variants(parameters))
    found = runs_of(context, parameters, every, CellRun)
    for (at, _), runs in zip(every, found, strict=True):
        outcome.measures += _measured(at, runs, parameters)
    if draw:
        outcome.plots += plots_of(parameters, outcome, MEASURES)
    return outcome


DRIVER = Driver("cells", "an 802.11 cell in variants", PARAMETERS, measure)
