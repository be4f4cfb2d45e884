"""What a run says in words: who gets little and why, what limits the flows, what to try first.

Everything is worked out from the document. The thresholds are choices and stand here by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import causes as causes_words
from airtcp.findings import copies, datagrams, groups, paths, words
from airtcp.findings import queues as queues_words
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from airtcp.documents import RunDocument
    from airtcp.findings.groups import Place

STARVED: Final = 0.2
"""A flow starves if it gets less than this share of the mean of the flows that never end."""
BUSY: Final = 0.95
"""A link that transmits for at least this share of the time limits its flows."""
NAMED: Final = 3
"""Flows up to which each is named."""
RESENT: Final = 0.01
"""Share that a flow sends again, from which losses may hold it down."""
OFTEN: Final = 0.5
"""Share of the replications in which some flow starves, from which that is said."""
HIDDEN: Final = 0.1
"""Share of data frames lost from which stations that do not hear each other are named."""
_HALF: Final = 0.5


def findings(document: RunDocument) -> list[Finding]:
    """Say what happened in a run: starved flows with the cause, else what limits all.

    Args:
        document: What `RunResult.json` gives.

    Returns:
        The most important first; none for a run without a finished replication.
    """
    if not document["replications"]:
        return []
    silent = _silent(document)
    starving = starved(document)
    shown = _shown(document, starving)
    found = _starvation(document, shown) if shown else _in_turns(document)
    if found is None and starving:
        found = _perhaps(document, starving)
    nothing = _nothing(document, silent) if silent else None
    before = " ".join(finding.text for finding in (nothing, found) if finding is not None)
    udp = [datagrams.crowding(document, _endless(document)), datagrams.losing(document)]
    said = [nothing, found, udp[0], _hidden(document, before), _limit(document), udp[1]]
    said.append(copies.delivered_twice(document))
    if found is None and not silent:
        said.append(_dropped(document))
    return [finding for finding in said if finding is not None]


def starved(document: RunDocument) -> list[int]:
    """Give the flows without an end that get far less than the mean of such flows."""
    endless = _endless(document)
    if len(endless) < 2 or paths.apart(document):  # noqa: PLR2004 - one has nobody to starve beside
        return []
    rates = {i: groups.goodput(document, i) for i in endless}
    level = STARVED * groups.mean(rates.values())
    silent = set(_silent(document))
    return [i for i in endless if rates[i] < level and i not in silent]


def _silent(document: RunDocument) -> list[int]:
    """Give the flows that sent something, all of which was lost, in each replication."""
    found: list[int] = []
    for i, flow in enumerate(document["replications"][0]["flows"]):
        runs = [replication["flows"][i] for replication in document["replications"]]
        lost = groups.drops(document, {flow["name"]})
        if lost and not any(run["delivered_bytes"] for run in runs):
            found.append(i)
    return found


def _nothing(document: RunDocument, silent: Sequence[int]) -> Finding:
    """Say of which flows nothing arrives, and where their packets are dropped."""
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    names = {flows[i]["name"] for i in silent}
    all_of = len(names) == len(flows)
    headline = f"Nothing got through{'' if all_of else f': {_named(document, names, len(flows))}'}"
    who = "any flow" if all_of and len(flows) > 1 else "the flow" if len(names) == 1 else "them"
    runs = words.counted(len(document["replications"]), "replication")
    causes = causes_words.cause(document, [names] * len(document["replications"]))
    return Finding(headline, " ".join([f"In {runs} no data of {who} arrived.", *causes]), "bad")


def _shown(document: RunDocument, starving: Sequence[int]) -> list[int]:
    """Give those of these flows that the replications show to get less than a fair share.

    The fair share is the mean of the flows without an end. A flow is shown if its interval lies
    below it. So is a whole direction if the mean of the upper ends does: the interval of a mean of
    flows is never wider than their intervals in the mean.
    """
    summary: list[dict[str, Any]] = document["summary"]["flows"]
    fair = groups.mean(groups.goodput(document, i) for i in _endless(document))
    ends = {i: summary[i]["goodput_bps"]["ci_high"] for i in starving}
    if None in ends.values() or not ends:
        return []
    whole = _whole(document, {summary[i]["name"] for i in starving})
    if whole and groups.mean(ends.values()) < fair:
        return list(starving)
    return [i for i in starving if ends[i] < fair]


def _perhaps(document: RunDocument, starving: Sequence[int]) -> Finding:
    """Name flows that get little, where the replications do not show that it is not by chance."""
    found = _starvation(document, starving)
    runs = words.counted(len(document["replications"]), "replication")
    names = found.headline.removeprefix(_STARVED)
    verb = "does" if len(document["replications"]) == 1 else "do"
    text = (
        f"{runs[0].upper()}{runs[1:]} {verb} not exclude a fair share in more of them: more"
        " replications may decide."
    )
    return Finding(f"Little, but not certainly starved: {names}", f"{found.text} {text}", "warn")


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


def _rates(document: RunDocument, flows: Sequence[int]) -> list[list[float]]:
    """Give what each of some flows delivered in each replication, in b/s."""
    return [
        [
            8.0 * replication["flows"][i]["delivered_bytes"] / replication["measured_s"]
            for i in flows
        ]
        for replication in document["replications"]
        if replication["measured_s"]
    ]


def _in_turns(document: RunDocument) -> Finding | None:
    """Say that some flow starves in most replications, where it is another one in each."""
    endless = _endless(document)
    if len(endless) < 2 or paths.apart(document):  # noqa: PLR2004 - one has nobody to starve beside
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
        f" {words.number(low * 1e-6)} Mb/s in the mean, where the mean of all is"
        f" {words.number(high * 1e-6)} Mb/s."
    )
    return Finding(
        f"In {len(counts)} of {words.counted(len(rates), 'replication')} a flow starves"
        if max(counts) == 1
        else "Flows starve in turns",
        " ".join([text, *causes_words.cause(document, names)]),
        "bad",
    )


def _starvation(document: RunDocument, starving: Sequence[int]) -> Finding:
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    endless = _endless(document)
    names = {flows[i]["name"] for i in starving}
    rest = [i for i in endless if i not in set(starving)]
    low, high = (
        groups.mean(groups.goodput(document, i) for i in of) * 1e-6 for of in (starving, rest)
    )
    others = f"{words.counted(len(rest), 'flow')}" if len(rest) > 1 else "flow"
    text = (
        f"{'Each' if len(starving) > 1 else 'It'} gets {words.number(low)} Mb/s in the mean, the"
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
    """Give the directions that these flows are all of; none if a flow is left over."""
    whole = [group for group in groups.groups(document) if names.issuperset(group.flows)]
    return whole if sum(len(group.flows) for group in whole) == len(names) else []


_STARVED: Final = "Starved: "


def _hidden(document: RunDocument, said: str) -> Finding | None:
    """Say that stations which do not hear one another lose frames to one another.

    Args:
        document: What `RunResult.json` gives.
        said: What was said before; what it advises is not said again.
    """
    for number, cell in enumerate(document["summary"].get("cells", [])):
        if "data_error_rate" not in cell:
            continue
        lost = cell["data_error_rate"]["mean"] or 0.0
        causes = cell.get("lost", {}).get("data", {})
        # A frame that began during another's is lost to it, or to the answer that the other gets.
        by_data = sum(
            causes[cause]["mean"] or 0.0
            for cause in ("with_data", "transmitter_side")
            if cause in causes
        )
        deaf = causes_words.hidden(cell)
        worst = max(deaf, key=lambda s: s["data_error_rate"]["mean"] or 0.0, default=None)
        threshold = document["scenario"]["cells"][number]["mac"].get("rts_threshold")
        if worst is None or threshold is not None or by_data < _HALF * lost:
            continue
        error = worst["data_error_rate"]["mean"] or 0.0
        if error < HIDDEN:
            continue
        names = [station["name"] for station in deaf]
        advice = causes_words.reserve(number)
        named = " and ".join(names) if len(names) <= NAMED else words.counted(len(names), "station")
        return Finding(
            "Hidden stations collide",
            f"{named} cannot sense every other station of the cell. {words.number(100 * lost)} % of"
            f" the data frames are lost ({words.number(100 * error)} % of those of"
            f" {worst['name']} in the mean of the replications);"
            f" {words.number(100 * by_data)} % are lost because another station's exchange is under"
            f" way.{'' if advice in said else ' ' + advice}",
            "warn",
        )
    return None


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
    if used >= BUSY:
        waits = f", and {words.number(busiest['mean_queue_packets']['mean'])} packets wait for it"
        return Finding(
            f"{busiest['name']} is the bottleneck",
            f"It transmits {words.number(100 * used)} % of the time{waits} in the mean.",
        )
    limited = _losses(document, links, busiest) or queues_words.overflow(
        document, _endless(document)
    )
    resent = max((f["retransmission_ratio"]["mean"] or 0.0 for f in summary["flows"]), default=0.0)
    if limited is None and not _endless(document) and resent > RESENT:
        return Finding(
            "No link is full",
            f"{busiest['name']} is busiest, {words.number(100 * used)} % of the measured time. No"
            " TCP flow sends all the time: what limits one while it sends is not judged.",
        )
    return limited or Finding(
        "No link is full, and losses do not hold the flows down",
        f"{busiest['name']} is busiest, {words.number(100 * used)} % of the time: applications,"
        " windows or round-trip times limit the flows.",
    )


def _losses(
    document: RunDocument, links: Sequence[dict[str, Any]], busiest: dict[str, Any]
) -> Finding | None:
    """Say that losses limit the flows, where those without an end slow down for them."""
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    endless = _endless(document)
    loss = max(links, key=lambda link: link["loss_rate"]["mean"] or 0.0)
    rate = loss["loss_rate"]["mean"] or 0.0
    summary = document["summary"]["flows"]
    timeouts = groups.mean(summary[i]["timeouts"]["mean"] for i in endless)
    reduced = timeouts + groups.mean(summary[i]["fast_retransmits"]["mean"] for i in endless)
    places = groups.drops(document, {flows[i]["name"] for i in endless})
    air = sum(there.total() for place, there in places.items() if place.reason in _LOSSES)
    idle = words.share(1 - busiest["utilisation"]["mean"])
    share = words.number(100 * rate, 2)
    # TFRC computes its rate from its losses, and has no window to reduce.
    equation = [i for i in endless if flows[i]["transport"] == "tfrc"]
    if (
        rate
        and equation
        and air >= max(queues_words.AGAIN * len(equation), _HALF * _dropped_of(places))
    ):
        events = groups.mean(summary[i]["loss_event_rate"]["mean"] for i in equation)
        return Finding(
            f"Losses of {loss['name']} limit the flows",
            f"It loses {share} % of its packets. TFRC computes its rate from the loss event rate"
            f" ({words.number(100 * events, 2)} %), and {busiest['name']} is idle {idle} of the"
            " time.",
            "warn",
        )
    # Hardly a packet comes through: there is no window to reduce.
    if endless and rate >= _HALF and causes_words.loses_all(document, loss["name"]):
        return Finding(
            f"Losses of {loss['name']} stop the flows", "It loses all of its packets.", "warn"
        )
    if endless and rate >= _HALF:
        return Finding(
            f"Losses of {loss['name']} stop the flows",
            f"It loses {share} % of its packets, and {busiest['name']} is idle {idle} of the"
            f" time. Try {causes_words.REMEDIES}, which runs the remedies against losses over the"
            " same link.",
            "warn",
        )
    # A queue that overflows in slow start drops many packets for one reduction.
    if rate == 0 or reduced < queues_words.AGAIN or air < _HALF * reduced * len(endless):
        return None
    return Finding(
        f"Losses of {loss['name']} limit the flows",
        f"It loses {share} % of its packets, and {busiest['name']} is idle {idle} of the time. A"
        f" flow reduces its window {words.number(reduced, 2)} times a replication"
        f" ({words.number(timeouts, 2)} of them timeouts)"
        f"{_both(air, _dropped_of(places) - air)}. Try {causes_words.REMEDIES},"
        " which runs the remedies against losses over the same link.",
        "warn",
    )


_LOSSES: Final = frozenset({"loss", "retry_limit"})


def _both(lost: float, queued: float) -> str:
    """Say for how many losses and drops windows are reduced, where there are both."""
    if lost < _HALF or queued < _HALF:
        return ""
    return f", for {words.count(lost)} packets lost and {words.count(queued)} dropped by queues"


def _dropped_of(places: Mapping[Place, Counter[tuple[str, str]]]) -> float:
    return sum(there.total() for there in places.values())


def _dropped(document: RunDocument) -> Finding | None:
    """Say where most packets were dropped, if any were."""
    found = causes_words.most(document)
    if found is None:
        return None
    place, text = found
    return Finding(f"Most drops: {place.name}", text)
