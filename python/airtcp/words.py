"""What findings in plain words are made of: a sentence with its headline, and how numbers read.

The terminal and the report use the same sentences, so they never disagree. Every sentence is
made from the document alone; where a confidence interval spans zero the sentence says so
instead of naming a direction. The sentences themselves are in the modules `words_...`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.documents import Estimate

Tone = Literal["good", "bad", "warn", "plain"]


TWICE = 100.0
"""Percent more from which on a factor reads better."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Finding:
    """One sentence, its few-word headline, and whether it needs attention."""

    headline: str
    text: str
    tone: Tone = "plain"


def count(number: float) -> str:
    """Write a whole number with thin grouping.

    >>> print(count(300), count(999.6))
    300 1 000
    """
    text = f"{number:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return text.replace("-", "\N{MINUS SIGN}")


def counted(number: int, noun: str) -> str:
    """Write a count with its noun.

    >>> counted(1, "link"), counted(12, "link")
    ('1 link', '12 links')
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def number(value: float | None, digits: int = 3) -> str:
    r"""Write a number with a few significant digits, never in exponent form.

    >>> number(0.35249), number(12.3456), number(12345, 2), number(0.0), number(None)
    ('0.352', '12.3', '12\u202f000', '0', 'unknown')
    """
    if value is None:
        return "unknown"
    if abs(value) >= 10 ** (digits - 1):
        places = digits - len(str(int(abs(value))))
        return count(round(value, min(places, 0)))
    if value == 0:
        return "0"
    decimals = digits - 1
    magnitude = abs(value)
    while magnitude < 1 and decimals < digits + 2:
        magnitude *= 10
        decimals += 1
    while magnitude >= 10:  # noqa: PLR2004 - a decimal place for each power of ten
        magnitude /= 10
        decimals -= 1
    text = f"{value:.{max(decimals, 0)}f}"
    return "0" if not text.strip("-0.") else text.replace("-", "\N{MINUS SIGN}")


def exact(value: Mapping[str, Any]) -> bool:
    """Tell whether all replications gave the same, but for rounding: no interval is needed.

    >>> exact({"mean": 2.0, "ci_low": 2.0, "ci_high": 2.0})
    True
    """
    mean, low, high = (value[key] for key in ("mean", "ci_low", "ci_high"))
    return None not in (mean, low, high) and high - low <= _ROUNDING * abs(mean)


def signed(value: float) -> str:
    """Write a difference with its sign, with a true minus.

    >>> signed(3.14159), signed(-120.4), signed(0.0)
    ('+3.1', '−120', '0')
    """
    text = count(abs(value)) if abs(value) >= 10 else f"{abs(value):.1f}"  # noqa: PLR2004
    if not text.strip("0."):
        return "0"
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def measured(estimate: Estimate, unit: str = "") -> str:
    """Write a difference with its unit, if it is to have one, and its confidence interval.

    >>> measured({"mean": 38.2, "ci_low": 31.0, "ci_high": 45.1}, "%")
    '+38 % [+31, +45]'
    >>> measured({"mean": 2.5, "ci_low": None, "ci_high": None}, "packets/s")
    '+2.5 packets/s'
    >>> measured({"mean": -1.25, "ci_low": -2.0, "ci_high": -0.5})
    '\N{MINUS SIGN}1.2 [\N{MINUS SIGN}2.0, \N{MINUS SIGN}0.5]'
    """
    if estimate["mean"] is None:
        return "unknown"
    text = f"{signed(estimate['mean'])} {unit}".rstrip()
    if estimate["ci_low"] is None or estimate["ci_high"] is None:
        return text
    return f"{text} [{signed(estimate['ci_low'])}, {signed(estimate['ci_high'])}]"


def times(percent: float) -> str:
    r"""Write a difference in percent as a factor, where it is one.

    >>> times(446.0), times(-77.0), times(13.4)
    ('5.5\xd7', '\u221277 %', '+13 %')
    """
    if percent >= TWICE:
        return f"{factor(percent)}\N{MULTIPLICATION SIGN}"
    return f"{signed(percent)} %"


def factor(percent: float) -> str:
    """Write a difference in percent as the factor that it is.

    >>> factor(446.0)
    '5.5'
    """
    return number(1 + percent / 100, 2)


def bounds(interval: tuple[float, float] | None) -> str:
    """Write a confidence interval, or nothing where there is none.

    >>> bounds((0.31, 0.352)), bounds(None)
    (' [0.310, 0.352]', '')
    """
    return "" if interval is None else f" [{number(interval[0])}, {number(interval[1])}]"
