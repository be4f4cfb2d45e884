"""The points of a sweep: their values, columns and keys, and the job that a worker needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.sweep.designs import Points
from airtcp.questions.sweep.keys import Keys
from airtcp.questions.sweep.measures import axis_shown
from airtcp.questions.sweep.rows import Axis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airtcp.questions.sweep.quantities import Cell
    from airtcp.questions.sweep.sweep_file import Sweep


_KEPT: Final = 100_000
"""Sweeps of up to so many points are kept in memory."""
_Value = tuple["Cell", tuple[tuple[str, str], ...]]
"""A value as in its column, and its paths with its text."""


@dataclass(frozen=True)
class Point:
    """A point of a sweep."""

    key: str
    cells: tuple[Cell, ...]
    """The value of each axis, as in its column."""
    sets: tuple[tuple[str, str], ...]
    """Path and text of each value, as --set takes them."""


class Plan:
    """All points of a sweep."""

    def __init__(self, sweep: Sweep) -> None:
        """Prepare the points, which are made one at a time."""
        self.sweep = sweep
        self._points = Points(sweep)
        self._keys = Keys(sweep)
        self._kept: dict[int, Point] | None = {} if len(self._points) <= _KEPT else None
        self._listed: list[dict[int, _Value]] = [{} for _ in sweep.axes]

    def __len__(self) -> int:
        """Return the number of points, equal ones included."""
        return len(self._points)

    @property
    def columns(self) -> list[str]:
        """The columns of the axes."""
        return [axis.column for axis in self.sweep.axes]

    def point(self, index: int) -> Point:
        """Return a point."""
        kept = self._kept
        if kept is None:
            return self._make(index)
        if index not in kept:
            kept[index] = self._make(index)
        return kept[index]

    def sets(self, index: int) -> tuple[tuple[str, str], ...]:
        """Return path and text of each value of a point."""
        return self.point(index).sets

    def _make(self, index: int) -> Point:
        cells: list[Cell] = []
        sets: list[tuple[str, str]] = []
        for place, value in enumerate(self._points.values(index)):
            listed = self._listed[place]
            made = listed.get(id(value))
            if made is None:
                axis = self.sweep.axes[place]
                text = axis.text(value)
                made = axis.cell(value), tuple((path, text) for path in axis.paths)
                if axis.span is None:
                    # The axis keeps its values, so that each keeps its place in memory.
                    listed[id(value)] = made
            cells.append(made[0])
            sets += made[1]
        return Point(self._keys.key(sets), tuple(cells), tuple(sets))

    def __iter__(self) -> Iterator[Point]:
        """Yield every point in order."""
        return (self.point(index) for index in range(len(self)))

    @cached_property
    def job(self) -> dict[str, Any]:
        """What a worker needs beside a point, as JSON types."""
        sweep = self.sweep
        folder, own = sweep.folder.resolve(), sweep.scenario_folder.resolve()
        return {
            "kind": sweep.kind,
            "text": sweep.text,
            "name": sweep.inputs[0] if sweep.inputs else "scenario",
            "folder": str(own),
            "paths": [] if sweep.text else [str(folder / one) for one in sweep.inputs],
            "fixed": [list(pair) for pair in sweep.fixed],
            "options": sweep.options,
            "seed": sweep.seed,
            "rule": asdict(sweep.rule),
            "measures": list(sweep.measures),
            "laws": sweep.laws.for_others() if sweep.laws else None,
        }


def axes_of(plan: Plan) -> list[Axis]:
    """Return the varied keys as they are shown."""
    return [
        Axis(axis.column, *axis_shown(axis.column, axis.dimension), axis.numeric)
        for axis in plan.sweep.axes
    ]
