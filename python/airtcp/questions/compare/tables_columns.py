"""Columns of TCPs and remedies, for the tables of `compare` and `study`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import quantities, verdict
from airtcp.words import sentences as words
from airtcp.words.grid import STAY, Column, Toned, broken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, Estimate, Outcome
    from airtcp.data.metrics import Metric


def means(
    head: str,
    values: Sequence[Estimate | None],
    scale: float,
    rank: int = 0,
    limits: tuple[float, float] | None = None,
) -> Column | None:
    """Return a column of means with intervals, or None if it would be empty."""
    if all(value is None or value["mean"] is None for value in values):
        return None
    full = [words.estimate(value, scale, limits or words.NOT_NEGATIVE) for value in values]
    short = [words.estimate(value, scale, short=True) for value in values]
    return Column(head, full, short, rank)


def plain(metric: Metric, outcomes: list[Outcome], *, wired: bool = False) -> Column | None:
    """Return a column of means; their intervals are in the other formats.

    Args: metric: The metric. outcomes: The rows. wired: Whether the queue is one before the cells.
    """
    values: list[Estimate | None] = [outcome[metric.key] for outcome in outcomes]  # pyright: ignore[reportUnknownMemberType]
    means = [None if value is None else value["mean"] for value in values]
    if all(mean is None for mean in means):
        return None
    cells = ["-" if mean is None else words.number(mean * metric.scale) for mean in means]
    label = f"wired {metric.label}" if wired and metric.key == "queue_delay_s" else metric.label
    return Column(broken(label), cells, cells, max(metric.rank - STAY, 0))


def against(reference: str, outcomes: list[Outcome]) -> Column:
    """Return the column of differences to the reference."""
    return Column(
        f"vs {reference}\n(%)",
        [_gained(outcome, interval=True) for outcome in outcomes],
        [_gained(outcome, interval=False) for outcome in outcomes],
    )


def _gained(outcome: Outcome, *, interval: bool) -> str:
    """Format the difference to the reference; it is faint if it is not significant."""
    difference = outcome["difference"]
    significant = difference is not None and difference["standing"] in {"more", "less"}
    shown = quantities.against_reference(outcome, interval=interval)
    return Toned.of(shown, "faint") if shown and not significant else shown or "-"


def places(case: CompareCase) -> Column | None:
    """Return the column of places in the verdict, or None if one run gives none."""
    said = [verdict.place(case, outcome["variant"]) for outcome in case["outcomes"]]
    return Column("verdict", said, left=True) if any(said) else None
