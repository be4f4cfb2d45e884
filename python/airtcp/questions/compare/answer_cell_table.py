"""The one table of a comparison of schemes: what helps first, then trades, then the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from airtcp.data.metrics import record
from airtcp.questions.compare import cell_values as values
from airtcp.questions.compare import findings_cell as schemes
from airtcp.questions.compare import settle
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, broken, cut, elided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import SchemeAspect, SchemeQuestion, SchemesSubject

_REFERENCE: Final = 3
"""Rank of the reference: what helps, or gains at a price, stands before it."""
ROWS: Final = 9
"""Schemes in the table of an answer."""
ROWS_OF_MANY: Final = 16
_NAME: Final = 28
_TITLE: Final = 60
_VERDICT: Final = 42
"""Characters of a name and of a verdict in the table, and of a title."""
_SHORT: Final[dict[SchemeAspect, str]] = {
    "goodput": "goodput",
    "fairness": "fairness",
    "slowest-flow": "slowest",
    "latency": "time",
}


_RANKS: Final[dict[SchemeAspect, int]] = {
    "goodput": 0,
    "fairness": 3,
    "slowest-flow": 1,
    "latency": 2,
}
"""Ranks of columns: the highest is left out first; those in which no scheme differs before."""
_WIDE: Final = 100
_LEAST: Final = 24
"""Characters of a table, and of the least verdict in it."""


def table(subject: SchemesSubject, reference: str, rows: int = ROWS) -> Grid:
    """Return the table of schemes: those that help first, and the reference always.

    Args:
        subject: The scenario.
        reference: The variant that the others are compared with.
        rows: Most rows.
    """
    questions = subject["verdict"]["questions"]
    tested = subject["verdict"]["replications"] > 1
    few = settle.schemes(subject) if tested else None
    may = [] if few is None else few.names
    placed = [(*_verdict(subject, name, reference, may), name) for name in _order(subject)]
    # What may help, the most promising first, stands before what cannot be told.
    placed.sort(key=lambda row: (row[0], may.index(row[2]) if row[2] in may else len(may)))
    kept = [row for row in placed if row[2] != reference][: rows - 1]
    shown = [row for row in placed if row in kept or row[2] == reference]
    outcomes = [values.outcome_of(subject, name) for _, _, name in shown]
    metrics = record("schemes", "SchemeOutcome")
    columns: list[Column] = []
    for question in questions:
        metric = metrics[question["quantity"]]
        means = [values.mean_of(outcome, metric.key) for outcome in outcomes]
        if question["aspect"] == "goodput":
            cells = [words.estimate(m, metric.scale, metric.limits, short=True) for m in means]
        else:
            # --details has the intervals of the others.
            plain = [m["mean"] for m in means]
            cells = ["-" if mean is None else words.number(metric.scale * mean) for mean in plain]
        rank = _RANKS[question["aspect"]]
        rank += len(_RANKS) if rank and not _decides(question) else 0
        keys = [m["mean"] for m in means]
        columns.append(Column(_head(metric.label), cells, rank=rank, keys=keys))
    names = [elided(name, _NAME) for _, _, name in shown]
    grid = Grid("scheme", names, columns, _title(subject), len(placed) - len(shown))
    said = [text for _, text, _ in shown]
    if any(said):
        # What decides stays; the verdict takes the rest of the line.
        least = max(map(len, [elided(text, _LEAST) for text in said]))
        grid = grid.within(_WIDE - 2 - least)
        rest = min(max(_WIDE - 2 - grid.width, _LEAST), _VERDICT)
        verdicts = Column("verdict", [elided(text, rest) for text in said], left=True)
        grid = replace(grid, columns=[*grid.columns, verdicts])
    return grid


def _decides(question: SchemeQuestion) -> bool:
    """Return whether a scheme is shown to be better or worse in a quantity."""
    return bool(question["better"] or question["worse"])


def _head(label: str) -> str:
    """Write a heading with its unit on a line of its own."""
    name, sign, unit = label.rpartition(" (")
    return f"{name}\n({unit}" if sign and "\n" not in broken(label) else broken(label)


def _title(subject: SchemesSubject) -> str:
    name = cut(subject["title"], _TITLE) if subject["title"] else elided(subject["name"], _TITLE)
    over = f"{words.counted(subject['replications'], 'run')} of {subject['duration_s']:g} s"
    return f"{name}: {over}{', 95 % intervals' if subject['replications'] > 1 else ''}"


def _order(subject: SchemesSubject) -> list[str]:
    """Name the schemes: those that help in their order, then by goodput."""
    helpful = schemes.helping(subject) if subject["verdict"]["replications"] > 1 else []
    names = [outcome["variant"] for outcome in subject["outcomes"]]
    most = {
        name: values.outcome_of(subject, name)["total_goodput_bps"]["mean"] or 0.0 for name in names
    }
    return [*helpful, *sorted((n for n in names if n not in helpful), key=lambda n: -most[n])]


def _verdict(
    subject: SchemesSubject, name: str, reference: str, may: Sequence[str]
) -> tuple[int, str]:
    """Return the rank of a scheme in the table, and its verdict in words."""
    if subject["verdict"]["replications"] <= 1:
        return 0, ""
    if name == reference:
        return _REFERENCE, "the cell as it is" if name == "base" else "the reference"
    questions = subject["verdict"]["questions"]
    better = [q for q in questions if name in q["better"]]
    worse = [q for q in questions if name in q["worse"]]
    if name in schemes.helping(subject):
        return 0, _helps(subject, name)
    if better:
        down = _named(worse or values.doubtful_costs(subject, name))
        return 2 - bool(worse), f"{_named(better)} up; {down} down{'' if worse else '?'}"
    if name in may:
        leads = name == values.promising(subject) and not schemes.helping(subject)
        return 0 if leads else _REFERENCE + 1, "may help"
    return _without_gain(subject, name, worse)


def _without_gain(
    subject: SchemesSubject, name: str, worse: list[SchemeQuestion]
) -> tuple[int, str]:
    if worse:
        return _REFERENCE + 3, f"{_named(worse)} down"
    if name in schemes.same(subject):
        return _REFERENCE + 4, "changes nothing"
    if name in values.undecided(subject):
        return _REFERENCE + 1, "cannot tell"
    return _REFERENCE + 2, "does not help"


def _helps(subject: SchemesSubject, name: str) -> str:
    lost = {c["variant"]: c["lose"] for c in subject["verdict"]["stations"]}.get(name, [])
    if not lost:
        return "helps"
    return f"helps; {len(lost)} station{'s get' if len(lost) > 1 else ' gets'} less"


def _named(questions: Sequence[SchemeQuestion]) -> str:
    return ", ".join(_SHORT[question["aspect"]] for question in questions)


def table_of_many(
    subjects: Sequence[SchemesSubject], reference: str, rows: int = ROWS_OF_MANY
) -> Grid:
    """Return a row for each scenario: what helps, and the gain in the slowest flow and in all.

    Args:
        subjects: The scenarios.
        reference: The variant that the others are compared with.
        rows: Most rows.
    """
    found = [(subject, _best(subject)) for subject in subjects]
    columns = [Column("helps", [_choice(subject) for subject, _ in found], left=True)]
    for key, said in (("total_goodput_bps", "goodput"), ("slowest_flow_bps", "slowest flow")):
        now = [_mean(subject, reference, key) for subject, _ in found]
        then = [_mean(subject, best, key) for subject, best in found]
        columns += [Column(f"{said}\nnow (Mb/s)", now), Column("with it\n(Mb/s)", then)]
    names = [elided(subject["name"], _NAME) for subject in subjects]
    return Grid("scenario", names, columns).first(rows)


def _best(subject: SchemesSubject) -> str | None:
    helpful = schemes.helping(subject) if subject["verdict"]["replications"] > 1 else []
    return helpful[0] if helpful else None


def _choice(subject: SchemesSubject) -> str:
    if subject["verdict"]["replications"] <= 1:
        return "not ranked"
    helpful = schemes.helping(subject)
    if helpful:
        return elided(", ".join(helpful), _NAME)
    return "cannot tell" if values.undecided(subject) else "nothing"


def _mean(subject: SchemesSubject, name: str | None, key: str) -> str:
    if name is None:
        return "-"
    mean = values.mean_of(values.outcome_of(subject, name), key)["mean"]
    return "-" if mean is None else words.number(1e-6 * mean)
