"""Which value of a choice without order, such as TCP, is best where.

The other keys make the places: at each, the values of the choice are compared. A value is best at a
place only if its interval lies beyond those of all others.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.sweep.leading import apart, with_unit
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, broken
from airtcp.words.names import said, short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.questions.sweep.leading import Leading, Reached
    from airtcp.questions.sweep.rows import Axis

_MOST: Final = 5
"""Most values of a choice: each has a column in the table."""
_MOST_KEYS: Final = 3
"""Most other keys by which a sentence and a table name a place."""
_LONGEST: Final = 12
"""Characters of the longest value with a column of its own."""


@dataclass(frozen=True)
class Place:
    """The values of the other keys, and what each value of the choice reaches there."""

    at: tuple[Any, ...]
    reached: list[Reached]
    """The best first."""
    levels: list[str]
    """The values of the choice in the same order."""
    best: bool
    """Whether the first is shown to be better than all others."""
    contrast: float
    """The ratio of the extreme means, if their intervals lie apart; else 1."""


def choice_of(axes: Sequence[Axis], counts: Mapping[str, int]) -> Axis | None:
    """Return the key whose values have no order; the congestion control if there are several.

    Args:
        axes: The varied keys.
        counts: The number of values by column.
    """
    found = [axis for axis in axes if not axis.numeric and 1 < counts[axis.column] <= _MOST]
    named = [axis for axis in found if "tcp" in axis.column or "congestion" in axis.column]
    return next(iter(named or found), None)


def _places(leading: Leading) -> tuple[Axis, list[Axis], list[Place]] | None:
    """Return the choice, the other keys, and the places, the largest difference first.

    None without a choice, without another key, if the points are variants of a comparison, or if no
    difference is shown anywhere.
    """
    whole = leading.number == len(leading.reached)
    if not leading.better or leading.compared or not whole or any(o.line for o in leading.reached):
        return None
    counts = {
        axis.column: len({str(one.at[i]) for one in leading.reached})
        for i, axis in enumerate(leading.axes)
    }
    choice = choice_of(leading.axes, counts)
    others = [axis for axis in leading.axes if axis is not choice and counts[axis.column] > 1]
    if choice is None or not 1 <= len(others) <= _MOST_KEYS:
        return None
    index = list(leading.axes).index(choice)
    if any(len(str(one.at[index])) > _LONGEST for one in leading.reached):
        return None
    keep = [list(leading.axes).index(axis) for axis in others]
    groups: dict[tuple[Any, ...], list[Reached]] = defaultdict(list)
    for one in leading.reached:
        groups[tuple(one.at[i] for i in keep)].append(one)
    found = [
        Place(
            at,
            group,
            [str(one.at[index]) for one in group],
            all(apart(group[0].value, one.value, leading.better) for one in group[1:]),
            _ratio(leading, group[0], group[-1]),
        )
        for at, group in groups.items()
        if len(group) > 1
    ]
    found.sort(key=lambda place: -place.contrast)
    return (choice, others, found) if found and found[0].contrast > 1 else None


def _ratio(leading: Leading, first: Reached, last: Reached) -> float:
    """Return the ratio of the means of two points if their intervals lie apart, else 1."""
    if not apart(first.value, last.value, leading.better):
        return 1.0
    means = [abs(one.value["mean"] or 0.0) for one in (first, last)]
    return max(means) / max(min(means), 1e-9 * max(means), 1e-300)


def sentences(leading: Leading) -> tuple[str, str] | None:
    """Say where the choice matters most, and at how many places which value is best.

    None if no difference is shown anywhere.
    """
    found = _places(leading)
    if found is None:
        return None
    choice, others, each = found
    return _contrast(leading, others, each[0]), _wins(choice, each)


def _contrast(leading: Leading, others: Sequence[Axis], place: Place) -> str:
    names = [short(axis.column) for axis in others]
    names = [
        name if names.count(name) == 1 else said(axis.column)
        for name, axis in zip(names, others, strict=True)
    ]
    where = words.listed(
        [
            f"{name} {with_unit(axis, value)}"
            for name, axis, value in zip(names, others, place.at, strict=True)
        ]
    )
    scale = leading.metric.scale
    texts = [words.number((one.value["mean"] or 0) * scale, 2) for one in place.reached]
    best = [level for level, text in zip(place.levels, texts, strict=True) if text == texts[0]]
    worst = [level for level, text in zip(place.levels, texts, strict=True) if text == texts[-1]]
    unit = leading.metric.unit
    what = leading.metric.label.removesuffix(f" ({unit})")
    value = f"{texts[0]} {unit}".rstrip()
    if what.endswith("goodput"):
        verb = "gets" if len(best) == 1 else "get"
        return f"At {where} {words.listed(best)} {verb} {value}, {words.listed(worst)} {texts[-1]}."
    return (
        f"At {where} {what} is {value} with {words.listed(best)}, and {texts[-1]} with "
        f"{words.listed(worst)}."
    )


def _wins(choice: Axis, each: Sequence[Place]) -> str:
    """Say at how many places which value is best."""
    tally: dict[str, int] = defaultdict(int)
    for place in each:
        if place.best:
            tally[place.levels[0]] += 1
    of = words.counted(len(each), "combination")
    if not tally:
        return f"No {said(choice.column)} is shown to be best at any of {of} of the other keys."
    first, number = max(sorted(tally.items()), key=lambda item: item[1])
    if number == len(each):
        return f"{first} is best at all {of} of the other keys."
    head = f"{first} is best at {words.count(number)} of {of} of the other keys"
    others = sorted(set(tally) - {first})
    rest = f"{words.listed(others)} at others" if others else "elsewhere none is shown to be"
    return f"{head}; {rest}."


def table(leading: Leading, rows: int, text: Callable[[Axis, Any], str]) -> Grid | None:
    """Return a row for each place and a column for each value of the choice.

    None if no difference is shown anywhere.

    Args:
        leading: The points.
        rows: Most rows.
        text: Writes a value of a key.
    """
    found = _places(leading)
    if found is None:
        return None
    choice, others, each = found
    shown = each[:rows]
    levels = list(dict.fromkeys(level for place in each for level in sorted(place.levels)))
    cells = [[text(axis, place.at[i]) for place in shown] for i, axis in enumerate(others)]
    columns = [
        Column(broken(axis.title), of) for axis, of in zip(others[1:], cells[1:], strict=True)
    ]
    for level in levels:
        values = [_at(place, level) for place in shown]
        columns.append(
            Column(
                level,
                [
                    words.estimate(value, leading.metric.scale, leading.metric.limits, short=True)
                    for value in values
                ],
                [
                    "-"
                    if value is None
                    else words.number((value["mean"] or 0) * leading.metric.scale)
                    for value in values
                ],
                keys=[None if value is None else value["mean"] for value in values],
            )
        )
    best = [place.levels[0] if place.best else "cannot tell" for place in shown]
    columns.append(Column("best", best, left=True))
    title = f"{leading.metric.label} by {short(choice.column)}, with its 95 % interval"
    if not leading.intervals:
        title = title.partition(", with")[0]
    return Grid(others[0].title, cells[0], columns, title, len(each) - len(shown))


def _at(place: Place, level: str) -> dict[str, float | None] | None:
    pairs = zip(place.levels, place.reached, strict=True)
    return next((one.value for name, one in pairs if name == level), None)
