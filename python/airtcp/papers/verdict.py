"""Verdicts: is a published value, or a claimed ordering, met by what was measured here?

A verdict is worked out, never written: the file of a figure gives intervals, tolerances and
margins, the driver gives measures, and the rules are these.

A value is *within interval* if the published interval holds the value here, or the 95 % interval
of the mean here, if it is narrow enough, holds the published value; else *within tolerance* if it
differs by no more than the tolerance, relative or absolute; else *not reproduced*. An interval
with one end ("over 95") is open at the other. An ordering *holds* if the left side is on the
claimed side of the right side by at least the margin, which is relative to the right side. That is
said of the means over the repeats; the reason says in how many repeats it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final, Literal

from airtcp import words
from airtcp.papers.paper import Term

if TYPE_CHECKING:
    from airtcp.papers.outcome import Measure, Outcome
    from airtcp.papers.paper import Claim, Published

Verdict = Literal[
    "within interval", "within tolerance", "ordering holds", "not reproduced", "skipped"
]
MET: Final = ("within interval", "within tolerance", "ordering holds")
_WIDEST: Final = 0.25
"""An interval here wider than this share of the published value is too vague to meet it."""


@dataclass(frozen=True)
class Judged:
    """A verdict with its reason and the numbers behind it."""

    verdict: Verdict
    reason: str
    here: Measure | None = None
    right: float | None = None
    """The right side of an ordering."""
    repeats: tuple[int, int] | None = None
    """Repeats in which an ordering holds, of how many."""

    @property
    def met(self) -> bool:
        """True if what was published is met."""
        return self.verdict in MET


def judge(published: Published, outcome: Outcome) -> Judged:
    """Compare a published value with what was measured.

    Raises:
        KeyError: If the driver measures no such thing; the argument is the term.
    """
    skipped = outcome.why_skipped(published.term)
    if skipped is not None:
        return Judged("skipped", skipped)
    here = outcome.find(published.term)
    if here is None:
        raise KeyError(published.term)
    if here.value is None or not isfinite(here.value):
        return Judged("not reproduced", _because(here.note, published.reason), here)
    within = _within_published(published, here.value) or _within_ours(published, here)
    if within:
        return Judged("within interval", within, here)
    near = _within_tolerance(published, here.value)
    if near:
        return Judged("within tolerance", near, here)
    return Judged(
        "not reproduced", _because(_beyond(published, here.value), published.reason), here
    )


def judge_claim(claim: Claim, outcome: Outcome) -> Judged:
    """Compare the two sides of a claimed ordering.

    Raises:
        KeyError: If the driver measures no such thing; the argument is the term.
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
            return Judged("not reproduced", _because(said, claim.reason), left, right)
    value, other = left.value or 0.0, right or 0.0
    holds = _holds(claim, value, other)
    numbers = f"{words.number(value)} {claim.op} {words.number(other)}{said_margin(claim.margin)}"
    repeats = _repeats(claim, found)
    if holds:
        return Judged(
            "ordering holds", _because(numbers, _in_repeats(repeats)), left, right, repeats
        )
    why = _because(f"not {numbers}", claim.reason)
    return Judged("not reproduced", why, left, right, repeats)


def _holds(claim: Claim, value: float, other: float) -> bool:
    gap = abs(other) * claim.margin
    return {
        ">": value > other + gap,
        ">=": value >= other + gap,
        "<": value < other - gap,
        "<=": value <= other - gap,
    }[claim.op]


def _repeats(claim: Claim, found: list[Measure]) -> tuple[int, int] | None:
    """Count the repeats in which an ordering holds, and those in which it can be told.

    A repeat draws the links of both sides, so they are compared repeat by repeat.
    """
    left = found[0].each
    right = found[-1].each if isinstance(claim.right, Term) else None
    if left is None or (isinstance(claim.right, Term) and right is None):
        return None
    others = right if right is not None else [claim.right] * len(left)
    told = [
        _holds(claim, value, other)
        # One side may have been repeated more often than the other.
        for value, other in zip(left, others, strict=False)
        if isinstance(value, float | int) and isinstance(other, float | int)
    ]
    return sum(told), len(told)


def _in_repeats(repeats: tuple[int, int] | None) -> str:
    return "" if repeats is None else f"in {repeats[0]} of {repeats[1]} repeats"


def said_margin(margin: float) -> str:
    """Say by how much an ordering has to hold.

    >>> said_margin(0.25), said_margin(-0.1), said_margin(0)
    (' by 25.0 %', ' give or take 10.0 %', '')
    """
    if not margin:
        return ""
    return f" {'by' if margin > 0 else 'give or take'} {words.number(100 * abs(margin))} %"


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


def _within_published(published: Published, value: float) -> str:
    low, high = published.low, published.high
    if low is None and high is None:
        return ""
    if (low is None or value >= low) and (high is None or value <= high):
        return f"published: {_interval(low, high)}"
    return ""


def _within_ours(published: Published, here: Measure) -> str:
    value, low, high = published.value, here.low, here.high
    if value is None or low is None or high is None or not low <= value <= high:
        return ""
    if high - low > _WIDEST * abs(value):
        return ""
    return f"here: 95 % {_interval(low, high)}"


def _within_tolerance(published: Published, value: float) -> str:
    """Compare with the tolerance; from an interval, its nearer end counts."""
    aims = [published.value, published.low, published.high]
    for aim in (a for a in aims if a is not None):
        for allowed, said in (
            (published.tolerance, "{} %"),
            (published.tolerance_abs, "{}"),
        ):
            if allowed is None:
                continue
            relative = said == "{} %"
            limit = allowed * abs(aim) if relative else allowed
            # A hair more, or a value exactly at the limit would fail by rounding.
            if abs(value - aim) <= limit * (1 + 1e-9):
                shown = words.number(allowed * (100 if relative else 1))
                return f"tolerance {said.format(shown)}: {published.tolerance_reason}"
    return ""


def _beyond(published: Published, value: float) -> str:
    parts: list[str] = []
    if published.low is not None or published.high is not None:
        parts.append(f"outside {_interval(published.low, published.high)}")
    if published.tolerance is not None:
        parts.append(f"beyond {words.number(100 * published.tolerance)} %")
    if published.tolerance_abs is not None:
        parts.append(f"beyond \N{PLUS-MINUS SIGN}{words.number(published.tolerance_abs)}")
    return f"{words.number(value)} is {' and '.join(parts) or 'another value'}"
