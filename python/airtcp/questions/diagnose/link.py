"""The link of a transfer for the document: each parameter with its interval and its source."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.exact import count_interval
from airtcp.questions.diagnose.model import LEAST_DELAY_S, LEAST_QUEUE, Path, rounded
from airtcp.questions.diagnose.posterior import is_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.questions.diagnose.document import AirFit, Fitted, LinkFit, QueueFit, RateFit
    from airtcp.questions.diagnose.transfer import Transfer

RTT_OPTION: Final = "the option rtt"
_NORMAL: Final = 1.96
_FEW_BURSTS: Final = 2
_SENT_BEFORE: Final = 2
"""Packets that the least round-trip time may have waited for [choice]."""


def usable(air: AirFit | None) -> AirFit | None:
    """Return the measurement of the air if the draws use it."""
    return air if air is not None and air["not_used"] is None else None


def fitted(
    seen: Mapping[str, Any], transfer: Transfer, air: AirFit | None, *, told: bool
) -> LinkFit:
    """Describe the link that the capture shows, with 95 % intervals."""
    rate = _rate(seen)
    measured = usable(air)
    carried = transfer.packet_bytes / transfer.payload_bytes
    bursts = max(seen["link_bursts"], 1)
    return {
        "rate_bps": rate,
        "delay_s": _delay(seen, rate),
        "queue_packets": _queue(seen),
        "link_loss": _loss(seen) if measured is None else measured["loss"],
        "mean_burst": max(seen["link_losses"], bursts) / bursts,
        "sources": {
            "rate_bps": "option" if told else "timing",
            "delay_s": "option" if transfer.base_from == RTT_OPTION else "timing",
            "queue_packets": "backlog",
            "link_loss": "backlog" if measured is None else "air",
        },
        "utilisation": min(seen["goodput_bps"] * carried / max(rate["value"], 1.0), 1.0),
        "busy_share": min(seen["rate"]["busy_s"] / max(seen["duration_s"], 1e-9), 1.0),
    }


def likely(seen: Mapping[str, Any], link: LinkFit) -> Path:
    """Return the most likely link, for the scenario of the document."""
    queue = link["queue_packets"]
    held = queue["value"] if queue["level_drops"] else max(2 * queue["value"], 60)
    return Path(
        rate_bps=rounded(link["rate_bps"]["value"], 4),
        delay_s=max(rounded(link["delay_s"]["value"], 4), LEAST_DELAY_S),
        queue_packets=max(round(held), LEAST_QUEUE),
        loss=rounded(link["link_loss"]["value"], 3),
        mean_burst=rounded(link["mean_burst"], 3),
        is_codel=is_found(seen, "aqm"),
    )


def _rate(seen: Mapping[str, Any]) -> RateFit:
    rate = seen["rate"]
    value, kind = rate["value_bps"], rate["kind"]
    half = exp(_NORMAL * rate["relative_sd"])
    is_bound = kind in {"weak", "none"}
    return {
        "value": value,
        "low": seen["rate"]["arrived_bps"] if kind == "none" else value / half,
        "high": None if is_bound else value * half,
        "kind": kind,
        "support": rate["support"],
        "busy_packets": rate["busy_packets"],
    }


def _delay(seen: Mapping[str, Any], rate: RateFit) -> Fitted:
    """Return the delay. The least round trip may include the wait for packets sent just before."""
    bits = 8 * (seen["packet_bytes"] + 52)
    waits = 8 * _SENT_BEFORE * seen["packet_bytes"]
    whole, least = seen["least_rtt_s"], rate["low"] or rate["value"]

    def delay(sent: float, bps: float | None) -> float:
        return max((whole - (sent / bps if bps else 0.0)) / 2, 0.0)

    high = delay(bits, rate["high"])
    return {"value": delay(bits, rate["value"]), "low": delay(bits + waits, least), "high": high}


def _queue(seen: Mapping[str, Any]) -> QueueFit:
    queue = seen["queue"]
    if queue is None:
        least = float(seen["largest_backlog"])
        return {"value": least, "low": least, "high": None, "level_drops": 0}
    level, most = queue["packets"], queue["most_packets"]
    margin = max(2.0, 0.02 * level)
    return {
        "value": level,
        "low": max(level - margin, 0.0),
        "high": most + max(2.0, 0.02 * most),
        "level_drops": queue["drops"],
    }


def _loss(seen: Mapping[str, Any]) -> Fitted:
    """Return the share of packets that the link loses; a burst is one event."""
    lost, bursts, exposed = seen["link_losses"], seen["link_bursts"], max(seen["link_exposed"], 1)
    low, high = count_interval(bursts)
    each = lost / bursts if bursts else 1.0
    # An early-dropping queue with a memory (RED) may drop a packet that finds it empty.
    is_early = is_found(seen, "aqm")
    beside_queue = seen["queue"] is not None and bursts <= _FEW_BURSTS
    return {
        "value": lost / exposed,
        "low": 0.0 if beside_queue or is_early else each * low / exposed,
        "high": min(each * high / exposed, 1.0),
    }
