"""The tables of a comparison of schemes: every quantity, and a ranking for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.data.metrics import columns, record
from airtcp.questions.compare import cell_values as scheme_values
from airtcp.questions.compare import findings_cell as schemes
from airtcp.words import sentences as words
from airtcp.words.columns import with_values
from airtcp.words.grid import Column, Grid, metric_column

if TYPE_CHECKING:
    from airtcp.data.documents import SchemeOutcome, SchemeQuestion, SchemesSubject


def grid(subject: SchemesSubject, title: str = "") -> Grid:
    """Return the table of schemes, with every column.

    Args:
        subject: The scenario.
        title: The title of the table.
    """
    rows: list[dict[str, Any]] = [dict(outcome) for outcome in subject["outcomes"]]
    metrics = with_values(columns("schemes", "SchemeOutcome"), rows)
    names = [outcome["variant"] for outcome in subject["outcomes"]]
    return Grid("scheme", names, [metric_column(metric, rows) for metric in metrics], title)


def ranking(subject: SchemesSubject, question: SchemeQuestion, reference: str) -> Grid:
    """Return the variants in the order of one question, each with how far it is behind.

    Args:
        subject: The scenario.
        question: The question.
        reference: The variant that the others are compared with.
    """
    order, quantity = question["ranking"]["order"], question["quantity"]
    metric = record("schemes", "SchemeOutcome")[quantity]
    means = [
        scheme_values.mean_of(scheme_values.outcome_of(subject, name), quantity) for name in order
    ]
    behind = {lag["variant"]: lag["behind"] for lag in question["lags"]}
    outcomes = [scheme_values.outcome_of(subject, name) for name in order]
    unit = "" if quantity.endswith("jain_index") else "\n(%)"
    largest = max((mean["mean"] or 0.0 for mean in means), default=0.0)
    least = question["matters"] * (largest if question["relative"] else 1.0)
    laid = [
        Column(
            metric.head.lower().replace("mb/s", "Mb/s").replace(" (", "\n("),
            [words.estimate(mean, metric.scale, metric.limits) for mean in means],
            [words.estimate(mean, metric.scale, short=True) for mean in means],
        ),
        Column(
            "behind the\nfirst",
            [words.estimate(behind.get(name), metric.scale, words.ANY) for name in order],
            [
                words.estimate(behind.get(name), metric.scale, words.ANY, short=True)
                for name in order
            ],
        ),
        Column("", [_place(question, name, least) for name in order], left=True),
        Column(
            f"vs {reference}{unit}",
            [_against(outcome, question, interval=True) for outcome in outcomes],
            [_against(outcome, question, interval=False) for outcome in outcomes],
        ),
    ]
    return Grid("scheme", order, laid, f"Ranking: {schemes.HEADINGS[question['aspect']]}")


def _place(question: SchemeQuestion, name: str, least: float) -> str:
    """Write the place of a scheme in a ranking.

    Args: question: What is asked. name: The scheme. least: The distance from the first that counts.
    """
    ranking = question["ranking"]
    if ranking["order"][0] == name:
        return "first"
    if len(ranking["order"]) > 1 and not any(
        lag["behind"]["ci_low"] is not None for lag in question["lags"]
    ):
        return "not tested"
    if name in ranking["worse"]:
        return "behind"
    behind = next(lag["behind"]["ci_high"] for lag in question["lags"] if lag["variant"] == name)
    # Two variants are as good if the interval of their distance excludes one that counts.
    return "as good" if behind is not None and behind < least else "cannot tell"


def _against(outcome: SchemeOutcome, question: SchemeQuestion, *, interval: bool) -> str:
    if not outcome["differences"]:
        return "reference"
    return scheme_values.difference(outcome, question["quantity"], interval=interval) or "-"
