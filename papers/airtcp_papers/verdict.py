"""Verdicts: whether the measures meet a published value or a claimed ordering.

A verdict is computed from the intervals, tolerances and margins of a figure's file and the measures
of its driver, by these rules.

A value has a region in which it is met: the published interval as printed (*within interval*), or
the tolerance, relative or absolute, to both sides of the published value (*within tolerance*). A
tolerance never widens a published interval. An interval with one end ("over 95") is open at the
other. The 95 % interval of the mean here decides together with the mean:

- the mean lies in the region, and the interval here is no wider than the region: met;
- the mean lies in a region with one end, and the interval here does not reach over it: met;
- neither the mean nor the interval here touches the region: *not reproduced*;
- everything else is *undecided*: there are too few runs.

An ordering *holds* if the left side is on the claimed side of the right side by at least the
margin, which is relative to the right side, and the 95 % interval of that gap agrees; `~` holds if
the sides differ by no more than the margin in either direction. If both sides were repeated
together, the gap is taken repeat by repeat. A single measurement has no interval: its value alone
decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, isfinite
from typing import TYPE_CHECKING, Final, Literal

from airtcp.words import sentences as words
from airtcp_papers.outcome import repeated
from airtcp_papers.paper import Term, cause_of

if TYPE_CHECKING:
    from airtcp_papers.outcome import Measure, Outcome
    from airtcp_papers.paper import Claim, Published

Verdict = Literal[
    "within interval", "within tolerance", "ordering holds", "undecided", "not reproduced",
    "skipped",
]  # fmt: skip
MET: Final = ("within interval", "within tolerance", "ordering holds")
_Where = Literal["in", "unclear", "out"]
_HAIR: Final = 1e-9
"""A value exactly at a limit would fail by rounding."""


@dataclass(frozen=True)
class Judged:
    """A verdict with its reason and the numbers behind it."""

    verdict: Verdict
    reason: str
    here: Measure | None = None
    right: float | None = None
    """The right side of an ordering."""
    repeats: tuple[int, int] | None = None
    """Repeats in which an ordering holds, and all repeats."""

    @property
    def met(self) -> bool:
        """True if the published statement is met."""
        return self.verdict in MET


@dataclass(frozen=True)
class _Region:
    """The region in which a value is met; a missing end is infinite."""

    low: float
    high: float

    def place(self, value: float, low: float | None, high: float | None) -> _Where:
        """Return the place of a mean, and whether its interval makes it unclear."""
        slack = _HAIR * max(abs(end) for end in (self.low, self.high, 0.0) if isfinite(end))
        inside = self.low - slack <= value <= self.high + slack
        if low is None or high is None:
            return "in" if inside else "out"
        if not inside:
            return "out" if high < self.low - slack or low > self.high + slack else "unclear"
        if isfinite(self.high - self.low):
            return "in" if high - low <= self.high - self.low + 2 * slack else "unclear"
        return "in" if low >= self.low - slack and high <= self.high + slack else "unclear"


def judge(published: Published, outcome: Outcome) -> Judged:
    """Compare a published value with the measure.

    Raises: KeyError: If the driver has no such measure; the argument is the term.
    """
    skipped = outcome.why_skipped(published.term)
    if skipped is not None:
        return Judged("skipped", skipped)
    here = outcome.find(published.term)
    if here is None:
        raise KeyError(published.term)
    if here.value is None or not isfinite(here.value):
        return Judged("not reproduced", _because(here.note, cause_of(published)), here)
    unclear = False
    for verdict, region, said in _regions(published):
        where = region.place(here.value, here.low, here.high)
        if where == "in":
            return Judged(verdict, said, here)
        unclear = unclear or where == "unclear"
    beyond = _beyond(published, here.value)
    if unclear:
        ours = f"95 % {_interval(here.low, here.high)} here is too wide to tell"
        return Judged("undecided", _because(ours, cause_of(published)), here)
    return Judged("not reproduced", _because(beyond, cause_of(published)), here)


def _regions(published: Published) -> list[tuple[Verdict, _Region, str]]:
    """List the regions in which a published value is met."""
    found: list[tuple[Verdict, _Region, str]] = []
    low, high, value = published.low, published.high, published.value
    if low is not None or high is not None:
        region = _Region(-inf if low is None else low, inf if high is None else high)
        found.append(("within interval", region, f"published: {_interval(low, high)}"))
    if value is not None:
        for allowed, factor, unit in (
            (published.tolerance, abs(value), " %"),
            (published.tolerance_abs, 1.0, ""),
        ):
            if allowed is None:
                continue
            half = allowed * factor
            shown = words.number(allowed * (100 if unit else 1))
            said = f"tolerance {shown}{unit}: {published.tolerance_reason}"
            found.append(("within tolerance", _Region(value - half, value + half), said))
    return found


def judge_claim(claim: Claim, outcome: Outcome) -> Judged:
    """Compare the two sides of a claimed ordering.

    Raises: KeyError: If the driver has no such measure; the argument is the term.
    """
    terms = [claim.left, *([claim.right] if isinstance(claim.right, Term) else [])]
    for wanted in terms:
        skipped = outcome.why_skipped(wanted)
        if skipped is not None:
            return Judged("skipped", skipped)
    found = [_measure(wanted, outcome) for wanted in terms]
    left = found[0]
    right = found[1].value if isinstance(claim.right, Term) else claim.right
    for wanted, measure in zip(terms, found, strict=True):
        if not _known(measure.value):
            said = f"{wanted} was not measured: {measure.note}"
            return Judged("not reproduced", _because(said, cause_of(claim)), left, right)
    value, other = left.value or 0.0, right or 0.0
    where = _ordered(claim, value, other, *_gap(claim, found, value, other))
    numbers = f"{words.number(value)} {claim.op} {words.number(other)}{said_margin(claim)}"
    repeats = _repeats(claim, found)
    verdict: Verdict
    if where == "in":
        verdict, why = "ordering holds", _because(numbers, _in_repeats(repeats))
    elif where == "unclear":
        verdict = "undecided"
        open_ = f"whether {numbers} is within the scatter of the runs"
        why = _because(_because(open_, _in_repeats(repeats)), cause_of(claim))
    else:
        verdict, why = "not reproduced", _because(f"not {numbers}", cause_of(claim))
    return Judged(verdict, why, left, right, repeats)


def _ordered(
    claim: Claim, value: float, other: float, low: float | None, high: float | None
) -> _Where:
    """Return the side of an ordering, given the 95 % interval of left minus right."""
    gap, margin = value - other, abs(other) * claim.margin
    if claim.op == "~":
        return _Region(-margin, margin).place(gap, low, high)
    if claim.op in {"<", "<="}:
        gap, low, high = -gap, *(None if end is None else -end for end in (high, low))
    holds = gap >= margin if claim.op in {"<=", ">="} else gap > margin
    if low is None or high is None:
        return "in" if holds else "out"
    if holds:
        return "in" if low >= margin else "unclear"
    return "unclear" if high > margin else "out"


def _gap(
    claim: Claim, found: list[Measure], value: float, other: float
) -> tuple[float | None, float | None]:
    """Return the 95 % interval of left minus right, if there is one.

    The margin scales with the right side, whose scatter counts with it.
    """
    left = found[0]
    right = found[1] if isinstance(claim.right, Term) else None
    pairs = [] if left.each is None else list(_pairs(left.each, claim.right, right))
    if len(pairs) > 1 and len(pairs) == len(left.each or ()):
        sign = -1.0 if claim.op in {"<", "<="} else 1.0
        weight = 0.0 if claim.op == "~" else sign * claim.margin
        gaps = repeated("gap", {}, [one - two - weight * abs(two) for one, two in pairs])
        if gaps.low is None or gaps.high is None:
            return None, None
        back = weight * abs(other)
        low, high = gaps.low + back, gaps.high + back
        if left.weights is None and (right is None or right.weights is None):
            return low, high
        # Few events do not show the scatter of their gap, so the sides' own intervals count, too.
        apart_low, apart_high = _apart(left, right, value, other)
        return min(low, apart_low), max(high, apart_high)
    if left.low is None and (right is None or right.low is None):
        return None, None
    return _apart(left, right, value, other)


def _apart(left: Measure, right: Measure | None, value: float, other: float) -> tuple[float, float]:
    """Return the interval of the gap of two sides that were not repeated together.

    The distances of both sides' ends are combined (Zou and Donner 2008).
    """
    below, above = _reach(left, value)
    right_below, right_above = (0.0, 0.0) if right is None else _reach(right, other)
    gap = value - other
    return gap - hypot(below, right_above), gap + hypot(above, right_below)


def _reach(side: Measure, value: float) -> tuple[float, float]:
    """Return how far an interval reaches below and above its mean; 0 without an interval."""
    return (
        0.0 if side.low is None else value - side.low,
        0.0 if side.high is None else side.high - value,
    )


def _pairs(
    each: list[float | None], fixed: Term | float, right: Measure | None
) -> list[tuple[float, float]]:
    """Pair the repeats of both sides, since a repeat draws the links of both."""
    others: list[float | None]
    if isinstance(fixed, Term):
        # One side may have been repeated more often than the other.
        others = [] if right is None or right.each is None else right.each
    else:
        others = [fixed] * len(each)
    return [
        (one, two)
        for one, two in zip(each, others, strict=False)
        if isinstance(one, float | int) and isinstance(two, float | int)
    ]


def _repeats(claim: Claim, found: list[Measure]) -> tuple[int, int] | None:
    """Count the repeats in which an ordering holds, and those in which it is defined."""
    left = found[0].each
    right = found[-1] if isinstance(claim.right, Term) else None
    if left is None or (right is not None and right.each is None):
        return None
    pairs = _pairs(left, claim.right, right)
    held = sum(_ordered(claim, one, two, None, None) == "in" for one, two in pairs)
    return held, len(pairs)


def _in_repeats(repeats: tuple[int, int] | None) -> str:
    return "" if repeats is None else f"in {repeats[0]} of {repeats[1]} repeats"


def said_margin(claim: Claim) -> str:
    """Write the margin of an ordering."""
    if not claim.margin:
        return ""
    how = "give or take" if claim.op == "~" else "by" if claim.margin > 0 else "less"
    return f" {how} {words.number(100 * abs(claim.margin))} %"


def _measure(wanted: Term, outcome: Outcome) -> Measure:
    found = outcome.find(wanted)
    if found is None:
        raise KeyError(wanted)
    return found


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _because(fact: str, reason: str) -> str:
    return "; ".join(part for part in (fact, reason) if part)


def _interval(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {words.number(high)}"
    if high is None:
        return f"at least {words.number(low)}"
    return f"[{words.number(low)}, {words.number(high)}]"


def _beyond(published: Published, value: float) -> str:
    parts: list[str] = []
    if published.low is not None or published.high is not None:
        parts.append(f"outside {_interval(published.low, published.high)}")
    if published.tolerance is not None:
        parts.append(f"beyond {words.number(100 * published.tolerance)} %")
    if published.tolerance_abs is not None:
        parts.append(f"beyond \N{PLUS-MINUS SIGN}{words.number(published.tolerance_abs)}")
    return f"{words.number(value)} is {' and '.join(parts)}"
