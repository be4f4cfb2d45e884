"""What the verdict on schemes supports: what helps this cell, and what it costs.

Every claim is one of the document's verdict: its paired interval excludes zero, with Bonferroni's
correction, and its mean reaches the threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import unranked
from airtcp.questions.compare.cell_values import doubtful_costs
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import SchemeAspect, SchemesSubject

HEADINGS: Final[dict[SchemeAspect, str]] = {
    "goodput": "Goodput",
    "fairness": "Fairness (Jain's index)",
    "slowest-flow": "Slowest flow",
    "latency": "95 % of exchanges",
}
"""The heading of a ranking."""

_IN_FULL: Final = 3
"""Schemes and stations that are described with numbers; more are named."""


def _some(stations: Sequence[str]) -> str:
    """Name a few stations, and count the others."""
    rest = len(stations) - _IN_FULL
    return listed([*stations[:_IN_FULL], *([f"{rest} more"] if rest > 0 else [])])


def helping(subject: SchemesSubject) -> list[str]:
    """Name the variants that are better than the reference in something and worse in nothing.

    A variant that is worse by its own interval alone is left out too.
    The variant that is better in more comes first; among equals, that of the higher mean of the
    last thing asked for.
    """
    questions = subject["verdict"]["questions"]
    worse = {name for question in questions for name in question["worse"]}
    worse |= set(doubtful(subject))
    times: dict[str, int] = {}
    for question in questions:
        for name in question["better"]:
            times[name] = times.get(name, 0) + 1
    order = questions[-1]["ranking"]["order"] if questions else []
    place = {name: i for i, name in enumerate(order)}
    names = [name for name in times if name not in worse]
    return sorted(names, key=lambda name: (-times[name], place.get(name, len(place))))


def doubtful(subject: SchemesSubject) -> list[str]:
    """Name the variants that gain significantly, and have costs by their own intervals alone."""
    questions = subject["verdict"]["questions"]
    better = {name for question in questions for name in question["better"]}
    worse = {name for question in questions for name in question["worse"]}
    order = [v["variant"] for v in subject["variants"]]
    return [n for n in order if n in better - worse and doubtful_costs(subject, n)]


def same(subject: SchemesSubject) -> list[str]:
    """Name the variants whose numbers are those of the reference in every replication."""
    return [
        outcome["variant"]
        for outcome in subject["outcomes"]
        if (all_of := outcome["differences"].values())
        and all(each["standing"] == "equal" for each in all_of)
    ]


def said(subject: SchemesSubject) -> list[Finding]:
    """Return what neither answer nor tables say: who gets less, what is not ranked, notes."""
    verdict = subject["verdict"]
    less = [
        f"{_some(change['lose'])} under {change['variant']}"
        for change in verdict["stations"]
        if change["lose"]
    ]
    found = [Finding("Stations that get less", f"{listed(less)}.")] if less else []
    found += unranked.findings(verdict["not_ranked"])
    claims = [CLAIMS] if verdict["replications"] > 1 else []
    return found + [Finding("Note", note) for note in [*subject["notes"], *claims]]


CLAIMS: Final = (
    "A tilde (~) marks a difference that is not significant by itself. What is said to be behind,"
    " to help, to gain or to cost is significant for all schemes and rankings together."
)
"""How far the claims of tables and findings reach."""


def head(subject: SchemesSubject) -> str:
    """Write what was repeated how often."""
    repeats = words.counted(subject["replications"], "replication")
    return f"{repeats}, {words.number(subject['duration_s'])} s each"
