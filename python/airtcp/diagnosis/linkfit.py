"""The fitted link for the document: each parameter with its interval and its source.

What the air shows goes before what replays show; an option goes before both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.diagnosis.matching import Known
from airtcp.diagnosis.model import path_of

if TYPE_CHECKING:
    from airtcp.diagnose_document import AirFit, Fitted, LinkFit, LossFit, Origin, Sources
    from airtcp.diagnosis.matching import Match
    from airtcp.diagnosis.model import Path
    from airtcp.diagnosis.transfer import Delivery, Transfer

RTT_OPTION: Final = "the option rtt"
_SAME: Final = 1.001
"""Lower end of the rate by the steady delivery rate up to which they are the same."""


def usable(air: AirFit | None) -> AirFit | None:
    """Return the measurement of the air if the fit uses it."""
    return air if air is not None and air["not_used"] is None else None


def known_of(air: AirFit | None, rate_bps: float | None, delivery: Delivery | None = None) -> Known:
    """Return what replays need not find.

    Args:
        air: The measurement of the air, if there is one.
        rate_bps: The rate, if an option tells it.
        delivery: The rates at which data arrived, if they were measured.
    """
    least = None if delivery is None else delivery.steady_bps
    most = 0.0 if delivery is None or least is None else delivery.largest_bps
    measured = usable(air)
    if measured is None:
        return Known(rate_bps=rate_bps, least_rate_bps=least, delivered_bps=most)
    rate, queue, burst = measured["rate_bps"], measured["queue_packets"], measured["mean_burst"]
    if rate_bps is None and rate is not None:
        rate_bps = rate["value"]
    return Known(
        rate_bps=rate_bps,
        least_rate_bps=least,
        delivered_bps=most,
        loss=measured["loss"]["value"],
        mean_burst=burst["value"] if burst is not None and measured["bursty"] else 1.0,
        queue_packets=None if queue is None else round(queue["value"]),
    )


def fitted(
    transfer: Transfer, losses: LossFit, match: Match, *, told: bool, air: AirFit | None = None
) -> LinkFit:
    """Describe the fitted link for the document, with the intervals of its parameters."""
    measured = usable(air)
    rate: Fitted = {
        "value": match.chosen.rate_bps,
        "low": match.rate_low_bps,
        "high": match.rate_high_bps,
    }
    if measured is not None and measured["rate_bps"] is not None and not told:
        rate = {**measured["rate_bps"], "value": match.chosen.rate_bps}
    low, high = rate["low"] or 0.0, rate["high"]
    queue = _queue(transfer, losses, match, low, high)
    loss = _loss(losses, match)
    if measured is not None:
        queue = measured["queue_packets"] or queue
        loss = measured["loss"]
    carried = transfer.packet_bytes / transfer.payload_bytes
    return {
        "rate_bps": rate,
        "delay_s": {
            "value": match.chosen.delay_s,
            "low": _path(transfer, low, losses).delay_s,
            "high": (transfer.base_rtt_s or 0.0) / 2,
        },
        "queue_packets": queue,
        "link_loss": loss,
        "sources": _sources(transfer, match, measured, told=told),
        "origins": _origins(match),
        "utilisation": transfer.goodput_bps * carried / match.chosen.rate_bps,
        "distance": match.best.distance,
        "rate_told": told,
    }


def _queue(
    transfer: Transfer, losses: LossFit, match: Match, low: float, high: float | None
) -> Fitted:
    """Return the queue by round-trip times."""
    # If the link may cause every loss and slow start never overshot, the queue may not have been
    # full.
    possible = {candidate.part for candidate in match.possible()}
    caused = losses["overshoot"] > 0 or 1.0 not in possible
    filled = losses["lost"] > 0 and caused and transfer.rtt is not None
    ends = [_path(transfer, rate, losses).queue_packets for rate in (low, high or low)]
    value = match.chosen.queue_packets
    return {
        "value": value,
        "low": min(ends[0], value) - 1,
        "high": max(ends[1], value) + 1 if filled and high is not None else None,
    }


def _loss(losses: LossFit, match: Match) -> Fitted:
    """Return the loss of the link: a part of the losses of TCP."""
    low, high = losses["steady_low"], losses["steady_high"]
    if not losses["lost"]:
        return {"value": match.chosen.loss, "low": 0.0, "high": high}
    least, most = match.parts()
    return {"value": match.chosen.loss, "low": low * least, "high": high * most}


def _origins(match: Match) -> list[Origin]:
    possible = {candidate.part for candidate in match.possible()}
    parts = sorted({candidate.part for candidate in match.candidates} | possible)
    return [
        {"part": part, "distance": match.near(part), "possible": part in possible} for part in parts
    ]


def _sources(transfer: Transfer, match: Match, air: AirFit | None, *, told: bool) -> Sources:
    steady = None if transfer.delivery is None else transfer.delivery.steady_bps
    bounds = steady is not None and match.rate_low_bps <= _SAME * steady
    rate = "delivery" if bounds else "replays"
    if air is not None and air["rate_bps"] is not None:
        rate = "air"
    loss = "tcp" if air is None else "air"
    return {
        "rate_bps": "option" if told else rate,
        "delay_s": "option" if transfer.base_from == RTT_OPTION else "rtt",
        "queue_packets": "air" if air is not None and air["queue_packets"] else "rtt",
        "link_loss": loss,
        "mean_burst": loss,
    }


def _path(transfer: Transfer, rate: float, losses: LossFit) -> Path:
    return path_of(transfer, max(rate, 1.0), 0.0, 1.0, overflowed=losses["lost"] > 0)
