"""Two links of equal PRR and mu with different TCP throughput (S1, figures 4 and 15).

Of all pairs of links whose PRR differ by at most `same_prr`, and whose mu by at most `same_mu`, the
pair with the largest difference in throughput is chosen. Links over which TCP delivered fewer than
`least_packets` do not count. The measures compare the runs of the faster and the slower link.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.drivers.base import SETS, Driver, every_set, within
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Mark, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import Bursts
    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun
    from airtcp_papers.outcome import Measure

PARAMETERS: Final[Form] = {
    **SETS,
    "prr": Key("interval", "range of PRR of the pair", default=[0.2, 0.6]),
    "same_prr": Key("number", "by how much their PRR may differ", default=0.02),
    "same_mu": Key("number", "by how much their mu may differ", default=2.0),
    "least_packets": Key("whole", "fewest packets delivered over a link", default=30),
    "short": Key("whole", "packets of a run of losses that counts as short", default=40),
    "long": Key("whole", "packets of a run that counts as very long", default=100),
    "shows": Key("text", "which runs are drawn", accepted=("loss", "success"), default="loss"),
}


def pair(links: Sequence[LinkRun], parameters: Mapping[str, Any]) -> tuple[LinkRun, LinkRun] | None:
    """Return the faster and the slower link of the pair that differs most."""
    known = [
        link
        for link in within(links, parameters["prr"])
        if link.mu is not None and link.delivered >= parameters["least_packets"]
    ]
    best: tuple[LinkRun, LinkRun] | None = None
    for fast in known:
        for slow in known:
            alike = abs(fast.prr - slow.prr) <= parameters["same_prr"] and (
                abs((fast.mu or 0.0) - (slow.mu or 0.0)) <= parameters["same_mu"]
            )
            if (
                alike
                and fast.tcp > slow.tcp
                and (best is None or fast.tcp * best[1].tcp > best[0].tcp * slow.tcp)
            ):
                best = fast, slow
    return best


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    for links, runs in every_set(context, parameters, outcome):
        found = [two for run in runs if (two := pair(run, parameters)) is not None]
        nothing = "no two links are alike" if not found else ""
        for i, which in enumerate(("faster", "slower")):
            at = {"set": links.name, "link": which}
            outcome.measures += _of_a_link(at, [two[i] for two in found], parameters, nothing)
        # With independent losses the share of loss runs of one packet equals the PRR.
        outcome.measures += [
            repeated(
                "isolated losses",
                {"set": links.name, "link": "independent"},
                [100 * mean((fast.prr, slow.prr)) for fast, slow in found],
                "%",
                nothing,
            ),
            repeated(
                "difference",
                {"set": links.name},
                [100 * (fast.tcp / slow.tcp - 1) for fast, slow in found],
                "%",
                nothing,
            ),
        ]
        if draw and found:
            outcome.plots.append(_plot(links.name, links.label, links.words, found[0], parameters))
    return outcome


def _of_a_link(
    at: Mapping[str, str], own: Sequence[LinkRun], parameters: Mapping[str, Any], nothing: str
) -> list[Measure]:
    """Return the measures of one link of the pair, of which each repeat has one."""

    def each(name: str, values: Sequence[float | None], unit: str = "") -> Measure:
        return repeated(name, at, values, unit, nothing)

    short, long = parameters["short"], parameters["long"]
    return [
        each("throughput", [x.tcp for x in own], "packets/s"),
        each("prr", [x.prr for x in own]),
        each("mu", [x.mu for x in own]),
        each("isolated losses", _percent([x.isolated for x in own]), "%"),
        each("short loss runs", [_up_to(x.loss_runs, short) for x in own], "%"),
        each("second longest run", [_second(x.success_runs) for x in own], "packets"),
        each("longest run", [x.longest for x in own], "packets"),
        each("very long runs", [_longer(x.success_runs, long) for x in own], "runs"),
    ]


def _percent(shares: Sequence[float | None]) -> list[float | None]:
    return [None if share is None else 100 * share for share in shares]


def _longer(runs: Bursts, length: int) -> float:
    return float(sum(count for size, count in runs["histogram"] if size > length))


def _up_to(runs: Bursts, length: int) -> float | None:
    """Return the share of runs of at most a length, in %.

    >>> _up_to({"count": 4, "histogram": [(1, 3), (50, 1)]}, 40)
    75.0
    """
    if not runs["count"]:
        return None
    return 100 * sum(count for size, count in runs["histogram"] if size <= length) / runs["count"]


def _second(runs: Bursts) -> float | None:
    """Return the length of the second longest run.

    >>> _second({"histogram": [(1, 3), (50, 1)]}), _second({"histogram": [(1, 3), (50, 2)]})
    (1.0, 50.0)
    """
    longest = sorted(runs["histogram"], reverse=True)[:2]
    lengths = [size for size, count in longest for _ in range(min(count, 2))]
    return float(lengths[1]) if len(lengths) > 1 else None


def _plot(
    name: str,
    label: str,
    words: str,
    two: tuple[LinkRun, LinkRun],
    parameters: Mapping[str, Any],
) -> Plot:
    losses = parameters["shows"] == "loss"
    rows: list[dict[str, Any]] = []
    for link, which in zip(two, ("faster", "slower"), strict=True):
        runs = link.loss_runs if losses else link.success_runs
        series = f"{which} link: PRR {link.prr:.2f}, {link.tcp:.2f} packets/s"
        seen = 0
        for length, count in runs["histogram"]:
            seen += count
            y = seen / runs["count"] if losses else count
            rows.append({"x": length, "y": y, "series": series})
    if losses:
        return Plot(
            name,
            f"Lengths of loss runs of two links: {label}",
            f"{words} Share of runs of at most this length.",
            Axis("run of losses (packets)", domain=(0.0, 40.0)),
            Axis("share of runs", domain=(0.0, 1.0), percent=True),
            [Layer("step", [row for row in rows if row["x"] <= 40])],  # noqa: PLR2004 - S1's axis
        )
    mark: Mark = "point"
    return Plot(
        name,
        f"Lengths of success runs of two links: {label}",
        f"{words} How often runs of each length occur.",
        Axis("run of successes (packets)", "log"),
        Axis("runs", "log"),
        [Layer(mark, rows)],
    )


DRIVER = Driver(
    "burst-pair", "two links that look alike and differ in what TCP gets", PARAMETERS, measure
)
