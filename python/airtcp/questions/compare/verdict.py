"""The verdict of a comparison in words: goodput, delay, waste and share of others.

The document has the verdict itself (`verdict` of a case; the guide to `airtcp compare` explains the
rule). The words name all four criteria, also one that was not measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities
from airtcp.questions.compare.quantities import mean, mean_text, measure, noun, outcome_of
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from airtcp.data.documents import (
        CompareCase,
        Compared,
        Criterion,
        Measure,
    )

WORSE: Final = "Worse, and in no criterion significantly better"
"""Heading of the variants that another dominates. Their mean may be better."""

_FOR: Final = {
    "goodput_bps": "goodput",
    "delivery_p95_s": "short delivery times",
    "retransmission_ratio": "few retransmissions",
    "bytes_per_byte": "few bytes on the link",
    "rival_goodput_bps": "the share of others",
    "others_goodput_bps": "the share of others",
    "jain_index": "fairness",
}


def either(names: Sequence[str]) -> str:
    """Write a choice.

    >>> either(["a"]), either(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    return "".join(names) if len(names) <= 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def all_criteria(case: CompareCase, name: str, rival: str | None = None) -> str:
    """Write a variant's values of all four criteria."""
    outcome = outcome_of(case, name)
    said = [
        f"{noun(m['quantity'], rival)} {mean_text(outcome, m['quantity'])}"
        for m in case["verdict"]["measures"]
    ]
    if measure(case, "share") is None:
        said.append("share beside other flows not measured")
    return ", ".join(said)


def compared_figures(case: CompareCase, compared: Compared, rival: str | None = None) -> str:
    """State in which criteria a variant is better and worse than another, with both values."""
    ours, theirs = outcome_of(case, compared["variant"]), outcome_of(case, compared["than"])

    def each(criteria: Sequence[Criterion]) -> str:
        quantities = [m["quantity"] for c in criteria if (m := measure(case, c)) is not None]
        return ", ".join(
            f"{noun(q, rival)} ({mean_text(ours, q)}, {compared['than']} {mean_text(theirs, q)})"
            for q in quantities
        )

    sides = (("better", compared["better"]), ("worse", compared["worse"]))
    return " and ".join(f"{side} in {each(criteria)}" for side, criteria in sides if criteria)


def _for(case: CompareCase, compared: Compared) -> str:
    found = (m for c in compared["better"] if (m := measure(case, c)) is not None)
    return " and ".join(_FOR[m["quantity"]] for m in found)


def single_run(case: CompareCase, over: str = "") -> Finding:
    """State that one run gives no ranking."""
    where = f" {over}" if over else ""
    return Finding(
        "A single run does not allow a ranking",
        f"{highest_goodput(case, _left_out(case), where)},"
        " but one run gives no confidence interval.",
        "warn",
    )


def highest_goodput(case: CompareCase, left_out: Container[str] = (), where: str = "") -> str:
    """Name the variants with the highest goodput as written, and that goodput.

    Args: case: The case. left_out: Variants not to name, unless no other is left. where: The
        channel in words, with a blank before it.
    """
    order = case["ranking"]["order"]
    ranked = [n for n in order if n not in left_out] or order
    most = _goodput(case, ranked[0])
    same = [n for n in ranked if _goodput(case, n) == most]
    if len(same) == len(ranked) > 1:
        return f"All have the same goodput{where} ({most})"
    verb = "has" if len(same) == 1 else "have"
    return f"{listed(same)} {verb} the highest goodput{where} ({most})"


def _goodput(case: CompareCase, name: str) -> str:
    return mean_text(outcome_of(case, name), "goodput_bps")


def _left_out(case: CompareCase) -> set[str]:
    return {entry["variant"] for entry in case["verdict"]["not_ranked"]}


_ONE_RUN: Final = ("The stretches of the file are alike", "The replications hardly differ")
"""Beginnings of the notes that the repetitions of a case are one run."""


def one_run(notes: Sequence[str]) -> bool:
    """Return whether the notes state that the repetitions are one run, counted several times."""
    return any(note.startswith(_ONE_RUN) for note in notes)


DRAWN: Final = " (for an order of losses that was drawn)"
"""Added to a conclusion over a trace whose file has no order of losses."""


def drawn_order(notes: Sequence[str]) -> bool:
    """Return whether the notes state that the order of losses of a trace was drawn."""
    return any(note.startswith("The file does not give the order of losses") for note in notes)


def conclusion(
    case: CompareCase, over: str = "", rival: str | None = None, notes: Sequence[str] = ()
) -> Finding:
    """State the conclusion from a case.

    Args: case: The case. over: The channel in words, as in "over the trace". rival: The TCP that
        shared the path with each. notes: The notes of its subject, which tell whether its
        repetitions are one run.
    """
    verdict = case["verdict"]
    where = f" {over}" if over else ""
    if not any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"]):
        return Finding("Nothing delivered", f"No TCP delivers anything{where}.", "bad")
    if len(verdict["not_ranked"]) == len(case["outcomes"]):
        return Finding(
            "No TCP can be ranked",
            f"The path{where} does not meet the preconditions of any of these TCPs.",
            "warn",
        )
    if verdict["first"] is None:
        return single_run(case, over)
    said = _weighed(case, verdict["first"], where, rival)
    even = _even(case, verdict["first"])
    headline, text, tone = said.headline, said.text + even, said.tone
    if even.startswith(_EVEN) and headline == _BEST.format(verdict["first"]):
        headline, tone = f"{headline}, though goodput hardly differs", "plain"
    if one_run(notes):
        headline = f"{headline} (one run, counted {verdict['replications']} times)"
        tone = "plain"
    if drawn_order(notes):
        headline, tone = f"{headline}{DRAWN}", "plain"
    return Finding(headline, text, tone)


_BEST: Final = "{} is the best choice"


def _even(case: CompareCase, first: str) -> str:
    """State that most TCPs have about the same goodput, and which have less."""
    goodput = measure(case, "goodput")
    if goodput is None or not goodput["relative"]:
        return ""
    means = {o["variant"]: mean(o, goodput["quantity"]) or 0.0 for o in case["outcomes"]}
    ranked = [name for name in means if name not in _left_out(case)]
    least = (1 - goodput["matters"]) * max(means[name] for name in ranked)
    near = [name for name in ranked if means[name] >= least > 0]
    if first not in near or len(near) < 2 or 2 * len(near) <= len(ranked):  # noqa: PLR2004
        return ""
    within = f"within {words.number(100 * goodput['matters'], 1)} % of the highest"
    low = [name for name in means if means[name] < least]
    if not low:
        return f"{_EVEN} all ranked TCPs lie {within}."
    figures = [f"{name} ({mean_text(outcome_of(case, name), goodput['quantity'])})" for name in low]
    return (
        f" Mean goodput: {listed(near)} lie {within}; {listed(figures)}"
        f" {'does' if len(low) == 1 else 'do'} not."
    )


_EVEN: Final = " Goodput hardly differs:"


def _weighed(case: CompareCase, first: str, where: str, rival: str | None) -> Finding:
    """State the verdict on the first variant and its alternatives."""
    verdict = case["verdict"]
    four = all_criteria(case, first, rival)
    if len(case["outcomes"]) - len(verdict["not_ranked"]) == 1:
        return Finding(
            f"Only {first} is ranked", f"{first}{where}: {four}. No other TCP is ranked."
        )
    as_good, unknown, others = equivalent(case), open_ones(case), verdict["alternatives"]
    if others:
        other = others[0]
        name = other["variant"]
        return Finding(
            f"{first} for goodput, {name} for {_for(case, other)}",
            f"No TCP is best in every criterion{where}: {first} has {four}; {name} is"
            f" {compared_figures(case, other, rival)}.",
        )
    unproven = _better_in_the_mean(case, first, rival)
    in_the_mean = (
        " Better on average, but not significantly by at least the threshold:"
        f" {', '.join(unproven)}."
        f" More {case['over']} may settle this."
        if unproven
        else ""
    )
    alike = (
        f" {listed(as_good)} {'is' if len(as_good) == 1 else 'are'} as good: in each of these, the"
        f" interval of the difference lies within the threshold ({_thresholds(case, rival)})."
        if as_good
        else ""
    )
    if unknown:
        names = either([first, *as_good, *unknown])
        return Finding(
            f"{_cannot_tell(case)}: {names}",
            f"{first}{where} has {four}, the highest mean goodput of these. The intervals of the"
            f" differences to {listed(unknown)} contain more and less than the threshold"
            f" ({_thresholds(case, rival)}).{alike}{in_the_mean}{_what_tells(case)}",
            "warn",
        )
    if as_good:
        return Finding(either([first, *as_good]), f"{first}{where} has {four}.{alike}")
    if unproven:
        return Finding(
            f"{first}, tentatively ({verdict['replications']} {case['over']})",
            f"{first}{where} has {four}.{in_the_mean}",
        )
    return Finding(
        _BEST.format(first),
        f"{first}{where} has {four}. No other{' ranked' if verdict['not_ranked'] else ''} TCP is"
        f" significantly better by at least the threshold ({_thresholds(case, rival)}).",
        "good",
    )


def equivalent(case: CompareCase) -> list[str]:
    """Name the variants that are shown to be as good as the first."""
    return case["verdict"].get("equivalent", [])


def open_ones(case: CompareCase) -> list[str]:
    """Name the variants of which the replications do not tell whether they are as good."""
    as_good = equivalent(case)
    return [name for name in case["verdict"]["not_distinguishable"] if name not in as_good]


def _cannot_tell(case: CompareCase) -> str:
    """Write that the replications of a case do not tell, and how many should."""
    verdict = case["verdict"]
    needed = verdict.get("needed")
    return quantities.cannot_tell(verdict["replications"], case["over"], needed)


def _what_tells(case: CompareCase) -> str:
    """State how many replications should tell."""
    needed = case["verdict"].get("needed")
    if needed is None:
        return ""
    if case["over"] == "replications":
        return f" About {words.count(needed)} replications should tell (-n {needed})."
    return f" About {words.count(needed)} such stretches should tell: a longer trace."


def _thresholds(case: CompareCase, rival: str | None) -> str:
    """Write the threshold of each criterion."""

    def least(m: Measure) -> str:
        if m["relative"]:
            return f"{words.number(100 * m['matters'], 1)} %"
        if m["quantity"] == "jain_index":
            return words.number(m["matters"], 1)
        return words.counted(100 * m["matters"], "percentage point")

    return ", ".join(
        f"{noun(m['quantity'], rival)} {least(m)}" for m in case["verdict"]["measures"]
    )


def better_in_the_mean(case: CompareCase, first: str) -> list[tuple[str, str]]:
    """Return the variants whose mean is better than the first's by at least the threshold.

    Returns: The variant of the largest gain in each quantity of the verdict, and the quantity.
    """
    ours = outcome_of(case, first)
    left_out = _left_out(case) | {first}
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


def _better_in_the_mean(case: CompareCase, first: str, rival: str | None) -> list[str]:
    """Write these variants with their values."""
    ours = outcome_of(case, first)
    return [
        f"{name} in {noun(quantity, rival)} ({mean_text(outcome_of(case, name), quantity)},"
        f" {first} {mean_text(ours, quantity)})"
        for name, quantity in better_in_the_mean(case, first)
    ]


def further_findings(case: CompareCase, rival: str | None = None) -> list[Finding]:
    """Return the rest of the verdict: other choices, worse variants, and those not ranked."""
    verdict = case["verdict"]
    first = verdict["first"]
    found: list[Finding] = []
    # A transport that delivers nothing is not mentioned if none delivers anything.
    unmet = [
        e for e in verdict["not_ranked"] if any(o["goodput_bps"]["mean"] for o in case["outcomes"])
    ]
    if unmet:
        said = "; ".join(
            f"{e['variant']} ({_goodput(case, e['variant'])}): {e['why']}" for e in unmet
        )
        found.append(Finding("Not ranked", f"{said}.", "warn"))
    if verdict["alternatives"][1:]:
        said = "; ".join(
            f"{other['variant']} is {compared_figures(case, other, rival)}"
            for other in verdict["alternatives"][1:]
        )
        found.append(Finding("Other choices", f"{said}."))
    if verdict["alternatives"] and first is not None:
        if same := equivalent(case):
            text = (
                f"In every criterion, the interval of the difference of {either(same)} lies within"
            )
            found.append(Finding(f"As good as {first}", f"{text} the threshold."))
        if unknown := open_ones(case):
            found.append(
                Finding(
                    f"{_cannot_tell(case)}: {listed(unknown)}",
                    f"Whether {either(unknown)} differs from {first} by at least the threshold is"
                    f" open.{_what_tells(case)}",
                    "warn",
                )
            )
    if verdict["worse"]:
        said = "; ".join(
            f"{entry['variant']} is {compared_figures(case, entry, rival)}"
            for entry in verdict["worse"]
        )
        found.append(Finding(WORSE, f"{said}."))
    return found


def worse(case: CompareCase) -> str:
    """Name the dominated variants, for a summary without their values.

    A variant without a mention would seem not to have been tried.
    """
    names = [entry["variant"] for entry in case["verdict"]["worse"]]
    return f" {WORSE}: {listed(names)}." if names else ""


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


def summary(case: CompareCase) -> str:
    """State the conclusion from a case in one line."""
    if not any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"]):
        return "nothing was delivered"
    verdict = case["verdict"]
    if verdict["first"] is None:
        return (
            "a single run does not allow a ranking"
            if verdict["replications"] <= 1
            else "no TCP is ranked"
        )
    if open_ones(case):
        said = _cannot_tell(case)
        return f"{said[0].lower()}{said[1:]}: {either(candidates(case))}"
    text = either(best(case))
    others = [other["variant"] for other in verdict["alternatives"]]
    return f"{text}; with other strengths: {', '.join(others)}" if others else text
