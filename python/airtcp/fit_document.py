"""Types of the JSON document of fits (`airtcp.fit/1`)."""

from __future__ import annotations

from typing import Any, TypedDict


class FittedLink(TypedDict):
    """A link that was fitted."""

    name: str
    prr: float
    mu: float | None
    packets_per_second: float
    link_packets_per_second: float
    metrics: dict[str, float]


class LeftOut(TypedDict):
    """A link or file that was left out, and why."""

    name: str
    reason: str


class Fit(TypedDict):
    """A fitted form; quantities that do not exist are null.

    Coefficients give the share of the link's packets per second, estimates are in packets per
    second, errors are parts of the link's packets per second.
    """

    name: str
    formula: str
    terms: list[str]
    coefficients: list[float] | None
    problem: dict[str, Any] | None
    problem_text: str | None
    error: float | None
    leave_one_out_error: float | None
    leave_one_out_median: float | None
    leave_one_out_note: str | None
    bic: float | None
    estimates: list[float] | None
    leave_one_out_estimates: list[float] | None


class Prediction(TypedDict):
    """An evaluated published formula."""

    name: str
    formula: str
    source: str
    error: float
    bic: float | None
    limited: int
    estimates: list[float]


class FitDocument(TypedDict):
    """The document that `airtcp trace fit --json` prints."""

    schema: str
    airtcp_version: str
    seed: int
    options: dict[str, Any]
    study: dict[str, Any] | None
    paths: list[str]
    considered: int
    shortfall: str | None
    links: list[FittedLink]
    left_out: list[LeftOut]
    fits: list[Fit]
    formulas: list[Prediction]
    order_drawn_links: int
    """Chosen links whose file counts losses without their order."""
    slot_assumed_links: int
    """Chosen links whose slot of 10 ms is assumed."""
    capacities: list[str]
    """Links of varying capacity, which are left out."""
    skipped: list[dict[str, str]]
    interrupted: bool
