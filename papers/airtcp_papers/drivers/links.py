"""Links with link protocols in variants: use of the rate, latency of frames, and TCP.

Every combination of the values of `axis` is one scenario, run with several seeds; a value whose
name is a number counts as a number. Measures are of the link `link`, or where stated of the `hops`
links from it on, in one direction.

| measure | what, of each replication |
|---|---|
| `goodput` | frames delivered by the link, headers included, Mb/s |
| `transport goodput` | application bytes of all flows, Mb/s |
| `throughput` | all bits that the link sent, Mb/s |
| `data`, `PFEC sent`, `RFEC sent` | what these were, Mb/s |
| `PFEC wasted`, `RFEC wasted` | of those, what arrived and was not needed, Mb/s |
| `unaccounted` | throughput less data, PFEC and RFEC, Mb/s |
| `residual loss` | frames given up, %; over several hops, of all of them together |
| `attempts` | transmissions per frame; over several hops, their mean |
| `latency` | ms from a frame's first unit until it goes up, in order; over hops, their mean |
| `decode latency` | the same until enough of it is there: without the wait for frames before it |
| `95 % latency` | the time that 95 % of the frames do not exceed until they go up, ms |
| `unit loss` | units lost, % |
| `timeouts`, `retransmissions` | of all flows together |

With `noise`, losses come from measured links: the values of `noise_axis` are levels of noise. The
loss models at `noise_paths` use, unit by unit, the pooled lengths of success and loss runs of that
level's links with a reception ratio in `noise_prr`.
"""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.data.extension import once
from airtcp_papers.drivers.base import Driver
from airtcp_papers.drivers.variants import (
    Run,
    measured,
    parameters_of,
    plots_of,
    runs_of,
    variants,
)
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from airtcp_papers.context import Context


@dataclass(frozen=True)
class ProtocolRun(Run):
    """One replication of a scenario with link protocols."""

    @property
    def links(self) -> list[dict[str, Any]]:
        """The measured links, in their order."""
        first, hops = self.parameters["link"], self.parameters["hops"]
        return self.document["links"][first : first + 2 * hops : 2]

    def of_link(self, name: str) -> float | None:
        """Return a measure of the first link's protocol."""
        return self.links[0].get("protocol", {}).get(name)

    def rate(self, name: str) -> float | None:
        """Return a rate of the first link's protocol in Mb/s."""
        found = self.of_link(name)
        return None if found is None else found / 1e6

    def mean(self, name: str, scale: float) -> float | None:
        """Return the mean over the links of a measure of their protocols."""
        found = [link.get("protocol", {}).get(name) for link in self.links]
        known = [value for value in found if value is not None]
        return scale * sum(known) / len(known) if known else None


def _residual(run: ProtocolRun) -> float:
    arrives = 1.0
    for link in run.links:
        arrives *= 1 - link["loss_rate"]
    return 100 * (1 - arrives)


def _unaccounted(run: ProtocolRun) -> float | None:
    parts = [run.rate(name) for name in ("throughput_bps", "data_bps", "pfec_bps", "rfec_bps")]
    if any(part is None for part in parts):
        return None
    whole, *rest = cast("list[float]", parts)
    return whole - sum(rest)


def _rate(name: str) -> tuple[str, Callable[[ProtocolRun], float | None]]:
    return "Mb/s", lambda run: run.rate(name)


