"""The answer of a comparison of schemes: what would help this cell, and whom it costs.

Every claim is one of the document's verdict, for all schemes and rankings together. A scheme helps
only if no cost of it is shown, by its own interval either.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import cell_values as values
from airtcp.questions.compare import findings_cell as schemes
from airtcp.questions.compare import settle, tables_cell
from airtcp.questions.compare.answer_cell_table import ROWS, ROWS_OF_MANY, table, table_of_many
from airtcp.questions.compare.answer_tcp import (
    amount,
    amounts,
    milliseconds,
    named,
    some,
    stopped,
)
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from airtcp.data.documents import (
        SchemeAspect,
        SchemeQuestion,
        SchemesDocument,
        SchemesSubject,
    )
    from airtcp.questions.compare.settle import Settling
    from airtcp.words.grid import Grid

_FEW: Final = 2
"""Replications that hardly show how far they spread."""
_MORE: Final = 8
"""Replications to try at least, if it is not known how many would tell."""
_IN_FULL: Final = 5
"""Scenarios whose details have every table."""
_TELLING: Final[tuple[SchemeAspect, ...]] = ("slowest-flow", "goodput", "latency", "fairness")
"""The gains in the order in which a sentence prefers them."""
_WHAT: Final[dict[SchemeAspect, str]] = {
    "goodput": "the total goodput",
    "fairness": "fairness",
    "slowest-flow": "the slowest flow",
    "latency": "time of the exchanges",
}


def answer(document: SchemesDocument) -> Answer | None:
    """Return the answer of a comparison of schemes; none if nothing was finished."""
    subjects = [subject for subject in document["subjects"] if subject["outcomes"]]
    if not subjects:
        return None
    reference = document["reference"]
    further = "All, and what each scheme sets: --details   Page: --html FILE"
    if len(subjects) == 1:
        number = subjects[0]["verdict"]["replications"]
        few = settle.schemes(subjects[0]) if number > 1 else None
        headline, helps = _sentences(subjects[0], reference, few)
        doubt = _doubt(subjects[0], few)
        if few is not None:
            further = f"To tell: {few.command('schemes', reference, number)}   {DEEPER}"
    else:
        headline, helps = _of_many(subjects)
        doubt = None
    if document["interrupted"]:
        doubt = f"{stopped(subjects[-1]['replications'])}."
    grid, details = first_table(document), _details(document, subjects)
    return Answer(headline, helps, doubt, grid and grid.within(), further, details)


def first_table(document: SchemesDocument, rows: int | None = None) -> Grid | None:
    """Return the table of an answer; none if nothing was finished.

    Args:
        document: The document of the comparison.
        rows: Most rows; by default as many as fit a screen.
    """
    subjects = [subject for subject in document["subjects"] if subject["outcomes"]]
    if len(subjects) > 1:
        return table_of_many(subjects, document["reference"], rows or ROWS_OF_MANY)
    if not subjects:
        return None
    return table(subjects[0], document["reference"], rows or ROWS)


def _sentences(
    subject: SchemesSubject, reference: str, few: Settling | None
) -> tuple[str, str | None]:
    """Return headline and help of one scenario."""
    if subject["verdict"]["replications"] <= 1:
        return "One replication gives no verdict.", f"More replications give one: -n {_MORE}."
    if helpful := schemes.helping(subject):
        return _helpful(subject, helpful)
    if len(subject["outcomes"]) == 1:
        return f"Only {named(reference)} ran: no scheme can act in this cell.", None
    return _not_shown(subject, reference, few)


def _not_shown(
    subject: SchemesSubject, reference: str, few: Settling | None
) -> tuple[str, str | None]:
    """Return headline and help of a scenario in which no scheme is shown to help."""
    priced = _priced(subject)
    if few is not None and (name := values.promising(subject)):
        # What is shown, at a price, stands beside what only may be.
        other = f"{_trade(subject, priced[0])}." if priced else _promise(subject, name, few)
        return _promising(subject, name), other
    if priced:
        start = "Cannot tell whether a scheme helps" if few else "No scheme helps this cell"
        trade = _trade(subject, priced[0])
        return f"{start} without a price: {trade}.", _other_trade(subject, priced)
    if few is not None:
        may = f"{some(few.names)} may gain, but none is shown to"
        tells = few.tells(subject["verdict"]["replications"])
        return f"Cannot tell whether a scheme helps this cell: {may}.", tells
    kept = "it as it is" if reference == "base" else named(reference)
    return f"No scheme helps this cell: keep {kept}.", None


def _promising(subject: SchemesSubject, name: str) -> str:
    """Say what the best candidate without a price gains, by its own intervals."""
    questions = values.own_gains(subject, name)
    question = min(questions, key=lambda q: _TELLING.index(q["aspect"]))
    gives = _gives(subject, name, question)
    return f"{named(name)} may help this cell without a price: it {gives}."


def _promise(subject: SchemesSubject, name: str, few: Settling) -> str:
    """Say why the candidate is not shown to help, and what would tell."""
    tells = few.tells(subject["verdict"]["replications"])
    open_one = f"Among all schemes together, the gain of {named(name)} is not significant"
    return f"{open_one}: {tells[:1].lower()}{tells[1:]}"


def _helpful(subject: SchemesSubject, helpful: list[str]) -> tuple[str, str | None]:
    """Say which schemes help, and what the first gains; then what else it gains, or costs."""
    first = helpful[0]
    better = _better(subject, first)
    verb = "helps" if len(helpful) == 1 else "help"
    who = "it" if len(helpful) == 1 else named(first)
    headline = f"{some(helpful)} {verb} this cell: {who} {_gives(subject, first, better[0])}."
    also = f"{named(first)} also {_gives(subject, first, better[1])}" if better[1:] else ""
    if lost := _losing(subject, first):
        lose = f"{some(lost)} {'gets' if len(lost) == 1 else 'get'} less"
        return headline, f"{also}, but {lose}." if also else f"Its price: {lose}."
    if also:
        return headline, f"{also}, and no station is shown to get less."
    return headline, f"No station is shown to get less under {named(first)}."


def _better(subject: SchemesSubject, name: str) -> list[SchemeQuestion]:
    """Return what a scheme is shown to make better, the most telling first."""
    found = [q for q in subject["verdict"]["questions"] if name in q["better"]]
    return sorted(found, key=lambda q: _TELLING.index(q["aspect"]))


def _gives(subject: SchemesSubject, name: str, question: SchemeQuestion) -> str:
    """Say how a scheme changes a quantity, against the reference."""
    quantity, aspect = question["quantity"], question["aspect"]
    without = next(o for o in subject["outcomes"] if not o["differences"])
    ours, theirs = (
        values.mean_of(outcome, quantity)["mean"]
        for outcome in (values.outcome_of(subject, name), without)
    )
    if aspect == "latency":
        before, after = milliseconds(theirs), milliseconds(ours)
        return f"shortens the slowest exchanges (95th percentile) from {before} to {after}"
    if aspect == "fairness":
        before, after = (amount(mean, 3) for mean in (theirs, ours))
        return f"raises fairness (Jain's index) from {before} to {after}"
    after, before = amounts(*(None if mean is None else 1e-6 * mean for mean in (ours, theirs)))
    if aspect == "slowest-flow":
        return f"gives the slowest flow {after} Mb/s instead of {before}"
    return f"raises the total goodput from {before} to {after} Mb/s"


def _priced(subject: SchemesSubject) -> list[str]:
    """Name the schemes that gain at a price, shown or possible; the largest gain first."""
    questions = subject["verdict"]["questions"]
    better = {name for question in questions for name in question["better"]}
    return sorted(better, key=lambda name: (-_size(subject, name), name))


def _size(subject: SchemesSubject, name: str) -> float:
    """Return the largest relative gain of a scheme."""
    sizes: list[float] = []
    without = next(o for o in subject["outcomes"] if not o["differences"])
    for question in _better(subject, name):
        own, base = (
            values.mean_of(outcome, question["quantity"])["mean"] or 0.0
            for outcome in (values.outcome_of(subject, name), without)
        )
        sizes.append(abs(own - base) / max(own, base, 1e-12))
    return max(sizes, default=0.0)


def _trade(subject: SchemesSubject, name: str) -> str:
    """Say what a scheme gains, and what it costs or may cost."""
    gain = _gives(subject, name, _better(subject, name)[0])
    worse = [_WHAT[q["aspect"]] for q in subject["verdict"]["questions"] if name in q["worse"]]
    maybe = [_WHAT[q["aspect"]] for q in values.doubtful_costs(subject, name)]
    price = f"costs {listed(worse)}" if worse else f"may cost {listed(maybe)}"
    return f"{named(name)} {gain}, but {price}"


def _other_trade(subject: SchemesSubject, priced: list[str]) -> str | None:
    """Say what another scheme gains: the largest gain in what the first costs."""
    first = priced[0]
    questions = subject["verdict"]["questions"]
    costs = {q["aspect"] for q in questions if first in q["worse"]}
    costs |= {q["aspect"] for q in values.doubtful_costs(subject, first)}
    for name in priced[1:]:
        gained = _better(subject, name)
        if any(question["aspect"] in costs for question in gained):
            return f"{_trade(subject, name)}."
    return None


def _losing(subject: SchemesSubject, name: str) -> list[str]:
    """Name the stations that get less, shown for all together or by their own intervals."""
    shown = [
        station
        for change in subject["verdict"]["stations"]
        if change["variant"] == name
        for station in change["lose"]
    ]
    return [*shown, *(s["station"] for s in values.doubtful_stations(subject, name))]


def _doubt(subject: SchemesSubject, few: Settling | None) -> str | None:
    """Say what the answer rests on that could be wrong."""
    number = subject["verdict"]["replications"]
    helpful, priced = schemes.helping(subject), _priced(subject)
    candidate = values.promising(subject)
    if few is not None and candidate and priced and not helpful:
        return _promise(subject, candidate, few)
    shown = helpful or (not candidate and priced)
    if 1 < number <= _FEW and (shown or few is None):
        return f"Rests on {words.counted(number, 'replication')}: -n {_MORE} runs more."
    if few is None or not shown:
        return None
    too = " too" if helpful else ""
    verb, them = ("helps", "it") if len(few.names) == 1 else ("help", "them")
    more = "more" if few.number is None else f"about {few.number}"
    should = "may" if few.number is None else "should"
    return (
        f"Whether {some(few.names, 'or')} {verb}{too} is open: {more} replications of {them} alone"
        f" {should} tell."
    )


def _of_many(subjects: list[SchemesSubject]) -> tuple[str, str | None]:
    """Return headline and help over several scenarios."""
    tested = [subject for subject in subjects if subject["verdict"]["replications"] > 1]
    if not tested:
        return "One replication gives no verdict.", f"More replications give one: -n {_MORE}."
    helpful = [schemes.helping(subject) for subject in tested]
    open_ones = [
        few
        for subject, found in zip(tested, helpful, strict=True)
        if not found and (few := settle.schemes(subject)) is not None
    ]
    on = f"On {words.counted(len(open_ones), 'scenario')} the runs do not tell"
    tells = f"{on}: fewer schemes, and more replications, may." if open_ones else None
    counts: Counter[str] = Counter(name for found in helpful for name in found)
    if not counts:
        return "No scheme is shown to help any of these scenarios without a price.", tells
    most = max(counts.values())
    names = [name for name, number in counts.items() if number == most]
    verb = "helps" if len(names) == 1 else "help"
    if most == len(subjects):
        return f"{some(names)} {verb} each of these scenarios.", tells
    each = " each" if len(names) > 1 else ""
    of = words.counted(len(subjects), "scenario")
    return f"{some(names)} {verb} {words.count(most)} of {of}{each}, more than any other.", tells


def _details(
    document: SchemesDocument, subjects: list[SchemesSubject]
) -> tuple[Finding | Grid, ...]:
    """Return every table, ranking and finding, and what each scheme sets."""
    reference = document["reference"]
    parts: list[Finding | Grid] = []
    for subject in subjects[:_IN_FULL]:
        name = f"{subject['title'] or subject['name']} ({schemes.head(subject)})"
        parts.append(tables_cell.grid(subject, name))
        parts.append(tables_cell.differences(subject, reference))
        parts += [
            Finding(f"{v['variant']} sets {', '.join(v['sets'])}.", "")
            for v in subject["variants"]
            if v["sets"]
        ]
        parts += schemes.said(subject)
    if left := len(subjects) - _IN_FULL:
        parts += [Finding(f"{left} more scenarios", "--json has all of them.")] if left > 0 else []
    about = f"Seed {document['seed']}, airtcp {document['airtcp_version']}"
    return (*parts, Finding(about, ""))
