"""Starved flows of a run: which, whether significantly, and why.

All findings follow from the document. The thresholds are choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import causes as causes_words
from airtcp.findings import groups, paths, words
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.documents import RunDocument

STARVED: Final = 0.2
"""A flow starves if it gets less than this share of the mean of the endless flows."""
NAMED: Final = 3
"""Most flows that are named one by one."""
OFTEN: Final = 0.5
"""Least share of replications with a starved flow for the finding."""


def starved(document: RunDocument) -> list[int]:
    """Return the endless flows that get far less than the mean of such flows."""
    endless = endless_flows(document)
    if len(endless) < 2 or paths.disjoint(document):  # noqa: PLR2004 - one has nobody to starve beside
        return []
    rates = {i: groups.goodput(document, i) for i in endless}
    level = STARVED * groups.mean(rates.values())
    silent = set(silent_flows(document))
    return [i for i in endless if rates[i] < level and i not in silent]


def silent_flows(document: RunDocument) -> list[int]:
    """Return the flows that sent packets in each replication and lost all of them."""
    found: list[int] = []
    for i, flow in enumerate(document["replications"][0]["flows"]):
        runs = [replication["flows"][i] for replication in document["replications"]]
        lost = groups.drops(document, {flow["name"]})
        if lost and not any(run["delivered_bytes"] for run in runs):
            found.append(i)
    return found


def nothing_delivered(document: RunDocument, silent: Sequence[int]) -> Finding:
    """Name the flows without any delivery, and where their packets are dropped."""
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    names = {flows[i]["name"] for i in silent}
    all_of = len(names) == len(flows)
    headline = f"Nothing got through{'' if all_of else f': {_named(document, names, len(flows))}'}"
    who = "any flow" if all_of and len(flows) > 1 else "the flow" if len(names) == 1 else "them"
    runs = words.counted(len(document["replications"]), "replication")
    causes = causes_words.cause(document, [names] * len(document["replications"]))
    return Finding(headline, " ".join([f"In {runs} no data of {who} arrived.", *causes]), "bad")


def significantly_starved(document: RunDocument, starving: Sequence[int]) -> list[int]:
    """Return the flows among `starving` that significantly get less than a fair share.

    The fair share is the mean of the endless flows. A flow is significantly starved if its interval
    lies below the fair share. A whole direction is, if the mean of the upper ends lies below: the
    interval of a mean of flows is never wider than the mean of their intervals.
    """
    summary: list[dict[str, Any]] = document["summary"]["flows"]
    fair = groups.mean(groups.goodput(document, i) for i in endless_flows(document))
    ends = {i: summary[i]["goodput_bps"]["ci_high"] for i in starving}
    if None in ends.values() or not ends:
        return []
    whole = _whole(document, {summary[i]["name"] for i in starving})
    if whole and groups.mean(ends.values()) < fair:
        return list(starving)
    return [i for i in starving if ends[i] < fair]


def possibly_starved(document: RunDocument, starving: Sequence[int]) -> Finding:
    """Name flows that get little, but not significantly."""
    found = starvation(document, starving)
    runs = words.counted(len(document["replications"]), "replication")
    names = found.headline.removeprefix(_STARVED)
    verb = "does" if len(document["replications"]) == 1 else "do"
    text = (
        f"{runs[0].upper()}{runs[1:]} {verb} not exclude a fair share; more replications may settle"
        " this."
    )
    return Finding(f"Low goodput, but not significantly: {names}", f"{found.text} {text}", "warn")


def endless_flows(document: RunDocument) -> list[int]:
    """Return the endless flows, which send as much as they can during the whole run."""
    applications: list[dict[str, Any]] = []
    for flow in document["scenario"].get("flows", []):
        applications += [flow] * int(flow.get("count") or 1)
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    if len(applications) != len(flows):
        return []
    return [
        i
        for i, (written, flow) in enumerate(zip(applications, flows, strict=True))
        if flow["transport"] != "udp"
        and written["app"]["kind"] == "bulk"
        and not written["app"].get("size")
        and not written["app"].get("stop")
    ]


def _rates(document: RunDocument, flows: Sequence[int]) -> list[list[float]]:
    """Return the goodput of flows in each replication, in b/s."""
    return [
        [
            8.0 * replication["flows"][i]["delivered_bytes"] / replication["measured_s"]
            for i in flows
        ]
        for replication in document["replications"]
        if replication["measured_s"]
    ]


def in_turns(document: RunDocument) -> Finding | None:
    """State that a flow starves in most replications, but not always the same flow."""
    endless = endless_flows(document)
    if len(endless) < 2 or paths.disjoint(document):  # noqa: PLR2004 - one has nobody to starve beside
        return None
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    rates = _rates(document, endless)
    if len(rates) != len(document["replications"]):
        return None
    hungry = [
        [i for i, rate in zip(endless, each, strict=True) if rate < STARVED * groups.mean(each)]
        for each in rates
    ]
    counts = [len(each) for each in hungry if each]
    different = {frozenset(of) for of in hungry if of}
    if len(different) < 2 or len(counts) < OFTEN * len(rates):  # noqa: PLR2004 - not always the same
        return None
    low = groups.mean(
        rate
        for each, of in zip(rates, hungry, strict=True)
        for i, rate in zip(endless, each, strict=True)
        if i in of
    )
    high = groups.mean(rate for each in rates for rate in each)
    number = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    names = [{flows[i]["name"] for i in of} for of in hungry]
    text = (
        f"In {len(counts)} of {words.counted(len(rates), 'replication')} {number} of the"
        f" {len(endless)} flows {'gets' if max(counts) == 1 else 'get'} less than"
        f" {words.number(100 * STARVED, 1)} % of the mean of all, not always the same:"
        f" {words.number(low * 1e-6)} Mb/s on average, against a mean of"
        f" {words.number(high * 1e-6)} Mb/s over all flows."
    )
    return Finding(
        f"In {len(counts)} of {words.counted(len(rates), 'replication')} a flow starves"
        if max(counts) == 1
        else "Flows starve in turns",
        " ".join([text, *causes_words.cause(document, names)]),
        "bad",
    )


def starvation(document: RunDocument, starving: Sequence[int]) -> Finding:
    """Name the starved flows, with the goodput of the others and the cause."""
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    endless = endless_flows(document)
    names = {flows[i]["name"] for i in starving}
    rest = [i for i in endless if i not in set(starving)]
    low, high = (
        groups.mean(groups.goodput(document, i) for i in of) * 1e-6 for of in (starving, rest)
    )
    others = f"{words.counted(len(rest), 'flow')}" if len(rest) > 1 else "flow"
    text = (
        f"{'Each' if len(starving) > 1 else 'It'} gets {words.number(low)} Mb/s on average, the"
        f" other {others} {words.number(high)} Mb/s{' each' if len(rest) > 1 else ''}."
    )
    headline = f"{_STARVED}{_named(document, names, len(endless))}"
    causes = causes_words.cause(document, [names] * len(document["replications"]))
    return Finding(headline, " ".join([text, *causes]), "bad")


def _named(document: RunDocument, names: set[str], of: int) -> str:
    """Name flows: as whole directions, one by one if they are few, else by their number."""
    whole = _whole(document, names)
    if whole and len(names) > 1:
        return " and ".join(f"the {words.count(len(g.flows))} {g.name}" for g in whole)
    if len(names) <= NAMED:
        return ", ".join(sorted(names))
    return f"{words.count(len(names))} of {words.counted(of, 'flow')}"


def _whole(document: RunDocument, names: set[str]) -> list[groups.Group]:
    """Return the directions whose flows are exactly these; none if a flow is left over."""
    whole = [group for group in groups.groups(document) if names.issuperset(group.flows)]
    return whole if sum(len(group.flows) for group in whole) == len(names) else []


_STARVED: Final = "Starved: "
