"""What the answer of a sweep rests on: the measure at every point, best first.

If the sweep varies the seed, points that differ only in the seed are draws of one point: their mean
has an interval over the seeds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import mean_interval
from airtcp.questions.sweep.measures import forward, metric_of
from airtcp.words.names import short

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from airtcp.data.metrics import Metric
    from airtcp.questions.sweep.document import SweepAsked
    from airtcp.questions.sweep.rows import Axis

    Read = Callable[[Sequence[str], Collection[str] | None], Iterable[Mapping[str, Any]]]
    """Reads columns of the dataset row by row: all rows, or those with some keys."""

ROWS: Final = 2000
"""Most points that are kept with all measures."""
SEED: Final = "seed"
_LEVELS: Final = 8
"""Most values of a key whose means are compared one by one; more are compared in quarters."""
_MOST_LEVELS: Final = 20_000
"""Most values of a key whose means are kept."""
_MOST: Final = 50_000
"""Most points that are kept; those that cannot be best go first."""
_ENDS: Final = ("", "_ci_low", "_ci_high")
_QUARTERS: Final = ("lowest", "second", "third", "highest")
_MORE: Final = frozenset(
    {"goodput", "delivered", "gain", "jain", "difference", "throughput", "successes"}
)
_LESS: Final = frozenset(
    {"rtt", "delay", "delivery", "loss", "lost", "timeouts", "retransmission", "retransmissions"}
    | {"dropped", "drops", "residual", "collision", "collisions", "age", "wait", "sojourn"}
)
_SAID: Final = {"packets_per_second": 1, "bytes_per_byte": -1}


def direction(measure: str) -> int:
    """Return 1 if more of a measure is better, -1 if less is, 0 if neither can be said.

    >>> direction("total_goodput_bps"), direction("queue_delay_mean_s"), direction("utilisation")
    (1, -1, 0)
    >>> direction("delivery_p95_s"), direction("lost_goodput_bps")
    (-1, 0)
    """
    parts = set(measure.split("_"))
    return _SAID.get(measure, bool(parts & _MORE) - bool(parts & _LESS))


Estimate = dict[str, float | None]
"""`mean`, `ci_low`, `ci_high`, in the unit of the document."""


@dataclass
class Reached:
    """A point, or a variant of a comparison at a point, with its value of the main measure."""

    at: tuple[Any, ...]
    """The values of its keys, without the seed."""
    line: str
    """The variant; empty if it is no comparison."""
    values: list[Estimate] = field(default_factory=list[Estimate])
    """One, or one for each seed."""
    keys: list[str] = field(default_factory=list[str])
    """Keys of its points."""
    runs: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Its rows in the dataset, if it stands in a table."""

    @property
    def value(self) -> Estimate:
        """The mean, with the interval over replications or over seeds."""
        if len(self.values) == 1:
            return self.values[0]
        # Chunks hold points in the order in which they finished.
        pairs = sorted(zip(self.keys, self.values, strict=True), key=lambda of: of[0])
        return over_seeds([value for _, value in pairs])


def over_seeds(values: Sequence[Estimate]) -> Estimate:
    """Return the mean of the values of several seeds, with its interval; that of one as it is."""
    if len(values) == 1:
        return values[0]
    means = [value["mean"] or 0.0 for value in values]
    low, high = mean_interval(means) or (None, None)
    return {"mean": fmean(means), "ci_low": low, "ci_high": high}


@dataclass(frozen=True)
class Effect:
    """How much a key changes the main measure, averaged over the other keys."""

    best: str
    """Where the mean is best: `with` a value of the key, or `in` a quarter of its values."""
    best_mean: float
    worst: str
    worst_mean: float


@dataclass
class Leading:
    """The points by their main measure, the best first."""

    measure: str
    metric: Metric
    better: int
    """As for `direction`."""
    axes: Sequence[Axis]
    """The varied keys, without the seed."""
    seeds: int
    """Number of seeds, if the sweep varies the seed; else 0."""
    reached: list[Reached]
    """The points with a value, the best first, or the largest first; of very many, those that may
    be best."""
    number: int
    """Number of points with a value."""
    worst: Reached
    """The last of all points."""
    effects: dict[str, Effect]
    """By column of the key."""
    wins: Counter[str]
    """Variants of a comparison: number of points at which each is better than all others."""
    compared: int
    """Number of points at which variants were compared."""

    @cached_property
    def near(self) -> list[Reached]:
        """The other points whose intervals reach that of the best; all, if one has none."""
        best, *others = self.reached
        return [other for other in others if not apart(best.value, other.value, self.better or 1)]

    @property
    def intervals(self) -> bool:
        """Whether the best point has an interval."""
        return self.reached[0].value["ci_low"] is not None


