"""The loss process of a transfer: how often packets are lost, and how many in a row.

Each needed retransmission repairs one lost transmission. A loss that follows the loss of the
packet before it belongs to the same burst. The two-state chain of Gilbert (1960) has the
transition probabilities b (good to bad) and g (bad to good), with all packets lost in the bad
state. From n lost packets in k bursts among N packets, maximum likelihood gives

    g = k/n        b = k/(N - n)

so that the mean burst is n/k. Left out: losses of ACKs, losses of retransmissions in the bursts
(counted apart), and the time between packets, which the document of a capture does not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.data.exact import at_least, count_interval, share_interval

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import BurstFit as _BurstFit
    from airtcp.questions.diagnose.document import LossFit
    from airtcp.questions.diagnose.transfer import Loss, Transfer

FEW: Final = 10
"""Lost packets below which bursts are not fitted."""
SIGNIFICANT: Final = 0.05


_OVERSHOOT: Final = 4.0
"""How many times as often the first window loses packets as the others, if slow start overshoots
[choice]."""


def fit_losses(transfer: Transfer) -> LossFit:
    """Fit the loss process of a transfer."""
    first = _first_losses(transfer.losses)
    edge = _overshoot(transfer, first)
    steady = [loss for loss in first if loss.start >= edge]
    lost, sent = transfer.lost, transfer.segments + transfer.retransmissions
    later = [loss for loss in transfer.losses if loss.start >= edge]
    early = len(transfer.losses) - len(later)
    # The document may list packets that the sender's host joined as one retransmission.
    part = len(later) / len(transfer.losses) if transfer.losses else 1.0
    steady_lost = round(lost * part)
    steady_sent = max(sent - (transfer.flight_bytes // transfer.payload_bytes) * (early > 0), 1)
    runs = _runs(steady)
    packets, bursts = sum(runs), len(runs)
    low, high = _share_interval(lost, sent, packets, bursts)
    steady_low, steady_high = _share_interval(steady_lost, steady_sent, packets, bursts)
    return {
        "sent": sent,
        "lost": lost,
        "share": lost / sent if sent else 0.0,
        "share_low": low,
        "share_high": high,
        "overshoot": lost - steady_lost,
        "steady_share": steady_lost / steady_sent,
        "steady_low": steady_low,
        "steady_high": steady_high,
        **_bursts(transfer, packets, bursts),
        "lost_first": packets,
        "bursts": bursts,
        "longest_burst": max(runs, default=0),
        "lost_again": max(len(later) - packets, 0),
        "lower_bound": transfer.place in {"receiver", "middle"},
    }


def _bursts(transfer: Transfer, packets: int, bursts: int) -> _BurstFit:
    """Fit the bursts of lost packets, if there are enough."""
    if packets < FEW:
        return {
            "mean_burst": None,
            "mean_burst_low": None,
            "mean_burst_high": None,
            "p_independent": None,
            "bursty": False,
        }
    # Under independence, the packet after a lost one is lost like any other.
    chance = at_least(packets - bursts, packets, min(packets / max(transfer.segments, 1), 1.0))
    low, high = share_interval(bursts, packets)
    return {
        "mean_burst": packets / bursts,
        "mean_burst_low": 1 / high,
        "mean_burst_high": 1 / low,
        "p_independent": chance,
        "bursty": chance < SIGNIFICANT,
    }


def _overshoot(transfer: Transfer, first: list[Loss]) -> int:
    """Return where the window ends in which slow start overshoots; the first byte if it does not.

    Slow start doubles the window until the queue overflows, and then loses many packets of one
    window (RFC 9406). These losses happen once and say nothing about the others.
    """
    if not transfer.losses:
        return 0
    begin = transfer.losses[0].start
    edge = begin + transfer.flight_bytes
    inside = sum(begin <= loss.start < edge for loss in first)
    window = transfer.flight_bytes / transfer.payload_bytes
    others = max(transfer.segments - window, 0.0)
    expected = (len(first) - inside) * window / others if others > window else float("inf")
    return edge if inside >= FEW and inside >= _OVERSHOOT * expected else first[0].start


def _share_interval(lost: int, sent: int, packets: int, bursts: int) -> tuple[float, float]:
    """Return the interval of the share of lost packets.

    Losses of a burst are one event, so the interval is that of the number of bursts.
    """
    if lost == 0 or sent == 0:
        return share_interval(lost, sent)
    events = max(round(lost * bursts / packets) if packets else lost, 1)
    if events == lost:
        return share_interval(lost, sent)
    low, high = count_interval(events)
    share = lost / sent
    return share * low / events, min(share * high / events, 1.0)


def _first_losses(losses: tuple[Loss, ...]) -> list[Loss]:
    """Return one loss for each packet, in the order of the stream."""
    seen: dict[int, Loss] = {}
    for loss in losses:
        seen.setdefault(loss.start, loss)
    return [seen[start] for start in sorted(seen)]


def _runs(losses: list[Loss]) -> list[int]:
    """Return the lengths of the runs of neighbouring lost packets."""
    runs: list[int] = []
    end: int | None = None
    for loss in losses:
        if end is not None and loss.start <= end:
            runs[-1] += 1
        else:
            runs.append(1)
        end = max(loss.end, end or loss.end)
    return runs
