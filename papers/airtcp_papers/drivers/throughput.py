"""TCP throughput against PRR over sets of links (S1, figure 3 and section 4).

Two links count as of equal PRR if they differ by no more than `bin`. The spread is that of the two
links of equal PRR whose throughput differs most, as the difference relative to the slower; links
over which TCP delivered fewer than `least_packets` are left out, since a ratio to such a number is
arbitrary. The formula is 1.3 MTU / (RTT sqrt(loss)) with the round-trip time of a single hop, two
slots.
"""

from __future__ import annotations

from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.drivers.base import SETS, Driver, every_set
from airtcp_papers.drivers.statistics import rank_correlation
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun

PARAMETERS: Final[Form] = {
    **SETS,
    "ranges": Key("open", "ranges of PRR by name", default={"intermediate": [0.2, 0.6]}),
    "bin": Key("number", "PRR by which two links of equal PRR may differ", default=0.02),
    "least_packets": Key("whole", "fewest packets delivered for a ratio", default=30),
    "around": Key("numbers", "PRR at which the slowest and fastest link are named", default=[]),
    "width": Key("number", "half the width of the range around these", default=0.03),
}
_CONSTANT: Final = 1.3
_SLOTS_OF_A_ROUND_TRIP: Final = 2


def pairs(
    links: Sequence[LinkRun], prr: Sequence[float], width: float, least: int
) -> list[tuple[LinkRun, LinkRun]]:
    """Return the slowest and the fastest link of every interval of PRR, most different first."""
    known = sorted(
        (link for link in _in(links, prr) if link.delivered >= least),
        key=lambda link: link.prr,
    )
    found: list[tuple[LinkRun, LinkRun]] = []
    for i, first in enumerate(known):
        near = [link for link in known[i:] if link.prr - first.prr <= width]
        slow, fast = min(near, key=lambda x: x.tcp), max(near, key=lambda x: x.tcp)
        if slow.tcp < fast.tcp:
            found.append((slow, fast))
    return sorted(found, key=lambda pair: -pair[1].tcp / pair[0].tcp)


def _spread(
    links: Sequence[LinkRun], prr: Sequence[float], parameters: Mapping[str, Any]
) -> float | None:
    """Return the greatest difference at equal PRR, in percent of the slower link."""
    found = pairs(links, prr, parameters["bin"], parameters["least_packets"])
    return 100 * (found[0][1].tcp / found[0][0].tcp - 1) if found else None


def _in(links: Sequence[LinkRun], prr: Sequence[float]) -> list[LinkRun]:
    return [link for link in links if prr[0] <= link.prr <= prr[1]]


def _formula(links: Sequence[LinkRun]) -> float | None:
    """Return the median over links of the formula over TCP's throughput."""
    found = [
        min(_CONSTANT * link.rate / (_SLOTS_OF_A_ROUND_TRIP * sqrt(1 - link.prr)), link.rate)
        / link.tcp
        for link in links
        if link.prr < 1 and link.tcp > 0
    ]
    return median(found) if found else None


def _measures(
    name: str, runs: Sequence[Sequence[LinkRun]], parameters: Mapping[str, Any]
) -> list[Measure]:
    found: list[Measure] = []
    for which, prr in cast("dict[str, list[float]]", parameters["ranges"]).items():
        at = {"set": name, "prr": which}
        chosen = [_in(run, prr) for run in runs]
        trend = [rank_correlation([x.prr for x in run], [x.tcp for x in run]) for run in chosen]
        found += [
            repeated("spread", at, [_spread(run, prr, parameters) for run in runs], "%"),
            repeated("rank correlation", at, trend),
            repeated("formula", at, [_formula(run) for run in chosen]),
        ]
    width = parameters["width"]
    for prr in parameters["around"]:
        at = {"set": name, "prr": prr}
        near = [sorted(x.tcp for x in _in(run, (prr - width, prr + width))) for run in runs]
        rates = [run for run in near if run]
        found += [
            repeated("slowest", at, [run[0] for run in rates], "packets/s"),
            repeated("middle", at, [median(run) for run in rates], "packets/s"),
            repeated("fastest", at, [run[-1] for run in rates], "packets/s"),
        ]
    return found


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    for links, runs in every_set(context, parameters, outcome):
        outcome.measures += _measures(links.name, runs, parameters)
        if not draw:
            continue
        drawn = context.links(
            links.name,
            change=parameters["ensemble"],
            tcp=parameters["tcp"],
            profile=parameters["profile"],
            replicas=parameters["replicas"],
            extremes=True,
        )
        rows = [{"x": x.prr, "y": x.tcp, "label": x.name, "series": links.label} for x in drawn]
        outcome.plots.append(
            Plot(
                links.name,
                f"TCP throughput against PRR: {links.label}",
                links.words,
                Axis("packet reception ratio (PRR)", domain=(0.0, 1.0)),
                Axis("TCP throughput (packets/s)", domain=(0.0, drawn[0].rate)),
                [Layer("point", rows)],
            )
        )
    return outcome


DRIVER = Driver("throughput", "TCP throughput against PRR over sets of links", PARAMETERS, measure)
