"""Which few variants may be best, and how many replications of these few should tell.

A verdict on many variants makes many claims together, so that its intervals are long. A comparison
of a few makes fewer, and needs fewer replications. The numbers follow from the scatter of the
paired differences, which falls with the square root of the number.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote
from statistics import NormalDist, fmean, stdev
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.exact import student
from airtcp.questions.compare import cell_values as values
from airtcp.questions.compare import quantities
from airtcp.words.grid import elided
from airtcp.words.sentences import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from airtcp.data.documents import CompareCase, Measure, SchemeQuestion, SchemesSubject

_ALPHA: Final = 0.05
"""Probability of a wrong claim anywhere in a verdict."""
_FEW: Final = 3
"""Most variants that are named beside the one they are compared with."""
_MOST: Final = 50
"""Most replications that are advised."""
_LEAST: Final = 8
_NAME: Final = 40
"""Characters of a name in a sentence."""
_SOON: Final = 16
"""Replications that are not too many for one more variant."""
_MORE: Final = 8
"""Replications to try at least, if it is not known how many would tell."""


@dataclass(frozen=True)
class Settling:
    """The few that may be best, the most promising first, and the replications that should tell."""

    names: list[str]
    number: int | None

    def tells(self, replications: int) -> str:
        """Say how many replications of the few should tell.

        Args:
            replications: Those that do not tell.
        """
        alone = f"of {listed([elided(name, _NAME) for name in self.names])} alone"
        if self.number is None:
            return f"More replications {alone} (-n {_more(replications)}) may tell."
        return f"About {self.number} replications {alone} should tell."

    def command(self, option: str, first: str | None, replications: int) -> str:
        """Write the options of the comparison that should tell.

        Args:
            option: `tcp`, `remedies` or `schemes`.
            first: What the few are compared with, if it must be named.
            replications: Those that do not tell.
        """
        number = f" -n {self.number or _more(replications)}"
        named = ",".join([*([] if first is None else [first]), *self.names])
        return f"--{option} {quote(named)}{number}"


def _more(replications: int) -> int:
    return max(_MORE, 2 * replications)


@dataclass(frozen=True)
class _Pair:
    """The differences of a quantity, positive if better, and the least that matters."""

    each: list[float]
    margin: float

    @property
    def size(self) -> float:
        """The mean difference in units of the least that matters."""
        return fmean(self.each) / self.margin if self.margin > 0 else 0.0

    def needed(self, alpha: float) -> int | None:
        """Return the replications after which the difference, or its smallness, should show."""
        mean, scatter = abs(fmean(self.each)), stdev(self.each)
        aim = mean if mean >= self.margin else max(self.margin - mean, self.margin / 4)
        z = NormalDist().inv_cdf(1 - alpha / 2)
        first = max(len(self.each) + 1, _LEAST)
        numbers = range(first, _MOST + 1)
        return next((n for n in numbers if student(z, n - 1) * scatter < aim * n**0.5), None)


def tcps(
    case: CompareCase, first: str, unknown: Sequence[str], *, goodput: bool = False
) -> Settling | None:
    """Return the few TCPs or remedies that may be as good as the first, by goodput.

    Args:
        case: The case.
        first: The one that the others are compared with.
        unknown: Those of which the replications do not tell.
        goodput: Whether only the difference of goodputs is asked for.
    """
    runs = _by_variant(case["runs"])
    measures = case["verdict"]["measures"]
    asked = [m for m in measures if m["criterion"] == "goodput"] if goodput else measures
    means = {name: quantities.outcome_of(case, name)["goodput_bps"]["mean"] for name in unknown}
    order = sorted(unknown, key=lambda name: -(means[name] or 0.0))
    pairs = {name: _pairs(asked, runs.get(name, []), runs.get(first, [])) for name in order}

    def needed(name: str, alpha: float) -> int | None:
        # One difference that matters decides a pair; else each quantity must be shown to be alike.
        found = [pair.needed(alpha) for pair in pairs[name] if abs(pair.size) >= 1]
        if known := [n for n in found if n is not None]:
            return min(known)
        alike = [pair.needed(alpha) for pair in pairs[name]]
        return None if None in alike else max((n for n in alike if n is not None), default=None)

    return _chosen(order, needed, len(measures))


def schemes(subject: SchemesSubject) -> Settling | None:
    """Return the few schemes that may help a cell, the most promising first.

    Promising is a mean gain that matters without a mean loss that does. Then the larger gain in
    units of the least that matters comes first.
    """
    runs, questions = _by_variant(subject["runs"]), subject["verdict"]["questions"]
    base = next((o["variant"] for o in subject["outcomes"] if not o["differences"]), "")
    better = {name for question in questions for name in question["better"]}
    worse = {name for question in questions for name in question["worse"]}
    doubtful = {n for n in better - worse if values.doubtful_costs(subject, n)}
    unknown = {*values.undecided(subject), *doubtful} - (better - worse - doubtful)
    # One candidate that gains without a price by its own intervals is asked for alone.
    best = None if better - worse - doubtful else values.promising(subject)
    unknown = unknown if best is None else {best}
    open_ones = [v["variant"] for v in subject["variants"] if v["variant"] in unknown]
    pairs = {name: _pairs(questions, runs.get(name, []), runs.get(base, [])) for name in open_ones}

    def rank(name: str) -> tuple[bool, bool, float]:
        sizes = [pair.size for pair in pairs[name]]
        gain = max(sizes, default=0.0)
        return gain < 1, min(sizes, default=0.0) <= -1, -gain

    def needed(name: str, alpha: float) -> int | None:
        found = [pair.needed(alpha) for pair in pairs[name] if abs(pair.size) >= 1]
        found = found or [pair.needed(alpha) for pair in pairs[name]]
        return None if None in found else max((n for n in found if n is not None), default=None)

    return _chosen(sorted(open_ones, key=rank), needed, len(questions))


def _chosen(order: Sequence[str], needed: Any, questions: int) -> Settling | None:
    """Take the first few; those that would need too many replications make room for others."""
    alpha = _ALPHA / max(questions * min(len(order), _FEW), 1)
    numbers = {name: needed(name, alpha) for name in order}
    known = [(name, n) for name in order if (n := numbers[name]) is not None]
    if not order:
        return None
    if not known:
        return Settling(list(order[:_FEW]), None)
    most = max(2 * known[0][1], _SOON)
    few = [(name, n) for name, n in known if n <= most][:_FEW]
    return Settling([name for name, _ in few], max(n for _, n in few))


def _by_variant(runs: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        found.setdefault(run["variant"], []).append(run)
    return found


def _pairs(
    measures: Sequence[Measure] | Sequence[SchemeQuestion],
    ours: Sequence[Mapping[str, Any]],
    theirs: Sequence[Mapping[str, Any]],
) -> list[_Pair]:
    """Pair the replications of two variants in each quantity that both have in all of them."""
    found: list[_Pair] = []
    for measure in measures:
        quantity = measure["quantity"]
        pairs = [
            (a, b)
            for a, b in ((_value(x, quantity), _value(y, quantity)) for x, y in zip(ours, theirs))  # noqa: B905
            if a is not None and b is not None
        ]
        if len(pairs) <= 1 or len(pairs) != len(ours):
            continue
        sign = 1.0 if measure["more_is_better"] else -1.0
        larger = max(fmean(a for a, _ in pairs), fmean(b for _, b in pairs))
        margin = measure["matters"] * (larger if measure["relative"] else 1.0)
        found.append(_Pair([sign * (a - b) for a, b in pairs], margin))
    return found


def _value(run: Mapping[str, Any], quantity: str) -> float | None:
    if quantity == "bytes_per_byte":
        sent, arrived = run.get("link_bps"), run.get("carried_bps")
        return sent / arrived if sent and arrived else None
    return run.get(quantity)
