"""Links with link protocols in variants: where the bits went, how long frames took, what TCP got.

Every combination of the values of `axis` is one scenario, run with several seeds; a value whose
name is a number counts as one. Measures are of the link `link`, and where they say so of the
`hops` links from it on, every other direction being left out.

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

With `noise`, losses come from measured links: the values of `noise_axis` are levels of noise, and
the pooled lengths of success and loss runs of that level's links, of those with a reception ratio
in `noise_prr`, drive the loss models at `noise_paths`, unit by unit.
"""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.papers.drivers.base import Driver
from airtcp.papers.form import Form, Key, is_number
from airtcp.papers.outcome import Axis, Layer, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from airtcp.papers.context import Context


@dataclass(frozen=True)
class Run:
    """One replication, with what the driver was told."""

    document: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def links(self) -> list[dict[str, Any]]:
        """The links that are looked at, one after the other."""
        first, hops = self.parameters["link"], self.parameters["hops"]
        return self.document["links"][first : first + 2 * hops : 2]

    def of_link(self, name: str) -> float | None:
        """Give a measure of the first link's protocol."""
        return self.links[0].get("protocol", {}).get(name)

    def rate(self, name: str) -> float | None:
        """Give a rate of the first link's protocol in Mb/s."""
        found = self.of_link(name)
        return None if found is None else found / 1e6

    def mean(self, name: str, scale: float) -> float | None:
        """Give the mean over the links of a measure of their protocols."""
        found = [link.get("protocol", {}).get(name) for link in self.links]
        known = [value for value in found if value is not None]
        return scale * sum(known) / len(known) if known else None

    def of_flows(self, name: str) -> float:
        """Add up a measure of the flows."""
        return sum(flow[name] for flow in self.document["flows"])


def _residual(run: Run) -> float:
    arrives = 1.0
    for link in run.links:
        arrives *= 1 - link["loss_rate"]
    return 100 * (1 - arrives)


def _unaccounted(run: Run) -> float | None:
    parts = [run.rate(name) for name in ("throughput_bps", "data_bps", "pfec_bps", "rfec_bps")]
    if any(part is None for part in parts):
        return None
    whole, *rest = cast("list[float]", parts)
    return whole - sum(rest)


def _rate(name: str) -> tuple[str, Callable[[Run], float | None]]:
    return "Mb/s", lambda run: run.rate(name)


MEASURES: Final[dict[str, tuple[str, Callable[[Run], float | None]]]] = {
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
    "link": Key("whole", "number of the direction of a link, the first of those", default=0),
    "hops": Key("whole", "how many links from it on", default=1),
    "runs": Key("whole", "replications", default=6),
    "noise": Key("sets", "a measured set whose run lengths drive the losses", default=[]),
    "noise_axis": Key("text", "the axis whose values are its levels", default="noise"),
    "noise_paths": Key("texts", "where the loss models stand in the scenario", default=[]),
    "noise_prr": Key("interval", "range of the links' reception ratio", default=[0.3, 0.95]),
    "plot": Key("texts", "the measures that are drawn", default=[], accepted=tuple(MEASURES)),
}


def _condition(name: str) -> str | float:
    """Read the name of a value; numbers are numbers.

    >>> _condition("50"), _condition("LL-ARQ")
    (50, 'LL-ARQ')
    """
    try:
        number = float(name)
    except ValueError:
        return name
    return int(number) if number.is_integer() else number


def runs_of_level(file: Path, level: str, prr: Sequence[float]) -> tuple[list[Any], list[Any]]:
    """Pool the lengths of success and of loss runs of the links of a level of noise.

    The file has a line for each link: level, two nodes, counts, reception ratio (sixth column),
    and what arrived as a string of ones and zeros (last column).
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
    """Give the loss models that stand for a level of noise.

    Raises:
        DataMissingError: If the set is not here.
    """
    found: dict[str, Any] = {}
    for name in parameters["noise"]:
        file = context.set(name).data(context.data)
        level = str(at[parameters["noise_axis"]])
        received, lost = runs_of_level(file, level, parameters["noise_prr"])
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
    from airtcp.papers.ensembles import DataMissingError

    outcome = Outcome()
    axes = cast("list[dict[str, Any]]", parameters["axis"])
    names = [axis["name"] for axis in axes]
    for values in product(*(axis["values"] for axis in axes)):
        at = {name: _condition(value) for name, value in zip(names, values, strict=True)}
        overrides: dict[str, Any] = {}
        for axis, value in zip(axes, values, strict=True):
            overrides |= axis["values"][value]
        try:
            overrides |= _losses(context, parameters, at)
        except DataMissingError as error:
            outcome.skipped.append((at, str(error)))
            continue
        # What is set goes before what is varied: an assumption may concern either.
        overrides |= parameters["set"]
        runs = [
            Run(document, parameters)
            for document in context.replications(
                parameters["scenario"], overrides, runs=context.repeats(parameters["runs"])
            )
        ]
        for name in parameters["measure"]:
            unit, take = MEASURES[name]
            note = f"no {name} in this variant"
            outcome.measures.append(repeated(name, at, [take(run) for run in runs], unit, note))
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
        name.replace(" ", "-").replace("%", "percent"),
        f"{name[0].upper()}{name[1:]} over {title}",
        "Simulated; bars are 95 % intervals over replications.",
        Axis(title),
        Axis(f"{name} ({unit})" if unit else name),
        [Layer("line", rows), Layer("point", rows)],
    )


DRIVER = Driver("links", "links with link protocols in variants", PARAMETERS, measure)