def apart(one: Estimate, other: Estimate, better: int) -> bool:
    """Return whether the interval of one value lies beyond that of another."""
    ends = (one["ci_low"], one["ci_high"], other["ci_low"], other["ci_high"])
    low, high, other_low, other_high = ends
    if low is None or high is None or other_low is None or other_high is None:
        return False
    return low > other_high if better > 0 else high < other_low


def lead(asked: SweepAsked, axes: Sequence[Axis], read: Read) -> Leading | None:
    """Order the points by the main measure: the first with values of which more or less is better.

    Args:
        asked: What the sweep was asked for.
        axes: The varied keys.
        read: Reads columns of the dataset, row by row; the rows of a point follow each other.

    Returns:
        None if no measure has a value.
    """
    preferred = sorted(asked["measure"], key=lambda key: not direction(key))
    found = (key for key in preferred if any(row[key] is not None for row in read([key], None)))
    measure = next(found, None)
    if measure is None:
        return None
    seed = {varied["column"] for varied in asked["vary"] if SEED in varied["keys"]}
    shown = [axis for axis in axes if axis.column not in seed]
    gathered = _Gathered(shown, direction(measure) or 1, whole=bool(seed))
    seeds: set[Any] = set()
    wanted = ["key", *(axis.column for axis in axes), "replications", "kind", "name"]
    wanted += [f"{measure}{end}" for end in _ENDS]
    for key, rows in groupby(read(wanted, None), lambda row: row["key"]):
        own = list(rows)
        seeds.update(own[0][name] for name in seed)
        gathered.add(key, own, measure)
    reached = gathered.ordered()
    _with_rows(
        reached[:ROWS],
        read,
        [*wanted[:-3], *(f"{key}{end}" for key in asked["measure"] for end in _ENDS)],
    )
    return Leading(
        measure,
        metric_of(asked["kind"], measure),
        direction(measure),
        shown,
        len(seeds),
        reached,
        gathered.number,
        gathered.worst(reached),
        gathered.effects(),
        gathered.wins,
        gathered.compared,
    )


class _Gathered:
    """The points so far: all that may still be best, and sums by value of each key."""

    def __init__(self, axes: Sequence[Axis], sign: int, *, whole: bool) -> None:
        self._axes, self._sign, self._whole = axes, sign, whole
        self._reached: dict[tuple[Any, ...], Reached] = {}
        self._worst: Reached | None = None
        self._pruned = 0
        self._sums: list[dict[Any, list[float]] | None] = [{} for _ in axes]
        self.wins: Counter[str] = Counter()
        self.compared = 0

    @property
    def number(self) -> int:
        """Number of points, each variant of a comparison counted."""
        return len(self._reached) + self._pruned

    def add(self, key: str, rows: Sequence[Mapping[str, Any]], measure: str) -> None:
        """Add the rows of a point."""
        lines = dict.fromkeys(row["name"] if row["kind"] == "variant" else "" for row in rows)
        here: list[Reached] = []
        for line in lines:
            own = [row for row in rows if not line or row["name"] == line]
            value = value_of(own, measure)
            if value is None:
                continue
            at = tuple(own[0][axis.column] for axis in self._axes)
            found = self._reached.setdefault((*at, line), Reached(at, line))
            found.values.append(value)
            found.keys.append(key)
            found.runs += own[0]["replications"]
            here.append(found)
            self._sum(at, value["mean"] or 0.0)
        if not self._whole:
            self._compare(here)
            if len(self._reached) > _MOST:
                self._prune()

    def _sum(self, at: tuple[Any, ...], mean: float) -> None:
        for place, level in enumerate(at):
            sums = self._sums[place]
            if sums is not None:
                one = sums.setdefault(level, [0.0, 0.0])
                one[0] += mean
                one[1] += 1
                if len(sums) > _MOST_LEVELS:
                    self._sums[place] = None

    def _compare(self, here: list[Reached]) -> None:
        """Count a point for the variant whose interval lies beyond those of all others."""
        if len(here) < 2:  # noqa: PLR2004 - a comparison needs two
            return
        self.compared += 1
        first, *others = sorted(here, key=self._order)
        if all(apart(first.value, other.value, self._sign) for other in others):
            self.wins[first.line] += 1

    def _order(self, one: Reached) -> tuple[Any, ...]:
        return (-self._sign * (one.value["mean"] or 0.0), *map(str, one.at), one.line)

    def _prune(self) -> None:
        """Forget points that cannot be best, and are not among the first."""
        reached = self.ordered()
        best = reached[0].value
        kept = reached[:ROWS]
        kept += [one for one in reached[ROWS:] if not apart(best, one.value, self._sign)][:_MOST]
        self._worst = self.worst(reached)
        self._pruned += len(reached) - len(kept)
        self._reached = {(*one.at, one.line): one for one in kept}

    def ordered(self) -> list[Reached]:
        """Return the points, the best first."""
        if not self._whole:
            return sorted(self._reached.values(), key=self._order)
        found = list(self._reached.values())
        by: dict[tuple[Any, ...], list[Reached]] = defaultdict(list)
        for one in found:
            by[one.at].append(one)
        self.wins, self.compared = Counter(), 0
        for here in by.values():
            self._compare(here)
        return sorted(found, key=self._order)

    def worst(self, reached: Sequence[Reached]) -> Reached:
        """Return the last point of all."""
        last = reached[-1]
        return last if self._worst is None else max(last, self._worst, key=self._order)

    def effects(self) -> dict[str, Effect]:
        """Return what each key changes, as far as it is known."""
        found = {
            axis.column: _effect(axis, sums or {}, self._sign)
            for axis, sums in zip(self._axes, self._sums, strict=True)
        }
        return {column: effect for column, effect in found.items() if effect is not None}


