"""The parts of findings: a sentence with its headline, and the format of numbers.

Terminal and report use the same sentences. Every sentence follows from the document alone. If a
confidence interval contains zero, the sentence names no direction. The other modules of this
package make the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import Estimate

Tone = Literal["good", "bad", "warn", "plain"]


TWICE = 100.0
"""Smallest increase in percent that is written as a factor."""
_ROUNDING = 1e-9

NOT_NEGATIVE: Final = (0.0, inf)
SHARE: Final = (0.0, 1.0)
CHANGE: Final = (-100.0, inf)
ANY: Final = (-inf, inf)
"""Limits of quantities outside the catalogue: amount, share, change in percent, any number."""


SLOT_ASSUMED: Final = "slot 10 ms assumed"
"""The note beside rates over a trace without a packet interval."""


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


_IN_WORDS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


def spelt(number: int) -> str:
    """Write a small whole number as a word, so that it takes no place of a measured one.

    >>> spelt(3), spelt(12)
    ('three', '12')
    """
    return _IN_WORDS[number] if 0 <= number < len(_IN_WORDS) else count(number)


def listed(names: Sequence[str]) -> str:
    """Write a list.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return _joined(names, "and")


def either(names: Sequence[str]) -> str:
    """Write a choice.

    >>> either(["a"]), either(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    return _joined(names, "or")


def _joined(names: Sequence[str], last: str) -> str:
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def begun(text: str) -> str:
    """Begin a sentence: the first letter is a capital, the others stay.

    >>> begun("retransmission by BBR"), begun("")
    ('Retransmission by BBR', '')
    """
    return text[:1].upper() + text[1:]


def counted(number: float, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun, and with a verb that depends on the count.

    Args: number: The count, rounded to whole numbers. noun: The words after 1. plural: The words
        after any other count; by default the noun with an "s".

    >>> counted(1, "link"), counted(12, "link"), counted(0, "link was", "links were")
    ('1 link', '12 links', '0 links were')
    """
    shown = count(number)
    return f"{shown} {noun if shown == '1' else plural or f'{noun}s'}"


def unread(files: int) -> str:
    """Write the number of skipped files, before the name of the first.

    >>> unread(1), unread(2)
    ('1 file was skipped', '2 files were skipped; the first')
    """
    return counted(files, "file was skipped", "files were skipped; the first")


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


def share(part: float) -> str:
    """Write a share in percent: only 1 is written as 100 %, and only 0 as 0 %.

    >>> share(0.5), share(0.9969), share(0.99999), share(1.0), share(0.00001), share(0.0)
    ('50 %', '99.7 %', 'more than 99.9 %', '100 %', 'less than 0.1 %', '0 %')
    """
    if 0 < part < _LEAST_SHARE:
        return f"less than {100 * _LEAST_SHARE} %"
    if 1 - _LEAST_SHARE < part < 1:
        return f"more than {100 - 100 * _LEAST_SHARE} %"
    digits = 2 if part == 1 or number(100 * part, 2) != "100" else 3
    return f"{number(100 * part, digits)} %"


_LEAST_SHARE: Final = 0.001


def percent(share: float | None) -> str:
    """Write an error as a part of something in percent, without the sign.

    >>> percent(0.0374), percent(None)
    ('3.74', '-')
    """
    return "-" if share is None else number(100 * share)


def exact(value: Mapping[str, Any]) -> bool:
    """Return whether all replications gave the same value, except for rounding.

    >>> exact({"mean": 2.0, "ci_low": 2.0, "ci_high": 2.0})
    True
    """
    mean, low, high = (value[key] for key in ("mean", "ci_low", "ci_high"))
    return None not in (mean, low, high) and high - low <= _ROUNDING * abs(mean)


def bounded(
    value: Mapping[str, Any], limits: tuple[float, float] = NOT_NEGATIVE
) -> tuple[float | None, float | None]:
    """Return the ends of a confidence interval, cut off at the limits of the quantity.

    Documents have intervals within their range. One of an earlier version, or one that was summed
    from others, may leave it: the mean cannot lie beyond a limit, so cutting keeps the coverage.

    >>> bounded({"mean": 0.9, "ci_low": -1.5, "ci_high": 3.3}, SHARE)
    (0.0, 1.0)
    >>> bounded({"mean": 0.9, "ci_low": None, "ci_high": None})
    (None, None)
    """
    mean, low, high = (value[key] for key in ("mean", "ci_low", "ci_high"))
    if None in (mean, low, high):
        return None, None
    least, most = limits
    return max(low, min(least, mean)), min(high, max(most, mean))


