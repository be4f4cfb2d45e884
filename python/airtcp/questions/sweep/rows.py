"""The rows of a sweep for its page: response curves, heat maps, the Pareto front."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from airtcp.data.metrics import Metric

_LEVELS: Final = 6
"""Most lines of a chart, as many as there are colours; other keys are averaged over."""
_UNEVEN: Final = 0.1
"""Largest difference of the sides of an interval, as a share of its width, for a half width."""
_LOG: Final = 30.0
_GOODPUT: Final = ("total_goodput_bps", "goodput_bps", "packets_per_second")
_DELAY: Final = ("queue_delay_mean_s", "delivery_p95_s", "rtt_mean_s", "queue_delay_p95_s")
_WASTE: Final = ("retransmission_ratio", "bytes_per_byte", "loss_rate")


@dataclass(frozen=True)
class Axis:
    """A varied key, as it is shown."""

    column: str
    title: str
    scale: float
    numeric: bool

    def text(self, value: Any) -> str:
        """Write a value of the key."""
        return f"{value * self.scale:.5g}" if self.numeric else str(value)


@dataclass(frozen=True)
class Value:
    """A measure at a point: of the run, or the mean over its flows or links."""

    cells: dict[str, Any]
    line: str
    """The variant of a comparison; empty otherwise."""
    mean: float
    low: float | None
    high: float | None


def measured(rows: Iterable[dict[str, Any]], metric: Metric, axes: Sequence[Axis]) -> list[Value]:
    """Return a measure at every point, in the unit in which it is shown.

    A variant of a comparison has its own values. Of several flows or links, the mean has no
    interval, because their values depend on each other.

    Args:
        rows: The rows of the dataset.
        metric: The measure.
        axes: The varied keys.
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row[metric.key] is not None:
            line = row["name"] if row["kind"] == "variant" else ""
            found[row["key"], line].append(row)
    values: list[Value] = []
    for (_, line), own in found.items():
        whole = [row for row in own if row["kind"] == "run"] or own
        mean = fmean(row[metric.key] for row in whole) * metric.scale
        low, high = whole[0][f"{metric.key}_ci_low"], whole[0][f"{metric.key}_ci_high"]
        if len(whole) > 1 or low is None or high is None:
            low = high = None
        else:
            least, most = metric.limits
            low, high = max(low, least) * metric.scale, min(high, most) * metric.scale
        values.append(Value({a.column: whole[0][a.column] for a in axes}, line, mean, low, high))
    return values


def differing(values: dict[str, list[Value]]) -> dict[str, list[Value]]:
    """Leave out measures that are the same at every point, or equal to an earlier measure.

    With one flow, its goodput is the total goodput.
    """
    kept: dict[str, list[Value]] = {}
    for key, found in values.items():
        means = [value.mean for value in found]
        equal = any(means == [value.mean for value in other] for other in kept.values())
        if len(set(means)) > 1 and not equal:
            kept[key] = found
    return kept or {key: found for key, found in values.items() if found}


def is_log(axis: Axis, values: Sequence[Value]) -> bool:
    """Return whether a logarithmic axis suits a key: its values span more than a factor of 30."""
    if not axis.numeric:
        return False
    every = [value.cells[axis.column] for value in values]
    return min(every) > 0 and max(every) / min(every) > _LOG


def levels(axis: Axis, values: Sequence[Value]) -> list[Any]:
    """Return the values of a key, in order; numbers by size, texts as they first stand."""
    found = dict.fromkeys(value.cells[axis.column] for value in values)
    return sorted(found) if axis.numeric else list(found)


def _interval(group: Sequence[Value]) -> tuple[float | None, float | None, str]:
    if len(group) != 1 or group[0].low is None or group[0].high is None:
        return None, None, "none" if len(group) == 1 else "none: a mean over points"
    low, high = group[0].low, group[0].high
    return low, high, f"{words.number(low)} to {words.number(high)}"


def curve(values: Sequence[Value], x: Axis, second: Axis | None) -> list[dict[str, Any]]:
    """Return the points of response curves.

    Args:
        values: The measure at every point.
        x: The key along.
        second: The key whose levels are lines; None for one line, or a line for each variant.
    """
    groups: dict[tuple[str, Any], list[Value]] = defaultdict(list)
    for value in values:
        parts = [value.line] if value.line else []
        if second is not None:
            parts.append(f"{second.title} {second.text(value.cells[second.column])}")
        groups[", ".join(parts) or "all points", value.cells[x.column]].append(value)
    rows: list[dict[str, Any]] = []
    order: dict[Any, int] = {level: i for i, level in enumerate(levels(x, values))}
    for (line, level), group in groups.items():
        low, high, said = _interval(group)
        rows.append(
            {
                "line": line,
                "x": level * x.scale if x.numeric else level,
                "x_text": x.text(level),
                "y": fmean(value.mean for value in group),
                "low": low,
                "high": high,
                "interval": said,
                "points": len(group),
                "order": order[level],
            }
        )
    names = list(dict.fromkeys(row["line"] for row in rows))
    if second is not None and second.numeric:
        place = {
            f"{second.title} {second.text(v)}": i for i, v in enumerate(levels(second, values))
        }
        names.sort(key=lambda name: place.get(name.rpartition(", ")[2], 0))
    return sorted(rows, key=lambda row: (names.index(row["line"]), row["order"]))


