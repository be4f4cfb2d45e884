"""Types of the JSON document of evaluations (`airtcp.evaluate/1`)."""

from __future__ import annotations

from typing import Any, Final, TypedDict

FAILED: Final = "a law failed: "
"""How the reason begins of a criterion in whose scenarios a law failed; the error follows."""


class Value(TypedDict):
    """A mean over the replications with its 95 % interval."""

    value: float
    """The mean."""
    low: float | None
    """Lower end of the interval; null with one replication."""
    high: float | None
    """Upper end of the interval."""


class CheckResult(TypedDict):
    """A quantity of the law in one scenario or several, and its bound."""

    name: str
    """Where it was measured."""
    quantity: str
    """What was measured."""
    unit: str
    """Unit in tables."""
    scale: float
    """Factor from the value to the unit in tables."""
    verdict: str
    """`pass`, `attention` or `wrong`."""
    value: float
    """Mean over the replications."""
    low: float | None
    """Lower end of its 95 % interval."""
    high: float | None
    """Upper end of its interval."""
    baselines: dict[str, Value]
    """The same quantity of each law on the standards track, in the same scenario."""
    limit: float | None
    """The mean limit; null for a quantity without one."""
    bound: str
    """The limit in words."""
    bound_source: str
    """Where the bound is from."""
    beyond: float | None
    """Mean distance beyond the limit; negative within it."""
    unsure: bool
    """True if the mean is beyond the limit and its interval is not: more replications may tell."""
    better: bool | None
    """True if it is shown to be better than every yardstick by a tenth, false if worse than one."""
    at: dict[str, float]
    """Where it was measured, in numbers."""


class CriterionResult(TypedDict):
    """A criterion. Its value is that of the check that decides: the worst."""

    id: str
    """Its number, E0 to E27."""
    title: str
    """What it is about."""
    verdict: str
    """`pass`, `attention`, `wrong` or `not evaluated`."""
    check: str | None
    """The check that decides; null if none was made."""
    quantity: str | None
    """What that check measured."""
    unit: str
    """Its unit in tables."""
    value: float | None
    """Mean over the replications, in SI units or as a share."""
    low: float | None
    """Lower end of its 95 % interval."""
    high: float | None
    """Upper end of its interval."""
    baselines: dict[str, Value]
    """The same quantity of each law on the standards track, in the same scenario."""
    bound: str | None
    """The limit in words."""
    source: str
    """The document and section that asks for the criterion."""
    fault: str | None
    """What the law does, if that is wrong or needs attention."""
    better: bool
    """True if half of its checks are shown to be better than every yardstick, and none worse."""
    reason: str | None
    """What was not evaluated, and why."""
    checks: list[CheckResult]
    """All checks."""
    scenarios: list[str]
    """Names of its scenarios, which `--write` saves."""


class EvaluateDocument(TypedDict):
    """The document that `airtcp evaluate --json` prints."""

    schema: str
    """Name and version of this format: `airtcp.evaluate/1`."""
    airtcp_version: str
    """Version of airtcp."""
    seed: int
    """Root seed."""
    options: dict[str, Any]
    """The options of the command."""
    law: dict[str, Any]
    """The law: `label`, the table `tcp` of its flows, and `files` and `sha256` of one's own."""
    yardsticks: list[str]
    """The laws on the standards track that it is held against."""
    criteria: list[CriterionResult]
    """All criteria E0 to E27, also those that were not evaluated."""
    series: list[dict[str, Any]]
    """Windows and round-trip times over time, thinned, by path."""
    recorded: int
    """Scenarios of the baselines whose results were recorded with this version, and did not run."""
    interrupted: bool
    """True if Ctrl-C stopped the work."""
