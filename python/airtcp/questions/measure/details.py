"""What stands below the answer of a measurement: delays, and the clocks of the two hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.measure.rows import ways
from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import Finding, number

if TYPE_CHECKING:
    from airtcp.questions.measure.document import Delays, MeasureDocument

_MILLI: Final = 1e3
_PLUS_MINUS: Final = "\N{PLUS-MINUS SIGN}"
_MOST_DIGITS: Final = 6
_TWO_DIGITS: Final = 10
"""Least number whose two digits stand before the point."""


def details(document: MeasureDocument) -> tuple[Finding | Grid, ...]:
    """Return what `--details` adds.

    Args:
        document: The document.
    """
    said = clocks_said(document)
    return (delays(document), *([] if said is None else [Finding("Clocks", said)]))


def delays(document: MeasureDocument) -> Grid:
    """Return a row for each thing that was timed: how its times are spread.

    Args:
        document: The document.
    """
    timed: list[tuple[str, Delays | None]] = [("round trip, idle", document["idle"]["rtt"])]
    timed += [
        (f"delay {name}, above the least", way["losses"]["delay"] if way["losses"] else None)
        for way, name in ways(document)
    ]
    timed += [
        (f"round trip, TCP {name}", way["load"]["rtt"] if way["load"] else None)
        for way, name in ways(document)
    ]
    return Grid(
        "time (ms)",
        [name for name, _ in timed],
        [
            Column(title, [_ms(found)[place] for _, found in timed])
            for place, title in enumerate(("least", "median", "95 %", "99 %", "most"))
        ],
    )


def _ms(found: Delays | None) -> list[str]:
    """Return the times in milliseconds, the least first."""
    if found is None:
        return ["-"] * 5
    times = (found["least_s"], found["median_s"], found["p95_s"], found["p99_s"], found["most_s"])
    return [number(time * _MILLI, 3) for time in times]


def clocks_said(document: MeasureDocument) -> str | None:
    """Say how the clocks of the two hosts differ; nothing without an answer to an echo.

    Args:
        document: The document.
    """
    clocks = document["clocks"]
    if clocks is None:
        return None
    offset, error = clocks["offset_s"] * _MILLI, clocks["offset_error_s"] * _MILLI
    where = "ahead of" if offset >= 0 else "behind"
    value = f"{abs(offset):.{_digits(error)}f} {_PLUS_MINUS}{number(error, 2)} ms"
    said = f"The server's clock is {value} {where} this host's"
    drift, wrong = clocks["drift_ppm"], clocks["drift_error_ppm"]
    if drift is None or wrong is None:
        return f"{said}."
    how = "gains" if drift >= 0 else "loses"
    rate = f"{abs(drift):.{_digits(wrong)}f} {_PLUS_MINUS}{number(wrong, 2)}"
    return f"{said}, and {how} {rate} \N{GREEK SMALL LETTER MU}s a second."


def _digits(error: float) -> int:
    """Return the digits after the point that an error leaves: two of the error itself.

    >>> [_digits(error) for error in (25.0, 0.25, 0.003)]
    [0, 2, 4]
    """
    return next((n for n in range(_MOST_DIGITS) if error * 10**n >= _TWO_DIGITS), _MOST_DIGITS)
