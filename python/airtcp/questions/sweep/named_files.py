"""The files that a scenario names. Their content belongs to the key of a point."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.files.folder import SWEEP_MARK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE_KEYS: Final = frozenset({"path", "trace"})
"""The keys of a scenario whose text is the name of a file."""
_SIZE: Final = 16
_BLOCK: Final = 1 << 20
_LONGEST: Final = 1000


def file_names(value: Any, key: str = "") -> Iterator[str]:
    """Yield the names of files within a value of a scenario.

    Args: value: The value. key: Its key.

    >>> list(file_names([{"name": "a.txt", "loss": {"model": "trace", "path": "b.txt"}}]))
    ['b.txt']
    """
    if isinstance(value, str):
        if key in FILE_KEYS:
            yield value
    elif isinstance(value, dict):
        for name, part in cast("dict[str, Any]", value).items():
            yield from file_names(part, name)
    elif isinstance(value, list | tuple):
        for part in cast("list[Any]", value):
            yield from file_names(part, key)


def contents(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file, by its name as it was given.

    A name stands for a file, a folder, a pattern, or a link within a file (`file#link`).

    Args: folder: The folder that the names are relative to. names: The names.
    """
    found: dict[str, str] = {}
    for name in sorted(set(names)):
        if not name or len(name) > _LONGEST or "\n" in name or "\0" in name:
            continue
        for part, path in _named(folder, name):
            found[f"{name}\0{part}"] = _digest(path)
    return found


def _named(folder: Path, name: str) -> list[tuple[str, Path]]:
    """Return the files that a name stands for, each with its place within a folder."""
    try:
        for plain in (name, name.partition("#")[0]):
            path = folder / plain
            if plain and path.is_file():
                return [("", path)]
            if plain and path.is_dir():
                return _within(path, path.rglob("*"))
        if any(letter in name for letter in "*?["):
            pattern = (folder / name).absolute()
            top = Path(pattern.anchor)
            return _within(folder.absolute(), top.glob(str(pattern.relative_to(top))))
    except (OSError, ValueError):
        pass
    return []


def _within(folder: Path, paths: Iterable[Path]) -> list[tuple[str, Path]]:
    """Return the files without results of sweeps, each with its place in a folder or elsewhere."""
    results: dict[Path, bool] = {}

    def is_result(path: Path) -> bool:
        for above in path.parents:
            if above not in results:
                results[above] = (above / SWEEP_MARK).exists()
            if results[above]:
                return True
            if above == folder:
                break
        return False

    files = sorted(path for path in paths if path.is_file() and not is_result(path))
    return [
        ((path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix(), path)
        for path in files
    ]


def _digest(path: Path) -> str:
    whole = hashlib.blake2b(digest_size=_SIZE)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            whole.update(block)
    return whole.hexdigest()
