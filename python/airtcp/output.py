"""Writing results so that a file is either whole or not there.

Everything is written under a temporary name beside its place and moved there when complete, so
an error, a full disk or a kill leaves no half of a result that looks like one.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """Give a temporary name to write to; on success it becomes `path`.

    Args:
        path: Where the file is to be. Its folder is made if it does not exist.

    Yields:
        The name to write to, in the same folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        # Of the two names, the user knows this one.
        raise OSError(error.errno, error.strerror, str(path)) from error
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def whole_files(folder: Path) -> Generator[Path]:
    """Give a temporary folder to write to; on success its files move to `folder`.

    Args:
        folder: Where the files are to be. Made if it does not exist; what else is there stays.

    Yields:
        The folder to write to, inside it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".part.", dir=folder) as place:
        part = Path(place)
        yield part
        for file in part.iterdir():
            file.replace(folder / file.name)


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
