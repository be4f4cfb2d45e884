"""Rates and times with a unit, as options give them."""

from __future__ import annotations

import re
from typing import Final

from airtcp import _core

_RATES: Final = {"b/s": 1.0, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9}
_TIMES: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
_QUANTITY: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]+)\s*")


def rate_of(text: str, option: str) -> float:
    """Read a rate in bits per second.

    >>> rate_of("20 Mb/s", "rate")
    20000000.0

    Raises:
        AirtcpError: If it is none.
    """
    return _read(text, option, _RATES, "20 Mb/s")


def time_of(text: str, option: str) -> float:
    """Read a time in seconds.

    >>> time_of("30 ms", "rtt")
    0.03

    Raises:
        AirtcpError: If it is none.
    """
    return _read(text, option, _TIMES, "30 ms")


def _read(text: str, option: str, units: dict[str, float], example: str) -> float:
    found = _QUANTITY.fullmatch(text)
    value = float(found[1]) * units.get(found[2], 0.0) if found else 0.0
    if not 0 < value < 1e15:  # noqa: PLR2004 - no link and no path is near it
        message = (
            f"{option} {text}: expected a number above 0 with a unit ({', '.join(units)}), such as"
            f" '{example}'"
        )
        raise _core.AirtcpError(message)
    return value
