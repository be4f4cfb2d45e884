"""Findings of a comparison: the conclusion and its evidence.

Terminal and page use the same sentences. The conclusion is that of the document's verdict on four
criteria (`findings.verdict`). No finding names a difference that the paired intervals do not
support.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities, verdict
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareSubject, Estimate, Outcome

CHANNELS: Final = {
    "scenario": "the scenario",
    "trace": "the trace",
    "independent": "independent losses of equal PRR",
    "gilbert-elliott": "Gilbert-Elliott chains of equal PRR and mu",
}
"""The channels of cases, in words."""

_HALF: Final = 0.5


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Return an estimate in another unit."""
    mean, low, high = (
        None if value is None else value * factor
        for value in (estimate["mean"], estimate["ci_low"], estimate["ci_high"])
    )
    return {"mean": mean, "ci_low": low, "ci_high": high}


def goodput(outcome: Outcome) -> tuple[Estimate, str]:
    """Return a goodput with its unit: packets/s over a trace, else Mb/s."""
    packets = outcome["packets_per_second"]
    if packets is not None:
        return packets, "packets/s"
    return scaled(outcome["goodput_bps"], 1e-6), "Mb/s"


def best(case: CompareCase) -> str | None:
    """Name the variant that the verdict puts first; none if there is no order."""
    return case["verdict"]["first"]


def shown(case: CompareCase, name: str) -> str:
    """Write the mean goodput of a variant with its unit."""
    return quantities.mean_text(quantities.outcome_of(case, name), "goodput_bps")


def against(case: CompareCase, reference: str) -> Finding | None:
    """State how the goodput of each variant differs from that of the reference.

    Each interval here holds by itself. The verdict tests all variants jointly, so it may leave open
    a difference that is significant here; the finding names such variants.
    """
    sides: dict[str, list[str]] = {
        side: [] for side in ("more", "less", "alike", "undecided", "untested", "equal")
    }
    together = verdict.candidates(case)
    open_still: list[str] = []
    for outcome in case["outcomes"]:
        difference = outcome["difference"]
        if difference is None:
            continue
        percent = difference["percent"]
        side = "untested" if quantities.untested(difference) else difference["standing"]
        name = outcome["variant"]
        if side in {"more", "less"} and words.negligible(percent):
            sides["alike"].append(name)
            continue
        if side in {"more", "less"} and {name, reference} <= set(together):
            open_still.append(name)
        if side in {"more", "less"} and percent is not None:
            name += f" {words.measured(words.change(percent), '%')}"
        sides[side].append(name)
    if not any(sides.values()):
        return None
    said = [
        f"{label} {'; '.join(sides[side]) if side in {'more', 'less'} else listed(sides[side])}"
        for side, label in (
            ("more", "Higher:"),
            ("less", "Lower:"),
            ("alike", words.ALIKE),
            ("undecided", "No significant difference:"),
            ("untested", f"Not tested ({quantities.without_interval(case)}):"),
            ("equal", "Identical:"),
        )
        if sides[side]
    ]
    if open_still:
        said.append(
            f"Each interval holds by itself; {listed(open_still)}"
            f" {'differs' if len(open_still) == 1 else 'differ'} by less than the threshold, or not"
            " significantly when all criteria and TCPs are tested together"
        )
    return Finding(f"Goodput against {reference}", f"{'. '.join(said)}.")


def against_reference(outcome: Outcome, *, interval: bool = True) -> str:
    """Write the difference from the reference in percent, for a table.

    A difference that is not significant has a tilde. A difference without an interval is "not
    tested"; an unknown one is empty.
    """
    difference = outcome["difference"]
    if difference is None:
        return "reference"
    if quantities.untested(difference):
        return "not tested"
    percent = difference["percent"]
    if percent is None or percent["mean"] is None:
        return ""
    text = words.measured(words.change(percent)) if interval else words.signed(percent["mean"])
    return text if difference["standing"] in {"more", "less"} else f"~ {text}"


