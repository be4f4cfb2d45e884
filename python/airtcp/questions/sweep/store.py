"""The results of a sweep: a Parquet dataset that other programs can read while it grows.

`points/` holds one file for each chunk of finished points, and every row of a point is in one file.
A chunk is written under a hidden name, forced to the disk, and renamed: readers see whole chunks
only. The time between two chunks is 2 s at first and half a percent of the run so far later on.
A killed sweep therefore loses at most that, and a sweep of a week has about 1700 files.

`unused/` holds points that the present sweep does not ask for. A file that replaces others goes to
`unused/` first, then the others are removed, then the file moves to `points/`. If the process is
killed in between, each point is in one of the folders, and the next call completes the exchange.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

from airtcp.files.destinations import PlaceError
from airtcp.files.folder import SWEEP_MARK as MARK
from airtcp.questions.sweep.chunks import (
    HIDDEN,
    columns_of,
    keys_in,
    number_of,
    read_chunk,
    select,
    write_chunk,
)
from airtcp.questions.sweep.locks import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from airtcp.inputs.arguments import Progress
    from airtcp.questions.sweep.chunks import Column
    from airtcp.questions.sweep.plan import Plan, Point

POINTS: Final = "points"
UNUSED: Final = "unused"
DOCUMENT: Final = "sweep.json"
_OURS: Final = {MARK, POINTS, UNUSED, DOCUMENT, "report.html"}
_PLANNED: Final = 20_000
"""Points between two reports of progress of the planning: about a quarter of a second."""
_FIRST_S: Final = 2.0
_SHARE: Final = 0.005
_MOST_ROWS: Final = 100_000
"""Rows of a merged chunk."""
_MERGED_FROM: Final = 64
"""Number of chunks above which a call merges them when it begins."""


class Store:
    """The folder of a sweep, locked by this process."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        """Take the folder, and complete what a killed process left.

        Raises:
            PlaceError: If the folder belongs to something else, or another process uses it.
        """
        self.folder = folder
        self._points, self._unused = folder / POINTS, folder / UNUSED
        self._columns = columns_of(plan)
        self._rows: list[tuple[Any, ...]] = []
        self._begin = self._flushed = time.monotonic()
        self._shown: Callable[[Iterable[tuple[Any, ...]]], None] = lambda _rows: None
        self.names = [name for name, _ in self._columns]
        self.done: set[str] = set()
        """Keys of the points in the dataset."""
        self.set_aside = 0
        """Points of an earlier sweep that this one does not ask for."""
        _check(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self._lock: int | None = _locked(folder)
        try:
            self._points.mkdir(exist_ok=True)
            self._next = 1 + max((number_of(path) for path in self._every()), default=0)
        except BaseException:
            self.close()
            raise

    def open(self, plan: Plan, progress: Progress | None = None) -> dict[str, int]:
        """Find the finished points of a plan, and move the points of other plans away.

        Args:
            plan: The points.
            progress: Called with done, total and a label while points are planned.

        Returns:
            The place of each point in the plan, by key; equal points have one key.
        """
        places = places_of(plan, progress)
        for folder in (self._points, self._unused):
            for left in folder.glob(f"{HIDDEN}*"):
                left.unlink(missing_ok=True)
            for path in sorted(folder.glob("*.parquet")):
                self._sort(path, plan, places)
        self._merge()
        return places

    def _every(self) -> Iterator[Path]:
        for folder in (self._points, self._unused):
            yield from folder.glob("*.parquet")

    def _sort(self, path: Path, plan: Plan, places: dict[str, int]) -> None:
        """Keep a chunk, or divide it into wanted points and others."""
        table = read_chunk(path)
        keys = keys_in(table)
        distinct = set(keys)
        wanted = {key for key in distinct if key in places and key not in self.done}
        fits = path.parent == self._points and table.column_names == self.names
        if fits and wanted == distinct:
            self.done |= wanted
            return
        if path.parent == self._unused and not wanted and not distinct & self.done:
            return
        moves: list[tuple[Path, Path]] = []
        if rows := select(table, keys, wanted, self._columns, self._cells(plan, places, wanted)):
            kept = self._write(self._unused, self._columns, rows)
            moves.append((kept, self._points / kept.name))
        others = distinct - wanted - self.done
        if others:
            self.set_aside += len(others) * (path.parent == self._points)
            whole = [(name, None) for name in table.column_names]
            rest = select(table, keys, others, whole, {})
            self._write(self._unused, whole, rest)
        path.unlink()
        for source, target in moves:
            source.rename(target)
        self.done |= wanted

    def _cells(
        self, plan: Plan, places: dict[str, int], keys: set[str]
    ) -> dict[str, dict[str, Any]]:
        """Return the values of the axes by key: another sweep had other columns."""
        columns = plan.columns
        return {key: dict(zip(columns, plan.point(places[key]).cells, strict=True)) for key in keys}

    def _merge(self) -> None:
        """Merge small chunks, so that many interrupted calls do not leave many files."""
        from arro3.core import Table

        paths = sorted(self._points.glob("*.parquet"))
        if len(paths) <= _MERGED_FROM:
            return
        group: list[tuple[Path, Any]] = []
        for path in [*paths, None]:
            table = None if path is None else read_chunk(path)
            full = table is None or sum(len(t) for _, t in group) + len(table) > _MOST_ROWS
            if full and len(group) > 1:
                batches = [batch for _, one in group for batch in one.to_batches()]
                merged = self._write(self._unused, (), Table.from_batches(batches))
                for old, _ in group:
                    old.unlink()
                merged.rename(self._points / merged.name)
            if full:
                group = []
            if path is not None:
                group.append((path, table))

    def _write(self, folder: Path, columns: Sequence[Column], rows: Any) -> Path:
        folder.mkdir(exist_ok=True)
        number, self._next = self._next, self._next + 1
        return write_chunk(folder, number, columns, rows)

    def listen(self, shown: Callable[[Iterable[tuple[Any, ...]]], None]) -> None:
        """Give all rows to a function: those of earlier calls now, new ones when they come."""
        self._shown = shown
        for path in sorted(self._points.glob("*.parquet")):
            table = read_chunk(path)
            columns = [table.column(name).to_pylist() for name in self.names]
            shown(zip(*columns, strict=True))

    def append(self, point: Point, result: dict[str, Any]) -> None:
        """Add a finished point. A point that is there already is left out."""
        if point.key in self.done:
            return
        self.done.add(point.key)
        head = (point.key, *point.cells, result["n"], result["narrow"])
        rows = [(*head, kind, name, *values) for kind, name, values in result["rows"]]
        self._rows += rows
        self._shown(rows)

    def flush(self, *, now: bool = False) -> None:
        """Write a chunk if it is time for one."""
        clock = time.monotonic()
        wait = max(_FIRST_S, _SHARE * (clock - self._begin))
        due = now or clock - self._flushed >= wait or len(self._rows) >= _MOST_ROWS
        if due and self._rows:
            rows, self._rows = self._rows, []
            self._write(self._points, self._columns, rows)
        if due:
            self._flushed = clock

    def close(self) -> None:
        """Release the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _refuse(folder: Path, message: str) -> NoReturn:
    text = f"{folder}: {message}"
    raise PlaceError(text)