def second_axis(
    axes: Sequence[Axis], x: Axis, values: Sequence[Value], *, ranked: bool = False
) -> Axis | None:
    """Return the key whose levels become lines: the one with the most levels that still fit.

    If the keys are ranked, it is the first whose levels fit.
    """
    lines = len({value.line for value in values})
    fitting = [
        (len(found), axis)
        for axis in axes
        if axis is not x and 1 < len(found := levels(axis, values)) <= max(_LEVELS // lines, 1)
    ]
    if not fitting:
        return None
    return fitting[0][1] if ranked else max(fitting, key=lambda of: of[0])[1]


def _around(mean: float, low: float, high: float) -> str:
    """Return an interval for the line below its mean: its half width, or both ends if uneven."""
    if abs((high - mean) - (mean - low)) <= _UNEVEN * (high - low):
        return f"\n±{words.number((high - low) / 2, 2)}"
    return f"\n[{words.number(low, 2)}, {words.number(high, 2)}]"


def heat(values: Sequence[Value], x: Axis, y: Axis) -> list[dict[str, Any]]:
    """Return the cells of a heat map, and of a scatter plot if every point is its own cell."""
    groups: dict[tuple[Any, Any], list[Value]] = defaultdict(list)
    for value in values:
        groups[value.cells[x.column], value.cells[y.column]].append(value)
    order = {level: i for i, level in enumerate(levels(y, values))}
    along = {level: i for i, level in enumerate(levels(x, values))}
    rows: list[dict[str, Any]] = []
    for (at_x, at_y), group in sorted(groups.items(), key=lambda of: along[of[0][0]]):
        low, high, said = _interval(group)
        mean = fmean(value.mean for value in group)
        half = "" if low is None or high is None else _around(mean, low, high)
        rows.append(
            {
                "x": at_x * x.scale if x.numeric else at_x,
                "y": at_y * y.scale if y.numeric else at_y,
                "x_text": x.text(at_x),
                "y_text": y.text(at_y),
                "y_order": order[at_y],
                "value": mean,
                "label": words.number(mean) + half,
                "interval": said,
                "points": len(group),
            }
        )
    return rows


def objectives(
    known: Iterable[str],
) -> tuple[str, str, str | None] | None:
    """Return the measures of goodput, delay and waste among those that have values."""
    there = set(known)
    chosen = [next((key for key in of if key in there), None) for of in (_GOODPUT, _DELAY, _WASTE)]
    goodput, delay, waste = chosen
    return None if goodput is None or delay is None else (goodput, delay, waste)


def pareto(
    rows: Sequence[dict[str, Any]],
    axes: Sequence[Axis],
    chosen: tuple[str, str, str | None],
    metric: Callable[[str], Metric],
) -> list[dict[str, Any]]:
    """Return every point with its goodput, delay and waste, and whether it is on the front.

    A point is on the front if no other point has at least its goodput, at most its delay and at
    most its waste, and is better in one of them.
    """
    table: dict[tuple[Any, ...], dict[str, Any]] = defaultdict(dict)
    for name, key in zip(("goodput", "delay", "waste"), chosen, strict=True):
        for value in measured(rows, metric(key), axes) if key else ():
            at = (*(value.cells[axis.column] for axis in axes), value.line)
            table[at][name] = value.mean
    found: list[dict[str, Any]] = []
    for at, of in table.items():
        if "goodput" in of and "delay" in of:
            parts = [f"{axis.title} {axis.text(v)}" for axis, v in zip(axes, at, strict=False)]
            said = ", ".join([*parts, *([at[-1]] if at[-1] else [])])
            found.append({"at": said, "waste": None, "front": False} | of)
    _mark(found)
    return found


def _mark(points: list[dict[str, Any]]) -> None:
    """Mark the points that no other dominates."""
    best: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda p: (-p["goodput"], p["delay"], p["waste"] or 0.0)):
        one = (-point["goodput"], point["delay"], point["waste"] or 0.0)
        # Points before this one have at least its goodput.
        point["front"] = not any(
            other[1] <= one[1] and other[2] <= one[2] and other != one for other in best
        )
        if point["front"]:
            best.append(one)
