"""Links that the capture allows: draws from what it measured and how well.

| parameter | drawn from |
|---|---|
| rate | a lognormal distribution around the measured rate; a trace of the service if it varies |
| loss of the link | Gamma(bursts + 1/2) by the packets exposed, times the mean burst |
| mean burst | 1/Beta(bursts + 1/2, losses - bursts + 1/2) |
| queue | the backlog at its drops; without drops, log-uniform from the largest backlog upwards |
| delay | what the least round-trip time leaves after transmission |

1/2 is Jeffreys' prior. Half of the draws step the chain of bursts in time, half for each packet: a
capture seldom tells. All else is taken as measured.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose.model import LEAST_DELAY_S, Path, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from airtcp.questions.diagnose.document import AirFit

_NONE: Final = 0.7
"""Probability that a link without losses of its own has none [choice]."""
_FEW: Final = 2
_PART: Final = 0.1
"""Bursts beside a full queue, and their part of the losses, up to which the link may lose none."""
_BURSTS: Final = 10
"""Losses below which bursts are not fitted."""
_LARGEST_LOSS: Final = 0.5
_WIDEST: Final = 4.0
"""How many times the largest backlog the queue may hold if it was never full [choice]."""
_LEAST_BOUND: Final = 60
_LEAST_QUEUE: Final = 2
_ACKS_LOST: Final = 0.02
_LATE: Final = 8
"""Late packets from which the replay reorders [choice]."""
_MOST_LATE: Final = 0.2
_OFFSET_S: Final = 5.0


def draw(random: Random, seen: Mapping[str, Any], air: AirFit | None, trace: str | None) -> Path:
    """Draw a link.

    Args:
        random: The source of the draw.
        seen: The bottleneck that the capture shows.
        air: The measurement of the air beside the host, if it is used.
        trace: The file with the service over time, if the rate varies.
    """
    rate = seen["rate"]["value_bps"] * exp(random.gauss(0.0, seen["rate"]["relative_sd"]))
    bits = 8 * (seen["packet_bytes"] + 52)
    loss, burst = _loss(random, seen, air)
    acks = seen["ack_loss"]
    late = seen["late"] if seen["late"] >= _LATE else 0
    queue = _queue(random, seen, rate)
    return Path(
        rate_bps=rounded(rate, 5),
        delay_s=max(rounded((seen["least_rtt_s"] - bits / rate) / 2, 5), LEAST_DELAY_S),
        queue_packets=max(round(queue), _LEAST_QUEUE),
        loss=rounded(min(loss, _LARGEST_LOSS), 4),
        mean_burst=rounded(burst, 4),
        steps_in_time=random.random() < 0.5,  # noqa: PLR2004 - half of the draws
        is_codel=is_found(seen, "aqm"),
        trace=trace,
        offset_s=0.0 if trace is None else rounded(random.uniform(0.0, _OFFSET_S), 3),
        ack_loss=rounded(acks[0] / acks[1], 4) if acks and acks[0] > _ACKS_LOST * acks[1] else 0.0,
        late_share=rounded(min(late / seen["transmissions"], _MOST_LATE), 4),
        late_s=max(rounded(seen["late_extra_s"], 4), 1e-4),
    )


def is_found(seen: Mapping[str, Any], test: str) -> bool:
    """Return whether a test for other links found one."""
    return seen[test] is not None and seen[test]["found"]


def _loss(random: Random, seen: Mapping[str, Any], air: AirFit | None) -> tuple[float, float]:
    """Draw the loss of the link and its mean burst."""
    lost, bursts, exposed = seen["link_losses"], seen["link_bursts"], seen["link_exposed"]
    if air is not None:
        lost, exposed = air["lost"], air["packets"]
        mean = air["mean_burst"]
        bursts = lost if mean is None or not air["bursty"] else round(lost / mean["value"])
    exposed = max(exposed, 1)
    beside_queue = seen["queue"] is not None and bursts <= _FEW and lost <= _PART * seen["lost"]
    if bursts == 0 or (beside_queue and air is None):
        chance = random.gammavariate(bursts + 0.5, 1.0) / exposed
        return (0.0 if random.random() < _NONE else chance), 1.0
    burst = 1.0
    if lost > bursts and lost >= _BURSTS and lost - bursts > 3 + 2 * lost * lost / exposed:
        burst = 1 / random.betavariate(bursts + 0.5, lost - bursts + 0.5)
    return random.gammavariate(bursts + 0.5, 1.0) / exposed * burst, burst


def _queue(random: Random, seen: Mapping[str, Any], rate: float) -> float:
    queue = seen["queue"]
    if queue is None:
        least = max(seen["largest_backlog"], 4)
        full = rate * seen["least_rtt_s"] / 8 / seen["packet_bytes"]
        most = max(_WIDEST * least, 2 * full, _LEAST_BOUND)
        return least * exp(random.random() * log(most / least))
    level, most = queue["packets"], queue["most_packets"]
    if most > level:
        return random.uniform(level, most)
    # The backlog counts the packet in transmission, of which a part is still to be sent.
    noise = min(queue["sd_packets"], 0.02 * level + 1) / 2
    return level - random.random() + random.gauss(0.0, noise)
