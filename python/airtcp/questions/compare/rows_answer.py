"""Rows of the charts beside the answers of a comparison, made from its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare import answer_many, answer_remedies, quantities, slot_limits
from airtcp.questions.compare import cell_values as values
from airtcp.questions.compare import findings_cell as schemes
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare.rows import ends, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import (
        CompareSubject,
        Outcome,
        SchemeOutcome,
        SchemesSubject,
    )

_LINKS: Final = 40
"""Links in a chart; the table has the others."""


def choices(subject: CompareSubject) -> tuple[list[dict[str, Any]], float | None, str]:
    """Return a row for each TCP and remedy, the most goodput first.

    Returns: The rows, the goodput without a remedy if remedies are among them, else that of the
        reference, and the unit.
    """
    subject = slot_limits.subject(subject)
    case, remedies = subject["cases"][0], subject["remedies"]
    both = remedies is not None and answer_remedies.beside(case, remedies)
    found: list[tuple[str, Outcome]] = [("TCP", outcome) for outcome in case["outcomes"]]
    plain = next((o for o in case["outcomes"] if o["difference"] is None), None)
    if both and remedies is not None:
        known = {outcome["variant"] for _, outcome in found}
        more = [o for o in remedies["outcomes"] if o["variant"] not in known]
        found += [("TCP" if o["difference"] is None else "remedy", o) for o in more]
        plain = next(o for o in remedies["outcomes"] if o["difference"] is None)
    unit = quantities.goodput(case["outcomes"][0])[1]
    left_out = {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    rows: list[dict[str, Any]] = [
        {
            "name": outcome["variant"],
            "what": "not ranked" if outcome["variant"] in left_out else what,
            **ends(quantities.goodput(outcome)[0]),
        }
        for what, outcome in found
        if quantities.goodput(outcome)[0]["mean"] is not None
    ]
    rows.sort(key=lambda row: row["mean"], reverse=True)
    mean = None if plain is None else quantities.goodput(plain)[0]["mean"]
    return rows, None if mean is None else float(f"{mean:.5g}"), unit


def links(subjects: Sequence[CompareSubject]) -> list[dict[str, Any]]:
    """Return the best TCP of each link, and its best remedy; the least goodput first.

    Args:
        subjects: The scenarios and links, of which the first 40 by goodput are drawn.
    """
    rows: list[dict[str, Any]] = []
    for subject in sorted(map(slot_limits.subject, subjects), key=answer_many.most)[:_LINKS]:
        case, remedies = subject["cases"][0], subject["remedies"]
        chosen = [("the best TCP", case, quantities.best(case))]
        if remedies is not None and remedies["aim"] == "losses":
            chosen.append(("the best remedy", remedies, remedies_words.helpful(remedies)))
        for what, of, name in chosen:
            if name is None:
                continue
            outcome = next(o for o in of["outcomes"] if o["variant"] == name)
            value = quantities.goodput(outcome)[0]
            if value["mean"]:
                unit = quantities.goodput(outcome)[1]
                row = {"link": subject["name"], "what": what, "variant": name, "unit": unit}
                rows.append(row | ends(value))
    return rows


def cell(subject: SchemesSubject, reference: str) -> list[dict[str, Any]]:
    """Return total goodput and the slowest flow of each scheme, and its verdict.

    Args:
        subject: The scenario.
        reference: The variant that the others are compared with.
    """
    tested = subject["verdict"]["replications"] > 1
    helpful = set(schemes.helping(subject)) if tested else set[str]()
    questions = subject["verdict"]["questions"]
    better = {name for question in questions for name in question["better"]} - helpful
    rows: list[dict[str, Any]] = []
    for outcome in subject["outcomes"]:
        name = outcome["variant"]
        what = "helps" if name in helpful else "gains at a price" if name in better else "other"
        what = "the cell as it is" if name == reference else what
        rows.append({"variant": name, "what": what, **_point(outcome)})
    # What the answer names gets the first choice of a place for its name.
    lead = {values.promising(subject) if tested else None} | helpful
    rows.sort(key=lambda row: row["variant"] not in lead)
    return [row for row in rows if row["goodput"] is not None and row["slowest"] is not None]


def cells(subjects: Sequence[SchemesSubject], reference: str) -> list[dict[str, Any]]:
    """Return each scenario as it is, and under the scheme that helps it most, if one does.

    Args:
        subjects: The scenarios.
        reference: The variant that the others are compared with.
    """
    rows: list[dict[str, Any]] = []
    for subject in subjects[:_LINKS]:
        if subject["verdict"]["replications"] <= 1:
            continue
        now = _point(values.outcome_of(subject, reference))
        for name in schemes.helping(subject)[:1]:
            then = _point(values.outcome_of(subject, name))
            row = {"scenario": subject["name"], "variant": name, **now}
            rows.append(row | {f"then_{key}": end for key, end in then.items()})
    return rows


def _point(outcome: SchemeOutcome) -> dict[str, float | None]:
    """Return total goodput and the slowest flow in Mb/s, with their intervals."""
    total, slowest = outcome["total_goodput_bps"], outcome["slowest_flow_bps"]
    return named(total, 1e-6, "goodput") | named(slowest, 1e-6, "slowest")