def _check(folder: Path) -> None:
    """Refuse a place that is not the folder of a sweep."""
    if not folder.exists():
        return
    if not folder.is_dir():
        _refuse(folder, "this is not a folder; expected the folder of a sweep, or a free name")
    names = {path.name for path in folder.iterdir()}
    if names and MARK not in names:
        other = sorted(names - _OURS) or sorted(names)
        _refuse(
            folder,
            f"holds {other[0]} and is not the folder of a sweep; give another folder with --out",
        )


def _locked(folder: Path) -> int:
    """Lock the folder. The system releases the lock of a killed process."""
    handle = os.open(folder / MARK, os.O_RDWR | os.O_CREAT, 0o666)
    if not try_lock(handle):
        os.close(handle)
        _refuse(folder, "another sweep runs in this folder; wait for it, or give another --out")
    return handle


def finished_keys(folder: Path) -> set[str]:
    """Return the keys of all points in a folder, without its lock."""
    paths = [path for part in (POINTS, UNUSED) for path in (folder / part).glob("*.parquet")]
    return {key for path in paths for key in keys_in(read_chunk(path))}


def places_of(plan: Plan, progress: Progress | None) -> dict[str, int]:
    """Return the place of each point in the plan, by key; equal points have one key.

    Args: plan: The points. progress: Called with done, total and a label.
    """
    places: dict[str, int] = {}
    for index, point in enumerate(plan):
        places.setdefault(point.key, index)
        if progress is not None and index % _PLANNED == 0 and index:
            progress(index, len(plan), "planning")
    return places
