"""Tables of a sweep: the best points, and all points in the order of the sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.sweep import choices
from airtcp.questions.sweep.leading import ROWS as MOST
from airtcp.questions.sweep.leading import values_of
from airtcp.questions.sweep.measures import metric_of
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, broken

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.questions.sweep.document import SweepDocument
    from airtcp.questions.sweep.leading import Leading
    from airtcp.questions.sweep.rows import Axis

ROWS: Final = 10
"""Points in the table of an answer."""
_MEASURES: Final = 3
"""Measures beside the main one."""
_WIDTH: Final = 98
_MOST_KEYS: Final = 5
"""Keys in the table of an answer; --details has all."""


def best(document: SweepDocument, leading: Leading, rows: int = ROWS) -> Grid:
    """Return the table of the best points: their keys, the main measure, and some others.

    If a key is a choice, such as TCP, its values stand side by side.
    """
    if (beside := choices.table(leading, rows, _text)) is not None:
        return beside
    shown = leading.reached[: min(rows, MOST)]
    heads = [axis.title for axis in leading.axes]
    texts = [[_text(axis, one.at[i]) for one in shown] for i, axis in enumerate(leading.axes)]
    if any(one.line for one in shown):
        heads, texts = ["variant", *heads], [[one.line for one in shown], *texts]
    if not heads:
        heads, texts = ["point"], [["all seeds" for _ in shown]]
    number = len(heads)
    laid = [
        Column(broken(head), cells, left=any(not _is_number(cell) for cell in cells))
        for head, cells in zip(heads[1:_MOST_KEYS], texts[1:_MOST_KEYS], strict=True)
    ]
    runs = {one.runs for one in shown}
    if len(runs) > 1:
        laid.append(Column("runs", [words.count(one.runs) for one in shown], rank=3))
    near = {id(one) for one in leading.near}
    told = bool(leading.better) and len(near) + 1 < len(leading.reached)
    room = _WIDTH - sum(map(_width, laid)) - max(map(len, [heads[0], *texts[0]]))
    laid += _measures(document, leading, rows, room - told * len("  may be best"))
    if told:
        verdicts = [
            "best"
            if one is leading.reached[0] and not near
            else "may be best"
            if one is leading.reached[0] or id(one) in near
            else ""
            for one in shown
        ]
        laid.append(Column("verdict", verdicts, left=True))
    sort = leading.metric.label
    title = _title(leading, runs, number - _MOST_KEYS)
    return Grid(heads[0], texts[0], laid, title, leading.number - len(shown), sort)


def _text(axis: Axis, value: Any) -> str:
    return f"{value * axis.scale:.4g}" if axis.numeric else str(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _width(column: Column) -> int:
    """Return the characters that a column takes, with the gap before it."""
    return 2 + max(map(len, [*column.head.split("\n"), *column.cells]), default=0)


def _measures(document: SweepDocument, leading: Leading, rows: int, room: int) -> list[Column]:
    """Return the main measure with its interval, and means of others that differ from it."""
    shown = leading.reached[: min(rows, MOST)]
    kind = document["sweep"]["kind"]
    found: list[Column] = []
    means: list[list[float | None]] = []
    others = [key for key in document["sweep"]["measure"] if key != leading.measure]
    for key in (leading.measure, *others):
        metric = metric_of(kind, key)
        values = [one.value if key == leading.measure else values_of(one, key) for one in shown]
        mean = [None if value is None else value["mean"] for value in values]
        same = len(shown) > 1 and (len(set(mean)) == 1 and key != leading.measure)
        if all(one is None for one in mean) or mean in means or same:
            continue
        means.append(mean)
        cells = [
            words.estimate(
                value if not found else _mean(value), metric.scale, metric.limits, short=True
            )
            for value in values
        ]
        # A narrow terminal leaves other measures out, the last one first.
        rank = 4 + len(found) if found else 0
        column = Column(broken(metric.label), cells, rank=rank, keys=mean)
        room -= _width(column)
        if found and (room < 0 or len(found) > _MEASURES):
            break
        found.append(column)
    return found


def _mean(value: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if value is None else {"mean": value["mean"], "ci_low": None, "ci_high": None}


def _title(leading: Leading, runs: set[int], hidden: int) -> str:
    what = leading.metric.label.partition(" (")[0]
    interval = f", {what} with its 95 % interval" if leading.intervals else ""
    if leading.seeds:
        said = f"Means over {words.counted(leading.seeds, 'seed')}"
    elif len(runs) > 1:
        said = "Means of the runs"
    else:
        number = next(iter(runs))
        said = "One run a point" if number == 1 else f"Means of {words.count(number)} runs"
    more = f"; {words.counted(hidden, 'more key')}: --details" if hidden > 0 else ""
    return f"{said}{interval}{more}"


def points(
    document: SweepDocument, heads: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Grid:
    """Return the table of points in the order of the sweep, with all measures.

    Args:
        document: The document of the sweep.
        heads: The headings of their keys.
        rows: The first points, as `SweepResult.first` gives them.
    """
    laid = [
        Column(name, [row["at"][place] for row in rows], rank=0)
        for place, name in enumerate(heads[1:], 1)
    ]
    laid.append(Column("runs", [words.count(row["replications"]) for row in rows], rank=2))
    kind = document["sweep"]["kind"]
    shown: list[list[float | None]] = []
    for rank, key in enumerate(document["sweep"]["measure"]):
        metric = metric_of(kind, key)
        values = [row["values"].get(key) for row in rows]
        means = [value and value["mean"] for value in values]
        same = len(rows) > 1 and (len(set(means)) == 1 and key == "jain_index")
        if any(mean is not None for mean in means) and means not in shown and not same:
            shown.append(means)
            laid.append(
                Column(
                    broken(metric.label),
                    [words.estimate(value, metric.scale, metric.limits) for value in values],
                    [words.estimate(value, metric.scale, short=True) for value in values],
                    rank + 2 if rank else 0,
                )
            )
    more = max(document["points"]["finished"] - len({row["key"] for row in rows}), 0)
    title = "The points in the order of the sweep" + (
        f": the first {len(rows)}; all are in the dataset" if more else ""
    )
    return Grid(heads[0], [row["at"][0] for row in rows], laid, title)