def delay(case: CompareCase) -> Finding | None:
    """Name the variants of the shortest round-trip time, if the intervals exclude any other.

    A variant is excluded if its 95 % interval begins above the upper end of that of the shortest
    mean. A variant without an interval is not excluded; if it has the shortest mean, none is. A
    variant with a longer mean than an excluded one is not among the shortest, and is named
    separately.
    """
    known = [
        (mean, outcome["variant"], outcome["rtt_mean_s"])
        for outcome in case["outcomes"]
        if (mean := outcome["rtt_mean_s"]["mean"]) is not None
    ]
    known.sort(key=lambda entry: entry[:2])
    if len(known) <= 1:
        return None
    low, quick, shortest = known[0]
    upper = shortest["ci_high"]
    if upper is None:
        return None
    longer = [
        (mean, name)
        for mean, name, estimate in known
        if (lower := estimate["ci_low"]) is not None and lower > upper
    ]
    if not longer:
        return None
    excluded = {name for _, name in longer}
    near = [name for mean, name, _ in known if name not in excluded and mean <= longer[0][0]]
    unsure = [
        f"{name} {quantities.seconds(mean)}"
        for mean, name, _ in known
        if name not in excluded and mean > longer[0][0]
    ]
    apart = f" Also longer on average, but not significantly: {listed(unsure)}." if unsure else ""
    high, slow = longer[-1]
    longest = "the longest" if slow == known[-1][1] else "the longest that is significantly longer"
    return Finding(
        f"Shortest round-trip time: {verdict.either(near)}",
        f"The mean round-trip time is {quantities.seconds(low)} with {quick} and"
        f" {quantities.seconds(high)} with {slow}, {longest}.{apart}",
    )


def sharing(case: CompareCase, rival: str) -> Finding | None:
    """State which variants get more than half of the goodput beside the rival, and which less."""
    more: list[str] = []
    less: list[str] = []
    fair: list[str] = []
    for outcome in case["outcomes"]:
        share = outcome["share"]
        if share is None or share["mean"] is None:
            continue
        name = f"{outcome['variant']} {words.number(100 * share['mean'], 2)} %"
        low, high = share["ci_low"], share["ci_high"]
        if low is not None and low > _HALF:
            more.append(name)
        elif high is not None and high < _HALF:
            less.append(name)
        else:
            fair.append(name)
    said = [
        f"{label} {', '.join(names)}"
        for names, label in (
            (more, "More than half:"),
            (fair, "Not significantly different from half:"),
            (less, "Less than half:"),
        )
        if names
    ]
    if not said:
        return None
    return Finding(
        f"Sharing with {rival}", f"{'. '.join(said)}.", "warn" if more or less else "good"
    )


def case_findings(
    case: CompareCase, reference: str, rival: str | None = None, notes: Sequence[str] = ()
) -> list[Finding]:
    """Return all findings on one case, the conclusion first.

    Args: case: The case. reference: The TCP that the others are compared with. rival: The TCP that
        shared the path with each. notes: The notes of its subject.
    """
    over = f"over {CHANNELS[case['channel']]}" if case["channel"] != "scenario" else ""
    found: list[Finding | None] = [verdict.conclusion(case, over, rival, notes)]
    found += verdict.further_findings(case, rival)
    if rival is not None:
        found.append(sharing(case, rival))
    found += [against(case, reference), delay(case)]
    if quantities.measure(case, "share") is None and len(case["outcomes"]) > 1:
        found.append(
            Finding(
                "Share beside other flows not measured",
                "A single flow does not show how a TCP shares a link; --share NAME runs each TCP"
                " beside a flow of NAME.",
            )
            if case["channel"] == "scenario"
            else None
        )
    return [finding for finding in found if finding is not None]


