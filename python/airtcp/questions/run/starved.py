"""Flows of a run that get nothing or little, as far as the run itself shows it.

Why a flow starves is in `limits`. The thresholds are choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import causes, groups, paths
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument

STARVED: Final = 0.2
"""A flow starves if it gets less than this share of the mean of the endless flows."""
STALLED: Final = 0.5
"""Least share of its time that a flow with little to send waits for timeouts, if it starves."""
OFTEN: Final = 0.5
"""Least share of replications with a starved flow for the finding."""


def endless_flows(document: RunDocument) -> list[int]:
    """Return the endless flows, which send as much as they can during the whole run."""
    written: list[bool] = []
    for flow in document["scenario"].get("flows", []):
        written += [groups.is_endless(flow)] * int(flow.get("count") or 1)
    if not document["replications"]:
        return []
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    if len(written) != len(flows):
        return []
    return [i for i, endless in enumerate(written) if endless and flows[i]["transport"] != "udp"]


def silent_flows(document: RunDocument) -> list[int]:
    """Return the flows that sent packets in each replication and lost all of them."""
    runs = document["replications"]
    losing = {row["flow"] for run in runs for row in run.get("drops", [])}
    return [
        i
        for i, flow in enumerate(runs[0]["flows"])
        if flow["name"] in losing and not any(run["flows"][i]["delivered_bytes"] for run in runs)
    ]


def nothing_delivered(document: RunDocument, silent: Sequence[int]) -> Finding:
    """Name the flows without any delivery, and where their packets are dropped."""
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    names = {flows[i]["name"] for i in silent}
    whose = "" if len(names) == len(flows) else f": {groups.named(document, names)}"
    place, lost = next(iter(groups.drops(document, names).items()))
    ends = [flows[i][end] for i in silent for end in ("from", "to")]
    far = filter(None, (causes.out_of_range(document, node) for node in (place.name, *ends)))
    number = words.counted(lost.total(), "packet")
    text = next(far, f"{place.name} dropped {number} a replication {causes.why(place)}.")
    return Finding(f"Nothing got through{whose}", text, "bad")


def _rivals(document: RunDocument) -> list[int]:
    """Return the endless flows; none if each has nobody to starve beside."""
    endless = endless_flows(document)
    return [] if len(endless) == 1 or paths.disjoint(document) else endless


def starving_flows(document: RunDocument) -> list[int]:
    """Return the endless flows that significantly starve beside others."""
    endless = _rivals(document)
    if not endless:
        return []
    rates = {i: groups.goodput(document, i) for i in endless}
    level = STARVED * groups.mean(rates.values())
    silent = set(silent_flows(document))
    low = [i for i in endless if rates[i] < level and i not in silent]
    return significantly_starved(document, low)


def stalled_flows(document: RunDocument) -> list[str]:
    """Name the TCP flows with little to send that spend most of their time in timeouts.

    Such a flow is no endless one: its goodput says nothing of what it is short of, its waits do.
    """
    runs = document["replications"]
    endless = {*endless_flows(document)}
    rows: list[dict[str, Any]] = document["summary"]["flows"]
    return [
        flow["name"]
        for i, flow in enumerate(rows)
        if i not in endless
        and runs[0]["flows"][i].get("transport") == "tcp"
        and any(run["flows"][i]["delivered_bytes"] for run in runs)
        and (flow.get("waits_timeout", {}).get("mean") or 0.0) >= STALLED
    ]


def stalls(document: RunDocument) -> Finding | None:
    """State which flows with little to send hardly do anything but wait for timeouts."""
    names = stalled_flows(document)
    if not names:
        return None
    rows = [flow for flow in document["summary"]["flows"] if flow["name"] in names]
    share = words.share(groups.mean(flow["waits_timeout"]["mean"] for flow in rows))
    one = len(names) == 1
    wait = "Its sender waits" if one else "Their senders wait"
    text = f"{wait} {share} of the time for timeouts."
    verb = "starves" if one else "starve"
    return Finding(f"{_start(document, names)} {verb}", text, "bad")


def _start(document: RunDocument, names: Sequence[str]) -> str:
    """Name flows at the beginning of a sentence; names keep their first letter."""
    named = groups.named(document, names)
    return words.begun(named) if named.startswith("the ") else named


def starvation(document: RunDocument) -> Finding | None:
    """Name the endless flows that significantly starve beside others, or that starve in turns."""
    endless = _rivals(document)
    if not endless:
        return None
    starving = starving_flows(document)
    if not starving:
        return _in_turns(document, endless)
    rates = {i: groups.goodput(document, i) for i in endless}
    names = [document["summary"]["flows"][i]["name"] for i in starving]
    slow = document.get("why", {}).get("slow_flows", [])
    said = [flow["flow"] for flow in slow if flow["short_of"]]
    if {*with_siblings(document, said)}.issuperset(names):
        return None
    least = groups.mean(rates[i] for i in starving) * 1e-6
    most = groups.mean(rates[i] for i in endless if i not in starving) * 1e-6
    verb, each = ("starve", " each") if len(starving) > 1 else ("starves", "")
    others = "the other endless flow" + ("s" if len(endless) - len(starving) > 1 else "")
    many = " each" if others.endswith("s") else ""
    return Finding(
        f"{_start(document, names)} {verb}: {words.number(least, 2)} Mb/s{each},"
        f" and {others} {words.number(most, 2)}{many}",
        "",
        "bad",
    )


def with_siblings(document: RunDocument, names: Sequence[str]) -> list[str]:
    """Return slow flows with the other starving ones of their directions.

    A search of few replications may not decide one of the flows that starve alike. Only a direction
    all of whose flows starve, most of them in `names`, is named as a whole.
    """
    summary = document["summary"]["flows"]
    low = {summary[i]["name"] for i in starving_flows(document)} | {*names}
    found = {*names}
    for group in groups.groups(document):
        known = found.intersection(group.flows)
        if low.issuperset(group.flows) and 2 * len(known) > len(group.flows):
            found |= {*group.flows}
    return [flow["name"] for flow in summary if flow["name"] in found]


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
    names = {summary[i]["name"] for i in starving}
    whole = [group for group in groups.groups(document) if names.issuperset(group.flows)]
    if sum(len(g.flows) for g in whole) == len(names) and groups.mean(ends.values()) < fair:
        return list(starving)
    return [i for i in starving if ends[i] < fair]


def _in_turns(document: RunDocument, endless: Sequence[int]) -> Finding | None:
    """State that a flow starves in most replications, but not always the same flow.

    Nothing if a limit of the slowest flow of each run says so.
    """
    if any(limit["of"] == "slowest-of-each-run" for limit in document.get("limits", [])):
        return None
    hungry: list[frozenset[int]] = []
    for replication in document["replications"]:
        got = {i: replication["flows"][i]["delivered_bytes"] for i in endless}
        level = STARVED * groups.mean(got.values())
        hungry.append(frozenset(i for i in endless if got[i] < level))
    with_such = [of for of in hungry if of]
    if len(set(with_such)) < 2 or len(with_such) < OFTEN * len(hungry):  # noqa: PLR2004 - not always the same
        return None
    return Finding(
        "Flows starve in turns",
        f"In {len(with_such)} of {words.counted(len(hungry), 'replication')} a flow gets less than"
        f" {words.number(100 * STARVED, 1)} % of the mean of all, not always the same flow.",
        "bad",
    )
