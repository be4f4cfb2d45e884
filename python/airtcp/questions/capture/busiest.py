"""Which link of 802.11 is the busiest: the one whose attempts take the most time on the air."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREAMBLE_S: Final = 20e-6
"""Preamble and header of OFDM (IEEE 802.11-2020, 17.3.2.4); frames of an A-MPDU share one."""


def by_airtime(document: Mapping[str, Any]) -> bool:
    """Return whether the rates of all links are known, and with them their airtime."""
    return all(airtime_s(link) is not None for link in document["links"])


def links(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the links, the busiest first: by airtime, or by attempts if a rate is not known.

    A few large frames at a low rate take more time than many small ones at a high rate.
    """
    if not by_airtime(document):
        return sorted(document["links"], key=lambda link: -link["attempts"])
    return sorted(document["links"], key=lambda link: -(airtime_s(link) or 0.0))


def airtime_s(link: Mapping[str, Any]) -> float | None:
    """Estimate the time in s that the captured attempts took, if their rates are known.

    >>> rates = [{"rate_bps": 6_000_000, "attempts": 10}]
    >>> slow = {"bytes": 15000, "attempts": 10, "ampdu_attempts": 0, "rates": rates}
    >>> round(airtime_s(slow), 6)
    0.0202
    >>> airtime_s(slow | {"rates": []}) is None
    True
    """
    known = [(each["rate_bps"], each["attempts"]) for each in link["rates"] if each["rate_bps"]]
    attempts = sum(number for _, number in known)
    if not attempts:
        return None
    seconds_per_bit = sum(number / bps for bps, number in known) / attempts
    apart = link["attempts"] - link["ampdu_attempts"]
    return 8 * link["bytes"] * seconds_per_bit + apart * _PREAMBLE_S