def look_alikes(subject: CompareSubject) -> list[Finding]:
    """State the best choice over the synthetic links of a trace."""
    cases = {case["channel"]: case for case in subject["cases"]}
    trace = cases.get("trace")
    if trace is None:
        return []
    first = best(trace)
    found: list[Finding] = []
    for channel in ("independent", "gilbert-elliott"):
        case = cases.get(channel)
        if case is None or case["replications"] <= 1:
            continue
        misled = any(entry["variant"] == first for entry in case["verdict"]["worse"])
        text = f"The best choice there: {verdict.summary(case)}."
        if not verdict.best(case):
            text = f"{words.begun(verdict.summary(case))}."
        if misled:
            text += f" There another TCP is better than {first}, the best choice over the trace."
        found.append(Finding(f"Over {CHANNELS[channel]}", text, "warn" if misled else "plain"))
    return found


def subject_findings(
    subject: CompareSubject, reference: str, rival: str | None = None
) -> list[Finding]:
    """Return all findings on a scenario or link, the conclusion first."""
    if not subject["cases"]:
        return []
    first = case_findings(subject["cases"][0], reference, rival, subject["notes"])
    return first + look_alikes(subject)


def best_choice(case: CompareCase, *, ordered: bool = True) -> Finding:
    """State the best choice for a link, for its study.

    Args: case: The case. ordered: Whether the order of losses is that of the file.
    """
    found = verdict.conclusion(case, "over the trace")
    if not ordered:
        found = Finding(f"{found.headline}{verdict.DRAWN}", found.text)
    reference = quantities.reference_of(case)
    name = best(case)
    text = found.text
    difference = None if name is None else quantities.outcome_of(case, name)["difference"]
    if difference is not None and difference["standing"] == "more":
        percent = difference["percent"]
        if percent is not None and not words.negligible(percent):
            text += f" Goodput against {reference}: {words.measured(words.change(percent), '%')}."
    for entry in case["verdict"]["not_ranked"] if name is not None else []:
        text += f" {entry['variant']} is not ranked: {entry['why']}."
    return Finding(found.headline, text + verdict.worse(case), found.tone)


def best_choices(subjects: Sequence[tuple[str, CompareCase]]) -> Finding:
    """State on how many links each TCP is the best choice.

    Args:
        subjects: Name and case of each link.
    """
    counts: dict[str, int] = {}
    behind: set[str] = set()
    unknown = 0
    alive = [
        case for _, case in subjects if any(o["goodput_bps"]["mean"] for o in case["outcomes"])
    ]
    decided = [case for case in alive if best(case) is not None]
    ranked = {
        outcome["variant"]
        for case in decided
        for outcome in case["outcomes"]
        if outcome["variant"] not in {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    }
    for case in decided:
        unknown += not verdict.best(case)
        for name in verdict.best(case):
            counts[name] = counts.get(name, 0) + 1
        behind |= {entry["variant"] for entry in case["verdict"]["worse"]}
    never = [name for name in counts if name not in behind]
    said = ", ".join(
        f"{name} {words.count(counts[name])}" for name in sorted(counts, key=lambda n: -counts[n])
    )
    text = (
        f"Links (of {words.count(len(decided))}) on which each TCP is the best choice, or"
        f" as good within the threshold: {said}."
        if counts
        else "The runs do not allow a ranking on any of these links."
    )
    if counts and unknown:
        text += f" On {words.counted(unknown, 'link')} the runs do not tell which TCP is best."
    if counts and len(decided) < len(alive):
        text += (
            f" On {words.counted(len(alive) - len(decided), 'link')} the runs do not"
            " allow a ranking."
        )
    if len(alive) < len(subjects):
        dead = words.counted(len(subjects) - len(alive), "link")
        text += f" On {dead} no TCP delivers anything."
    tried = dict.fromkeys(outcome["variant"] for case in decided for outcome in case["outcomes"])
    open_there = {name for case in decided for name in verdict.candidates(case)}
    if beaten := [n for n in tried if n not in counts and n in ranked and n not in open_there]:
        text += f" Worse on every link: {listed(beaten)}."
    if unmet := [name for name in tried if name not in ranked]:
        text += f" Not ranked on any link, because the paths lack what they need: {listed(unmet)}."
    if never:
        text += f" Never worse than another TCP: {listed(never)}."
    return Finding("The best TCP for these links", text)
