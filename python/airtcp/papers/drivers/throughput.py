"""TCP throughput against PRR over sets of links (S1, figure 3 and section 4).

Two links count as of equal PRR if they differ by no more than `bin`. The spread is that of the
two intermediate links of equal PRR whose throughput differs most, as the difference relative to
the slower; links over which TCP delivered fewer than `least_packets` in all are left out of it,
since a ratio to next to nothing says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.papers.drivers.base import SETS, Driver, every_set
from airtcp.papers.form import Form, Key
from airtcp.papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.papers.context import Context, LinkRun

PARAMETERS: Final[Form] = {
    **SETS,
    "prr": Key("interval", "range of PRR in which pairs are looked for", default=[0.2, 0.6]),
    "bin": Key("number", "PRR by which two links of equal PRR may differ", default=0.02),
    "least_packets": Key("whole", "fewest packets delivered for a ratio", default=30),
    "around": Key("numbers", "PRR at which the slowest and fastest link are named", default=[]),
    "width": Key("number", "half the width of the range around these", default=0.03),
}


def pairs(
    links: Sequence[LinkRun], prr: Sequence[float], width: float, least: int
) -> list[tuple[LinkRun, LinkRun]]:
    """Give the slowest and the fastest link of every stretch of PRR, most different first."""
    known = sorted(
        (link for link in links if prr[0] <= link.prr <= prr[1] and _enough(link, least)),
        key=lambda link: link.prr,
    )
    found: list[tuple[LinkRun, LinkRun]] = []
    for i, first in enumerate(known):
        near = [link for link in known[i:] if link.prr - first.prr <= width]
        slow, fast = min(near, key=lambda x: x.tcp), max(near, key=lambda x: x.tcp)
        if slow.tcp < fast.tcp:
            found.append((slow, fast))
    return sorted(found, key=lambda pair: -pair[1].tcp / pair[0].tcp)


def _enough(link: LinkRun, least: int) -> bool:
    return link.tcp * link.packets * link.slot_s >= least


def spread(links: Sequence[LinkRun], parameters: Mapping[str, Any]) -> float | None:
    """Give the greatest difference at equal PRR, in percent of the slower link."""
    found = pairs(links, parameters["prr"], parameters["bin"], parameters["least_packets"])
    return 100 * (found[0][1].tcp / found[0][0].tcp - 1) if found else None


def _ends(links: Sequence[LinkRun], prr: float, width: float) -> tuple[float | None, float | None]:
    near = [link.tcp for link in links if abs(link.prr - prr) <= width]
    return (min(near), max(near)) if near else (None, None)


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    for links, runs in every_set(context, parameters, outcome):
        at = {"set": links.name}
        outcome.measures.append(
            repeated("spread", at, [spread(run, parameters) for run in runs], "%")
        )
        for prr in parameters["around"]:
            where = {**at, "prr": prr}
            ends = [_ends(run, prr, parameters["width"]) for run in runs]
            outcome.measures += [
                repeated("slowest", where, [low for low, _ in ends], "packets/s"),
                repeated("fastest", where, [high for _, high in ends], "packets/s"),
            ]
        outcome.measures.append(Measure("links", at, sum(map(len, runs)) / len(runs), unit="links"))
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
                Axis("TCP throughput (packets/s)", domain=(0.0, 1 / runs[0][0].slot_s)),
                [Layer("point", rows)],
            )
        )
    return outcome


DRIVER = Driver("throughput", "TCP throughput against PRR over sets of links", PARAMETERS, measure)
