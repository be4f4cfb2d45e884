"""Findings of a comparison of schemes in plain words: what would help this cell, and whom it costs.

As in `findings.words`, terminal and page use the same sentences. Every claim is one of the
document's verdict: its paired interval excludes zero, with Bonferroni's correction, and its mean
reaches the threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare.cell_values import (
    cannot_tell,
    doubtful_costs,
    doubtful_stations,
    index_text,
    may_help,
    mean_of,
    outcome_of,
    station_of,
    undecided,
    value,
)
from airtcp.questions.compare.verdict import either
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import (
        SchemeAspect,
        SchemeOutcome,
        SchemeQuestion,
        SchemesSubject,
    )

NOUNS: Final[dict[SchemeAspect, str]] = {
    "goodput": "goodput",
    "fairness": "fairness",
    "slowest-flow": "the slowest flow",
    "latency": "the time of 95 % of exchanges",
}
"""What is asked for, within a sentence."""

HEADINGS: Final[dict[SchemeAspect, str]] = {
    "goodput": "Goodput",
    "fairness": "Fairness (Jain's index)",
    "slowest-flow": "Slowest flow",
    "latency": "95 % of exchanges",
}
"""The heading of a ranking."""

_IN_FULL: Final = 3
"""Schemes and stations that are described with numbers; more are named."""


def findings(subject: SchemesSubject, reference: str) -> list[Finding]:
    """Say everything there is to say of one scenario, the conclusion first.

    Args:
        subject: The scenario.
        reference: The variant that the others are compared with.
    """
    verdict = subject["verdict"]
    if verdict["replications"] <= 1:
        return [_one_replication(), *_not_ranked(subject)]
    found = [conclusion(subject, reference)]
    found += [_doubtful_gain(subject, name, reference) for name in _doubtful(subject)]
    found += [_trade_off(subject, name, reference) for name in _traded(subject)]
    found += _costs(subject, reference)
    found += [leader(subject, question) for question in verdict["questions"]]
    found += [finding for finding in (_stations(subject, reference),) if finding is not None]
    return [*found, *_same(subject, reference), *_not_ranked(subject)]


def conclusion(subject: SchemesSubject, reference: str) -> Finding:
    """Say which schemes would help this cell, and by how much, or that none would."""
    helpful = helping(subject)
    if helpful:
        said = [_gains(subject, name) for name in helpful[:_IN_FULL]]
        more = helpful[_IN_FULL:]
        said += [f"{listed(more)} {_verb(more, 'helps', 'help')} too"] if more else []
        verb = _verb(helpful, "helps", "help")
        return Finding(
            f"{listed(helpful)} {verb} this cell",
            f"Against {reference}, {_nothing_worse(subject)}. {'. '.join(said)}."
            f"{_cost_to_stations(subject, helpful)}",
            "good",
        )
    asked = either([NOUNS[q["aspect"]] for q in subject["verdict"]["questions"]])
    traded, doubtful, unknown = _traded(subject), _doubtful(subject), undecided(subject)
    cannot = cannot_tell(subject)
    if traded or doubtful:
        said = ""
        if traded:
            verb, costs = _verb(traded, "gains", "gain"), _verb(traded, "costs", "cost")
            said += f" {listed(traded)} {verb} in one respect and {costs} in another."
            said += _least_cost(subject, traded) + _cost_to_stations(subject, traded)
        if doubtful:
            verb = _verb(doubtful, "gains", "gain")
            said += f" {listed(doubtful)} {verb} in one respect and may cost in another."
        if unknown:
            return Finding(
                f"{cannot}: whether a scheme helps this cell without a cost",
                f"{said.strip()}{may_help(unknown, reference)}",
                "warn",
            )
        return Finding(
            "No scheme helps this cell without a cost",
            f"{said.strip()} No other scheme is better than {reference} in {asked}.",
            "warn",
        )
    if unknown:
        return Finding(
            f"{cannot}: whether a scheme helps this cell",
            f"None is significantly better than {reference} in {asked}."
            f"{may_help(unknown, reference)}",
            "warn",
        )
    return Finding(
        "No scheme helps this cell",
        f"The intervals exclude that one is better than {reference} in {asked} by at least the"
        f" threshold: keep {reference}.",
    )


def _nothing_worse(subject: SchemesSubject) -> str:
    """Say that nothing of what is asked for becomes worse by as much as counts."""
    questions = subject["verdict"]["questions"]
    amounts = [_amount(question) for question in questions]
    nouns = [NOUNS[question["aspect"]] for question in questions]
    if len(nouns) == 1:
        return f"{nouns[0]} does not become significantly worse by more than {amounts[0]}"
    each = [f"{amount} of {noun}" for amount, noun in zip(amounts, nouns, strict=True)]
    return f"nothing becomes significantly worse by more than {either(each)}"


def _amount(question: SchemeQuestion) -> str:
    """Write the least difference that counts."""
    if question["relative"]:
        return f"{words.number(100 * question['matters'], 1)} %"
    return words.number(question["matters"], 1)


def _cost_to_stations(subject: SchemesSubject, names: Sequence[str]) -> str:
    """Say which stations get less under these schemes, or that none does."""
    lost = {
        change["variant"]: change["lose"]
        for change in subject["verdict"]["stations"]
        if change["lose"] and change["variant"] in names
    }
    said = [f"{_some(stations)} under {name}" for name, stations in lost.items()]
    text = f" Significantly less goodput: {listed(said)}." if said else ""
    maybe = {name: doubtful_stations(subject, name) for name in names}
    said = [
        f"{_some([station['station'] for station in stations])} under {name}"
        for name, stations in maybe.items()
        if stations
    ]
    text += f" Perhaps less goodput: {listed(said)}." if said else ""
    return text or " No station gets significantly less."


def _some(stations: Sequence[str]) -> str:
    """Name a few stations, and count the others."""
    rest = len(stations) - _IN_FULL
    return listed([*stations[:_IN_FULL], *([f"{rest} more"] if rest > 0 else [])])


def _least_cost(subject: SchemesSubject, traded: Sequence[str]) -> str:
    """Name the scheme that costs the least goodput on average, if all of several cost goodput."""
    goodput = next(q for q in subject["verdict"]["questions"] if q["aspect"] == "goodput")
    if len(traded) == 1 or not set(traded) <= set(goodput["worse"]):
        return ""
    first = next(name for name in goodput["ranking"]["order"] if name in traded)
    change = _change(subject, outcome_of(subject, first), goodput)
    return f" {first} costs the least on average: {change}."


def helping(subject: SchemesSubject) -> list[str]:
    """Name the variants that are better than the reference in something and worse in nothing.

    A variant that is worse by its own interval alone is left out too.
    The variant that is better in more comes first; among equals, that of the higher mean of the
    last thing asked for.
    """
    questions = subject["verdict"]["questions"]
    worse = {name for question in questions for name in question["worse"]}
    worse |= set(_doubtful(subject))
    times: dict[str, int] = {}
    for question in questions:
        for name in question["better"]:
            times[name] = times.get(name, 0) + 1
    order = questions[-1]["ranking"]["order"] if questions else []
    place = {name: i for i, name in enumerate(order)}
    names = [name for name in times if name not in worse]
    return sorted(names, key=lambda name: (-times[name], place.get(name, len(place))))


def _gains(subject: SchemesSubject, name: str) -> str:
    """Describe what a variant gains."""
    outcome = outcome_of(subject, name)
    better = [q for q in subject["verdict"]["questions"] if name in q["better"]]
    return f"{name}: {'; '.join(_change(subject, outcome, q) for q in better)}"


def _change(subject: SchemesSubject, outcome: SchemeOutcome, question: SchemeQuestion) -> str:
    """Describe how a quantity differs from the reference."""
    quantity = question["quantity"]
    found = outcome["differences"][quantity]
    without = next(o for o in subject["outcomes"] if not o["differences"])
    before, after = (
        value(quantity, mean_of(each, quantity)["mean"]) for each in (without, outcome)
    )
    shown = f"{NOUNS[question['aspect']]} from {before} to {after}"
    if quantity.endswith("jain_index"):
        return f"{shown} ({index_text(found['absolute'], interval=True)})"
    percent = found["percent"]
    if percent is None or percent["ci_low"] is None:
        # The reference may be zero: nothing bounds the ratio.
        return shown
    return f"{shown} ({words.measured(words.change(percent), '%')})"


def _doubtful(subject: SchemesSubject) -> list[str]:
    """Name the variants that gain significantly, and have costs by their own intervals alone."""
    questions = subject["verdict"]["questions"]
    better = {name for question in questions for name in question["better"]}
    worse = {name for question in questions for name in question["worse"]}
    order = [v["variant"] for v in subject["variants"]]
    return [n for n in order if n in better - worse and doubtful_costs(subject, n)]


def _doubtful_gain(subject: SchemesSubject, name: str, reference: str) -> Finding:
    """Name what a variant gains, and what it may cost."""
    outcome, costs = outcome_of(subject, name), doubtful_costs(subject, name)
    gains = [q for q in subject["verdict"]["questions"] if name in q["better"]]
    gained, lost = (listed([NOUNS[q["aspect"]] for q in part]) for part in (gains, costs))
    gain, cost = ("; ".join(_change(subject, outcome, q) for q in part) for part in (gains, costs))
    return Finding(
        f"{name} gains {gained} and may cost {lost}",
        f"Against {reference}, better: {gain}. Worse in this comparison alone, but not for all"
        f" schemes and rankings together: {cost}. More replications decide it.",
        "warn",
    )


def _traded(subject: SchemesSubject) -> list[str]:
    return [trade["variant"] for trade in subject["verdict"]["trade_offs"]]


def _trade_off(subject: SchemesSubject, name: str, reference: str) -> Finding:
    """Name what a variant gains and what it costs."""
    trade = next(t for t in subject["verdict"]["trade_offs"] if t["variant"] == name)
    outcome = outcome_of(subject, name)
    by_aspect = {q["aspect"]: q for q in subject["verdict"]["questions"]}
    gain, cost = (
        "; ".join(_change(subject, outcome, by_aspect[aspect]) for aspect in trade[side])
        for side in ("better", "worse")
    )
    gained, lost = (
        listed([NOUNS[aspect] for aspect in trade[side]]) for side in ("better", "worse")
    )
    return Finding(
        f"{name} gains {gained} and costs {lost}",
        f"Against {reference}, better: {gain}. Worse: {cost}.",
        "warn",
    )


def _costs(subject: SchemesSubject, reference: str) -> list[Finding]:
    """Name the variants that cost something and gain nothing."""
    questions = subject["verdict"]["questions"]
    better = {name for question in questions for name in question["better"]}
    order = [v["variant"] for v in subject["variants"]]
    said: dict[str, str] = {}
    for name in order:
        worse = [q for q in questions if name in q["worse"]]
        if worse and name not in better:
            outcome = outcome_of(subject, name)
            said[name] = "; ".join(_change(subject, outcome, q) for q in worse)
    if not said:
        return []
    names = list(said)
    each = [text if len(said) == 1 else f"{name}: {text}" for name, text in said.items()]
    verb = _verb(names, "has", "have")
    return [
        Finding(
            f"{listed(names)} {verb} a cost and no significant gain",
            f"Against {reference}: {'. '.join(each)}.",
            "bad",
        )
    ]


def leader(subject: SchemesSubject, question: SchemeQuestion) -> Finding:
    """Say which variant leads in something, and which may be as good."""
    ranking, quantity = question["ranking"], question["quantity"]
    first, *_ = ranking["order"] or [""]
    heading = HEADINGS[question["aspect"]]
    if not first:
        return Finding(heading, "No scheme has a value in every replication.")
    mean = mean_of(outcome_of(subject, first), quantity)["mean"]
    said = [f"{first} has {value(quantity, mean)}"]
    near, behind = ranking["not_distinguishable"], ranking["worse"]
    place = "has the best mean" if near else "first"
    if near:
        said.append(f"Its lead is not significant over {listed(near)}")
    if behind:
        said.append(f"Significantly behind: {listed(behind)}")
    return Finding(f"{heading}: {first} {place}", f"{'. '.join(said)}.")


def _stations(subject: SchemesSubject, reference: str) -> Finding | None:
    """Name the stations whose goodput falls significantly, by variant."""
    said: list[str] = []
    for change in subject["verdict"]["stations"]:
        lost = [_station_loss(subject, change["variant"], name) for name in change["lose"]]
        if lost:
            more = len(lost) - _IN_FULL
            rest = [f"{more} more"] if more > 0 else []
            said.append(f"{change['variant']} costs {listed([*lost[:_IN_FULL], *rest])}")
    if not said:
        return None
    return Finding(
        "Stations that get less",
        f"Goodput against {reference}: {'; '.join(said)}.",
        "warn",
    )


def _station_loss(subject: SchemesSubject, variant: str, station: str) -> str:
    found = station_of(subject, variant, station)
    difference = found["goodput_difference"]
    percent = None if difference is None else difference["percent"]
    if percent is None or percent["mean"] is None:
        return station
    return f"{station} {words.measured(words.change(percent), '%')}"


def same(subject: SchemesSubject) -> list[str]:
    """Name the variants whose numbers are those of the reference in every replication."""
    return [
        outcome["variant"]
        for outcome in subject["outcomes"]
        if (all_of := outcome["differences"].values())
        and all(each["standing"] == "equal" for each in all_of)
    ]


def _same(subject: SchemesSubject, reference: str) -> list[Finding]:
    """Say which variants are the reference in every replication."""
    names = same(subject)
    if not names:
        return []
    verb = _verb(names, "is", "are")
    text = f"Every number is that of {reference} in every replication."
    return [Finding(f"{listed(names)} {verb} identical to {reference}", text)]


def _not_ranked(subject: SchemesSubject) -> list[Finding]:
    left = subject["verdict"]["not_ranked"]
    if not left:
        return []
    said = "; ".join(f"{each['variant']}: {each['why'].rstrip('.')}" for each in left)
    return [Finding("Not ranked", f"{said}.")]


def _one_replication() -> Finding:
    return Finding(
        "No verdict from one replication",
        "There are no intervals. Run several replications (--replications 10) to compare.",
        "warn",
    )


def _verb(names: Sequence[str], one: str, several: str) -> str:
    return one if len(names) == 1 else several


def sets(subject: SchemesSubject) -> list[str]:
    """Say what each variant sets in the scenario; without those that set nothing."""
    return [f"{v['variant']} sets {', '.join(v['sets'])}" for v in subject["variants"] if v["sets"]]


CLAIMS: Final = (
    "A tilde (~) marks a difference that is not significant by itself. What is said to be behind,"
    " to help, to gain or to cost is significant for all schemes and rankings together."
)
"""How far the claims of tables and findings reach."""


def head(subject: SchemesSubject) -> str:
    """Write what was repeated how often."""
    repeats = words.counted(subject["replications"], "replication")
    return f"{repeats}, {words.number(subject['duration_s'])} s each"
