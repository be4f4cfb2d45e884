"""The rows of the result: one for each published value and each claimed ordering.

A row also has its dependence on the parameters that the publication leaves open: the value under
each alternative of each assumption, and whether the verdict changes. An alternative with fewer runs
is compared with the same repeats of the figure itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

from airtcp.words import sentences as words
from airtcp_papers.form import refuse
from airtcp_papers.paper import Claim, Published, Term, cause_of
from airtcp_papers.verdict import MET, Judged, Verdict, judge, judge_claim, said_margin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.outcome import Outcome
    from airtcp_papers.paper import Assumption, Figure


class Sensitivity(TypedDict):
    """A row under another value of a parameter that the publication leaves open."""

    assumption: str
    status: str
    parameter: str
    alternative: Any
    here: float | None
    verdict: Verdict


class Explained(TypedDict):
    """Why a row is not met, as far as known."""

    cause: str
    """Why it is not met, or that the cause was not found, and what was tried."""
    shown_by: list[str]
    """Experiments that show the cause."""
    tried: str
    """What was tried without finding a cause."""


class Row(Explained):
    """A published value or a claimed ordering, and the result here."""

    id: str
    kind: str
    metric: str
    at: dict[str, str | float]
    words: str
    published: float | str
    published_interval: tuple[float | None, float | None] | None
    here: float | None
    here_interval: tuple[float | None, float | None] | None
    right: float | None
    repeats: tuple[int, int] | None
    ratio: float | None
    unit: str
    verdict: Verdict
    reason: str
    by_construction: str
    own: str
    """Why it is our own statement; empty if it is the publication's."""
    derived: list[str]
    """Assumptions whose value was derived from the figure of this row."""
    depends_on: list[str]
    sensitivity: list[Sensitivity]


def rows_of(
    figure: Figure, outcome: Outcome, others: Sequence[tuple[Assumption, Any, Outcome]]
) -> list[Row]:
    """Compare the statements of a figure with the measures.

    Args: figure: The figure. outcome: The measures of its driver. others: The measures under each
        alternative of an assumption.

    Raises: PaperError: If the figure names a measure that its driver lacks.
    """
    said = [*figure.published, *figure.claims]
    tried = [
        (assumption, value, other, _beside(outcome, other)) for assumption, value, other in others
    ]
    return [_row(figure, one, outcome, tried) for one in said]


def _beside(outcome: Outcome, other: Outcome) -> Outcome:
    """Return the outcome with as many repeats as an alternative has."""
    return outcome.first(other.repeats) if other.repeats < outcome.repeats else outcome


def _judged(one: Published | Claim, outcome: Outcome, figure: Figure) -> Judged:
    try:
        return judge(one, outcome) if isinstance(one, Published) else judge_claim(one, outcome)
    except KeyError as error:
        wanted = error.args[0]
        message = f"{figure.path}: the driver {figure.driver} measures no {wanted}"
        known = sorted({str(measure.term) for measure in outcome.measures})
        near = [name for name in known if name.split("[")[0] == wanted.metric] or known
        refuse(f"{message} (it measures: {'; '.join(near)})")


def explained(one: Published | Claim, verdict: Verdict) -> Explained:
    """Return the known cause of an unmet row from its file; empty if the row is met."""
    open_ = verdict not in MET and verdict != "skipped"
    return {
        "cause": cause_of(one) if open_ else "",
        "shown_by": list(one.shown_by) if open_ else [],
        "tried": one.tried if open_ else "",
    }


_Others: TypeAlias = "Sequence[tuple[Assumption, Any, Outcome, Outcome]]"
"""Alternatives of assumptions, the outcome of each, and the outcome to compare it with."""


def _sensitivity(
    figure: Figure, one: Published | Claim, outcome: Outcome, judged: Judged, others: _Others
) -> tuple[list[Sensitivity], list[str]]:
    """Judge a row under every alternative, and name the assumptions that change its verdict."""
    found: list[Sensitivity] = []
    depends: dict[str, None] = {}
    for assumption, alternative, other, beside in others if judged.verdict != "skipped" else ():
        if assumption.metrics and _term(one).metric not in assumption.metrics:
            continue
        then = _judged(one, other, figure)
        taken = judged if beside is outcome else _judged(one, beside, figure)
        if then.here == taken.here and then.right == taken.right:
            # The row does not depend on this, for instance with measured links.
            continue
        if then.met != taken.met:
            depends[assumption.name] = None
        found.append(
            {
                "assumption": assumption.name,
                "status": assumption.status,
                "parameter": assumption.parameter,
                "alternative": alternative,
                "here": None if then.here is None else then.here.value,
                "verdict": then.verdict,
            }
        )
    return found, list(depends)


def _term(one: Published | Claim) -> Term:
    """Return the term of a row; for an ordering, the left one."""
    return one.term if isinstance(one, Published) else one.left


def _row(figure: Figure, one: Published | Claim, outcome: Outcome, others: _Others) -> Row:
    judged = _judged(one, outcome, figure)
    wanted = _term(one)
    sensitivity, depends = _sensitivity(figure, one, outcome, judged, others)
    here = judged.here
    value = None if here is None else here.value
    return {
        "id": figure.id,
        "kind": "value" if isinstance(one, Published) else "ordering",
        "metric": wanted.metric,
        "at": dict(wanted.at),
        "words": one.says if isinstance(one, Published) else one.words,
        "published": _published(one),
        "published_interval": _ends(one),
        "here": value,
        "here_interval": None if here is None or here.low is None else (here.low, here.high),
        "right": judged.right,
        "repeats": judged.repeats,
        "ratio": _ratio(one, value, judged.right),
        "unit": one.unit if isinstance(one, Published) else ("" if here is None else here.unit),
        "verdict": judged.verdict,
        "reason": judged.reason,
        **explained(one, judged.verdict),
        "by_construction": one.by_construction,
        "own": one.own,
        "derived": _derived(figure, wanted),
        "depends_on": depends,
        "sensitivity": sensitivity,
    }


