"""A cache of results by content, so that no work is repeated.

A result is kept under a hash of everything it depends on: the files of the figure, the parameters,
the seed, the data, and the program (its Python sources and its extension module). Results of other
versions are therefore never used. The folder is `AIRTCP_CACHE`, or `airtcp/reproduce` in the user's
cache folder (XDG). If it grows beyond `MAX_BYTES`, the least recently used results are removed.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import airtcp
from airtcp import _core
from airtcp.files import atomic_write, destinations

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE: Final = "AIRTCP_CACHE"
MAX_BYTES: Final = 512 << 20
"""Most bytes of all results: a hundred times those of S1 [choice]."""
SOURCES: Final = ("data", "inputs", "questions", "questions/*")
"""Folders of airtcp with sources that a result may depend on."""
_SHOWS: Final = re.compile(
    r"(pages|page_checks|record|costs|tables|charts|rows|sections|findings)(_\w+)?\.py"
)
"""Names of the files that no result depends on: they store and show results."""
_MOST_OF_ONE: Final = 128 << 20
"""Most bytes of one result, unpacked: far more than any needs [choice]."""
_BLOCK: Final = 1 << 20
_LEVEL: Final = 3
"""Level of gzip: higher levels cost more time than they save."""


def default_folder() -> Path:
    """Return the folder of the cache."""
    said = os.environ.get(PLACE)
    if said:
        return Path(said)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "airtcp" / "reproduce"


def digest(path: Path) -> str:
    """Hash a file, or the names and contents of all files of a folder."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    whole = hashlib.sha256()
    for file in files:
        if file.is_file():
            whole.update(str(file.relative_to(path)).encode() + b"\0")
            with file.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    whole.update(block)
    return whole.hexdigest()


@cache
def program() -> str:
    """Hash the program: the version, the extension module, and the sources that drivers use."""
    module = _core.__file__
    parts = [_core.version(), digest(Path(module)) if module else ""]
    parts += [f"{path.name} {digest(path)}" for path in sources()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def folders() -> list[Path]:
    """Return the folders with sources that a result may depend on."""
    program, here = Path(airtcp.__file__).parent, Path(__file__).parent
    found = [path for part in SOURCES for path in program.glob(part)]
    return [path for path in [*found, here, here / "drivers"] if path.is_dir()]


def sources() -> list[Path]:
    """Return the Python sources that a result may depend on: all but those that show results."""
    every = (path for folder in folders() for path in folder.glob("*.py"))
    return sorted(path for path in every if not _SHOWS.match(path.name))


def key(parts: Iterable[Any]) -> str:
    """Make the key of a result from all its dependencies except the program.

    >>> key(["S1.fig3", {"seed": 1}]) == key(["S1.fig3", {"seed": 2}])
    False
    """
    text = json.dumps([program(), *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _hash(answer: Any) -> str:
    """Hash a result, so that a file with other content is not used for it."""
    return hashlib.sha256(json.dumps(answer, separators=(",", ":")).encode()).hexdigest()


def _unpacked(path: Path) -> bytes:
    """Read a regular file of the cache; a file longer than any result is an error."""
    packed = destinations.content(path, _MOST_OF_ONE)
    with gzip.open(io.BytesIO(packed)) as file:
        text = file.read(_MOST_OF_ONE + 1)
    if len(text) > _MOST_OF_ONE:
        message = "longer than any answer"
        raise ValueError(message)
    return text


class Cache:
    """A folder of results."""

    def __init__(self, folder: Path | None) -> None:
        """Use a folder, made when first needed; without one nothing is kept."""
        self.folder = folder

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.json.gz"

    def get(self, key: str) -> Any | None:
        """Return a kept result, or None if there is none or it is damaged."""
        path = self._path(key)
        if path is None:
            return None
        try:
            kept = json.loads(_unpacked(path))
            answer = kept["answer"]
            if kept["hash"] != _hash(answer):
                return None
        except (OSError, EOFError, ValueError, KeyError, TypeError, RecursionError, zlib.error):
            return None
        # A read-only folder is permitted.
        with suppress(OSError):
            os.utime(path)
        return answer

    def put(self, key: str, answer: Any) -> None:
        """Keep a result; a folder that cannot be written to keeps nothing."""
        path = self._path(key)
        # Opening a pipe in its place would block.
        if path is None or destinations.in_place(path):
            return
        text = json.dumps({"hash": _hash(answer), "answer": answer}, separators=(",", ":"))
        try:
            with atomic_write.whole(path) as part:
                part.write_bytes(gzip.compress(text.encode(), _LEVEL, mtime=0))
        except OSError:
            return

    def trim(self, most: int = MAX_BYTES) -> None:
        """Remove the least recently used results until the rest takes at most `most` bytes."""
        if self.folder is None:
            return
        found: list[tuple[int, int, Path]] = []
        for path in self.folder.glob("*.json.gz"):
            # Another process may remove files as well.
            with suppress(OSError):
                about = path.stat()
                found.append((about.st_mtime_ns, about.st_size, path))
        size = sum(bytes_ for _, bytes_, _ in found)
        for _, bytes_, path in sorted(found):
            if size <= most:
                break
            with suppress(OSError):
                path.unlink()
            size -= bytes_
