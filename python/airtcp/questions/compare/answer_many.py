"""The answer over several scenarios and links: on how many each TCP is best, and what helps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import answer_tcp as tcp
from airtcp.questions.compare import helps_over_links, quantities, tables, verdict
from airtcp.words import notes
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareDocument, CompareSubject

ROWS: Final = 16
"""Links in the table of an answer."""
_NAME: Final = 30
_CHOICES: Final = 34
"""Characters of names in a cell."""
_LEAST: Final = 8
"""Replications to try at least."""
_PAIR: Final = 2


def sentences(subjects: Sequence[CompareSubject]) -> tuple[str, str | None]:
    """Return headline and help over several subjects."""
    said = headline([subject["cases"][0] for subject in subjects], _noun(subjects))
    tried = [r for s in subjects if (r := s["remedies"]) is not None]
    return said, helps_over_links.sentence(tried)


def headline(cases: Sequence[CompareCase], noun: str) -> str:
    """Say which TCP is good on all links: never shown to be worse than the best one.

    The paired intervals of the verdict decide. A link on which no TCP is ranked says nothing, and a
    TCP that is not ranked where others are is not good there.

    Args:
        cases: The case of each.
        noun: What they are: `link` or `scenario`.
    """
    alive = [case for case in cases if any(o["goodput_bps"]["mean"] for o in case["outcomes"])]
    if not alive:
        return f"No TCP delivers anything on any of these {noun}s."
    if all(len(case["outcomes"]) == 1 for case in cases):
        return _one_tcp(alive, noun)
    good = [found for case in alive if (found := verdict.candidates(case))]
    counts: Counter[str] = Counter(name for names in good for name in names)
    tried = {o["variant"] for case in alive for o in case["outcomes"]} - _never_ranked(alive)
    if not counts or (len(tried) > 1 and all(set(names) == tried for names in good)):
        if counts and not any(map(verdict.open_ones, alive)):
            return f"No TCP is better than another on any of these {noun}s."
        return f"On none of these {noun}s do the runs tell which TCP is best."
    return _good(cases, good, counts, noun)


def _good(
    cases: Sequence[CompareCase], good: Sequence[list[str]], counts: Counter[str], noun: str
) -> str:
    """Name the TCPs that are good on all links, else those that are on most.

    Args:
        cases: The case of each link.
        good: For each link on which TCPs are ranked, those that may be the best.
        counts: On how many links each is among these.
        noun: What the links are.
    """
    most = max(counts.values())
    tied = [name for name, count in counts.items() if count == most]
    verb = "are" if len(tied) > 1 else "is"
    if all(verdict.best(case)[:1] == tied for case in cases):
        return f"{tcp.some(tied)} {verb} the best TCP on each of these {noun}s."
    links = words.counted(len(good), noun)
    if most < len(good):
        each = " each" if len(tied) > 1 else ""
        return (
            f"Each TCP is shown to be worse than the best one on some of {links};"
            f" {tcp.some(tied)} on the fewest, {words.count(len(good) - most)}{each}."
        )
    said = f"Over {links}, {tcp.some(tied)} {verb} never shown to be worse than the best TCP"
    left = len(cases) - len(good)
    return f"{said}; no TCP is ranked on {words.count(left)} more." if left else f"{said}."


def _never_ranked(cases: Sequence[CompareCase]) -> set[str]:
    """Name the TCPs that no link ranks, because the path lacks what they need."""
    out = [{entry["variant"] for entry in case["verdict"]["not_ranked"]} for case in cases]
    return out[0].intersection(*out[1:])


def tells(subjects: Sequence[CompareSubject]) -> str | None:
    """Say on how many links several TCPs may be the best one, and what would tell."""
    cases, noun = [subject["cases"][0] for subject in subjects], _noun(subjects)
    still = [case for case in cases if verdict.open_ones(case)]
    if not still:
        return None
    longer = all(case["over"] == "stretches" for case in still)
    what = "longer traces" if longer else f"more replications (-n {_more(still)})"
    links = words.counted(len(still), noun)
    return f"On {links} several TCPs may be the best: {what} may tell."


def _more(cases: Sequence[CompareCase]) -> int:
    return 2 * max(_LEAST, *(case["replications"] for case in cases))


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


def doubt(document: CompareDocument, subjects: Sequence[CompareSubject]) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    if document["skipped"]:
        return notes.not_read(document["skipped"])
    drawn = sum(verdict.drawn_order(subject["notes"]) for subject in subjects)
    if drawn:
        files = words.counted(drawn, "file does", "files do")
        return f"{files} not give the order of losses: it was drawn, and bursts matter."
    assumed = sum(subject["slot_assumed"] for subject in subjects)
    if assumed:
        of = "" if assumed == len(subjects) else f" of {words.counted(assumed, 'link')}"
        return f"Rates and times{of} rest on an assumed slot: --slot gives another."
    return None


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
        helped = [helps_over_links.cell(subject["remedies"]) for subject, _ in cases]
        columns.append(Column("best remedy", helped, left=True))
    names = [elided(subject["name"], _NAME) for subject, _ in cases]
    kinds = _noun(subjects)
    return Grid(kinds, names, columns, sort=columns[1].heading if unit else None).first(rows)


def _choice(case: CompareCase) -> str:
    """Write the best TCPs of a link, or that the runs do not tell."""
    if not any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"]):
        return "nothing delivered"
    found = verdict.candidates(case)
    if not found:
        return f"not ranked: {_why_not(case)}"
    if not verdict.open_ones(case):
        return elided(", ".join(found), _CHOICES)
    first = elided(found[0], _CHOICES // 2)
    if len(found) == _PAIR:
        return f"{first} or {elided(found[1], _CHOICES // 2)}"
    return f"{first} or {words.counted(len(found) - 1, 'other')}"


def _why_not(case: CompareCase) -> str:
    """Write in short why no TCP of a link is ranked."""
    if case["replications"] <= 1:
        return "trace too short" if case["over"] == "stretches" else "one run"
    return "the path lacks what they need"


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


def details(subjects: Sequence[CompareSubject]) -> list[Finding | Grid]:
    """Return every row, and notes."""
    cases = [(subject["name"], subject["cases"][0]) for subject in subjects]
    return [
        tables.overview(cases, len(cases)),
        *(Finding("Note", note) for note in notes.notes(subjects)),
    ]
