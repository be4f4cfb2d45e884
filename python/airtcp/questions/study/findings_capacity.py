"""Findings about links of varying capacity: mean, variation, and TCP over them.

As in `findings.words`, terminal and page use the same sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import findings as compare
from airtcp.questions.trace.findings import MBPS, varies
from airtcp.words.sentences import Finding, counted, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CapacityLink, CompareCase, Outcome


def capacity_finding(link: CapacityLink) -> Finding:
    """State the capacity of one link and its variation."""
    mean, low, half, high = (
        number(link[key] * MBPS) for key in ("mean_bps", "p5_bps", "p50_bps", "p95_bps")
    )
    window = number(link["window_s"])
    outage = number(link["longest_outage_s"] * 1e3)
    text = (
        f"{link['name']} carries {mean} Mb/s on average over {number(link['duration_s'])} s;"
        f" in windows of {window} s {low} Mb/s (5 %), {half} Mb/s (median) and {high} Mb/s (95 %)."
        f" The longest outage is {outage} ms."
    )
    if varies(link):
        return Finding(f"Capacity {mean} Mb/s, varying", text, "warn")
    return Finding(f"Capacity {mean} Mb/s", text)


def _of(outcome: Outcome, capacity: float) -> str:
    goodput = outcome["goodput_bps"]["mean"] or 0.0
    text = (
        f"{number(goodput * MBPS)} Mb/s ({number(100 * goodput / capacity, 2)} % of the capacity)"
    )
    mean, high = outcome["rtt_mean_s"]["mean"], outcome["rtt_p95_s"]["mean"]
    if mean is None or high is None:
        return text
    return f"{text} at a round-trip time of {number(mean * 1e3)} ms (95 %: {number(high * 1e3)} ms)"


def tcp_finding(link: CapacityLink, case: CompareCase) -> Finding:
    """State the verdict on TCPs over one link, and the TCP with the shortest round trips."""
    verdict = compare.best_choice(case, notes=link["notes"])
    known = [o for o in case["outcomes"] if o["rtt_mean_s"]["mean"] is not None]
    text = verdict.text
    short = min(known, key=lambda o: o["rtt_mean_s"]["mean"] or 0.0, default=None)
    if short is not None:
        text += (
            f" {short['variant']} has the shortest mean round-trip time:"
            f" {_of(short, link['mean_bps'])}."
        )
    around = link["around"]
    queue = around["queue"].get("packets")
    behind = (
        f"a queue of {counted(queue, 'packet')}" if queue else f"a {around['queue']['kind']} queue"
    )
    text += f" The link is simulated with a one-way delay of {around['delay']} and {behind}."
    return Finding(f"TCP over this link: {verdict.headline}", text, verdict.tone)


def capacity_findings(links: Sequence[CapacityLink]) -> list[Finding]:
    """State the capacity of one or several links, and TCP's results."""
    if len(links) == 1:
        found = [capacity_finding(links[0])]
        case, remedies = links[0]["compared"], links[0]["remedies"]
        if case is not None:
            found.append(tcp_finding(links[0], case))
        return [*found, compare.remedy(remedies)] if remedies is not None else found
    if not links:
        return []
    tried = [(link["name"], each) for link in links if (each := link["remedies"]) is not None]
    compared = [(link["name"], each) for link in links if (each := link["compared"]) is not None]
    means = sorted(link["mean_bps"] * MBPS for link in links)
    varying = sum(varies(link) for link in links)
    longest = max(links, key=lambda link: link["longest_outage_s"])
    return [
        Finding(
            f"{counted(len(links), 'link')} of varying capacity",
            f"Mean capacities lie between {number(means[0])} and {number(means[-1])} Mb/s."
            f" {varying} of {len(links)} {'varies' if varying == 1 else 'vary'} enough to matter to"
            f" TCP. The longest outage is"
            f" {number(longest['longest_outage_s'] * 1e3)} ms, on {longest['name']}.",
        ),
        *([compare.best_choices(compared)] if compared else []),
        *([compare.remedies_over([each for _, each in tried])] if tried else []),
    ]
