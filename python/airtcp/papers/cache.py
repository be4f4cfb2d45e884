"""Keeping what was worked out, by content: the same question is not answered twice.

An answer is kept under a hash of everything it depends on: the files of the figure, the
parameters, the seed, the data, and the program itself (its Python sources and its extension
module). What was made by another version is never found, so nothing needs to be thrown away by
hand. The folder is `AIRTCP_CACHE`, or `airtcp` in the user's cache folder (XDG).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core, output

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE: Final = "AIRTCP_CACHE"
_BLOCK: Final = 1 << 20


def default_folder() -> Path:
    """Give the folder that answers are kept in."""
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
    """Hash the program: the version, the extension module, and the sources of this package."""
    here = Path(__file__).parent
    sources = sorted([*here.glob("*.py"), *here.glob("drivers/*.py")])
    module = _core.__file__
    parts = [_core.version(), digest(Path(module)) if module else ""]
    return hashlib.sha256("".join([*parts, *map(digest, sources)]).encode()).hexdigest()


def key(parts: Iterable[Any]) -> str:
    """Make the key of an answer from all it depends on besides the program.

    >>> key(["S1.fig3", {"seed": 1}]) == key(["S1.fig3", {"seed": 2}])
    False
    """
    text = json.dumps([program(), *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Cache:
    """A folder of answers."""

    def __init__(self, folder: Path | None) -> None:
        """Use a folder, made when first needed; without one nothing is kept."""
        self.folder = folder

    def _path(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.json.gz"

    def get(self, key: str) -> Any | None:
        """Give a kept answer, or nothing; a damaged one counts as nothing."""
        path = self._path(key)
        if path is None:
            return None
        try:
            return json.loads(gzip.decompress(path.read_bytes()))
        except (OSError, EOFError, ValueError, zlib.error):
            return None

    def put(self, key: str, answer: Any) -> None:
        """Keep an answer; a folder that cannot be written to keeps nothing."""
        path = self._path(key)
        if path is None:
            return
        text = json.dumps(answer, separators=(",", ":"))
        try:
            with output.whole(path) as part:
                part.write_bytes(gzip.compress(text.encode(), 6, mtime=0))
        except OSError:
            return
