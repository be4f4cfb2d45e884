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
import re
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.sweeps.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from airtcp.sweeps.sweep_file import Sweep

_STEP: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_SIZE: Final = 16
"""Bytes of a key. Among a million points, two equal keys have a probability below 1e-26."""
_BLOCK: Final = 1 << 20
_WRITTEN: Final = 100_000
"""Values whose JSON text is kept."""
_Form = tuple[list[tuple[int, bytes]], bytes]
"""For each value, in the order of the text: its place in the point and the text behind it; and the
text before the first value."""


class Keys:
    """Makes the keys of a sweep's points."""

    def __init__(self, sweep: Sweep) -> None:
        """Hash what all points share."""
        base: Any = _alike(tomllib.loads(sweep.text)) if sweep.text else {}
        named: Any = tomllib.loads(sweep.text) if sweep.text else {}
        fixed = list(sweep.fixed)
        if sweep.seed is not None and sweep.text:
            fixed.append(("seed", str(sweep.seed)))
        self._base, self._loose = _applied(base, fixed)
        self._values: dict[str, Any] = {}
        self._written: dict[str, bytes] = {}
        texts = [named, [text for _, text in sweep.fixed], sweep.options]
        texts += [axis.values for axis in sweep.axes]
        traces = () if sweep.text else sweep.inputs
        self._common = hashlib.blake2b(digest_size=_SIZE)
        shared: dict[str, Any] = {
            "kind": sweep.kind,
            "options": sweep.options,
            "seed": sweep.seed,
            "rule": asdict(sweep.rule),
            "measures": sweep.measures,
            "version": _core.version(),
            "files": _files(sweep.folder, [*_texts(texts), *traces]),
            "traces": traces,
        }
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
        written, parts = self._written, [self._form[1]]
        for place, after in self._form[0]:
            text = values[place][1]
            if text not in written:
                if len(written) >= _WRITTEN:
                    written.clear()
                written[text] = _json(_parsed(text))
            parts += (written[text], after)
        whole.update(b"".join(parts))
        return whole.hexdigest()

    def _formed(self, paths: list[str]) -> _Form | None:
        """Return the JSON text that is hashed, cut where the values of a point stand.

        Only values differ between points, so that the text need not be made for each point. None
        if a path is unknown to the scenario, or leads into the value of another path.
        """
        ways = [_steps(path) for path in paths]
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
        except (KeyError, IndexError):
            return None
        whole, written = _json([tree, self._loose, []]), [_json(mark) for mark in marks]
        if nested or any(whole.count(mark) != 1 for mark in written):
            return None
        order = sorted(range(len(paths)), key=lambda place: whole.index(written[place]))
        first, *after = _cut(whole, [written[place] for place in order])
        return list(zip(order, after, strict=True)), first


def _applied(
    tree: Any, values: Iterable[tuple[str, str]], known: dict[str, Any] | None = None
) -> tuple[Any, list[tuple[str, str]]]:
    """Return a scenario with replaced values, and the values that have no place in it.

    The scenario itself is not changed.
    """
    loose: list[tuple[str, str]] = []
    cache = {} if known is None else known
    for path, text in values:
        if text not in cache:
            cache[text] = _parsed(text)
        try:
            tree = _replaced(tree, _steps(path), cache[text])
        except (KeyError, IndexError):
            loose.append((path, text))
    return tree, loose


def _steps(path: str) -> list[str]:
    return [found[1] or found[2] for found in _STEP.finditer(path)]


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, default=str).encode()


def _cut(text: bytes, marks: list[bytes]) -> list[bytes]:
    """Return the parts of a text around marks, which stand in it in this order."""
    parts: list[bytes] = []
    for mark in marks:
        before, _, text = text.partition(mark)
        parts.append(before)
    return [*parts, text]


def _replaced(at: Any, steps: list[str], value: Any) -> Any:
    if not steps:
        return value
    step, *rest = steps
    if isinstance(at, list):
        whole = list(cast("list[Any]", at))
        whole[int(step) if step.isdigit() else len(whole)] = _replaced(
            whole[int(step) if step.isdigit() else len(whole)], rest, value
        )
        return whole
    if isinstance(at, str) and step != "profile":
        # The name of a profile becomes a table, as in `airtcp run --set`.
        at = {"profile": at}
    if at is not None and not isinstance(at, dict):
        raise KeyError(step)
    table = dict(cast("dict[str, Any]", at or {}))
    table[step] = _replaced(table.get(step), rest, value)
    return table


def _parsed(text: str) -> Any:
    """Read a value as --set does, and write equal quantities equally."""
    try:
        value = tomllib.loads(f"v = {text}")["v"]
    except tomllib.TOMLDecodeError:
        value = text
    return _alike(value)


def _alike(value: Any) -> Any:
    """Write equal quantities equally, anywhere within a value."""
    if isinstance(value, dict):
        return {key: _alike(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_alike(part) for part in cast("list[Any]", value)]
    found = quantity(value) if isinstance(value, str) else None
    if found is None or not found.unit:
        return value
    return {"quantity": found.si, "dimension": found.dimension} if found.dimension else found.si


def _texts(value: Any) -> Iterator[str]:
    """Yield every text within a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in cast("dict[str, Any]", value).values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in cast("list[Any]", value):
            yield from _texts(part)


def _files(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file that a text could name: `file`, `file#link`, a pattern."""
    found: dict[str, str] = {}
    for name in sorted(set(names)):
        if not name or len(name) > 1000 or "\n" in name or "\0" in name:  # noqa: PLR2004
            continue
        for path in _named(folder, name):
            found.setdefault(str(path), _digest(path))
    return found


def _named(folder: Path, name: str) -> list[Path]:
    try:
        for plain in (name, name.partition("#")[0]):
            path = folder / plain
            if plain and path.is_file():
                return [path]
            if plain and path.is_dir():
                return sorted(one for one in path.rglob("*") if one.is_file())
        if any(letter in name for letter in "*?[") and not Path(name).is_absolute():
            return sorted(one for one in folder.glob(name) if one.is_file())
    except (OSError, ValueError, NotImplementedError):
        pass
    return []


def _digest(path: Path) -> str:
    whole = hashlib.blake2b(digest_size=_SIZE)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            whole.update(block)
    return whole.hexdigest()
