"""The key of a point: a hash of everything that its result depends on.

The key depends on the scenario with the values of the point, the files that it names, the options,
the seed, the rule of replications, the measures, and the version of airtcp. It does not depend on
the file's name, its comments, the other points, their order, or the machine. A value that the
scenario has already changes no key, so that a sweep that is extended by another key keeps the
points at the scenario's own value.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.data.extension import core_schema
from airtcp.questions.sweep.named_files import FILE_KEYS, contents, file_names
from airtcp.questions.sweep.paths import last, steps, tree_of, value_of
from airtcp.questions.sweep.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from airtcp.questions.sweep.sweep_file import Sweep

_SIZE: Final = 16
"""Bytes of a key. Among a million points, two equal keys have a probability below 1e-26."""
_WRITTEN: Final = 100_000
"""Values whose JSON text is kept."""
_WORDS: Final = FILE_KEYS | {"name", "from", "to", "title"}
"""Keys whose texts are no quantities: a flow named "10 ms" is not that named "0.01 s"."""
_Form = tuple[list[tuple[int, bytes]], bytes]
"""For each value, in the order of the text: its place in the point and the text behind it; and the
text before the first value."""


class Keys:
    """Makes the keys of a sweep's points."""

    def __init__(self, sweep: Sweep) -> None:
        """Hash what all points share."""
        base = _alike(tree_of(sweep.text))
        fixed, seed = list(sweep.fixed), sweep.seed
        default: int = core_schema("scenario")["properties"]["seed"]["default"]
        if sweep.text:
            # The seed that is in force, wherever it is from, changes no key.
            base.setdefault("seed", default)
            fixed += [] if seed is None else [("seed", str(seed))]
        self._base, self._loose = _applied(base, fixed)
        self._values: dict[tuple[str, bool], Any] = {}
        self._written: tuple[dict[str, bytes], dict[str, bytes]] = ({}, {})
        self._words = [last(path) in _WORDS for axis in sweep.axes for path in axis.paths]
        files = contents(sweep.scenario_folder, _names(sweep))
        traces = () if sweep.text else sweep.inputs
        self._common = hashlib.blake2b(digest_size=_SIZE)
        shared: dict[str, Any] = {
            "kind": sweep.kind,
            "options": sweep.options,
            "seed": None if sweep.text else default if seed is None else seed,
            "rule": asdict(sweep.rule),
            "measures": sweep.measures,
            "version": _core.version(),
            "files": [files, contents(sweep.folder, traces)],
            "traces": traces,
        }
        if sweep.laws:
            shared["laws"] = sweep.laws.hashes
        self._common.update(_json(shared))
        self._form = self._formed([path for axis in sweep.axes for path in axis.paths])

    def key(self, values: Sequence[tuple[str, str]]) -> str:
        """Return the key of a point.

        Args: values: Path and text of each value of the point.
        """
        whole = self._common.copy()
        if self._form is None:
            tree, loose = _applied(self._base, values, self._values)
            whole.update(_json([tree, self._loose, loose]))
            return whole.hexdigest()
        parts = [self._form[1]]
        for place, after in self._form[0]:
            text, word = values[place][1], self._words[place]
            written = self._written[word]
            if text not in written:
                if len(written) >= _WRITTEN:
                    written.clear()
                written[text] = _json(_alike(value_of(text), word=word))
            parts += (written[text], after)
        whole.update(b"".join(parts))
        return whole.hexdigest()

    def _formed(self, paths: list[str]) -> _Form | None:
        """Return the JSON text that is hashed, cut where the values of a point stand.

        Only values differ between points, so that the text need not be made for each point. None
        if a path is unknown to the scenario, or leads into the value of another path.
        """
        ways = [steps(path) for path in paths]
        nested = any(
            i != j and one == other[: len(one)]
            for i, one in enumerate(ways)
            for j, other in enumerate(ways)
        )
        marks = [f"\0{place}\0" for place in range(len(paths))]
        tree = self._base
        try:
            for way, mark in zip(ways, marks, strict=True):
                tree = _replaced(tree, way, mark)
        except (KeyError, IndexError, RecursionError):
            return None
        whole, written = _json([tree, self._loose, []]), [_json(mark) for mark in marks]
        if nested or any(whole.count(mark) != 1 for mark in written):
            return None
        order = sorted(range(len(paths)), key=lambda place: whole.index(written[place]))
        first, *after = _cut(whole, [written[place] for place in order])
        return list(zip(order, after, strict=True)), first


def _applied(
    tree: Any, values: Iterable[tuple[str, str]], known: dict[tuple[str, bool], Any] | None = None
) -> tuple[Any, list[tuple[str, str]]]:
    """Return a scenario with replaced values, and the values that have no place in it.

    The scenario itself is not changed.
    """
    loose: list[tuple[str, str]] = []
    cache = {} if known is None else known
    for path, text in values:
        way = text, last(path) in _WORDS
        if way not in cache:
            cache[way] = _alike(value_of(text), word=way[1])
        try:
            tree = _replaced(tree, steps(path), cache[way])
        except (KeyError, IndexError, RecursionError):
            loose.append((path, text))
    return tree, loose


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, default=str).encode()


def _cut(text: bytes, marks: list[bytes]) -> list[bytes]:
    """Return the parts of a text around marks, which stand in it in this order."""
    parts: list[bytes] = []
    for mark in marks:
        before, _, text = text.partition(mark)
        parts.append(before)
    return [*parts, text]


def _replaced(at: Any, way: list[str], value: Any) -> Any:
    if not way:
        return value
    step, *rest = way
    if isinstance(at, list):
        whole = list(cast("list[Any]", at))
        place = int(step) if step.isascii() and step.isdecimal() else len(whole)
        whole[place] = _replaced(whole[place], rest, value)
        return whole
    if isinstance(at, str) and step != "profile":
        # The name of a profile becomes a table, as in `airtcp run --set`.
        at = {"profile": at}
    if at is not None and not isinstance(at, dict):
        raise KeyError(step)
    table = dict(cast("dict[str, Any]", at or {}))
    table[step] = _replaced(table.get(step), rest, value)
    return table


def _alike(value: Any, *, word: bool = False) -> Any:
    """Write equal quantities equally, anywhere within a value.

    Args: value: The value. word: Whether it is that of a key whose texts are no quantities.
    """
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {key: _alike(part, word=key in _WORDS) for key, part in table.items()}
    if isinstance(value, list):
        return [_alike(part) for part in cast("list[Any]", value)]
    found = quantity(value) if isinstance(value, str) and not word else None
    if found is None or not found.unit:
        return value
    return {"quantity": found.si, "dimension": found.dimension} if found.dimension else found.si


def _names(sweep: Sweep) -> Iterator[str]:
    """Yield the names of files in the scenario, and in the values that are set in it."""
    yield from file_names(tree_of(sweep.text))
    yield from file_names(sweep.options)
    for path, text in sweep.fixed:
        yield from file_names(value_of(text), last(path))
    for axis in sweep.axes:
        for key in map(last, axis.paths):
            for value in axis.values:
                # Numbers and quantities, of which there may be many, name no file.
                table = "{" in value if isinstance(value, str) else isinstance(value, dict | list)
                if table or key in FILE_KEYS:
                    yield from file_names(value_of(axis.text(value)), key)
