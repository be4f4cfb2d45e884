"""Findings of a comparison in plain words: which TCP suits, and how far that is certain.

As in `airtcp.words`, terminal and page use the same sentences. Nothing here names a winner that
the paired intervals do not support: the ranking of the document says which variants may be as
good as the first, and which get less for certain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp import words
from airtcp.words import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.documents import CompareCase, CompareSubject, Estimate, Outcome

CHANNELS: Final = {
    "scenario": "the scenario",
    "trace": "the trace",
    "independent": "independent losses of equal PRR",
    "gilbert-elliott": "Gilbert-Elliott chains of equal PRR and mu",
}
"""What a case is over."""

_HALF: Final = 0.5


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Give an estimate in another unit."""
    mean, low, high = (
        None if value is None else value * factor
        for value in (estimate["mean"], estimate["ci_low"], estimate["ci_high"])
    )
    return {"mean": mean, "ci_low": low, "ci_high": high}


def goodput(outcome: Outcome) -> tuple[Estimate, str]:
    """Give a goodput in the unit people know it by: packets a second over a trace, else Mb/s."""
    packets = outcome["packets_per_second"]
    if packets is not None:
        return packets, "packets/s"
    return scaled(outcome["goodput_bps"], 1e-6), "Mb/s"


def repeats(case: CompareCase) -> str:
    """Write how many replications of a scenario, or stretches of a trace, a case has."""
    return words.counted(case["replications"], case["over"].removesuffix("s"))


