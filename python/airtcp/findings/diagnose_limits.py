"""What a capture cannot tell about the link of a transfer, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.findings.words import Finding, count, number, share

if TYPE_CHECKING:
    from airtcp.diagnose_document import DiagnoseDocument, LinkFit, Observed

_SOME: Final = 0.1
_MOSTLY: Final = 0.5


def unknowns(document: DiagnoseDocument) -> list[Finding]:
    """Return what the capture cannot tell, one finding each."""
    seen = document["observed"]
    if seen is None:
        return []
    texts = [*_of_place(document, seen), *_of_transfer(document, seen)]
    if document["link"] is not None:
        texts += _of_link(document, document["link"])
    return [Finding("Cannot tell", text) for text in texts]


def _of_place(document: DiagnoseDocument, seen: Observed) -> list[str]:
    if document["obstacle"] == "no-rtt":
        text = (
            "The round-trip time of the path: the capture was not taken at the sender, and no data"
            " go the other way. Capture at the sender, or tell it (--rtt)."
        )
        return [text]
    if seen["place"] in {"receiver", "middle"}:
        text = (
            "The queue, and copies that were lost before the capture: a capture at the sender"
            " shows both."
        )
        return [text]
    if seen["place"] == "unknown":
        return ["The place of the capture; it is taken to be at the sender."]
    return []


def _of_transfer(document: DiagnoseDocument, seen: Observed) -> list[str]:
    texts: list[str] = []
    if document["obstacle"] is None and not document["tcp_told"]:
        texts.append(f"The sender's congestion law: {document['tcp']} is a guess (--tcp tells it).")
    idle = seen["limited_by"]["application"]
    if _SOME <= idle < _MOSTLY:
        texts.append(
            f"What happened while the application had nothing to send ({share(idle)} of the time):"
            " replays leave that time out."
        )
    if document["obstacle"] is None and seen["limited_by"]["slow_start"] >= _MOSTLY:
        texts.append("The steady state: slow start takes most of the transfer.")
    return texts


def _of_link(document: DiagnoseDocument, link: LinkFit) -> list[str]:
    texts: list[str] = []
    rate, queue = link["rate_bps"], link["queue_packets"]
    if rate["high"] is None and not link["rate_told"] and "place" not in document["doubts"]:
        texts.append(
            f"How fast the link is: {number((rate['low'] or 0.0) / 1e6)} Mb/s are a lower bound,"
            " because the sender did not keep it busy (--rate tells it)."
        )
    seen = document["observed"]
    if queue["high"] is None and seen is not None and seen["rtt_p50_s"] is not None:
        losses = document["losses"]
        overflowed = losses is not None and losses["overshoot"] > 0
        why = "it follows from the rate" if overflowed else "it may never have been full"
        texts.append(
            f"The length of the queue: {why}, so {count(queue['low'] or 0)} packets are a lower"
            " bound."
        )
    return texts