MEASURES: Final[dict[str, tuple[str, Callable[[ProtocolRun], float | None]]]] = {
    "goodput": ("Mb/s", lambda run: run.links[0]["delivered_bps"] / 1e6),
    "transport goodput": ("Mb/s", lambda run: run.document["total_goodput_bps"] / 1e6),
    "throughput": _rate("throughput_bps"),
    "data": _rate("data_bps"),
    "PFEC sent": _rate("pfec_bps"),
    "RFEC sent": _rate("rfec_bps"),
    "PFEC wasted": _rate("pfec_wasted_bps"),
    "RFEC wasted": _rate("rfec_wasted_bps"),
    "unaccounted": ("Mb/s", _unaccounted),
    "residual loss": ("%", _residual),
    "attempts": ("", lambda run: run.mean("attempts_mean", 1)),
    "latency": ("ms", lambda run: run.mean("latency_mean_s", 1e3)),
    "decode latency": ("ms", lambda run: run.mean("decode_mean_s", 1e3)),
    "95 % latency": ("ms", lambda run: run.mean("latency_p95_s", 1e3)),
    "unit loss": ("%", lambda run: run.mean("unit_loss_rate", 100)),
    "timeouts": ("timeouts", lambda run: run.of_flows("timeouts")),
    "retransmissions": ("segments", lambda run: run.of_flows("retransmissions")),
}


EVENTS: Final[dict[str, Callable[[ProtocolRun], float]]] = {
    "residual loss": lambda run: min(link["delivered_packets"] for link in run.links) / 100,
    "timeouts": once,
    "retransmissions": once,
}
"""For measures that are counts or rates of events: the events over the value."""
PARAMETERS: Final[Form] = parameters_of(
    MEASURES,
    {
        "link": Key("whole", "number of the direction of a link, the first of those", default=0),
        "hops": Key("whole", "how many links from it on", default=1),
        "noise": Key("sets", "a measured set whose run lengths drive the losses", default=[]),
        "noise_axis": Key("text", "the axis whose values are its levels", default="noise"),
        "noise_paths": Key("texts", "where the loss models stand in the scenario", default=[]),
        "noise_prr": Key("interval", "range of the links' reception ratio", default=[0.3, 0.95]),
    },
)


def runs_of_level(file: Path, level: str, prr: Sequence[float]) -> tuple[list[Any], list[Any]]:
    """Pool the lengths of success and of loss runs of the links of a level of noise.

    The file has a line for each link: level, two nodes, counts, reception ratio (sixth column), and
    the outcomes as a string of ones and zeros (last column).
    """
    counts = {"1": Counter[int](), "0": Counter[int]()}
    with gzip.open(file, "rt") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields[0] == level and prr[0] <= float(fields[5]) <= prr[1]:
                for kind, run in groupby(fields[-1]):
                    counts[kind][sum(1 for _ in run)] += 1
    received, lost = ([list(pair) for pair in sorted(counts[kind].items())] for kind in "10")
    return received, lost


def _losses(
    context: Context, parameters: Mapping[str, Any], at: Mapping[str, str | float]
) -> dict[str, Any]:
    """Return the loss models of a level of noise.

    Raises: DataMissingError: If the data of the set are missing.
    """
    found: dict[str, Any] = {}
    for name in parameters["noise"]:
        file = context.set(name).data(context.data)
        level = str(at[parameters["noise_axis"]])
        prr = parameters["noise_prr"]
        pooled = partial(runs_of_level, file, level, prr)
        received, lost = context.once(["runs of a level", file, level, prr], pooled)
        model = {
            "model": "semi-markov",
            "stepping": "packet",
            "successes": received,
            "losses": lost,
        }
        found |= dict.fromkeys(parameters["noise_paths"], model)
    return found


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    from airtcp_papers.ensembles import DataMissingError

    outcome = Outcome()
    every: list[tuple[dict[str, str | float], dict[str, Any]]] = []
    for at, overrides in variants(parameters):
        try:
            every.append((at, overrides | _losses(context, parameters, at)))
        except DataMissingError as error:
            outcome.skipped.append((at, str(error)))
    found = runs_of(context, parameters, every, ProtocolRun)
    for (at, _), runs in zip(every, found, strict=True):
        outcome.measures += [
            measured(name, at, runs, MEASURES, EVENTS) for name in parameters["measure"]
        ]
    if draw:
        outcome.plots += plots_of(parameters, outcome, MEASURES)
    return outcome


DRIVER = Driver("links", "links with link protocols in variants", PARAMETERS, measure)
