"""What a run says in words: who gets little and why, what limits the flows, what to try first.

Everything is worked out from the document. The thresholds are choices and stand here by name. A
cause is named where the counts of the run show it. A thing to try comes with the option that tries
it, and is no promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp import run_groups, words
from airtcp.words import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from airtcp.documents import RunDocument
    from airtcp.run_groups import Place

STARVED: Final = 0.2
"""A flow starves if it gets less than this share of the mean of the flows that never end."""
BUSY: Final = 0.95
"""A link that transmits for at least this share of the time limits its flows."""
LOSSY: Final = 0.001
"""A link that loses at least this share of its packets may limit its flows."""
NAMED: Final = 3
"""Flows up to which each is named."""
_HALF: Final = 0.5

_WHY: Final = {
    "queue_full": "because the queue was full",
    "queue_early": "by the active queue management",
    "loss": "by the link's losses",
    "retry_limit": "after the last retransmission on the air",
    "lifetime": "because they were too old",
    "no_route": "because there was no route",
    "too_long": "because they were longer than the MTU",
    "duplicate": "as duplicates",
}


def findings(document: RunDocument) -> list[Finding]:
    """Say what happened in a run: warnings, starved flows with the cause, else what limits all.

    Args:
        document: What `RunResult.json` gives.

    Returns:
        The most important first; none for a run without a finished replication.
    """
    if not document["replications"]:
        return []
    starving = starved(document)
    found = [_starvation(document, starving)] if starving else []
    limit = _limit(document)
    if limit is not None:
        found.append(limit)
    dropped = _dropped(document)
    if dropped is not None:
        found.append(dropped)
    return found


def starved(document: RunDocument) -> list[int]:
    """Give the flows without an end that get far less than the mean of such flows."""
    from airtcp.report.link_rows import apart

    endless = _endless(document)
    if len(endless) < 2 or apart(document):  # noqa: PLR2004 - one has nobody to starve beside
        return []
    rates = {i: run_groups.goodput(document, i) for i in endless}
    level = STARVED * run_groups.mean(rates.values())
    return [i for i in endless if rates[i] < level]


def _endless(document: RunDocument) -> list[int]:
    """Give the flows that send as much as they can for as long as the run lasts."""
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


def _starvation(document: RunDocument, starving: Sequence[int]) -> Finding:
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    endless = _endless(document)
    names = {flows[i]["name"] for i in starving}
    rest = [i for i in endless if i not in set(starving)]
    low, high = (
        run_groups.mean(run_groups.goodput(document, i) for i in of) * 1e-6
        for of in (starving, rest)
    )
    text = (
        f"Each gets {words.number(low)} Mb/s in the mean, the other"
        f" {words.counted(len(rest), 'flow')} {words.number(high)} Mb/s each."
    )
    headline = f"Starved: {_named(document, names, len(endless))}"
    return Finding(headline, " ".join([text, *_cause(document, names)]), "bad")


def _named(document: RunDocument, names: set[str], of: int) -> str:
    """Name flows: as whole directions, one by one if they are few, else by their number."""
    whole = [group for group in run_groups.groups(document) if names.issuperset(group.flows)]
    if whole and sum(len(group.flows) for group in whole) == len(names):
        return " and ".join(f"the {words.count(len(g.flows))} {g.name}" for g in whole)
    if len(names) <= NAMED:
        return ", ".join(sorted(names))
    return f"{words.count(len(names))} of {words.counted(of, 'flow')}"


def _cause(document: RunDocument, names: set[str]) -> list[str]:
    """Follow the chain from what a group of flows lost to the queue or link that dropped it."""
    places = run_groups.drops(document, names)
    if not places:
        return ["None of their packets was dropped."]
    place, lost = next(iter(places.items()))
    data, acks = (sum(n for (_, p), n in lost.items() if p is payload) for payload in (True, False))
    what = "data packets" if data >= acks else "TCP ACKs"
    lost_there = (
        f"{place.name} dropped {words.count(max(data, acks))} of their {what} a replication"
        f" {_WHY.get(place.reason, place.reason)}."
    )
    said = [lost_there]
    everything = run_groups.drops(document)[place]
    if place.reason.startswith("queue"):
        said.append(_composition(document, place, everything))
    timeouts = run_groups.mean(
        flow["timeouts"]["mean"] for flow in document["summary"]["flows"] if flow["name"] in names
    )
    if timeouts >= 1:
        said.append(f"Each of them times out {words.number(timeouts, 2)} times a replication.")
    said.append(_try(document, place))
    return [sentence for sentence in said if sentence]


def _composition(document: RunDocument, place: Place, dropped: Counter[tuple[str, bool]]) -> str:
    """Say of which direction and kind most of the packets are that a queue dropped."""
    total = dropped.total()
    parts = {
        (group.name, payload): sum(dropped[name, payload] for name in group.flows)
        for group in run_groups.groups(document)
        for payload in (True, False)
    }
    (name, payload), most = max(parts.items(), key=lambda item: item[1])
    kind = "data packets" if payload else "TCP ACKs"
    return (
        f"The queue of {place.name} dropped {words.count(total)} packets in all,"
        f" {words.number(100 * most / total, 2)} % of them {kind} of the {name}."
    )


def _limit(document: RunDocument) -> Finding | None:
    """Say what keeps the flows from getting more: a full medium or link, or losses."""
    summary = document["summary"]
    for cell in summary.get("cells", []):
        busy = cell["busy_share"]["mean"] or 0.0
        queues = [s["mean_queue_packets"]["mean"] or 0.0 for s in cell["stations"]]
        if max(queues, default=0.0) > 1:
            where = cell["stations"][queues.index(max(queues))]["name"]
            return Finding(
                "Packets wait for the medium",
                f"It is busy {words.number(100 * busy)} % of the time. The longest queue is that"
                f" of {where}:"
                f" {words.number(max(queues))} packets in the mean.",
            )
    links: list[dict[str, Any]] = [
        link for link in summary["links"] if link["sent_packets"]["mean"]
    ]
    busiest = max(links, key=lambda link: link["utilisation"]["mean"], default=None)
    if busiest is None:
        return None
    used = busiest["utilisation"]["mean"]
    loss = max(links, key=lambda link: link["loss_rate"]["mean"])
    if used >= BUSY:
        waits = f", and {words.number(busiest['mean_queue_packets']['mean'])} packets wait for it"
        return Finding(
            f"{busiest['name']} is the bottleneck",
            f"It transmits {words.number(100 * used)} % of the time{waits} in the mean.",
        )
    if loss["loss_rate"]["mean"] >= LOSSY:
        timeouts = sum(flow["timeouts"]["mean"] or 0.0 for flow in summary["flows"])
        return Finding(
            f"Losses of {loss['name']} limit the flows",
            f"It loses {words.number(100 * loss['loss_rate']['mean'], 2)} % of its packets, and"
            f" {busiest['name']} is idle {words.number(100 * (1 - used), 2)} % of the time;"
            f" {words.number(timeouts, 2)} timeouts a replication. Try `airtcp compare SCENARIO"
            " --remedies`, which runs the remedies against losses over the same link.",
            "warn",
        )
    return Finding(
        "No link is full, and little is lost",
        f"{busiest['name']} is busiest, {words.number(100 * used)} % of the time: applications,"
        " windows or round-trip times limit the flows.",
    )


def _dropped(document: RunDocument) -> Finding | None:
    """Say where most packets were dropped, if any were and no finding above has said it."""
    places = run_groups.drops(document)
    if not places or starved(document):
        return None
    place, dropped = next(iter(places.items()))
    data = sum(n for (_, payload), n in dropped.items() if payload) / dropped.total()
    kind = f"{words.number(100 * data, 2)} % of them with data"
    rest = sum(there.total() for there in places.values()) - dropped.total()
    more = f"; {words.count(rest)} more elsewhere" if rest >= _HALF else ""
    return Finding(
        f"Most drops: {place.name}",
        f"{words.count(dropped.total())} packets a replication were dropped there"
        f" {_WHY.get(place.reason, place.reason)}, {kind}{more}.",
    )


def _try(document: RunDocument, place: Place) -> str:
    """Give the first thing to try against drops at a place, with the option that tries it."""
    written = _written(document, place.name)
    if place.reason in {"queue_full", "queue_early"}:
        what = "Try a queue that serves flows in turn"
        option = f": --set '{written}.queue={{kind=\"fq-codel\"}}'" if written else ' ("fq-codel")'
        return f"{what}{option}."
    if place.reason == "retry_limit" and place.name in run_groups.stations(document):
        key = f"{written}.rate_control"
        return f"Try another rate control: --set '{key}={{control=\"minstrel\"}}'."
    if place.reason in {"loss", "retry_limit"}:
        return "Try `airtcp compare SCENARIO --remedies`."
    return ""


def _written(document: RunDocument, name: str) -> str | None:
    """Give the path of a cell or link in the scenario; none if it is not written there as such."""
    cells = run_groups.stations(document)
    if name in cells:
        names = [cell["name"] for cell in document["replications"][0]["cells"]]
        return f"cells[{names.index(cells[name])}]"
    directions = [link["name"] for link in document["summary"]["links"]]
    # A topology makes links that are not written, and `hops` several of one.
    if name in directions and len(directions) == 2 * len(document["scenario"].get("links", [])):
        return f"links[{directions.index(name) // 2}]"
    return None