def _with_rows(reached: Sequence[Reached], read: Read, names: Sequence[str]) -> None:
    """Give points their rows with all measures."""
    wanted: dict[str, list[Reached]] = defaultdict(list)
    for one in reached:
        for key in one.keys:
            wanted[key].append(one)
    for row in read(names, wanted.keys()):
        for one in wanted.get(row["key"], ()):
            if row["kind"] != "variant" or row["name"] == one.line:
                one.rows.append(dict(row))


def _effect(axis: Axis, sums: Mapping[Any, Sequence[float]], sign: int) -> Effect | None:
    """Compare the means of the measure between the values of a key."""
    if len(sums) < 2:  # noqa: PLR2004 - a comparison needs two
        return None
    if axis.numeric and len(sums) > _LEVELS:
        ordered = [sums[level] for level in sorted(sums)]
        size = len(ordered)
        parts = [ordered[i * size // 4 : (i + 1) * size // 4] for i in range(4)]
        named = [
            (sum(one[0] for one in part) / sum(one[1] for one in part), f"in its {name} quarter")
            for name, part in zip(_QUARTERS, parts, strict=True)
        ]
    else:
        ends = {min(sums): "lowest", max(sums): "highest"} if axis.numeric else {}
        named = [
            (
                total / number,
                f"with the {ends[at]} {short(axis.column)}"
                if at in ends
                else f"with {with_unit(axis, at)}",
            )
            for at, (total, number) in sums.items()
        ]
    # Sums in another order differ in the last bits.
    named.sort(key=lambda of: (-sign * float(f"{of[0]:.12g}"), of[1]))
    (best, at), (worst, there) = named[0], named[-1]
    return Effect(at, best, there, worst)


def value_of(rows: Sequence[Mapping[str, Any]], key: str) -> Estimate | None:
    """Return a measure at a point: of the run, or the mean over its flows, links or variants.

    A mean of several has no interval, because they depend on each other.
    """
    known = [row for row in rows if row[key] is not None and forward(row)]
    whole = [row for row in known if row["kind"] == "run"] or known
    if not whole:
        return None
    if len(whole) == 1:
        low, high = whole[0][f"{key}_ci_low"], whole[0][f"{key}_ci_high"]
        return {"mean": whole[0][key], "ci_low": low, "ci_high": high}
    return {"mean": fmean(row[key] for row in whole), "ci_low": None, "ci_high": None}


def values_of(one: Reached, key: str) -> Estimate | None:
    """Return a measure of a point in a table, over its seeds."""
    found = [value_of([row for row in one.rows if row["key"] == of], key) for of in one.keys]
    known = [value for value in found if value is not None]
    return over_seeds(known) if known else None


def with_unit(axis: Axis, value: Any) -> str:
    """Write a value of a key with its unit, as in a sentence."""
    found = re.search(r" \(([^()]*)\)$", axis.title)
    return f"{axis.text(value)} {found[1]}" if found else axis.text(value)
