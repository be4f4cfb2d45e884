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

from airtcp.diagnosis.exact import at_least, count_interval, share_interval

if TYPE_CHECKING:
    from airtcp.diagnose_document import LossFit
    from airtcp.diagnosis.transfer import Loss, Transfer

FEW: Final = 10
"""Lost packets below which bursts are not fitted."""
_SIGNIFICANT: Final = 0.05


def fit_losses(transfer: Transfer) -> LossFit:
    """Fit the loss process of a transfer."""
    first = _first_losses(transfer.losses)
    runs = _runs(first)
    lost, sent = transfer.lost, transfer.segments + transfer.retransmissions
    packets = max(sum(runs), 1) if runs else 0
    bursts = len(runs)
    low, high = _share_interval(lost, sent, packets, bursts)
    after = packets - bursts
    # Under independence, the packet after a lost one is lost like any other.
    chance = at_least(after, packets, min(packets / max(transfer.segments, 1), 1.0))
    enough = packets >= FEW
    end_low, end_high = share_interval(bursts, packets)
    return {
        "sent": sent,
        "lost": lost,
        "share": lost / sent if sent else 0.0,
        "share_low": low,
        "share_high": high,
        "lost_first": packets,
        "bursts": bursts,
        "longest_burst": max(runs, default=0),
        "mean_burst": packets / bursts if bursts and enough else None,
        "mean_burst_low": 1 / end_high if bursts and enough else None,
        "mean_burst_high": 1 / end_low if bursts and enough else None,
        "p_independent": chance if enough else None,
        "bursty": enough and chance < _SIGNIFICANT,
        "lost_again": max(lost - packets, 0),
        "lower_bound": transfer.place in {"receiver", "middle"},
    }


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
