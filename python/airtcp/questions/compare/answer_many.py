"""The answer over several scenarios and links: on how many each TCP is best, and what helps."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import answer_tcp as tcp
from airtcp.questions.compare import delay, effects, quantities, tables, verdict
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.words import notes
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareDocument, CompareSubject, Remedies

ROWS: Final = 16
"""Links in the table of an answer."""
_NAME: Final = 30
_CHOICES: Final = 34
"""Characters of names in a cell."""


def sentences(subjects: Sequence[CompareSubject]) -> tuple[str, str | None]:
    """Return headline and help over several subjects."""
    said = headline([subject["cases"][0] for subject in subjects], _noun(subjects))
    return said, helps([r for s in subjects if (r := s["remedies"]) is not None])


def headline(cases: Sequence[CompareCase], noun: str) -> str:
    """Say on how many links each TCP is the best choice.

    Args:
        cases: The case of each.
        noun: What they are: `link` or `scenario`.
    """
    alive = [case for case in cases if any(o["goodput_bps"]["mean"] for o in case["outcomes"])]
    if not alive:
        return f"No TCP delivers anything on any of these {noun}s."
    if all(len(case["outcomes"]) == 1 for case in cases):
        return _one_tcp(alive, noun)
    best = [verdict.best(case) for case in alive]
    counts: Counter[str] = Counter(name for names in best for name in names)
    if not counts:
        return f"On none of these {noun}s do the runs tell which TCP is best."
    decided = sum(1 for names in best if names)
    top = counts.most_common()
    name, number = top[0]
    tied = [other for other, count in top if count == number]
    who = tcp.some(tied)
    verb = "are" if len(tied) > 1 else "is"
    each = " each" if len(tied) > 1 else ""
    alone = all(len(names) == 1 for names in best if name in names)
    best_said = "the best choice" if alone and len(tied) == 1 else "among the best"
    if number == len(cases):
        return f"{who} {verb} {best_said} on each of these {noun}s."
    said = f"{who} {verb} {best_said} on {words.count(number)} of {words.counted(len(cases), noun)}"
    rest = "; on some nothing arrives" if len(alive) < len(cases) else ""
    rest = "; on some the runs do not tell" if decided < len(alive) else rest
    return f"{said}{each}{rest}."


def _one_tcp(cases: Sequence[CompareCase], noun: str) -> str:
    """Say what the only TCP gets over several links."""
    outcomes = sorted(
        (c["outcomes"][0] for c in cases), key=lambda o: o["goodput_bps"]["mean"] or 0
    )
    name, units = tcp.named(outcomes[0]["variant"]), {quantities.goodput(o)[1] for o in outcomes}
    if len(units) > 1:
        return f"{name} alone was tried on these {noun}s."
    low, high = tcp.rate(outcomes[0]), tcp.rate(outcomes[-1])
    said = high if low == high else f"{low.partition(' ')[0]} to {high}"
    return f"{name} gets {said} over these {noun}s."


def _noun(subjects: Sequence[CompareSubject]) -> str:
    return "scenario" if all(s["kind"] == "scenario" for s in subjects) else "link"


def _gain(remedies: Remedies, name: str) -> float | None:
    percent = quantities.percent(quantities.outcome_of(remedies, name))
    return None if percent is None else percent["mean"]


def _helping(remedies: Remedies) -> list[str]:
    """Name the remedies that help on a link."""
    if remedies["replications"] <= 1:
        return []
    if remedies["aim"] == "delay":
        return [outcome["variant"] for outcome in delay.shorter(remedies)]
    if remedies_words.helpful(remedies) is None:
        # Gains by their own intervals are no help if all remedies together show none.
        return []
    return [o["variant"] for o in remedies["outcomes"] if remedies_words.raises(remedies, o)]


def helps(tried: Sequence[Remedies]) -> str | None:
    """Say on how many links the remedy that helps most of them does, and by how much."""
    if not tried:
        return None
    counts: Counter[str] = Counter(name for each in tried for name in _helping(each))
    if not counts:
        return "No remedy is shown to help on any of them."
    # Of remedies that help as many links, the one with the larger typical gain.
    gains = {
        name: [
            gain
            for each in tried
            if name in _helping(each) and (gain := _gain(each, name)) is not None
        ]
        for name in counts
    }
    name = max(counts, key=lambda n: (counts[n], median(gains[n]) if gains[n] else 0.0))
    spoken = effects.spoken(name, tried[0]["reference"])
    number, of = counts[name], len(tried)
    on = (
        f"each of {words.counted(of, 'link')}"
        if number == of > 1
        else words.counted(number, "link")
    )
    said = f"{words.begun(spoken)} would help on {on}"
    losses = all(each["aim"] == "losses" for each in tried)
    if losses and gains[name]:
        return f"{said}, {words.times(median(gains[name]))} at the median."
    return f"{said}." if losses else f"{said}: it shortens the delivery time."


def doubt(document: CompareDocument, subjects: Sequence[CompareSubject]) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    if document["skipped"]:
        return f"{skipped(document)}."
    drawn = sum(verdict.drawn_order(subject["notes"]) for subject in subjects)
    if drawn:
        files = words.counted(drawn, "file does", "files do")
        return f"{files} not give the order of losses: it was drawn, and bursts matter."
    assumed = sum(subject["slot_assumed"] for subject in subjects)
    if assumed:
        of = "" if assumed == len(subjects) else f" of {words.counted(assumed, 'link')}"
        return f"Rates and times{of} rest on an assumed slot: --slot gives another."
    return None


def skipped(document: CompareDocument) -> str:
    """Name a file that was not read, or count several."""
    files = document["skipped"]
    first = elided(files[0]["path"].rpartition("/")[2], _NAME)
    if len(files) == 1:
        return f"{first} was skipped; --details says why"
    return f"{words.unread(len(files))}, {first}; --details says why"


def table(subjects: Sequence[CompareSubject], rows: int = ROWS) -> Grid:
    """Return a row for each scenario or link, the one with the least goodput first."""
    cases = [(subject, subject["cases"][0]) for subject in subjects]
    units = {quantities.goodput(case["outcomes"][0])[1] for _, case in cases}
    if len(units) == 1:
        # Without a common unit the order of the files stays.
        cases.sort(key=lambda pair: most(pair[0]))
    unit = next(iter(units)) if len(units) == 1 else ""
    columns = [
        Column(
            "best TCP",
            [_choice(case) for _, case in cases],
            left=True,
        ),
        Column(
            f"goodput\n({unit})" if unit else "goodput",
            [_goodput(subject, with_unit=not unit) for subject, _ in cases],
        ),
    ]
    if any(subject["remedies"] is not None for subject, _ in cases):
        helped = [_best_remedy(subject["remedies"]) for subject, _ in cases]
        columns += [
            Column("remedy", [elided(name, _CHOICES) for name, _ in helped], left=True),
            Column("gain", [gain for _, gain in helped], rank=1),
        ]
    names = [elided(subject["name"], _NAME) for subject, _ in cases]
    kinds = _noun(subjects)
    return Grid(kinds, names, columns, sort=columns[1].heading if unit else None).first(rows)


def _choice(case: CompareCase) -> str:
    """Write the best TCPs of a link, or that the runs do not tell."""
    if not any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"]):
        return "nothing delivered"
    found = verdict.candidates(case)
    if not found:
        return "not ranked"
    if verdict.open_ones(case):
        others = words.counted(len(found) - 1, "other")
        return f"cannot tell: {elided(found[0], _CHOICES // 2)} or {others}"
    return elided(", ".join(found), _CHOICES)


def most(subject: CompareSubject) -> float:
    """Return the goodput of the best TCP of a subject."""
    name = quantities.best(subject["cases"][0])
    found = subject["cases"][0]["outcomes"]
    chosen = [o for o in found if name is None or o["variant"] == name]
    return max(o["goodput_bps"]["mean"] or 0.0 for o in chosen)


def _goodput(subject: CompareSubject, *, with_unit: bool) -> str:
    """Write the goodput of the best TCP."""
    case = subject["cases"][0]
    name = quantities.best(case)
    if name is None:
        return "-"
    value, unit = quantities.goodput(quantities.outcome_of(case, name))
    text = words.estimate(value, 1.0, short=True)
    return f"{text} {unit}" if with_unit else text


def _best_remedy(remedies: Remedies | None) -> tuple[str, str]:
    """Return the best remedy of a link and its effect, or a dash."""
    found = [] if remedies is None else _helping(remedies)
    if remedies is None or not found:
        return "-", "-"
    if remedies["aim"] == "delay":
        outcome = quantities.outcome_of(remedies, found[0])
        return found[0], f"95 % in {quantities.mean_text(outcome, 'delivery_p95_s')}"
    name = remedies_words.helpful(remedies)
    if name is None:
        return "-", "-"
    gain = _gain(remedies, name)
    return name, "-" if gain is None else words.times(gain)


def details(subjects: Sequence[CompareSubject]) -> list[Finding | Grid]:
    """Return every row, and notes."""
    cases = [(subject["name"], subject["cases"][0]) for subject in subjects]
    return [
        tables.overview(cases, len(cases)),
        *(Finding("Note", note) for note in notes.notes(subjects)),
    ]
