"""The result of a driver: measures, and their plots.

An outcome can be written as JSON and read back, so that it can be cached.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal

from airtcp.data.extension import mean_interval
from airtcp_papers.paper import Term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.paper import At

Mark = Literal["point", "line", "step", "rule", "band"]
Scale = Literal["linear", "log", "symlog"]


def same(one: Any, other: Any) -> bool:
    """Return whether two conditions are the same; 1 and 1.0 are.

    >>> same(1, 1.0), same("newreno", "newreno"), same("1", 1)
    (True, True, False)
    """
    return one == other


def _same_at(one: At, other: At) -> bool:
    return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)


@dataclass(frozen=True)
class Measure:
    """A measure, with the 95 % interval of its mean if it was repeated."""

    metric: str
    at: At
    value: float | None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    note: str = ""
    """Why there is no value, or a note for the reader."""
    each: list[float | None] | None = None
    """The values of the repeats, in their order."""
    weights: list[float] | None = None
    """For counts and rates of events: the events of each repeat over its value; 1 for a count."""

    @property
    def term(self) -> Term:
        """Its name with its conditions."""
        return Term(self.metric, self.at)


def repeated(
    metric: str,
    at: At,
    values: Sequence[float | None],
    unit: str = "",
    note: str = "",
    weights: Sequence[float] | None = None,
) -> Measure:
    """Make a measure from independent repeats: their mean and its 95 % interval.

    Args: metric: Name of the measure. at: Its conditions. values: A value of each repeat. unit: Its
        unit. note: The note without a value. weights: For counts and rates of events: the events of
        each repeat over its value. Few events widen the interval (docs/models/intervals.md).

    >>> repeated("share", {}, [10.0, 12.0, 14.0], "%").value
    12.0
    >>> round(repeated("timeouts", {}, [0.0] * 6, weights=[1.0] * 6).high, 3)
    0.615
    """
    known = [value for value in values if value is not None]
    if not known:
        return Measure(metric, at, None, unit=unit, note=note or "there is nothing to measure")
    middle = mean(known)
    every = None if weights is None else list(weights)
    of_known = every and [w for w, v in zip(every, values, strict=True) if v is not None]
    ends = mean_interval(known, of_known)
    if ends is None:
        return Measure(metric, at, middle, unit=unit, note=note)
    low, high = ends
    return Measure(metric, at, middle, low, high, unit, note, list(values), every)


@dataclass(frozen=True)
class Axis:
    """An axis of a plot."""

    title: str
    scale: Scale = "linear"
    domain: tuple[float, float] | None = None
    percent: bool = False


@dataclass(frozen=True)
class Layer:
    """Marks of one kind; rows have `x`, `y` and may have `y2`, `series`, `label`."""

    mark: Mark
    rows: list[dict[str, Any]]


@dataclass(frozen=True)
class Plot:
    """A picture: layers over the same axes."""

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    layers: list[Layer]
    shaded: str = ""
    """If given, the field of the rows that shades marks, from 0 to 1, in place of `series`."""


@dataclass
class Outcome:
    """The whole result of a driver."""

    measures: list[Measure] = field(default_factory=list[Measure])
    plots: list[Plot] = field(default_factory=list[Plot])
    skipped: list[tuple[At, str]] = field(default_factory=list[tuple["At", str]])
    """Conditions that were not measured because of missing data, and why."""
    notes: list[str] = field(default_factory=list[str])

    def find(self, wanted: Term) -> Measure | None:
        """Return the measure of a term."""
        for measure in self.measures:
            if measure.metric == wanted.metric and _same_at(measure.at, wanted.at):
                return measure
        return None

    def why_skipped(self, wanted: Term) -> str | None:
        """Return why a term was not measured, if its data are missing."""
        for at, reason in self.skipped:
            if all(name in wanted.at and same(wanted.at[name], at[name]) for name in at):
                return reason
        return None

    @property
    def repeats(self) -> int:
        """The largest number of repeats of a measure."""
        return max((len(m.each) for m in self.measures if m.each is not None), default=1)

    def first(self, repeats: int) -> Outcome:
        """Return the outcome of the first `repeats` repeats, without plots."""
        measures = [
            m
            if m.each is None
            else repeated(
                m.metric,
                m.at,
                m.each[:repeats],
                unit=m.unit,
                note=m.note,
                weights=None if m.weights is None else m.weights[:repeats],
            )
            for m in self.measures
        ]
        return Outcome(measures, skipped=self.skipped, notes=self.notes)

    def to_json(self) -> dict[str, Any]:
        """Write it as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Outcome:
        """Read back what `to_json` wrote."""
        return cls(
            [Measure(**part) for part in value["measures"]],
            [_plot(part) for part in value["plots"]],
            [(at, reason) for at, reason in value["skipped"]],
            list(value["notes"]),
        )


def _plot(value: Mapping[str, Any]) -> Plot:
    axes: dict[str, Any] = {
        name: Axis(**{**value[name], "domain": _pair(value[name]["domain"])}) for name in ("x", "y")
    }
    whole: dict[str, Any] = {**value, **axes, "layers": [Layer(**part) for part in value["layers"]]}
    return Plot(**whole)


def _pair(value: list[float] | None) -> Any:
    return None if value is None else tuple(value)
