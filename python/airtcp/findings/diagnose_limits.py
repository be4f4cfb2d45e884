"""What a capture cannot tell about the link of a transfer, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.findings.words import Finding, counted, number, share

if TYPE_CHECKING:
    from airtcp.diagnose_document import DiagnoseDocument, LinkFit, Observed

_SOME: Final = 0.1
_MOSTLY: Final = 0.5
_FASTER: Final = 1.1
"""How many times the largest fitted rate data must have arrived at to be said [choice]."""


def unknowns(document: DiagnoseDocument) -> list[Finding]:
    """Return what the capture cannot tell, one finding each."""
    seen = document["observed"]
    if seen is None:
        return []
    texts = [*_of_place(document, seen), *_of_transfer(document, seen)]
    texts += _of_air(document)
    if document["link"] is not None:
        texts += _of_link(document, document["link"])
    return [Finding("Cannot tell", text) for text in texts]


def _of_place(document: DiagnoseDocument, seen: Observed) -> list[str]:
    if document["obstacle"] == "no-rtt":
        text = (
            "the round-trip time of the path. The capture was not taken at the sender, and the"
            " receiver sent no data. Capture at the sender, or give the time with --rtt."
        )
        return [text]
    if seen["place"] in {"receiver", "middle"}:
        text = (
            "how long the queue is, and how many packets were lost before the capture. A capture at"
            " the sender shows both."
        )
        return [text]
    if seen["place"] == "unknown":
        return ["where the capture was taken. The diagnosis assumes the sender."]
    return []


def _of_transfer(document: DiagnoseDocument, seen: Observed) -> list[str]:
    texts: list[str] = []
    if document["obstacle"] is None and not document["tcp_told"]:
        law = f"{document['tcp']} is a guess (give the law with --tcp)"
        texts.append(f"which congestion law the sender uses. {law}.")
    idle = seen["limited_by"]["application"]
    if _SOME <= idle < _MOSTLY:
        texts.append(
            "what the path does while the application has nothing to send"
            f" ({share(idle)} of the time). Replays leave this time out."
        )
    if document["obstacle"] is None and seen["limited_by"]["slow_start"] >= _MOSTLY:
        texts.append("how the transfer goes on after slow start, which takes most of it.")
    return texts


def _of_air(document: DiagnoseDocument) -> list[str]:
    air = document["air_fit"]
    if air is None or air["not_used"] is None:
        return []
    if air["not_used"] == "missed":
        missed = share(air["missed_share"])
        why = f"what the air did to each packet. The sniffer missed {missed} of the frames"
    else:
        found = counted(air["packets"], "packet")
        why = f"what the air did to the transfer. Only {found} of it were found on the air"
    return [f"{why}, so the link is fitted to the host's capture."]


def _of_rate(document: DiagnoseDocument, link: LinkFit) -> list[str]:
    """Tell that data arrived faster than the fitted link carries."""
    seen, high = document["observed"], link["rate_bps"]["high"]
    fastest = None if seen is None else seen["delivery_bps"]
    if fastest is None or high is None or fastest <= _FASTER * high:
        return []
    text = (
        "how fast the link is at each time. Over two round-trip times, data arrived at up to"
        f" {number(fastest / 1e6)} Mb/s; the fit allows at most {number(high / 1e6)} Mb/s."
    )
    return [text]


def _of_link(document: DiagnoseDocument, link: LinkFit) -> list[str]:
    texts: list[str] = []
    rate, queue = link["rate_bps"], link["queue_packets"]
    if rate["high"] is None and not link["rate_told"] and "place" not in document["doubts"]:
        texts.append(
            "how fast the link is. The sender did not keep the link busy, so the capture shows"
            f" only a lower bound of {number((rate['low'] or 0.0) / 1e6)} Mb/s (give the rate with"
            " --rate)."
        )
    seen = document["observed"]
    texts += _of_rate(document, link)
    if queue["high"] is None and seen is not None and seen["rtt_p50_s"] is not None:
        losses = document["losses"]
        overflowed = losses is not None and losses["overshoot"] > 0
        fitted = overflowed and link["sources"]["queue_packets"] == "rtt"
        why = "fitted length grows with the rate" if fitted else "queue may never have been full"
        texts.append(
            f"how long the queue is. The {why}, so the capture shows only a lower bound of"
            f" {counted(queue['low'] or 0, 'packet')}."
        )
    return texts
