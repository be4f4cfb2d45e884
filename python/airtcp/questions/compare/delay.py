"""Remedies against the wait in the queue of a link of varying capacity, in words.

The remedies are queue disciplines and transports that keep a queue short. They aim at the delivery
time, at the cost of goodput. No effect is stated whose paired interval includes zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import effects, quantities
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Outcome, Remedies


def _least(remedies: Remedies) -> float:
    """Return the least difference in delivery time that matters, in seconds."""
    own = effects.reference(remedies)["delivery_p95_s"]["mean"] or 0.0
    measure = quantities.measure(remedies, "delay")
    return (measure["matters"] if measure is not None else 0.0) * own


def shorter(remedies: Remedies) -> list[Outcome]:
    """Return the remedies that shorten the delivery time by at least the threshold, by goodput.

    Remedies that another dominates are left out.
    """
    least = _least(remedies)
    behind = {c["variant"] for c in remedies["verdict"]["worse"]}
    found = [
        outcome
        for outcome in remedies["outcomes"]
        if outcome["variant"] not in behind
        and (d := outcome["delivery_p95_difference"]) is not None
        and d["standing"] == "less"
        and -(d["absolute"]["mean"] or 0.0) >= least
    ]
    return sorted(found, key=lambda o: -(o["goodput_bps"]["mean"] or 0.0))


def _times(remedies: Remedies, outcome: Outcome) -> str:
    """Write the delivery time with a remedy, and without."""
    plain = effects.reference(remedies)
    ours, theirs = (quantities.mean_text(o, "delivery_p95_s") for o in (outcome, plain))
    return f"The delivery time (95 %) is {ours}, with {plain['variant']} alone {theirs}."


def conclusion(remedies: Remedies) -> Finding:
    """State in one sentence what shortens the delivery time, and its cost."""
    plain = effects.reference(remedies)
    name, own = plain["variant"], quantities.mean_text(plain, "delivery_p95_s")
    if remedies["replications"] <= 1:
        return Finding(
            "The best remedy against queueing delay is undecided",
            "One run over the file gives no confidence interval; the table shows the run.",
            "warn",
        )
    found = shorter(remedies)
    if not found:
        return _none(remedies, f"With {name} alone the delivery time (95 %) is {own}")
    best = found[0]
    text = effects.named(best["variant"], name)
    text = f"{words.begun(text)} {effects.effect(remedies, best)}."
    text = f"{text} {_times(remedies, best)}"
    headline = f"Best remedy against queueing delay: {best['variant']}"
    shortest = min(found, key=lambda o: o["delivery_p95_s"]["mean"] or 0.0)
    time = shortest["delivery_p95_s"]["mean"] or 0.0
    if time < (best["delivery_p95_s"]["mean"] or 0.0):
        headline = (
            f"Against queueing delay: {best['variant']} for goodput,"
            f" {shortest['variant']} for the shortest delay"
        )
        text += (
            f" Of the remedies that shorten the delivery time, {best['variant']} has the"
            " highest mean goodput, and"
            f" {shortest['variant']} the shortest mean delivery time ({quantities.seconds(time)})."
        )
    return Finding(headline, text, "good")


def _none(remedies: Remedies, start: str) -> Finding:
    """State that no remedy is shown to shorten the delivery time; means may be shorter."""
    least = _least(remedies)
    own = effects.reference(remedies)["delivery_p95_s"]["mean"] or 0.0
    alone: list[str] = []
    unproven: list[str] = []
    for outcome in remedies["outcomes"]:
        mean, difference = outcome["delivery_p95_s"]["mean"], outcome["delivery_p95_difference"]
        if mean is None or own - mean < least or own <= mean:
            continue
        shown = difference is not None and difference["standing"] == "less"
        (alone if shown else unproven).append(f"{outcome['variant']} {quantities.seconds(mean)}")
    possible = [
        outcome["variant"]
        for outcome in remedies["outcomes"]
        if (difference := outcome["delivery_p95_difference"]) is not None
        and ((low := difference["absolute"]["ci_low"]) is None or -low >= least)
    ]
    if not alone and not unproven and possible:
        needed = remedies["verdict"].get("needed")
        said = quantities.cannot_tell(remedies["replications"], remedies["over"], needed)
        return Finding(
            f"{said}: whether a remedy shortens the delivery time",
            f"{start}. No mean is shorter by at least the threshold, but the interval of"
            f" {words.listed(possible)} contains such a gain.",
            "warn",
        )
    if not alone and not unproven:
        return Finding(
            "No remedy shortens the delivery time",
            f"{start}, and no remedy shortens it by at least the threshold.",
        )
    text = f"{start}."
    if alone:
        text += (
            f" Shorter by its own 95 % interval, but not the better choice when all remedies are"
            f" tested at once: {'; '.join(alone)}."
        )
    if unproven:
        text += (
            f" The means are shorter with {'; '.join(unproven)}, but not significantly over"
            f" {quantities.repeats(remedies)}."
        )
    return Finding(
        "No remedy is shown to shorten the delivery time",
        f"{text} More {remedies['over']} may settle this.",
        "warn",
    )


def others(remedies: Remedies) -> Finding | None:
    """State the effects of the other remedies."""
    if remedies["replications"] <= 1:
        return None
    first = {o["variant"] for o in shorter(remedies)[:1]} | {remedies["reference"]}
    said = [
        f"{o['variant']} {effects.effect(remedies, o)}"
        for o in remedies["outcomes"]
        if o["variant"] not in first
    ]
    return Finding("Other remedies", f"{'; '.join(said)}.") if said else None


def findings(remedies: Remedies) -> list[Finding]:
    """Return all findings on the remedies on one link, the conclusion first."""
    found = [conclusion(remedies), others(remedies)]
    return [finding for finding in found if finding is not None]


def several(links: Sequence[tuple[str, Remedies]]) -> Finding:
    """State on how many links each remedy shortens the delivery time by at least the threshold.

    Args:
        links: Name and remedies of each link.
    """
    plain = links[0][1]["reference"]
    helps: dict[str, int] = {}
    for _, remedies in links:
        for outcome in shorter(remedies):
            helps[outcome["variant"]] = helps.get(outcome["variant"], 0) + 1
    total = words.counted(len(links), "link")
    if not helps:
        return Finding(
            "No remedy is shown to shorten the delivery time",
            f"No remedy is shown to shorten the delivery time (95 %) by at least the threshold on"
            f" any of {total}.",
        )
    ranked = sorted(helps, key=lambda n: -helps[n])
    said = "; ".join(
        f"{effects.named(name, plain)} on {words.count(helps[name])}" for name in ranked
    )
    tried = dict.fromkeys(
        o["variant"] for _, remedies in links for o in remedies["outcomes"] if o["difference"]
    )
    never = [name for name in tried if name not in helps]
    return Finding(
        "Remedies against queueing delay",
        f"Shorter delivery time (95 %), of {total}: {said}."
        + (f" Not the better choice on any link: {words.listed(never)}." if never else ""),
        "good",
    )
