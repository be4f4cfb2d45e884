"""A scenario of an 802.11 cell in variants, through captures.

Each run writes a capture at the TCP sender and, with `radio`, one of a radio in monitor mode. The
analysis of these files gives the measures. The counters of the same run give the *true* ones. An
*error* is the distance of the two.

| measure | what, of each run |
|---|---|
| `throughput` | application bytes between the first data and the last ACK, Mb/s |
| `achieved` | the same, as a share of the condition `offered`, in Mb/s |
| `retransmissions`, `losses` | data segments that were sent again; as a share of all |
| `timeouts`, `recoveries` | retransmission timeouts; recoveries by fast retransmit |
| `timeout share` | timeouts among both |
| `repeated segments`, `most copies` | segments sent again twice or more; greatest number |
| `spurious` | segments that were sent again although a copy had arrived |
| `RTT`, `RTT p95`, `largest RTT` | round-trip time: mean, 95th percentile, greatest, ms |
| `window / RTT` | the variant's window by the RTT, Mb/s |
| `excess` | the same over the throughput |
| `flight` | throughput times RTT (Little's law), segments |
| `largest flight` | most bytes in flight |
| `loss events`, `loss interval` | events of loss (`loss_clusters`); the median interval, s |
| `folded` | 0 to 1: whether the events keep the phase of the period `period_s` |
| `near period` | share of the intervals within 10 % of it |
| `packets between losses` | median of the segments between two events |
| `dependence` | correlation of the intervals with the segments in between |
| `signal`, `signal spread` | mean level at the radio, dBm; 90th less 10th percentile, dB |
| `raw loss`, `residual loss` | attempts, packets without MAC ACK, % |
| `attempts`, `latency` | attempts of a packet; from its first attempt to its MAC ACK, ms |
| `attempt interval` | median time between two attempts of a packet, us |
| `MAC throughput` | bytes of all attempts, Mb/s |
| `share at 54` ..., `share at 24 or 36` | share of the attempts at a rate |
| `expected goodput` | S2's formula for the condition `rate` (`expected_goodput`), Mb/s |
| `with back-off`, `delayed ACKs` | the same with the mean back-off; and an ACK for two segments |
| `weighted goodput` | expected goodput of the rates, weighted by these shares, Mb/s (S2) |
| `harmonic goodput` | the same, weighted by time |
| `goodput after loss` | `weighted goodput` less the raw loss (S2) |
| `efficiency` | `throughput` by `goodput after loss`, % |

`true throughput`, `true losses`, `true timeouts`, `true fast retransmits`, `true timeout share`,
`true signal`, `true raw loss`, `true residual loss`, `true attempts`, `true latency` and
`true MAC throughput` are the counters. There is an error of most of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import once
from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.capture_run import CaptureRun
from airtcp_papers.drivers.statistics import percent
from airtcp_papers.drivers.variants import (
    measured,
    parameters_of,
    plots_of,
    repeats_of,
    variants,
)
from airtcp_papers.expected_goodput import RATES, expected, harmonic, weighted
from airtcp_papers.form import Form, Key
from airtcp_papers.loss_clusters import repeated_segments
from airtcp_papers.outcome import Axis, Layer, Outcome, Plot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp_papers.context import Context

    Take = Callable[[CaptureRun], float | None]


def _host(name: str) -> Take:
    return lambda run: run.host[name]


def _flow(name: str) -> Take:
    return lambda run: run.flow[name]


def _of_link(name: str, scale: float = 1.0) -> Take:
    """Return a measure of the link in the capture of the radio; `a.b` is inside a table."""

    def take(run: CaptureRun) -> float | None:
        value: Any = run.link
        for part in name.split("."):
            value = None if value is None else value[part]
        return None if value is None else scale * value

    return take


def _share(timeouts: float, recoveries: float) -> float | None:
    whole = timeouts + recoveries
    return 100 * timeouts / whole if whole else None


def _achieved(run: CaptureRun) -> float | None:
    offered = run.at.get("offered")
    if run.throughput is None or not isinstance(offered, float | int):
        return None
    return 100 * run.throughput / offered


def _spread(run: CaptureRun) -> float | None:
    signal = None if run.link is None else run.link["signal"]
    if signal is None or signal["p90_dbm"] is None:
        return None
    return signal["p90_dbm"] - signal["p10_dbm"]


def _mac(run: CaptureRun) -> float | None:
    if run.link is None or not run.link["duration_s"]:
        return None
    return 8e-6 * run.link["bytes"] / run.link["duration_s"]


def _true_raw(run: CaptureRun) -> float | None:
    return 100 * (1 - run.acknowledged / run.attempts) if run.attempts else None


def _true_attempts(run: CaptureRun) -> float | None:
    packets = run.acknowledged + run.station["retry_drops"]
    return run.attempts / packets if packets else None


def _after_loss(run: CaptureRun) -> float | None:
    best, loss = weighted(run.shares()), _of_link("raw_loss")(run)
    return None if best is None or loss is None else best * (1 - loss)


def _efficiency(run: CaptureRun) -> float | None:
    best = _after_loss(run)
    return None if run.throughput is None or not best else 100 * run.throughput / best


def _formula(run: CaptureRun, slots: float = 0.0, each: float = 1.0) -> float | None:
    rate = run.at.get("rate")
    return expected(rate, slots=slots, each=each) if isinstance(rate, float | int) else None


def _rate(rate: int) -> tuple[str, Take]:
    return "%", lambda run: 100 * run.shares().get(rate, 0.0) if run.shares() else None


_MEAN_SLOTS: Final = 7.5
"""The mean back-off of 802.11a before a first attempt, in slots."""
_TRANSPORT: Final[dict[str, tuple[str, Take]]] = {
    "throughput": ("Mb/s", lambda run: run.throughput),
    "achieved": ("%", _achieved),
    "retransmissions": ("segments", _host("retransmitted_segments")),
    "losses": (
        "%",
        lambda run: percent(run.host["retransmitted_segments"], run.host["data_segments"]),
    ),
    "timeouts": ("timeouts", _host("timeouts")),
    "recoveries": ("recoveries", _host("recoveries")),
    "timeout share": ("%", lambda run: _share(run.host["timeouts"], run.host["recoveries"])),
    "repeated segments": (
        "segments",
        lambda run: sum(n > 1 for n in repeated_segments(run.host["retransmission_rows"])),
    ),
    "most copies": (
        "",
        lambda run: max(repeated_segments(run.host["retransmission_rows"]), default=0),
    ),
    "spurious": ("segments", _host("spurious_retransmissions")),
    "RTT": ("ms", lambda run: run.rtt("mean")),
    "RTT p95": ("ms", lambda run: run.rtt("p95")),
    "largest RTT": ("ms", lambda run: run.rtt("max")),
    "window / RTT": ("Mb/s", lambda run: run.window_over_rtt),
    "excess": ("", lambda run: run.excess),
    "flight": ("segments", lambda run: run.flight),
    "largest flight": ("bytes", _host("largest_flight_bytes")),
    "loss events": ("events", lambda run: len(run.clusters.times_s)),
    "loss interval": ("s", lambda run: run.clusters.interval_s),
    "folded": ("", lambda run: run.clusters.folded(run.parameters["period_s"])),
    "near period": ("%", lambda run: run.clusters.near(run.parameters["period_s"])),
    "packets between losses": ("packets", lambda run: run.clusters.packets_between),
    "dependence": ("", lambda run: run.clusters.dependence),
}
_AIR: Final[dict[str, tuple[str, Take]]] = {
    "signal": ("dBm", _of_link("signal.mean_dbm")),
    "signal spread": ("dB", _spread),
    "raw loss": ("%", _of_link("raw_loss", 100)),
    "residual loss": ("%", _of_link("residual_loss", 100)),
    "attempts": ("", _of_link("mean_attempts")),
    "latency": ("ms", _of_link("latency_s.mean", 1e3)),
    "attempt interval": ("us", _of_link("inter_attempt_s.p50", 1e6)),
    "MAC throughput": ("Mb/s", _mac),
    **{f"share at {rate}": _rate(rate) for rate in RATES},
    "share at 24 or 36": (
        "%",
        lambda run: 100 * sum(run.shares().get(one, 0.0) for one in (24, 36)),
    ),
    "expected goodput": ("Mb/s", _formula),
    "with back-off": ("Mb/s", lambda run: _formula(run, slots=_MEAN_SLOTS)),
    "delayed ACKs": ("Mb/s", lambda run: _formula(run, slots=_MEAN_SLOTS, each=2)),
    "weighted goodput": ("Mb/s", lambda run: weighted(run.shares())),
    "harmonic goodput": ("Mb/s", lambda run: harmonic(run.shares())),
    "goodput after loss": ("Mb/s", _after_loss),
    "efficiency": ("%", _efficiency),
}
_TRUE: Final[dict[str, tuple[str, Take]]] = {
    "true throughput": ("Mb/s", lambda run: run.true_throughput),
    "true retransmissions": ("segments", _flow("retransmissions")),
    "true losses": (
        "%",
        lambda run: percent(run.flow["retransmissions"], run.flow["segments_sent"]),
    ),
    "true timeouts": ("timeouts", _flow("timeouts")),
    "true fast retransmits": ("recoveries", _flow("fast_retransmits")),
    "true timeout share": (
        "%",
        lambda run: _share(run.flow["timeouts"], run.flow["fast_retransmits"]),
    ),
    "true signal": ("dBm", lambda run: run.document["cells"][0]["stations"][1]["signal_dbm"]),
    "true raw loss": ("%", _true_raw),
    "true residual loss": ("%", lambda run: 100 * run.station["residual_loss"]),
    "true attempts": ("", _true_attempts),
    "true latency": ("ms", lambda run: 1e3 * run.station["latency_mean_s"]),
    "true MAC throughput": ("Mb/s", lambda run: run.station["mac_bps"] / 1e6),
}
_SEEN: Final = _TRANSPORT | _AIR


def _error(name: str, other: str, *, relative: bool) -> Take:
    """Return the distance of a measure from the true one, in % of it or in its unit."""

    def take(run: CaptureRun) -> float | None:
        seen, true = _SEEN[name][1](run), _TRUE[other][1](run)
        if seen is None or true is None or (relative and not true):
            return None
        return abs(seen - true) * (100 / abs(true) if relative else 1.0)

    return take


def _rates_error(run: CaptureRun) -> float | None:
    seen, true = run.shares(), run.true_shares()
    if not seen or not true:
        return None
    return max(100 * abs(seen.get(one, 0.0) - true.get(one, 0.0)) for one in {*seen, *true})


_ERRORS: Final[dict[str, tuple[str, Take]]] = {
    **{
        f"{name} error": ("%", _error(name, f"true {name}", relative=True))
        for name in ("throughput", "attempts", "latency", "MAC throughput")
    },
    **{
        f"{name} error": (_SEEN[name][0], _error(name, f"true {name}", relative=False))
        for name in ("retransmissions", "timeouts", "signal", "raw loss", "residual loss")
    },
    "recoveries error": (
        "recoveries",
        _error("recoveries", "true fast retransmits", relative=False),
    ),
    "rates error": ("%", _rates_error),
}
MEASURES: Final[dict[str, tuple[str, Take]]] = {**_SEEN, **_TRUE, **_ERRORS}


def _hundredths(name: str) -> Callable[[CaptureRun], float]:
    return lambda run: run.host[name] / 100


EVENTS: Final[dict[str, Callable[[CaptureRun], float]]] = {
    "losses": _hundredths("data_segments"),
    **dict.fromkeys(
        (
            "retransmissions",
            "timeouts",
            "recoveries",
            "repeated segments",
            "loss events",
            "spurious",
        ),
        once,
    ),
}
"""For measures that are counts or rates of events: the events over the value."""
PARAMETERS: Final[Form] = parameters_of(
    MEASURES,
    {
        "radio": Key("text", "the station of the cell whose radio captures; none if left out"),
        "transmitter": Key("text", "the station that sends the data", default="ap"),
        "receiver": Key("text", "the station that receives the data", default="sta0"),
        "period_s": Key("number", "the period that loss events are compared with, s", default=2),
        "scatter": Key(
            "flag", "whether packets between losses are drawn over intervals", default=False
        ),
    },
)


def _runs_of(
    context: Context,
    parameters: Mapping[str, Any],
    every: Sequence[tuple[Mapping[str, str | float], Mapping[str, Any]]],
) -> list[list[CaptureRun]]:
    """Run and analyse every repeat of every variant side by side."""
    asked = [
        (at, {**overrides, **parameters["set"]}, repeat)
        for at, overrides in every
        for repeat in range(context.repeats(repeats_of(parameters, at)))
    ]

    def run(one: tuple[Mapping[str, str | float], Mapping[str, Any], int]) -> CaptureRun | None:
        at, changes, repeat = one
        found = context.captured(
            parameters["scenario"], changes, repeat=repeat, radio=parameters.get("radio")
        )
        if found["host"] is None:
            return None
        return CaptureRun(found["run"], parameters, found["host"], found["air"], changes, at)

    found = context.side_by_side(run, asked)
    return [
        [run for (at, _, _), run in zip(asked, found, strict=True) if at == wanted and run]
        for wanted, _ in every
    ]


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    every = list(variants(parameters))
    found = _runs_of(context, parameters, every)
    for (at, _), runs in zip(every, found, strict=True):
        outcome.measures += [
            measured(name, at, runs, MEASURES, EVENTS) for name in parameters["measure"]
        ]
    if draw:
        outcome.plots += plots_of(parameters, outcome, MEASURES)
        if parameters["scatter"]:
            outcome.plots.append(_scatter(found))
    return outcome


def _scatter(found: Sequence[Sequence[CaptureRun]]) -> Plot:
    """Draw the packets between two loss events over the time between them, of the first runs."""
    rows = [
        {"x": time, "y": packets, "series": ", ".join(str(value) for value in run.at.values())}
        for run in (runs[0] for runs in found if runs)
        for time, packets in zip(run.clusters.intervals_s, run.clusters.packets, strict=True)
    ]
    return Plot(
        "clusters",
        "Packets between losses over the time between losses",
        "Simulated, from the capture of the first run. A point is two consecutive loss events.",
        Axis("time between losses (s)"),
        Axis("packets between losses"),
        [Layer("point", rows)],
    )


DRIVER = Driver(
    "captures", "captures of an 802.11 cell in variants, and the run's own counters", PARAMETERS,
    measure,
)  # fmt: skip
