"""Findings of a run: starved flows (`findings.starved`), and what limits the flows.

All findings follow from the document. The thresholds are choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import causes as causes_words
from airtcp.findings import controllers, copies, datagrams, groups, hidden, limits, words
from airtcp.findings import queues as queues_words
from airtcp.findings import starved as starved_words
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.documents import RunDocument

BUSY: Final = 0.95
"""A link that transmits for at least this share of the time limits its flows."""
RETRANSMITTED: Final = 0.01
"""Least share of retransmissions with which losses may limit a flow."""
_HALF: Final = 0.5


def findings(document: RunDocument) -> list[Finding]:
    """Return the findings of a run: starved flows with the cause, else what limits all flows.

    Args:
        document: The document of a run.

    Returns:
        The most important first; none for a run without a finished replication.
    """
    if not document["replications"]:
        return []
    silent = starved_words.silent_flows(document)
    starving = starved_words.starved(document)
    shown = starved_words.significantly_starved(document, starving)
    found = starved_words.starvation(document, shown) if shown else starved_words.in_turns(document)
    if found is None and starving:
        found = starved_words.possibly_starved(document, starving)
    nothing = starved_words.nothing_delivered(document, silent) if silent else None
    before = " ".join(finding.text for finding in (nothing, found) if finding is not None)
    udp = [
        datagrams.crowding_out(document, starved_words.endless_flows(document)),
        datagrams.datagram_loss(document),
    ]
    said = [
        *limits.findings(document),
        nothing,
        found,
        udp[0],
        hidden.hidden_collisions(document, before),
        udp[1],
        *controllers.controllers_at_bounds(document),
    ]
    said.append(copies.duplicates_delivered(document))
    if found is None and not silent:
        said.append(_dropped(document))
    return [finding for finding in said if finding is not None]


def _limit(document: RunDocument) -> Finding | None:
    """State what limits the flows: a full medium or link, or losses."""
    summary = document["summary"]
    if full := _full_medium(summary.get("cells", [])):
        return full
    links: list[dict[str, Any]] = [
        link for link in summary["links"] if link["sent_packets"]["mean"]
    ]
    busiest = max(links, key=lambda link: link["utilisation"]["mean"], default=None)
    if busiest is None:
        return None
    used = busiest["utilisation"]["mean"]
    if used >= BUSY:
        waits = words.number(busiest["mean_queue_packets"]["mean"])
        return Finding(
            f"{busiest['name']} is the bottleneck",
            f"It transmits {words.number(100 * used)} % of the time, and its queue holds"
            f" {waits} packets on average.",
        )
    endless = starved_words.endless_flows(document)
    limited = _losses(document, links, busiest) or queues_words.overflow(document, endless)
    return limited or _nothing_full(document, busiest)


def _full_medium(cells: Sequence[dict[str, Any]]) -> Finding | None:
    """State that packets wait for the medium of a cell, if a station has a queue."""
    for cell in cells:
        queues = [s["mean_queue_packets"]["mean"] or 0.0 for s in cell["stations"]]
        if max(queues, default=0.0) > 1:
            busy = cell["busy_share"]["mean"] or 0.0
            where = cell["stations"][queues.index(max(queues))]["name"]
            return Finding(
                "Packets wait for the medium",
                f"The medium is busy {words.number(100 * busy)} % of the time. {where} has the"
                f" longest queue ({words.number(max(queues))} packets on average).",
            )
    return None


def _nothing_full(document: RunDocument, busiest: dict[str, Any]) -> Finding:
    """State that neither a link nor losses limit the flows, as far as the run shows it."""
    retransmitted = max(
        (f["retransmission_ratio"]["mean"] or 0.0 for f in document["summary"]["flows"]),
        default=0.0,
    )
    if not starved_words.endless_flows(document) and retransmitted > RETRANSMITTED:
        return Finding(
            "No link is full",
            f"{_busiest(document, busiest)} of the measured time). No TCP flow sends all the time:"
            " what limits a flow while it sends is not judged.",
        )
    return Finding(
        "No link is full, and losses do not limit the flows",
        f"{_busiest(document, busiest)} of the time). Applications, windows or round-trip times"
        " limit the flows.",
    )


def _busiest(document: RunDocument, link: dict[str, Any]) -> str:
    """Name the busiest link, or the medium of a cell that is busier, with its share of the time."""
    used = link["utilisation"]["mean"]
    cells: list[dict[str, Any]] = document["summary"].get("cells", [])
    busy = [(cell["busy_share"]["mean"] or 0.0, cell["name"]) for cell in cells]
    share, cell = max(busy, default=(0.0, ""))
    name = link["name"]
    if share > used:
        used, name = share, f"The medium of {cell}"
    return f"{name} is the busiest ({words.number(100 * used)} %"


def _losses(
    document: RunDocument, links: Sequence[dict[str, Any]], busiest: dict[str, Any]
) -> Finding | None:
    """State that losses limit the flows, if endless flows slow down for losses."""
    loss = max(links, key=lambda link: link["loss_rate"]["mean"] or 0.0)
    rate = loss["loss_rate"]["mean"] or 0.0
    if rate == 0:
        return None
    endless = starved_words.endless_flows(document)
    flows = document["replications"][0]["flows"]
    places = groups.drops(document, {flows[i]["name"] for i in endless})
    air = sum(there.total() for place, there in places.items() if place.reason in _LOSSES)
    dropped = sum(there.total() for there in places.values())
    idle = words.share(1 - busiest["utilisation"]["mean"])
    other = "" if busiest["name"] == loss["name"] else f"link {busiest['name']} "
    loses = (
        f"Link {loss['name']} loses {words.number(100 * rate, 2)} % of its packets"
        f" and {other}is idle {idle} of the time"
    )
    limits = f"Losses of {loss['name']} limit the flows"
    # TFRC computes its rate from its losses, and has no window to reduce.
    equation = [i for i in endless if flows[i]["transport"] == "tfrc"]
    if equation and air >= max(queues_words.AGAIN * len(equation), _HALF * dropped):
        return Finding(limits, f"{loses}. {_rate_by_losses(document, equation)}", "warn")
    # Nearly no packet arrives: there is no window to reduce.
    if endless and rate >= _HALF:
        all_of_it = causes_words.loses_all(document, loss["name"])
        text = "It loses all of its packets." if all_of_it else f"{loses}. {_TRY}"
        return Finding(f"Losses of {loss['name']} stop the flows", text, "warn")
    timeouts, fast = (_mean_of(document, endless, key) for key in ("timeouts", "fast_retransmits"))
    reduced = timeouts + fast
    # A queue that overflows in slow start drops many packets for one reduction.
    if reduced < queues_words.AGAIN or air < _HALF * reduced * len(endless):
        return None
    return Finding(
        limits,
        f"{loses}. A flow reduces its window {words.number(reduced)} times a replication"
        f" ({words.number(fast)} fast retransmits, {words.number(timeouts)} timeouts)"
        f"{_both(air, dropped - air)}. {_TRY}",
        "warn",
    )


def _mean_of(document: RunDocument, flows: Sequence[int], key: str) -> float:
    """Return the mean of a quantity over some flows."""
    summary = document["summary"]["flows"]
    return groups.mean(summary[i][key]["mean"] for i in flows)


def _rate_by_losses(document: RunDocument, flows: Sequence[int]) -> str:
    events = words.number(100 * _mean_of(document, flows, "loss_event_rate"), 2)
    return f"TFRC computes its rate from the loss event rate ({events} %)."


_TRY: Final = (
    f"Try {causes_words.REMEDIES}, which runs the remedies against losses over the same link."
)
_LOSSES: Final = frozenset({"loss", "retry_limit"})


def _both(lost: float, queued: float) -> str:
    """State for how many losses and drops windows are reduced, if there are both."""
    if lost < _HALF or queued < _HALF:
        return ""
    return f", for {words.count(lost)} packets lost and {words.count(queued)} dropped by queues"


def _dropped(document: RunDocument) -> Finding | None:
    """State where most packets were dropped, if any were."""
    found = causes_words.most_drops(document)
    if found is None:
        return None
    place, text = found
    return Finding(f"Most drops: {place.name}", text)
