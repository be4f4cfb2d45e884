"""Queues that limit flows although the link is not always busy: they overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import causes, groups, words
from airtcp.findings.words import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.documents import RunDocument

AGAIN: Final = 2.0
"""Fewest window reductions of a flow per replication for which drops limit the flow."""
_HALF: Final = 0.5
_PACKET: Final = 8 * 1500.0
"""Bits of a full packet, the unit of a queue's length."""


def overflow(document: RunDocument, endless: Sequence[int]) -> Finding | None:
    """State that a queue's drops limit endless flows although its link is not always busy.

    Args: document: The document of a run. endless: The TCP flows that send during the whole run.
    """
    flows: list[dict[str, Any]] = document["replications"][0]["flows"]
    summary: list[dict[str, Any]] = document["summary"]["flows"]
    places = groups.drops(document, {flows[i]["name"] for i in endless})
    links: dict[str, dict[str, Any]] = {link["name"]: link for link in document["summary"]["links"]}
    queues = [p for p in places if p.reason.startswith("queue") and p.name in links]
    if not queues:
        return None
    place, link = queues[0], links[queues[0].name]
    dropped = places[place].total()
    reduced = groups.mean(
        (summary[i]["timeouts"]["mean"] or 0.0) + (summary[i]["fast_retransmits"]["mean"] or 0.0)
        for i in endless
    )
    through = {flow for flow, _ in places[place]}
    if reduced < AGAIN or dropped < _HALF * reduced * len(through):
        return None
    lost = sum(there.total() for p, there in places.items() if not p.reason.startswith("queue"))
    also = f" and for {words.count(lost)} lost packets" if lost >= _HALF else ""
    idle = words.share(1 - link["utilisation"]["mean"])
    longer = _longer(
        document, place.name, link, [i for i in endless if flows[i]["name"] in through]
    )
    return Finding(
        f"The queue of {place.name} limits the flows",
        f"{words.count(dropped)} packets a replication were dropped {causes.why(place)}. A flow"
        f" reduces its window {words.number(reduced)} times for these{also}, and {place.name} is"
        f" idle {idle} of the time.{longer}",
        "warn",
    )


def _longer(document: RunDocument, name: str, link: dict[str, Any], through: Sequence[int]) -> str:
    """Return the suggestion of a queue as long as the bandwidth-delay product, if it is shorter."""
    written = causes.scenario_path(document, name)
    longest = max((r["max_queue_packets"] for r in _runs(document, name)), default=0)
    round_trips = [
        flow["rtt_min_s"]
        for replication in document["replications"]
        for flow in (replication["flows"][i] for i in through)
        if flow["rtt_min_s"] is not None
    ]
    used = link["utilisation"]["mean"]
    if written is None or not round_trips or not used:
        return ""
    product = (link["sent_bps"]["mean"] / used) * min(round_trips) / _PACKET
    if product <= longest:
        return ""
    return (
        f" The bandwidth-delay product is {words.number(product, 2)} packets of 1500 bytes"
        " (shortest"
        f" round-trip time); the queue reached {words.count(longest)}. Try a longer queue: --set"
        f" '{written}.queue={{kind=\"drop-tail\", packets={round(product) + 1}}}'."
    )


def _runs(document: RunDocument, name: str) -> list[dict[str, Any]]:
    """Return a link's record in each replication."""
    return [
        link
        for replication in document["replications"]
        for link in replication["links"]
        if link["name"] == name
    ]