def _derived(figure: Figure, wanted: Term) -> list[str]:
    """Name the assumptions whose value was derived from this row's figure."""
    known = {a.name: a for a in (*figure.paper.assumptions.values(), *figure.assumptions)}
    sources = {figure.id, f"{figure.id} {wanted.metric}"}
    return [name for name, a in known.items() if sources & set(a.derived_from)]


def _published(one: Published | Claim) -> float | str:
    if isinstance(one, Published):
        return one.value if one.value is not None else interval(one.low, one.high)
    right = one.right if isinstance(one.right, Term) else words.number(one.right)
    return f"{one.op} {right}{said_margin(one)}"


def interval(low: float | None, high: float | None) -> str:
    """Write an interval, which may be open at one end.

    >>> interval(20, 30), interval(None, 10), interval(250, None)
    ('[20.0, 30.0]', '<= 10.0', '>= 250')
    """
    if low is None:
        return f"<= {words.number(high)}"
    return (
        f">= {words.number(low)}"
        if high is None
        else f"[{words.number(low)}, {words.number(high)}]"
    )


def _ends(one: Published | Claim) -> tuple[float | None, float | None] | None:
    if isinstance(one, Claim) or (one.low is None and one.high is None):
        return None
    return one.low, one.high


def _ratio(one: Published | Claim, value: float | None, right: float | None) -> float | None:
    """Return here over published, or left over right; None if one is missing or zero."""
    other = one.value if isinstance(one, Published) else right
    return None if value is None or not other else value / other


class Counts(TypedDict):
    """Counts of rows by verdict."""

    rows: int
    met: int
    intervals: int
    tolerances: int
    orderings: int
    undecided: int
    missed: int
    shown: int
    """Missed rows whose cause an experiment shows."""
    argued: int
    """Missed rows with a cause that no experiment shows."""
    unexplained: int
    """Missed rows without a cause."""
    skipped: int
    derived: int
    """Met rows on a figure from which a setting was derived."""
    constructed: int
    """Rows met by construction."""


def tally(rows: Sequence[Row]) -> dict[str, int]:
    """Count the rows by verdict."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    return counts


def counted(rows: Sequence[Row]) -> tuple[Counts, Counts]:
    """Count published statements, and separately our own."""
    return (
        _counts([row for row in rows if not row["own"]]),
        _counts([row for row in rows if row["own"]]),
    )


def _counts(rows: Sequence[Row]) -> Counts:
    verdicts = tally(rows)
    met = [row for row in rows if row["verdict"] in MET]
    missed = [row for row in rows if row["verdict"] == "not reproduced"]
    return {
        "rows": len(rows),
        "met": len(met),
        "intervals": verdicts.get("within interval", 0),
        "tolerances": verdicts.get("within tolerance", 0),
        "orderings": verdicts.get("ordering holds", 0),
        "undecided": verdicts.get("undecided", 0),
        "missed": len(missed),
        "shown": sum(bool(row["shown_by"]) for row in missed),
        "argued": sum(
            bool(row["cause"]) and not row["shown_by"] and not row["tried"] for row in missed
        ),
        "unexplained": sum(not row["cause"] or bool(row["tried"]) for row in missed),
        "skipped": verdicts.get("skipped", 0),
        "derived": sum(bool(row["derived"]) for row in met),
        "constructed": sum(bool(row["by_construction"]) for row in met),
    }


def said_counts(rows: Sequence[Row]) -> list[str]:
    """Summarise the verdicts of published rows and of our own statements in sentences."""
    published, own = counted(rows)
    lines: list[str] = []
    if published["rows"]:
        kinds = f"{published['intervals']} within an interval, {published['tolerances']} within a"
        whole = words.counted(published["rows"], "row")
        line = f"Published: {whole}, {published['met']} met ({kinds} tolerance, "
        line += f"{words.counted(published['orderings'], 'ordering')}){_rest(published)}."
        notes = [
            f"{published[key]} {said}"
            for key, said in (
                ("derived", "on figures that a setting was derived from"),
                ("constructed", "by construction"),
            )
            if published[key]
        ]
        lines.append(line + (f" Of those met: {', '.join(notes)}." if notes else ""))
    if own["rows"]:
        whole = words.counted(own["rows"], "row")
        lines.append(f"Own statements: {whole}, {own['met']} met{_rest(own)}.")
    return lines


def _rest(counts: Counts) -> str:
    causes = [
        f"{counts[key]} {said}"
        for key, said in (
            ("shown", "whose cause an experiment shows"),
            ("argued", "with a cause that no experiment shows"),
            ("unexplained", "without a cause"),
        )
        if counts[key]
    ]
    reasons = f" ({', '.join(causes)})" if causes else ""
    parts = [
        f", {counts[key]} {said}"
        for key, said in (
            ("undecided", "undecided"),
            ("missed", f"not reproduced{reasons}"),
            ("skipped", "skipped"),
        )
        if counts[key]
    ]
    return "".join(parts)


def shown(row: Mapping[str, Any]) -> str:
    """Write the metric of a row with its conditions."""
    return str(Term(row["metric"], row["at"]))


def told(value: Any) -> str:
    """Write the value of a parameter in a few words.

    >>> told({"ack_every": 1}), told({}), told(True)
    ('ack_every = 1', "the profile's own", 'true')
    """
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        parts = [f"{name} = {told(one)}" for name, one in table.items()]
        return ", ".join(parts) or "the profile's own"
    return str(value).lower() if isinstance(value, bool) else str(value)