def estimate(
    value: Mapping[str, Any] | None,
    scale: float,
    limits: tuple[float, float] = NOT_NEGATIVE,
    *,
    short: bool = False,
) -> str:
    r"""Write a mean with its interval, in the unit of its column.

    Args: value: The mean and the ends of its interval. scale: Factor to the unit of the column.
        limits: Limits of the quantity in the unit of the document; see `bounded`. short: Whether to
        write the larger half of the interval after a plus-minus sign instead, if the halves hardly
        differ or are small, and else the ends with fewer digits.

    >>> estimate({"mean": 2.5e6, "ci_low": 2.4e6, "ci_high": 2.6e6}, 1e-6)
    '2.50 [2.40, 2.60]'
    >>> estimate({"mean": 0.917, "ci_low": 0.558, "ci_high": 1.28}, 100.0, SHARE)
    '91.7 [55.8, 100]'
    >>> estimate({"mean": 2.0, "ci_low": 1.7, "ci_high": 2.3}, 1.0, short=True)
    '2.00 \xb10.30'
    >>> estimate({"mean": 2.0, "ci_low": 0.1, "ci_high": 5.0}, 1.0, short=True)
    '2.00 [0.10, 5.0]'
    >>> estimate({"mean": 9.64, "ci_low": 9.2, "ci_high": 9.65}, 1.0, short=True)
    '9.64 [9.20, 9.65]'
    >>> estimate({"mean": 9.64, "ci_low": 9.5, "ci_high": 9.65}, 1.0, short=True)
    '9.64 \xb10.14'
    """
    if value is None or value["mean"] is None:
        return "-"
    text = number(value["mean"] * scale)
    low, high = bounded(value, limits)
    if low is None or high is None or exact(value):
        return text
    if short:
        down, up = value["mean"] - low, high - value["mean"]
        half = max(up, down) / abs(value["mean"]) if value["mean"] else inf
        if half > _SMALL and abs(up - down) > _UNEVEN * (up + down):
            # Two digits would round the ends of a short interval beyond its limits.
            digits = 2 if half > _WIDE else 3
            return f"{text} [{number(low * scale, digits)}, {number(high * scale, digits)}]"
        return f"{text} \N{PLUS-MINUS SIGN}{number(max(up, down) * scale, 2)}"
    return f"{text} [{number(low * scale)}, {number(high * scale)}]"


_UNEVEN: Final = 0.1
"""Largest difference of the halves of an interval, as a share of its width, for one half width."""
_WIDE: Final = 0.1
"""Largest half, as a share of the mean, of an uneven interval whose ends have three digits."""
_SMALL: Final = 0.02
"""Largest half of an uneven interval, as a share of the mean, for one half width. [choice]"""


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
    """Write a difference with its unit, if any, and its confidence interval.

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


def negligible(percent: Estimate | None) -> bool:
    """Return whether a difference in percent is written as 0, without a direction.

    >>> negligible({"mean": 0.04, "ci_low": 0.03, "ci_high": 0.05})
    True
    """
    return percent is not None and percent["mean"] is not None and signed(percent["mean"]) == "0"


def change(percent: Estimate) -> Estimate:
    """Return a difference of amounts in percent with its interval, cut off at -100 %.

    >>> change({"mean": 14.0, "ci_low": -461.0, "ci_high": 58.0})
    {'mean': 14.0, 'ci_low': -100.0, 'ci_high': 58.0}
    """
    low, high = bounded(percent, CHANGE)
    return {"mean": percent["mean"], "ci_low": low, "ci_high": high}


def times(percent: float) -> str:
    r"""Write a difference in percent, as a factor if it is large.

    >>> times(446.0), times(-77.0), times(13.4)
    ('5.5\xd7', '\u221277 %', '+13 %')
    """
    if percent >= TWICE:
        return f"{factor(percent)}\N{MULTIPLICATION SIGN}"
    return f"{signed(percent)} %"


def much(percent: float) -> str:
    """Write a difference in percent in words, as a factor if it is large.

    >>> much(446.0), much(-77.0), much(13.4)
    ('5.5 times as much', '77 % less', '13 % more')
    """
    if percent >= TWICE:
        return f"{factor(percent)} times as much"
    return f"{number(abs(percent), 2)} % {'more' if percent > 0 else 'less'}"


def compared(percent: float) -> str:
    """Write a difference in percent before the name of what it is compared with.

    >>> compared(446.0), compared(-77.0)
    ('5.5 times as much as', '77 % less than')
    """
    return f"{much(percent)} {'as' if percent >= TWICE else 'than'}"


def factor(percent: float) -> str:
    """Write a difference in percent as the factor that it is.

    >>> factor(446.0)
    '5.5'
    """
    return number(1 + percent / 100, 2)


def bounds(interval: tuple[float, float] | None) -> str:
    """Write a confidence interval, or nothing if there is none.

    >>> bounds((0.31, 0.352)), bounds(None)
    (' [0.310, 0.352]', '')
    """
    return "" if interval is None else f" [{number(interval[0])}, {number(interval[1])}]"
