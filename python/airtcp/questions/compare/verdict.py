"""The verdict of a comparison: who is best, as good, open, or worse than whom in what.

The document has the verdict itself (`verdict` of a case); the guide to `airtcp compare` explains
the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import unranked
from airtcp.questions.compare.quantities import mean, outcome_of
from airtcp.words.sentences import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, Criterion

_ONE_RUN: Final = ("The stretches of the file are alike", "The replications hardly differ")
"""Beginnings of the notes that the repetitions of a case are one run."""
_CRITERIA: Final[dict[Criterion, str]] = {
    "goodput": "goodput",
    "delay": "delivery time",
    "waste": "overhead",
    "share": "what others get",
}


def one_run(notes: Sequence[str]) -> bool:
    """Return whether the notes state that the repetitions are one run, counted several times."""
    return any(note.startswith(_ONE_RUN) for note in notes)


def drawn_order(notes: Sequence[str]) -> bool:
    """Return whether the notes state that the order of losses of a trace was drawn."""
    return any(note.startswith("The file does not give the order of losses") for note in notes)


def left_out(case: CompareCase, name: str) -> str:
    """Write that a variant is not ranked, and why in short; nothing if it is ranked."""
    left = next((e for e in case["verdict"]["not_ranked"] if e["variant"] == name), None)
    if left is None:
        return ""
    short = unranked.in_short(left)
    return f"not ranked: {short}" if short else "not ranked"


def equivalent(case: CompareCase) -> list[str]:
    """Name the variants that are shown to be as good as the first."""
    return case["verdict"].get("equivalent", [])


def open_ones(case: CompareCase) -> list[str]:
    """Name the variants of which the replications do not tell whether they are as good."""
    as_good = equivalent(case)
    return [name for name in case["verdict"]["not_distinguishable"] if name not in as_good]


def better_in_the_mean(case: CompareCase, first: str) -> list[tuple[str, str]]:
    """Return the variants whose mean is better than the first's by at least the threshold.

    Returns: The variant of the largest gain in each quantity of the verdict, and the quantity.
    """
    ours = outcome_of(case, first)
    left_out = {entry["variant"] for entry in case["verdict"]["not_ranked"]} | {first}
    found: list[tuple[str, str]] = []
    for m in case["verdict"]["measures"]:
        sign = 1.0 if m["more_is_better"] else -1.0
        own = mean(ours, m["quantity"])
        gains: list[tuple[float, str]] = []
        for outcome in case["outcomes"]:
            other = mean(outcome, m["quantity"])
            if own is None or other is None or outcome["variant"] in left_out:
                continue
            least = m["matters"] * (max(own, other) if m["relative"] else 1.0)
            if sign * (other - own) >= least > 0:
                gains.append((sign * (other - own), outcome["variant"]))
        if gains:
            found.append((max(gains, key=lambda gain: gain[0])[1], m["quantity"]))
    return found


def best(case: CompareCase) -> list[str]:
    """Name the best TCP and those as good; none if there is no order, or another may be better."""
    first = case["verdict"]["first"]
    return [] if first is None or open_ones(case) else [first, *equivalent(case)]


def candidates(case: CompareCase) -> list[str]:
    """Name the TCPs that may be the best; none if there is no order."""
    verdict = case["verdict"]
    return [] if verdict["first"] is None else [verdict["first"], *verdict["not_distinguishable"]]


def best_text(case: CompareCase) -> str:
    """Write the best TCPs for a table, or that the replications do not tell."""
    if not (found := candidates(case)):
        return ""
    names = ", ".join(found)
    return f"cannot tell: {names}" if open_ones(case) else names


def place(case: CompareCase, name: str) -> str:
    """Write the place of a variant in the verdict: in what it is better or worse than which."""
    verdict = case["verdict"]
    if any(entry["variant"] == name for entry in verdict["not_ranked"]):
        return "not ranked"
    first = verdict["first"]
    if first is None or len(case["outcomes"]) == 1:
        return ""
    if name == first:
        return "highest mean" if open_ones(case) else "best"
    if name in verdict["not_distinguishable"]:
        return f"{'as' if name in equivalent(case) else 'may be as'} good as {first}"

    for entry in [*verdict["alternatives"], *verdict["worse"]]:
        if entry["variant"] == name:
            sides = {"better": entry["better"], "worse": entry["worse"]}
            said = [
                f"{side} in {listed([_CRITERIA[each] for each in criteria])}"
                for side, criteria in sides.items()
                if criteria
            ]
            return f"{'; '.join(said)} than {entry['than']}"
    return ""
