"""S2's expected goodput: the greatest goodput of TCP over 802.11 without losses, by rate.

S2 (section III-A) adds up four transmissions for each segment: the segment, its MAC ACK, the TCP
ACK at the same rate, and its MAC ACK at half the rate, with DIFS, SIFS, preambles and whole
symbols. S2 does not mention the back-off; `slots` adds a mean of so many slots to both packets.

Times are in microseconds, of 802.11a (IEEE 802.11-2012, table 18-17).
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

RATES: Final = (6, 9, 12, 18, 24, 36, 48, 54)
"""Rates of 802.11a in Mb/s."""
_SIFS: Final = 16
_SLOT: Final = 9
_DIFS: Final = _SIFS + 2 * _SLOT
_PREAMBLE: Final = 20
_SYMBOL: Final = 4
_SERVICE_AND_TAIL_BITS: Final = 22
_MAC_ACK: Final = 14
_HEADERS: Final = 40 + 8 + 28
"""TCP and IP; LLC and SNAP; MAC header and FCS."""


def frame_us(length: int, rate: float) -> float:
    """Return the time of a frame.

    Args: length: Bytes from the MAC header to the FCS. rate: Mb/s.

    >>> frame_us(1536, 54), frame_us(14, 24)
    (248, 28)
    """
    bits = 8 * length + _SERVICE_AND_TAIL_BITS
    return _PREAMBLE + _SYMBOL * ceil(bits / (rate * _SYMBOL))


def ack_rate(rate: float) -> float:
    """Return half the rate, as far as it is a rate; the next lower one otherwise.

    >>> [ack_rate(rate) for rate in RATES]
    [6, 6, 6, 9, 12, 18, 24, 24]
    """
    return max((one for one in RATES if one <= rate / 2), default=RATES[0])


def expected(rate: float, *, slots: float = 0.0, segment: int = 1460, each: float = 1.0) -> float:
    """Return the expected goodput at a rate, Mb/s.

    Args: rate: Mb/s. slots: Mean back-off of each packet. segment: Bytes of application data. each:
        Segments for each TCP ACK.

    >>> [round(expected(rate), 2) for rate in RATES]
    [4.89, 7.0, 8.9, 12.53, 15.61, 20.86, 24.75, 26.79]
    >>> [round(expected(rate, slots=7.5), 2) for rate in (6, 54)]
    [4.63, 20.46]
    """
    fixed = _DIFS + slots * _SLOT + _SIFS + frame_us(_MAC_ACK, ack_rate(rate))
    data = fixed + frame_us(segment + _HEADERS, rate)
    ack = fixed + frame_us(_HEADERS, rate)
    return 8 * segment / (data + ack / each)


def weighted(shares: Mapping[int, float]) -> float | None:
    """Return S2's weighted expected goodput: the mean over the shares of the rates, Mb/s.

    >>> round(weighted({24: 0.5, 36: 0.5}), 2)
    18.24
    """
    whole = sum(shares.values())
    if not whole:
        return None
    return sum(share * expected(rate) for rate, share in shares.items()) / whole


def harmonic(shares: Mapping[int, float]) -> float | None:
    """Return the goodput of packets sent in these shares: weighted by their times, Mb/s.

    >>> round(harmonic({24: 0.5, 36: 0.5}), 2)
    17.86
    """
    whole = sum(shares.values())
    if not whole:
        return None
    return whole / sum(share / expected(rate) for rate, share in shares.items())
