"""Writes results so that each file is either complete or absent, and nothing is replaced unasked.

Files are written in a hidden folder beside their place and moved out of it when complete. An error,
a full disk or a kill therefore leaves no partial result. The hidden folder is locked while in use.
The next process that writes to the same place recognises the remains of a killed process by their
free lock, and removes them. Devices and pipes are written to in place.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from airtcp.files.destinations import PlaceError, in_place, stream

if TYPE_CHECKING:
    from collections.abc import Generator

PART: Final = ".airtcp-"
_ENDING: Final = ".part"
_OF_A_DISK: Final = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG}
"""Errors whose cause is the disk: the system does not name the file."""
_YOUNG_S: Final = 60.0
"""Age below which a hidden folder is left alone, because its owner may be about to lock it."""


@contextmanager
def named(place: Path) -> Generator[None]:
    """Add the requested place to an error of the disk, which names none if it is full."""
    try:
        yield
    except OSError as error:
        name = error.filename
        ours = PART in str(name) if name else error.errno in _OF_A_DISK
        if not ours:
            raise
        raise OSError(error.errno, error.strerror, str(place)) from error


class Staged:
    """Files under construction, which are moved to their places together."""

    def __init__(self) -> None:
        """Begin without files."""
        self._parts: dict[Path, Path] = {}
        self._locks: list[int] = []
        self._made: list[Path] = []
        self._moves: list[tuple[Path, Path]] = []
        self._copies: list[tuple[Path, Path]] = []
        self._gone: list[Path] = []
        self._new: set[Path] = set()
        self.placed = False
        """Whether the files are in their places; a device or pipe may still have failed."""

    def file(
        self, path: Path, *, parents: bool = True, new: bool = False, live: bool = True
    ) -> Path:
        """Return the name to write to for a file with the final name `path`.

        Args: path: The final name. A link is followed; a device or pipe is written to directly.
            parents: Whether to make its folder if needed. new: Whether to keep a file that another
            process puts there meanwhile. live: Whether a device or pipe gets each part at once, or
            everything at the end.
        """
        if in_place(path):
            if not live or (stream(path) is not None and path.is_file()):
                part = self.folder(Path(tempfile.gettempdir()), wanted=path) / path.name
                self._copies.append((part, path))
                return part
            if path.is_fifo():
                # This waits for a reader, and Ctrl-C ends the wait; later opens need not wait.
                self._locks.append(os.open(path, os.O_WRONLY))
            return path
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        part = self.folder(target.parent, wanted=path, parents=parents) / target.name
        self._moves.append((part, target))
        if new:
            self._new.add(target)
        return part

    def folder(self, home: Path, *, wanted: Path | None = None, parents: bool = True) -> Path:
        """Return a hidden folder inside `home` for files that `place` then moves."""
        if home not in self._parts:
            if parents:
                self._make(home)
            sweep(home)
            try:
                part = Path(tempfile.mkdtemp(prefix=PART, suffix=_ENDING, dir=home))
            except OSError as error:
                # The user knows this one of the two names.
                raise OSError(error.errno, error.strerror, str(wanted or home)) from error
            self._parts[home] = part
            part.chmod(0o777 & ~_umask())
            self._locks += _locked(part)
        return self._parts[home]

    def hold(self, home: Path) -> None:
        """Lock a folder until the commit or drop; wait for other processes."""
        self.folder(home)
        try:
            import fcntl
        except ImportError:
            return
        handle = os.open(home, os.O_RDONLY)
        self._locks.append(handle)
        # Not every file system has locks.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)

    def place(self, part: Path, path: Path, *, new: bool = False) -> None:
        """Move a file of a hidden folder to `path` at the commit; `new` as for `file`."""
        if in_place(path):
            self._copies.append((part, path))
            return
        self._make(path.parent)
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        self._moves.append((part, target))
        if new:
            self._new.add(target)

    def remove(self, path: Path) -> None:
        """Remove a file at the commit."""
        self._gone.append(path)

    def commit(self) -> list[Path]:
        """Move everything to its place, or nothing if one file cannot be moved. Return the places.

        A failed device or pipe (full, or without a reader) does not affect the files.
        """
        before: list[tuple[Path, Path | None]] = []
        try:
            for path in self._gone:
                before.append((path, _kept(path, self._parts.get(path.parent))))
                path.unlink(missing_ok=True)
            for part, target in self._moves:
                if target in self._new:
                    _place_new(part, target)
                    before.append((target, None))
                    continue
                before.append((target, _kept(target, part.parent)))
                if target.exists():
                    shutil.copymode(target, part)
                _move(part, target)
        except BaseException:
            for target, kept in reversed(before):
                _put_back(target, kept)
            raise
        self.placed = True
        failed: OSError | None = None
        for part, path in self._copies:
            try:
                _copy(part, path)
            except OSError as error:
                failed = failed or error
        # Removes new folders that are empty.
        self.drop()
        if failed is not None:
            raise failed
        return [target for _, target in self._moves]

    def drop(self) -> None:
        """Leave everything as it was before."""
        # Releases locks first: removing a folder takes one of the files that a process may open.
        for lock in self._locks:
            os.close(lock)
        for part in self._parts.values():
            shutil.rmtree(part, ignore_errors=True)
        for folder in reversed(self._made):
            with suppress(OSError):
                folder.rmdir()
        self._parts.clear()
        self._locks.clear()
        self._made.clear()
        self._copies.clear()

    def _make(self, folder: Path) -> None:
        missing: list[Path] = []
        while not folder.exists() and folder != folder.parent:
            missing.append(folder)
            folder = folder.parent
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            self._made.append(path)


@contextmanager
def staged(files: Staged | None = None) -> Generator[Staged]:
    """Write several files; at the end all are moved to their places, or none is.

    Args: files: The object to use, for a caller that needs it afterwards.
    """
    files = files or Staged()
    try:
        yield files
        files.commit()
    finally:
        files.drop()


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """Yield a temporary name to write to; on success the file becomes `path`.

    Args: path: The final name. Its folder is made if it does not exist.

    Yields:
        The name to write to.
    """
    with staged() as files:
        yield files.file(path)


def free(path: Path, why: str = "unfinished") -> Path:
    """Return a free name like `path` that contains the reason for the change."""
    if path.name in ("", ".."):
        # No name can be derived from ".", ".." and the root.
        path = Path(os.path.realpath(path))
        path = path if path.name else path / "results"
    for number in range(1, 10_000):
        mark = f".{why}" if number == 1 else f".{why}-{number}"
        other = path.with_name(f"{path.stem}{mark}{path.suffix}")
        if not other.exists():
            return other
    return path.with_name(f"{path.name}.{why}")


def write_text(path: Path, text: str) -> None:
    """Write a text file completely or not at all."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8")


