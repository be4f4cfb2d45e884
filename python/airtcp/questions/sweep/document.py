"""Types of the JSON document of a sweep (`airtcp.sweep/1`)."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from airtcp.data.document_part import Part


class VariedKey(TypedDict):
    """A varied key."""

    name: str
    """Its name in the sweep file."""
    keys: list[str]
    """The paths that it sets, as in --set, or `options.NAME`."""
    column: str
    """Its column in the dataset."""
    values: list[str]
    """Its values as texts, the first 1000; empty if the design draws them from a range."""
    range: Range | None
    """The range that the design draws from; null for a list of values."""


class Range(TypedDict):
    """A range of values."""

    low: str
    """The lower end."""
    high: str
    """The upper end."""
    scale: str
    """`linear` or `log`."""


class SweepAsked(TypedDict):
    """What the sweep file and the options of the command ask for."""

    kind: str
    """`run`, `study` or `compare`."""
    of: list[str]
    """The scenario or the traces; empty if the sweep file has the scenario."""
    vary: list[VariedKey]
    """The varied keys."""
    design: str
    """`grid`, `list`, `latin-hypercube` or `sobol`."""
    points: int | None
    """Points of a Latin hypercube, base samples of Sobol points; null for a grid or list."""
    set: list[list[str]]
    """Path and text of each value that all points have."""
    options: dict[str, Any]
    """Options of the study or comparison."""
    replications: int | None
    """Replications of each point; null leaves them to the scenario, or to `until`."""
    until: dict[str, float] | None
    """Largest half width of the 95 % interval as a share of the mean, by measure."""
    min_replications: int | None
    """With `until`: replications before the width is first looked at."""
    max_replications: int | None
    """With `until`: the most replications."""
    measure: list[str]
    """The measures, in the order of the columns."""
    laws: list[dict[str, str]]
    """Congestion controls of one's own: `name`, `file` and `sha256` of the source."""


class SweepPoints(TypedDict):
    """Numbers of points."""

    number: int
    """Points of the design."""
    distinct: int
    """Points that differ from each other."""
    finished: int
    """Points in the dataset."""
    run: int
    """Points that this call ran."""
    failed: int
    """Points that failed in this call."""
    wide: int | None
    """With `until`: finished points with an interval that is still too wide after
    max_replications; null while the sweep runs."""
    zero: int | None
    """With `until`: other finished points at which a measure was 0 in every replication; no width
    is a share of a mean of 0. Null while the sweep runs."""


class KeyShare(TypedDict):
    """The share of the variance that a key explains."""

    column: str
    """The column of the key."""
    first: Annotated[dict[str, Any], Part("run", "Estimate")]
    """Share of the key alone (main effect, first-order index), with a bootstrap interval; without
    replications a grid has none."""
    total: Annotated[dict[str, Any], Part("run", "Estimate")] | None
    """Share of the key with all its interactions; null for a Latin hypercube."""


class InteractionShare(TypedDict):
    """The share of the variance that keys explain only together."""

    columns: list[str]
    """The columns of two keys; all keys in the last entry, of what three or more explain together.
    """
    share: Annotated[dict[str, Any], Part("run", "Estimate")]
    """The share, with its interval as for a key alone."""


class Sensitivity(TypedDict):
    """Which keys matter for a measure."""

    measure: str
    """The measure."""
    method: str
    """`sobol` (indices by SALib) or `anova` (shares of the sums of squares of a grid, which add up
    to 1 with the interactions; for a Latin hypercube, epsilon squared of main effects)."""
    keys: list[KeyShare]
    """The varied keys."""
    interactions: NotRequired[list[InteractionShare]]
    """What keys explain together, of a grid and of Sobol points of two keys; else empty."""


class FailedPoint(TypedDict):
    """A point without a result."""

    key: str
    """Its key."""
    values: dict[str, str]
    """The text of each value by path."""
    message: str
    """Why it failed."""


class SweepDocument(TypedDict):
    """What `airtcp sweep` writes as sweep.json and prints with --json.

    The results of the points are in the dataset.
    """

    schema: str
    """Format of this document."""
    airtcp_version: str
    """Version of the program."""
    title: str
    """Title of the sweep; may be empty."""
    seed: int | None
    """Root seed of all points; null if the sweep varies it."""
    sweep: SweepAsked
    """What was asked for."""
    points: SweepPoints
    """Numbers of points."""
    columns: list[str]
    """Columns of the dataset."""
    sensitivity: list[Sensitivity]
    """Which keys matter, by measure; empty while the sweep runs, and with fewer than 8 points."""
    failures: list[FailedPoint]
    """Points without a result."""
    workers_lost: int
    """Workers that ended while they ran a point, and were replaced."""
    running: bool
    """True while the sweep runs."""
    interrupted: bool
    """True if Ctrl-C stopped the sweep before its end."""
