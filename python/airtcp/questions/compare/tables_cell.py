"""The tables of a comparison of schemes: every quantity, and a ranking for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.data.metrics import columns
from airtcp.questions.compare import cell_values as scheme_values
from airtcp.questions.compare import findings_cell as schemes
from airtcp.words.columns import with_values
from airtcp.words.grid import Column, Grid, metric_column

if TYPE_CHECKING:
    from airtcp.data.documents import SchemeOutcome, SchemeQuestion, SchemesSubject


def grid(subject: SchemesSubject, title: str = "") -> Grid:
    """Return the table of schemes, with every column."""
    rows: list[dict[str, Any]] = [dict(outcome) for outcome in subject["outcomes"]]
    metrics = with_values(columns("schemes", "SchemeOutcome"), rows)
    names = [outcome["variant"] for outcome in subject["outcomes"]]
    return Grid("scheme", names, [metric_column(metric, rows) for metric in metrics], title)


def differences(subject: SchemesSubject, reference: str) -> Grid:
    """Return how each scheme differs from the reference in what is asked for, and its places.

    Args:
        subject: The scenario.
        reference: The variant that the others are compared with.
    """
    names = [outcome["variant"] for outcome in subject["outcomes"]]
    outcomes, columns = subject["outcomes"], list[Column]()
    for question in subject["verdict"]["questions"]:
        what = schemes.HEADINGS[question["aspect"]].partition(" (")[0].lower()
        unit = "" if question["quantity"].endswith("jain_index") else " (%)"
        full, short = (
            [_against(outcome, question, interval=interval) for outcome in outcomes]
            for interval in (True, False)
        )
        columns.append(Column(f"{what}\nvs {reference}{unit}", full, short))
        means = [scheme_values.mean_of(o, question["quantity"])["mean"] or 0.0 for o in outcomes]
        least = question["matters"] * (max(means) if question["relative"] else 1.0)
        places = [_place(question, name, least) for name in names]
        columns.append(Column(f"place in\n{what}", places, left=True))
    return Grid("scheme", names, columns, f"Against {reference}")


def _place(question: SchemeQuestion, name: str, least: float) -> str:
    """Write the place of a scheme in a ranking.

    Args: question: What is asked. name: The scheme. least: The distance from the first that counts.
    """
    ranking = question["ranking"]
    if name not in ranking["order"]:
        return "-"
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
