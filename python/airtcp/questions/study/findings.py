"""Findings about a set of links: common properties and differences.

The findings about one link are in `findings.link`.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from airtcp.questions.study.findings_link import Model, carries_ratio, link_findings, standing
from airtcp.questions.trace.findings import drawn, memory
from airtcp.words.sentences import Finding, count, counted, number, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link


INTERMEDIATE = (0.2, 0.6)
"""PRR range in which TCP differs most between links of equal PRR (S1, section 4)."""

_SAME_PRR = 0.02
BY_CHANCE = 0.05
"""Share of a model's own links that lie outside its 95 % prediction interval."""
_ENOUGH_DELIVERED = 30


@dataclass(frozen=True)
class Spread:
    """The two links of nearly equal PRR with the largest difference in TCP throughput."""

    prr: float
    low: float
    high: float
    low_name: str
    high_name: str

    @property
    def ratio(self) -> float:
        """Ratio of the faster link's throughput to the slower link's."""
        return self.high / self.low


def widest_spread(links: Sequence[Link]) -> Spread | None:
    """Find the largest difference in throughput at equal PRR, as in S1.

    Only links of intermediate PRR count, at most 0.02 apart in PRR. Links on which TCP delivered
    fewer than 30 packets are left out, because a ratio to such a number is arbitrary. Links whose
    order of losses was drawn are left out too: their throughput is that of the drawn order.
    """
    points = sorted(
        (link["prr"], link["tcp"]["empirical"]["packets_per_second"], link["name"])
        for link in links
        if link["order_known"]
        and INTERMEDIATE[0] <= link["prr"] < INTERMEDIATE[1]
        and link["tcp"]["empirical"]["delivered_packets"] >= _ENOUGH_DELIVERED
    )
    best: Spread | None = None
    first = 0
    for last, (prr, _, _) in enumerate(points):
        while prr - points[first][0] > _SAME_PRR:
            first += 1
        window = points[first : last + 1]
        slow, fast = min(window, key=lambda p: p[1]), max(window, key=lambda p: p[1])
        spread = Spread((slow[0] + fast[0]) / 2, slow[1], fast[1], slow[2], fast[2])
        if slow[1] < fast[1] and (best is None or spread.ratio > best.ratio):
            best = spread
    return best


def study_findings(links: Sequence[Link]) -> list[Finding]:
    """Return the findings on a set of links."""
    if len(links) == 1:
        return link_findings(links[0])
    found = [_ensemble_independent(links)]
    spread = widest_spread(links)
    if spread is not None:
        found.append(
            Finding(
                f"{number(spread.ratio, 2)}\N{MULTIPLICATION SIGN} at equal PRR",
                f"At PRR {number(spread.prr, 2)} TCP delivers {number(spread.low)} packets/s on one"
                f" link and {number(spread.high)} on another: PRR alone does not predict TCP.",
                "warn" if spread.ratio > 1.5 else "plain",  # noqa: PLR2004
            )
        )
    found += [
        said for said in (_ensemble_model(links), _ensemble_length(links)) if said is not None
    ]
    return found


def sides(links: Sequence[Link], model: Model) -> tuple[int, int, int]:
    """Count the links on which TCP gets more than over the model's links, less, and as much."""
    found = [standing(link, model) for link in links]
    return found.count(1), found.count(-1), found.count(0)


def _ensemble_independent(links: Sequence[Link]) -> Finding:
    losing = [link for link in links if link["mu"] is not None]
    constant = sum(memory(link) == "constant" for link in links)
    unordered = sum(memory(link) == "unmeasured" for link in links)
    if unordered and not losing:
        text = "TCP's throughput over a drawn order is not compared with independent losses."
        return Finding("Order of losses not measured", f"{drawn(unordered)} {text}", "warn")
    if not losing:
        text = (
            f"{counted(constant, 'link')} lost nothing or everything: losses have no order there."
        )
        return Finding("No link shows an order of losses", text)
    more, less, same = sides(losing, "independent")
    gains = [
        link["tcp"]["difference"]["independent"]["percent"]
        for link in losing
        if standing(link, "independent") > 0 and carries_ratio(link)
    ]
    known = [m for gain in gains if gain is not None and (m := gain["mean"]) is not None]
    middle = "median " if len(known) > 1 else ""
    typical = f" ({middle}{times(median(known))})" if known else ""
    text = (
        f"Compared with independent losses of equal PRR, TCP gets significantly more on"
        f" {counted(more, 'link')}{typical} and significantly less on {count(less)}; on"
        f" {count(same)} the difference is not significant."
    )
    lucky = BY_CHANCE * len(losing)
    if lucky >= 1:
        text += f" Chance alone would account for up to about {count(lucky)} of those that differ."
    if constant:
        text += f" {counted(constant, 'link')} lost nothing or everything."
    if unordered:
        text += f" {drawn(unordered)}"
    above = more > lucky
    return Finding(
        f"{count(more)} of {count(len(losing))} beat independent losses",
        text,
        "good" if above else "plain",
    )


def _ensemble_model(links: Sequence[Link]) -> Finding | None:
    modelled = [link for link in links if link["tcp"]["gilbert_elliott"]]
    if not modelled:
        return None
    more, less, same = sides(modelled, "gilbert_elliott")
    return Finding(
        f"Gilbert-Elliott misses {count(more + less)} of {count(len(modelled))}",
        f"A Gilbert-Elliott chain of equal PRR and mu underestimates TCP's throughput on"
        f" {counted(more, 'link')} and overestimates it on {count(less)}; on {count(same)} the"
        " difference is not significant.",
        "warn" if more + less else "plain",
    )


def _ensemble_length(links: Sequence[Link]) -> Finding | None:
    measured = [link for link in links if link["mu"] is not None]
    unordered = sum(not link["order_known"] for link in links)
    if not measured and unordered:
        return Finding("Memory not measured", drawn(unordered), "warn")
    if not measured:
        return None
    settled = sum(link["converged"] for link in measured)
    needs = [
        need
        for link in measured
        if not link["converged"] and (need := link["convergence"]["needed_packets"]) is not None
    ]
    text = f"mu has settled on {count(settled)} of {counted(len(measured), 'link')}."
    if needs:
        others = "The other needs" if len(needs) == 1 else "The others need"
        typical = " (median)" if len(needs) > 1 else ""
        text += f" {others} about {number(median(needs), 2)} packets{typical}."
    if unordered:
        text += f" {drawn(unordered)}"
    return Finding(
        f"mu settled on {count(settled)} of {count(len(measured))}",
        text,
        "good" if settled == len(measured) else "warn",
    )
