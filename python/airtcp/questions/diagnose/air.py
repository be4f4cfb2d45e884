"""The link of a transfer, measured on the air beside a host.

The joined document has every packet of the host on the air: when it came to the queue, when its
first attempt started, and what became of it. So the loss process, the service of the link and its
queue are counted, and no replay has to guess them.

| quantity | from |
|---|---|
| loss, bursts | fates of the transfer's packets in the order of their first attempts |
| rate | time from the start of a packet to that of the next one that already waited |
| queue | packets that an arriving one finds before their first attempt |

The next packet waits before the service begins, so the length of the service does not decide
whether it counts. Left out: losses and queues behind the air.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.exact import at_least, share_interval
from airtcp.data.extension import mean_interval
from airtcp.questions.diagnose.losses import FEW, SIGNIFICANT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.questions.diagnose.document import AirFit, AirLoss, Fitted
    from airtcp.questions.diagnose.transfer import Transfer

MOST_MISSED: Final = 0.02
"""Share of the attempts, or of the MAC ACKs, that the sniffer may miss [choice]."""
LEAST_PACKETS: Final = 50
"""Packets with a known fate below which the air shows too little [choice]."""
_BATCHES: Final = 20
_LEAST_BATCH: Final = 10
"""Packets of a batch, whose mean is one value of the interval of the rate."""
_LEAST_BATCHES: Final = 5
_MISSED: Final = 2.0
"""How many times the packets that the sniffer missed must be absent from the air to show that the
queue overflowed [choice]."""
_QUEUED: Final = 0.5
"""Median rise of the RTT, as a part of the least RTT, from which a queue stands; and the part of
the rise that the queue before the air must explain to be the one that stands [choice]."""


@dataclass(frozen=True)
class Served:
    """A packet of the host on the link."""

    start_s: float
    arrival_s: float | None
    """When the host sent it, by the clock of the sniffer."""
    lost: bool | None
    is_own: bool
    """Whether it is data of the transfer."""
    is_full: bool
    """Whether it is a full segment of the transfer."""


def measured(document: Mapping[str, Any], transfer: Transfer) -> AirFit | None:
    """Measure the link of a transfer on the air.

    Args:
        document: The document of captures of the air and of hosts, with events.
        transfer: The transfer, as its host saw it.

    Returns:
        The measurement, or why the air is not used; none if no packet of the transfer was found.
    """
    joined: dict[str, Any] | None = document.get("joined")
    if joined is None:
        return None
    rows = _rows(joined["packets"], transfer)
    if not rows:
        return None
    link = _link(document["links"], rows[0])
    packets = _packets(rows, transfer)
    losses = fates_fit([p.lost for p in packets if p.is_own and p.lost is not None])
    is_sent = rows[0]["is_sent"]
    host: dict[str, Any] = joined["hosts"][rows[0]["host"]]
    missed = max(link["sniffer"][key] or 0.0 for key in ("attempt_miss_share", "ack_miss_share"))
    found: AirFit = {
        "transmitter": link["transmitter"],
        "receiver": link["receiver"],
        "missed_share": missed,
        "not_used": None,
        **losses,
        "not_on_air": host["sent_not_on_air"] if is_sent else None,
        "waiting_packets": 0,
        "rate_bps": None,
        "queue_packets": None,
        "queue_elsewhere": False,
    }
    if missed > MOST_MISSED:
        found["not_used"] = "missed"
    elif losses["packets"] < LEAST_PACKETS:
        found["not_used"] = "few"
    elif is_sent:
        _serve(found, packets, transfer, host)
    return found


def _rows(packets: list[Any], transfer: Transfer) -> list[Any]:
    """Return the packets of one host on the link that carried most data of the transfer."""
    keys = ("host", "transmitter", "receiver", "is_sent")

    def place(row: Any) -> tuple[Any, ...]:
        return tuple(row[key] for key in keys)

    own = Counter(place(p) for p in packets if p["from"] == transfer.sender and p["length"] > 0)
    if not own:
        return []
    # The sender's host knows more than the receiver's.
    chosen = max(own, key=lambda where: (where[3], own[where]))
    return [row for row in packets if place(row) == chosen]


def _link(links: list[Any], row: Any) -> Any:
    ends = (row["transmitter"], row["receiver"])
    return next(link for link in links if (link["transmitter"], link["receiver"]) == ends)


def _packets(rows: list[Any], transfer: Transfer) -> list[Served]:
    fates = {"delivered": False, "lost_on_link": True}
    found = [
        Served(
            start_s=row["time_s"],
            arrival_s=None if row["queueing_s"] is None else row["time_s"] - row["queueing_s"],
            lost=fates.get(row["fate"]),
            is_own=row["from"] == transfer.sender and row["length"] > 0,
            is_full=row["from"] == transfer.sender and row["length"] == transfer.payload_bytes,
        )
        for row in rows
    ]
    return sorted(found, key=lambda packet: packet.start_s)


def fates_fit(fates: Sequence[bool]) -> AirLoss:
    """Fit the chain of Gilbert to the fates of packets in order.

    The mean of N values of a chain with the correlation r of neighbours scatters like that of
    N (1 - r)/(1 + r) independent ones; the interval is the exact one for this number.
    """
    packets, lost = len(fates), sum(fates)
    bursts = sum(now and not before for before, now in zip((False, *fates), fates, strict=False))
    share = lost / packets if packets else 0.0
    stay = 1 - bursts / lost if lost else 0.0
    begin = bursts / (packets - lost) if packets > lost else 1.0
    less = (1 - max(stay - begin, 0.0)) / (1 + max(stay - begin, 0.0))
    low, high = share_interval(round(lost * less), round(packets * less))
    found: AirLoss = {
        "packets": packets,
        "lost": lost,
        "loss": {"value": share, "low": min(low, share), "high": max(high, share)},
        "mean_burst": None,
        "bursty": False,
    }
    if lost >= FEW:
        ends = share_interval(bursts, lost)
        found["mean_burst"] = {"value": lost / bursts, "low": 1 / ends[1], "high": 1 / ends[0]}
        found["bursty"] = at_least(lost - bursts, lost, share) < SIGNIFICANT
    return found


def _serve(
    found: AirFit, packets: list[Served], transfer: Transfer, host: Mapping[str, Any]
) -> None:
    """Measure the rate and the queue of a link whose packets the host sent."""
    known = [p for p in packets if p.arrival_s is not None]
    waiting = _waiting(known)
    found["waiting_packets"] = waiting
    found["queue_elsewhere"] = _is_elsewhere(known, transfer)
    services = _services(packets)
    rate = _rate(services, transfer.packet_bytes)
    if rate is None or found["queue_elsewhere"]:
        return
    found["rate_bps"] = rate
    clock: dict[str, Any] | None = host["clock"]
    unsure_s: float = 0.0 if clock is None else clock["uncertainty_s"] or 0.0
    margin = 1 + ceil(unsure_s * rate["value"] / 8 / transfer.packet_bytes)
    # The sniffer may have missed some of the packets that were not found.
    if host["sent_not_on_air"] > 1 + _MISSED * found["missed_share"] * len(packets):
        low, high = float(max(waiting - margin, 1)), float(waiting + margin)
        found["queue_packets"] = {"value": float(waiting), "low": low, "high": high}
    else:
        low = float(max(waiting - margin, 0))
        found["queue_packets"] = {"value": float(2 * waiting), "low": low, "high": None}


def _services(packets: list[Served]) -> list[float]:
    """Return the service times of full segments after which another packet waited, in order."""
    return [
        after.start_s - packet.start_s
        for packet, after in pairwise(packets)
        if packet.is_full and after.arrival_s is not None and after.arrival_s <= packet.start_s
    ]


def _rate(services: list[float], packet_bytes: int) -> Fitted | None:
    """Return the rate of the service, with the interval of means of batches."""
    batches = min(_BATCHES, len(services) // _LEAST_BATCH)
    if batches < _LEAST_BATCHES:
        return None
    edges = [len(services) * i // batches for i in range(batches + 1)]
    means = [sum(services[a:b]) / (b - a) for a, b in pairwise(edges) if b > a]
    ends = mean_interval(means)
    bits = 8 * packet_bytes
    if ends is None or ends[0] <= 0:
        return None
    return {
        "value": bits * len(services) / sum(services),
        "low": bits / ends[1],
        "high": bits / ends[0],
    }


def _waiting(packets: list[Served]) -> int:
    """Return the most packets that an arriving one finds before their first attempt."""
    starts = sorted(packet.start_s for packet in packets)
    arrivals = sorted(packet.arrival_s for packet in packets if packet.arrival_s is not None)
    return max((i - bisect_right(starts, at) for i, at in enumerate(arrivals)), default=0)


def _is_elsewhere(packets: list[Served], transfer: Transfer) -> bool:
    """Tell whether round-trip times grow by a queue that is not the one before the air."""
    rtt, least = transfer.rtt, transfer.base_rtt_s
    waits = sorted(p.start_s - p.arrival_s for p in packets if p.is_own and p.arrival_s is not None)
    if rtt is None or not least or not waits:
        return False
    rise = rtt["p50"] - least
    return rise > _QUEUED * least and waits[len(waits) // 2] < _QUEUED * rise
