"""Writing results so that a file is either whole or not there, and nothing is replaced unasked.

Everything is written in a hidden folder beside its place and moved out of it when complete, so an
error, a full disk or a kill leaves no half of a result that looks like one.
The hidden folder is locked while it is in use: what a killed process left is recognised by its free
lock and removed by the next one that writes to the same place.

Devices and pipes are written to in place: a name that leads to one must go on leading there.
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

from airtcp.destinations import PlaceError, in_place, stream

if TYPE_CHECKING:
    from collections.abc import Generator

PART: Final = ".airtcp-"
_ENDING: Final = ".part"
_YOUNG_S: Final = 60.0
"""A hidden folder is left alone for so long: its owner may be about to lock it."""


class Staged:
    """Files on their way to their places, which they take together."""

    def __init__(self) -> None:
        """Begin with none."""
        self._parts: dict[Path, Path] = {}
        self._locks: list[int] = []
        self._made: list[Path] = []
        self._moves: list[tuple[Path, Path]] = []
        self._copies: list[tuple[Path, Path]] = []
        self._gone: list[Path] = []
        self._new: set[Path] = set()
        self.placed = False
        """Whether the files are at their places; a device or pipe may still have failed."""

    def file(
        self, path: Path, *, parents: bool = True, new: bool = False, live: bool = True
    ) -> Path:
        """Give the name to write to for a file that is to be at `path`.

        Args:
            path: The place. A link is followed; a device or pipe is written to itself.
            parents: Whether its folder may be made.
            new: Whether a file that another process puts there meanwhile must stay.
            live: Whether a device or pipe gets each part as it is written, or all at the end.
        """
        if in_place(path):
            if not live or (stream(path) is not None and path.is_file()):
                part = self.folder(Path(tempfile.gettempdir()), wanted=path) / path.name
                self._copies.append((part, path))
                return part
            if path.is_fifo():
                # This waits for a reader, and Ctrl-C ends the wait; who opens it next need not.
                self._locks.append(os.open(path, os.O_WRONLY))
            return path
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        part = self.folder(target.parent, wanted=path, parents=parents) / target.name
        self._moves.append((part, target))
        if new:
            self._new.add(target)
        return part

    def folder(self, home: Path, *, wanted: Path | None = None, parents: bool = True) -> Path:
        """Give a hidden folder inside `home`, to write files to that `place` then moves."""
        if home not in self._parts:
            if parents:
                self._make(home)
            sweep(home)
            try:
                part = Path(tempfile.mkdtemp(prefix=PART, suffix=_ENDING, dir=home))
            except OSError as error:
                # Of the two names, the user knows this one.
                raise OSError(error.errno, error.strerror, str(wanted or home)) from error
            self._parts[home] = part
            part.chmod(0o777 & ~_umask())
            self._locks += _locked(part)
        return self._parts[home]

    def hold(self, home: Path) -> None:
        """Keep all others out of a folder until this is committed or dropped; wait for them."""
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
        """Let a file of a hidden folder take the place `path`; `new` as for `file`."""
        if in_place(path):
            self._copies.append((part, path))
            return
        self._make(path.parent)
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        self._moves.append((part, target))
        if new:
            self._new.add(target)

    def remove(self, path: Path) -> None:
        """Let a file go when the others take their places."""
        self._gone.append(path)

    def commit(self) -> list[Path]:
        """Move everything to its place; if one file cannot be moved, none is. Give the places.

        A device or pipe that takes nothing (its reader has gone, it is full) costs no file.
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
        # Folders that were made and hold nothing go, too.
        self.drop()
        if failed is not None:
            raise failed
        return [target for _, target in self._moves]

    def drop(self) -> None:
        """Leave everything as it was before."""
        # Locks first: to remove a folder takes a file of those that a process may open.
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
    """Write several files; they take their places together at the end, or none does.

    Args:
        files: What to write to, for a caller who asks it afterwards.
    """
    files = files or Staged()
    try:
        yield files
        files.commit()
    finally:
        files.drop()


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """Give a temporary name to write to; on success it becomes `path`.

    Args:
        path: Where the file is to be. Its folder is made if it does not exist.

    Yields:
        The name to write to.
    """
    with staged() as files:
        yield files.file(path)


def free(path: Path, why: str = "unfinished") -> Path:
    """Give a name like `path` that nothing has yet, which says why it is another."""
    if path.name in ("", ".."):
        # "." and ".." are no names that another could be like, and the root has none.
        path = Path(os.path.realpath(path))
        path = path if path.name else path / "results"
    for number in range(1, 10_000):
        mark = f".{why}" if number == 1 else f".{why}-{number}"
        other = path.with_name(f"{path.stem}{mark}{path.suffix}")
        if not other.exists():
            return other
    return path.with_name(f"{path.name}.{why}")


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8")


def _copy(part: Path, path: Path) -> None:
    """Write what `part` holds to a device, a pipe or an open stream.

    A stream goes on where it is: opened by its name, a file that it leads to would be emptied.
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
    """Keep what a place holds under a second name in a hidden folder; none if it holds nothing.

    Where that cannot be done (a disk without hard links, a folder in the way), the name is that of
    the place itself: it cannot be put back.
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
    """Move a file to a place that must be empty; if another command took it first, refuse."""
    message = (
        f"{target}: another command has written this file, which is not replaced; give "
        "another name, or --force to replace it"
    )
    try:
        # Unlike a move, a second name never replaces anything.
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
    """Give a place what it held before a commit that failed."""
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
    """Remove what processes that were killed have left of their unfinished files."""
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
    """Take the lock of a hidden folder: its handle, or nothing if another has it."""
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
