"""The closed forms that the figures draw, written apart from the program's own."""

from __future__ import annotations

from math import log, sqrt

PERIODIC = sqrt(3 / 2)
"""Constant of the square-root law for one loss every 1/p packets and an ACK per packet."""


def square_root(loss: float, rtt_s: float, constant: float = PERIODIC) -> float:
    """Packets per second by Mathis, Semke, Mahdavi and Ott (1997)."""
    return constant / (rtt_s * sqrt(loss))


def padhye(loss: float, rtt_s: float, timeout_s: float, per_ack: int = 1) -> float:
    """Packets per second by Padhye, Firoiu, Towsley and Kurose (1998), equation 30."""
    waiting = timeout_s * min(1.0, 3 * sqrt(3 * per_ack * loss / 8))
    return 1 / (rtt_s * sqrt(2 * per_ack * loss / 3) + waiting * loss * (1 + 32 * loss * loss))


def chain(prr: float, mu: float) -> tuple[float, float]:
    """Give g and b of the Gilbert-Elliott chain."""
    return prr * (1 - mu), (1 - prr) * (1 - mu)


def longest_success(packets: int, prr: float, mu: float) -> tuple[float, float, float]:
    """Mode, mean and standard deviation of the longest success burst of a chain.

    The greatest of about `n PRR b` geometric lengths is close to a Gumbel variable.
    """
    _, b = chain(prr, mu)
    rate = -log(1 - b)
    mode = 1 + log(packets * prr * b) / rate
    return mode, mode + 0.5772 / rate - 0.5, 1.2825 / rate


def mu_error(packets: float, prr: float, mu: float) -> float:
    """Standard error of mu over so many packets of a stationary chain (Billingsley 1961)."""
    g, b = chain(prr, mu)
    return sqrt((g * (1 - g) / (1 - prr) + b * (1 - b) / prr) / packets)


def red_average(drop_share: float, low: float, high: float, max_p: float) -> float:
    """Average queue at which gentle RED drops a given share of the packets.

    The gap between drops is uniform on 1 .. 1/p_b - 1, so the share is 2 p_b.
    """
    p_b = drop_share / 2
    if p_b <= max_p:
        return low + p_b / max_p * (high - low)
    return high + (p_b - max_p) / (1 - max_p) * high
