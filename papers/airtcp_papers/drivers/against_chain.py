"""Links against Gilbert-Elliott chains of the same PRR and mu (S1, figures 19 and 20).

S1 makes one chain for each link. Here there are `replicas` chains: the first chains of all links
are one repeat of S1's experiment, the second chains another, and so on. The longest burst of a
chain is the mean over its replicas. Links over which TCP delivered fewer than `least_packets` are
left out of ratios.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import SETS, Driver, every_set, within
from airtcp_papers.drivers.statistics import percent
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun

PARAMETERS: Final[Form] = {
    **SETS,
    "prr": Key("interval", "range of PRR of the links", default=[0.2, 0.6]),
    "near": Key("number", "relative difference within which a chain agrees", default=0.1),
    "least_packets": Key("whole", "fewest packets delivered for a ratio", default=30),
    "shows": Key("text", "what is drawn", accepted=("throughput", "longest"), default="throughput"),
}


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    for links, runs in every_set(context, parameters, outcome):
        at = {"set": links.name}
        chosen = [
            [link for link in within(run, links.prr(parameters["prr"])) if link.chain is not None]
            for run in runs
        ]
        outcome.measures += _throughput(at, chosen, parameters) + _longest(at, chosen)
        if not draw or not chosen[0]:
            continue
        picture = _throughput_plot if parameters["shows"] == "throughput" else _longest_plot
        outcome.plots.append(picture(links.name, links.label, links.words, chosen[0]))
    return outcome


def _throughput(
    at: Mapping[str, str], runs: list[list[LinkRun]], parameters: Mapping[str, Any]
) -> list[Measure]:
    near, below = list[float | None](), list[float | None]()
    least, ratios = list[float | None](), list[float | None]()
    for run in runs:
        known = [link for link in run if link.delivered >= parameters["least_packets"]]
        if not known:
            continue
        near.append(mean(_share_near(known, parameters["near"])))
        below.append(percent(sum(mean(_chain(link)) < link.tcp for link in known), len(known)))
        least.append(100 * mean(_worst(known)))
        ratios.append(100 * (1 - mean(mean(_chain(link)) / link.tcp for link in known)))
    return [
        repeated("share near", at, near, "%"),
        repeated("share below", at, below, "%"),
        repeated("greatest shortfall", at, least, "%"),
        repeated("mean shortfall", at, ratios, "%"),
    ]


def _chain(link: LinkRun) -> tuple[float, ...]:
    return link.chain or ()


def _share_near(links: Sequence[LinkRun], near: float) -> list[float]:
    """Give, for each replica, the percentage of links whose chain agrees."""
    found: list[float] = []
    for i in range(len(_chain(links[0]))):
        agree = sum(abs(_chain(link)[i] - link.tcp) <= near * link.tcp for link in links)
        found.append(100 * agree / len(links))
    return found


def _worst(links: Sequence[LinkRun]) -> list[float]:
    """Give, for each replica, the greatest share of a link's throughput that its chain lacks."""
    return [
        max(1 - _chain(link)[i] / link.tcp for link in links) for i in range(len(_chain(links[0])))
    ]


def _longest(at: Mapping[str, str], runs: list[list[LinkRun]]) -> list[Measure]:
    model, own = list[float | None](), list[float | None]()
    beyond, longer = list[float | None](), list[float | None]()
    for run in runs:
        if not run:
            continue
        most = max(link.chain_longest or 0.0 for link in run)
        model.append(most)
        own.append(max(link.longest for link in run))
        beyond.append(percent(sum(link.longest > most for link in run), len(run)))
        longer.append(
            percent(sum(link.longest > (link.chain_longest or 0.0) for link in run), len(run))
        )
    return [
        repeated("longest of chains", at, model, "packets"),
        repeated("longest of links", at, own, "packets"),
        repeated("share beyond chains", at, beyond, "%"),
        repeated("share longer", at, longer, "%"),
        Measure("links", at, mean(map(len, runs)), unit="links"),
    ]


def _throughput_plot(name: str, label: str, words: str, links: Sequence[LinkRun]) -> Plot:
    rows = [{"x": x.tcp, "y": mean(_chain(x)), "label": x.name, "series": label} for x in links]
    most = max(max(row["x"], row["y"]) for row in rows)
    return Plot(
        name,
        f"TCP over chains against TCP over the links: {label}",
        f"{words} On the line the chain of a link's PRR and mu gives TCP what the link does.",
        Axis("TCP over the link (packets/s)"),
        Axis("TCP over its chains (packets/s)"),
        [Layer("rule", [{"x": 0.0, "y": 0.0}, {"x": most, "y": most}]), Layer("point", rows)],
    )


def _longest_plot(name: str, label: str, words: str, links: Sequence[LinkRun]) -> Plot:
    rows = [{"x": x.longest, "y": x.chain_longest, "label": x.name, "series": label} for x in links]
    ends = [v for row in rows for v in (row["x"], row["y"]) if v]
    return Plot(
        name,
        f"Longest run of successes: {label}",
        f"{words} On the line the chain makes runs as long as the link's.",
        Axis("longest run of the link (packets)", "log"),
        Axis("longest run of its chain (packets)", "log"),
        [
            Layer("rule", [{"x": min(ends), "y": min(ends)}, {"x": max(ends), "y": max(ends)}]),
            Layer("point", rows),
        ],
    )


DRIVER = Driver(
    "against-chain",
    "links against Gilbert-Elliott chains of the same PRR and mu",
    PARAMETERS,
    measure,
)