def listed(names: Sequence[str]) -> str:
    """Write a list.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def ranked(case: CompareCase) -> str:
    """Say in one line which variant gets the most, and which may get as much."""
    ranking = case["ranking"]
    order, as_good, behind = ranking["order"], ranking["as_good"], ranking["behind"]
    if len(order) <= 1:
        return f"only {listed(order)}"
    if best(case) is None:
        return "nothing was delivered"
    if case["replications"] <= 1:
        return f"highest: {order[0]}; a single run proves no order"
    if not as_good:
        return f"{order[0]}, ahead of all others"
    if not behind:
        return f"no difference shown; highest mean: {order[0]}"
    return f"{order[0]}; maybe as good: {', '.join(as_good)}; less: {', '.join(behind)}"


def best(case: CompareCase) -> str | None:
    """Name the variant of the highest mean; none if no variant delivered anything."""
    name = case["ranking"]["order"][0]
    return name if _of(case, name)["goodput_bps"]["mean"] else None


def _of(case: CompareCase, name: str) -> Outcome:
    return next(outcome for outcome in case["outcomes"] if outcome["variant"] == name)


def shown(case: CompareCase, name: str) -> str:
    """Write the mean goodput of a variant with its unit."""
    estimate, unit = goodput(_of(case, name))
    return f"{words.number(estimate['mean'])} {unit}"


def ranking(case: CompareCase, over: str = "") -> Finding:
    """Say which variant gets the most, as far as the intervals support it.

    Args:
        case: The case.
        over: What it is over, as in "over the trace".
    """
    found = case["ranking"]
    order, as_good, behind = found["order"], found["as_good"], found["behind"]
    first = order[0]
    where = f" {over}" if over else ""
    if best(case) is None:
        return Finding("Nothing delivered", f"No TCP delivers anything{where}.", "bad")
    most = f"{first} gets {shown(case, first)}{where}"
    if len(order) == 1:
        return Finding(
            f"{first}: {shown(case, first)}", f"{most}; there is nothing to compare it with."
        )
    if case["replications"] <= 1:
        return Finding(
            "A single run proves no order",
            f"{most}, more than the others, but one run has no interval.",
            "warn",
        )
    if not as_good:
        return Finding(
            f"{first} gets the most",
            f"{most}, more than each of the others: certain at 95 % for all of them together.",
            "good",
        )
    if not behind:
        return Finding(
            "No difference shown",
            f"{most}, the highest mean, but {listed(as_good)} may get as much: of each paired"
            " difference the interval includes zero.",
        )
    return Finding(
        f"{first}, or {listed(as_good)}",
        f"{most}, the highest mean, but {listed(as_good)} may get as much."
        f" {listed(behind)} {'get' if len(behind) > 1 else 'gets'} less: certain at 95 %.",
    )


def against(case: CompareCase, reference: str) -> Finding | None:
    """Say what each variant gets more or less than the reference."""
    sides: dict[str, list[str]] = {"more": [], "less": [], "undecided": [], "equal": []}
    for outcome in case["outcomes"]:
        difference = outcome["difference"]
        if difference is None:
            continue
        percent = difference["percent"]
        side = difference["standing"]
        name = outcome["variant"]
        if side in {"more", "less"} and percent is not None:
            name += f" {words.measured(percent, '%')}"
        sides[side].append(name)
    if not any(sides.values()):
        return None
    said = [
        f"{label} {'; '.join(sides[side]) if side in {'more', 'less'} else listed(sides[side])}"
        for side, label in (
            ("more", "More:"),
            ("less", "Less:"),
            ("undecided", "Within chance:"),
            ("equal", "The same:"),
        )
        if sides[side]
    ]
    return Finding(f"Against {reference}", f"{'. '.join(said)}.")


def against_reference(outcome: Outcome, *, interval: bool = True) -> str:
    """Write how much more or less than the reference it is, in percent, for a table.

    What is within chance has a tilde before it; what is not known is empty.
    """
    difference = outcome["difference"]
    if difference is None:
        return "reference"
    percent = difference["percent"]
    if percent is None or percent["mean"] is None:
        return ""
    text = words.measured(percent) if interval else words.signed(percent["mean"])
    return text if difference["standing"] in {"more", "less"} else f"~ {text}"


def delay(case: CompareCase) -> Finding | None:
    """Say which variant keeps the round trip short, and which does not."""
    known = [
        (mean, outcome["variant"])
        for outcome in case["outcomes"]
        if (mean := outcome["rtt_mean_s"]["mean"]) is not None
    ]
    if len(known) <= 1:
        return None
    (low, quick), (high, slow) = min(known), max(known)
    if high <= low:
        return None
    return Finding(
        f"Shortest round trip: {quick}",
        f"Its mean round trip is {words.number(low * 1e3)} ms; {slow} has the longest,"
        f" {words.number(high * 1e3)} ms.",
    )


def sharing(case: CompareCase, rival: str) -> Finding | None:
    """Say which variants take more than their half beside the rival, and which less."""
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
            (fair, "Half, within chance:"),
            (less, "Less than half:"),
        )
        if names
    ]
    if not said:
        return None
    return Finding(
        f"Sharing with {rival}", f"{'. '.join(said)}.", "warn" if more or less else "good"
    )


def case_findings(case: CompareCase, reference: str, rival: str | None = None) -> list[Finding]:
    """Say everything there is to say of one case, the most useful first."""
    over = f"over {CHANNELS[case['channel']]}" if case["channel"] != "scenario" else ""
    found: list[Finding | None] = [ranking(case, over)]
    if rival is not None:
        found.append(sharing(case, rival))
    found += [against(case, reference), delay(case)]
    return [finding for finding in found if finding is not None]


def look_alikes(subject: CompareSubject) -> list[Finding]:
    """Say what one would choose knowing the PRR, or the PRR and mu, of a trace alone."""
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
        misled = first in case["ranking"]["behind"]
        found.append(
            Finding(
                f"Over {CHANNELS[channel]}",
                f"{ranked(case)[0].upper()}{ranked(case)[1:]}.",
                "warn" if misled else "plain",
            )
        )
    return found


def subject_findings(
    subject: CompareSubject, reference: str, rival: str | None = None
) -> list[Finding]:
    """Say everything there is to say of a scenario or link."""
    if not subject["cases"]:
        return []
    return case_findings(subject["cases"][0], reference, rival) + look_alikes(subject)


def suits(case: CompareCase) -> Finding:
    """Say which TCP suits a link, for its study: the ranking, and what is gained by it."""
    found = ranking(case, "over the trace")
    reference = next((o["variant"] for o in case["outcomes"] if o["difference"] is None), "")
    if best(case) is None:
        return found
    first = _of(case, case["ranking"]["order"][0])
    difference = first["difference"]
    text = found.text
    if difference is not None and difference["standing"] == "more":
        percent = difference["percent"]
        if percent is not None:
            text += f" Against {reference}: {words.measured(percent, '%')}."
    headline = found.headline
    if case["replications"] > 1:
        headline = {
            (True, True): "One TCP only",
            (True, False): "Any of these TCPs suits",
            (False, True): f"{first['variant']} suits best",
        }.get(
            (not case["ranking"]["behind"], not case["ranking"]["as_good"]),
            f"{listed([first['variant'], *case['ranking']['as_good']])} suit",
        )
    return Finding(headline, text, found.tone)


def suited(subjects: Sequence[tuple[str, CompareCase]]) -> Finding:
    """Say which TCPs suit a set of links: how often each is among the best.

    Args:
        subjects: Name and case of each link.
    """
    counts: dict[str, int] = {}
    behind: dict[str, int] = {}
    alive = [case for _, case in subjects if best(case) is not None]
    for case in alive:
        order, as_good = case["ranking"]["order"], case["ranking"]["as_good"]
        for name in [*order[:1], *as_good]:
            counts[name] = counts.get(name, 0) + 1
        for name in case["ranking"]["behind"]:
            behind[name] = behind.get(name, 0) + 1
    total = len(alive)
    never_behind = [name for name in counts if not behind.get(name)]
    said = ", ".join(
        f"{name} {words.count(counts[name])}" for name in sorted(counts, key=lambda n: -counts[n])
    )
    text = (
        f"Of {words.count(total)} links, each TCP is the best, or may be as good as the best,"
        f" on: {said}."
    )
    if total < len(subjects):
        text += f" On {words.count(len(subjects) - total)} more nothing was delivered."
    if never_behind:
        text += f" Never certainly behind: {listed(never_behind)}."
    return Finding("Which TCP suits these links", text)
