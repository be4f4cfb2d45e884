"""Types of the JSON document of fits (`airtcp.fit/1`)."""

from __future__ import annotations

from typing import Any, TypedDict


class FittedLink(TypedDict):
    """A link that was fitted."""

    name: str
    """Its name."""
    prr: float
    """Packet reception ratio."""
    mu: float | None
    """Burstiness mu; null if it does not exist."""
    packets_per_second: float
    """Packets that TCP delivers per second."""
    link_packets_per_second: float
    """Slots of the link per second."""
    metrics: dict[str, float]
    """Other metrics that the forms use."""


class LeftOut(TypedDict):
    """A link or file that was left out, and why."""

    name: str
    """Its name."""
    reason: str
    """Why it was left out."""


class Fit(TypedDict):
    """A fitted form; quantities that do not exist are null.

    Coefficients give the share of the link's packets per second, estimates are in packets per
    second, errors are parts of the link's packets per second.
    """

    name: str
    """Its name."""
    formula: str
    """The form as text."""
    terms: list[str]
    """Its terms, in the order of the coefficients."""
    coefficients: list[float] | None
    """Coefficients of the terms."""
    problem: dict[str, Any] | None
    """Why there is no fit."""
    problem_text: str | None
    """The problem in words."""
    error: float | None
    """Mean absolute error."""
    leave_one_out_error: float | None
    """Mean absolute error with each link estimated by a fit to all others."""
    leave_one_out_median: float | None
    """Median of these errors, which single outliers do not affect."""
    leave_one_out_note: str | None
    """Why there is no leave-one-out error."""
    bic: float | None
    """Bayesian information criterion for Laplace errors; null for a perfect fit."""
    estimates: list[float] | None
    """Estimates, in the order of the links."""
    leave_one_out_estimates: list[float] | None
    """Leave-one-out estimates, in the order of the links."""


class Prediction(TypedDict):
    """An evaluated published formula."""

    name: str
    """Its name."""
    formula: str
    """The formula as text."""
    source: str
    """Where it comes from."""
    error: float
    """Mean absolute error, as a part of the link's packets per second."""
    bic: float | None
    """Bayesian information criterion for Laplace errors; null for a perfect fit."""
    limited: int
    """Links whose estimate was limited to what the link carries."""
    estimates: list[float]
    """Estimates in packets per second, in the order of the links."""


class FitDocument(TypedDict):
    """The document that `airtcp trace fit --json` prints."""

    schema: str
    """Name and version of this format: `airtcp.fit/1`."""
    airtcp_version: str
    """Version of airtcp."""
    seed: int
    """Root seed."""
    options: dict[str, Any]
    """The options of the command."""
    study: dict[str, Any] | None
    """Options of the study that gave the throughputs."""
    paths: list[str]
    """The inputs as given."""
    considered: int
    """Links of the inputs."""
    shortfall: str | None
    """The forms that cannot be fitted and why, and those that can; null if all were fitted."""
    links: list[FittedLink]
    """The links that were fitted."""
    left_out: list[LeftOut]
    """Links and files that were left out."""
    fits: list[Fit]
    """The fitted forms."""
    formulas: list[Prediction]
    """Published formulas."""
    order_drawn_links: int
    """Chosen links whose file counts losses without their order."""
    slot_assumed_links: int
    """Chosen links whose slot of 10 ms is assumed."""
    capacities: list[str]
    """Links of varying capacity, which are left out."""
    skipped: list[dict[str, str]]
    """Files that the study skipped, and why."""
    interrupted: bool
    """True if Ctrl-C stopped the work."""
