"""The gain of TCP from the order of losses, against mu (S1, figures 6 to 10 and 14).

The gain of a link is TCP's throughput over it minus the mean over independent links of the same PRR
and length. S1 draws one independent link for each; here there are `replicas`, which reduces noise.
"""

from __future__ import annotations

from random import Random
from statistics import mean, median
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.drivers.base import SETS, Driver, every_set, within
from airtcp_papers.drivers.statistics import percent, rank_correlation
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Measure, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun

_SEED, _RESAMPLES = 1, 400
"""Seed and resamples of the bootstrap over draws."""
PARAMETERS: Final[Form] = {
    **SETS,
    "ranges": Key(
        "open", "ranges of PRR by name; the first is drawn", default={"intermediate": [0.2, 0.6]}
    ),
    "least_mu": Key("number", "least mu of a link whose ratio counts", default=0.3),
}


def gain(link: LinkRun) -> float:
    """Return the gain over independent links, packets per second."""
    return link.tcp - mean(link.independent)


def _correlation(links: Sequence[LinkRun]) -> float | None:
    known = [(link.mu, gain(link)) for link in links if link.mu is not None]
    return rank_correlation([mu for mu, _ in known], [g for _, g in known])


def _gaining(links: Sequence[LinkRun]) -> float | None:
    bursty = [link for link in links if link.mu is not None]
    return percent(sum(gain(link) > 0 for link in bursty), len(bursty))


def _ratio(links: Sequence[LinkRun], least_mu: float) -> float | None:
    """Return the median throughput relative to independent links, of bursty links."""
    found = [
        link.tcp / mean(link.independent)
        for link in links
        if link.mu is not None and link.mu >= least_mu and mean(link.independent) > 0
    ]
    return median(found) if found else None


def _pooled(
    draws: Sequence[Sequence[LinkRun]], least_mu: float
) -> tuple[float | None, float | None, float | None]:
    """Return the ratio over the links of all draws, since few lie at the ends of the scale.

    Its 95 % interval is that of the bootstrap over draws (percentiles).
    """
    whole = _ratio([link for run in draws for link in run], least_mu)
    if whole is None or len(draws) == 1:
        return whole, None, None
    random = Random(_SEED)  # noqa: S311 - resampling, no secret
    again = (
        _ratio([link for run in random.choices(draws, k=len(draws)) for link in run], least_mu)
        for _ in range(_RESAMPLES)
    )
    found = sorted(ratio for ratio in again if ratio is not None)
    cut = len(found) // 40
    return whole, found[cut], found[-1 - cut]


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    ranges = cast("dict[str, list[float]]", parameters["ranges"])
    for links, runs in every_set(context, parameters, outcome):
        for name, prr in ranges.items():
            at = {"set": links.name, "prr": name}
            chosen = [within(run, links.prr(prr)) for run in runs]
            ratio = _pooled(chosen, parameters["least_mu"])
            outcome.measures += [
                repeated("rank correlation", at, [_correlation(run) for run in chosen]),
                repeated("share gaining", at, [_gaining(run) for run in chosen], "%"),
                Measure("ratio", at, *ratio),
                repeated("links", at, [float(len(run)) for run in chosen], "links"),
            ]
        if not draw:
            continue
        rows = [
            {"x": x.mu, "y": gain(x), "label": x.name, "shade": x.prr}
            for x in within(runs[0], links.prr(next(iter(ranges.values()))))
            if x.mu is not None
        ]
        outcome.plots.append(
            Plot(
                links.name,
                f"Gain over independent links against mu: {links.label}",
                links.words,
                Axis("burstiness (mu)"),
                Axis("gain over independent links (packets/s)"),
                [Layer("point", rows)],
                shaded="PRR",
            )
        )
    return outcome


DRIVER = Driver(
    "gain", "TCP over links less TCP over independent links, against mu", PARAMETERS, measure
)