def _copy(part: Path, path: Path) -> None:
    """Write the content of `part` to a device, a pipe or an open stream.

    A stream continues at its position; opening it by name would empty a file behind it.
    """
    number = stream(path)
    if number is not None:
        for open_one in (sys.stdout, sys.stderr):
            open_one.flush()
    try:
        target = path.open("wb") if number is None else os.fdopen(os.dup(number), "wb")
        with part.open("rb") as source, target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        if number is not None and error.errno == errno.EPIPE:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _kept(target: Path, part: Path | None) -> Path | None:
    """Keep the file at a place under a second name in a hidden folder; none if there is no file.

    If that fails (a disk without hard links, a folder in the way), the name is that of the place
    itself, and the file cannot be restored.
    """
    if not target.exists():
        return None
    if part is None:
        return target
    try:
        kept = Path(tempfile.mkdtemp(dir=part)) / target.name
        os.link(target, kept)
    except OSError:
        return target
    return kept


def _place_new(part: Path, target: Path) -> None:
    """Move a file to a place that must be empty; refuse if another command has written there."""
    message = (
        f"{target}: another command has written this file, which is not replaced; give "
        "another name, or --force to replace it"
    )
    try:
        # Unlike a move, a hard link never replaces a file.
        os.link(part, target)
    except FileExistsError:
        raise PlaceError(message) from None
    except OSError:
        # A disk without hard links.
        if os.path.lexists(target):
            raise PlaceError(message) from None
        _move(part, target)
    else:
        part.unlink()


def _put_back(target: Path, kept: Path | None) -> None:
    """Restore the file of a place after a failed commit."""
    with suppress(OSError):
        if kept is None:
            target.unlink(missing_ok=True)
        elif kept != target:
            kept.replace(target)


def _move(part: Path, target: Path) -> None:
    try:
        part.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise OSError(error.errno, error.strerror, str(target)) from error
        # The place is a link to another disk.
        shutil.copyfile(part, target)


def sweep(folder: Path) -> None:
    """Remove unfinished files of killed processes."""
    with suppress(OSError):
        for left in folder.glob(f"{PART}*{_ENDING}"):
            if time.time() - left.stat().st_mtime < _YOUNG_S:
                continue
            locks = _locked(left)
            if locks:
                shutil.rmtree(left, ignore_errors=True)
            for lock in locks:
                os.close(lock)


def _locked(folder: Path) -> list[int]:
    """Take the lock of a hidden folder; return its handle, or nothing if another process has it."""
    try:
        import fcntl
    except ImportError:
        return []
    handle = -1
    try:
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if handle >= 0:
            os.close(handle)
        return []
    return [handle]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
