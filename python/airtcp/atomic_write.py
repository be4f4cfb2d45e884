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
import re
import shutil
import stat
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

PART: Final = ".airtcp-"
_ENDING: Final = ".part"
_YOUNG_S: Final = 60.0
"""A hidden folder is left alone for so long: its owner may be about to lock it."""
_LOOK: Final = 4096
_PAGE: Final = b'name="generator" content="airtcp'
_CAPTURE: Final = b"\x0a\x0d\x0d\x0a"
_INSIDE: Final = re.compile(r"\.airtcp-[^/\s]*?\.part/(?:(?:pcap|radiotap)/)?")
_NUMBER: Final = re.compile(r" \(os error \d+\)")
_FULL: Final = "the disk is full; free space on it, or give a place on another disk"
_STREAM: Final = re.compile(r"(?:/dev/fd|/proc/(?:self|thread-self|(\d+))/fd)/(\d{1,9})")
_NAMED: Final = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

closed: Final[set[int]] = set()
"""Standard streams that were closed when the program began."""


class PlaceError(Exception):
    """A place that a result must not be written to; the message says why and what to do."""


def said_plainly(message: str) -> str:
    """Give a message as the user can act on it: without names that only airtcp knows.

    >>> said_plainly("r/.airtcp-ab12.part/a.txt: No space left on device (os error 28)")
    'r/a.txt: the disk is full; free space on it, or give a place on another disk'
    """
    message = _NUMBER.sub("", _INSIDE.sub("", message))
    return re.sub(r"No space left on device|Disk quota exceeded", _FULL, message)


def trouble(error: OSError) -> str:
    """Say what the system complains about, and what to do where that is known."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _FULL
    return error.strerror or str(error)


def content(path: Path, most: int) -> bytes:
    """Read the first bytes of a regular file; anything else is refused and not waited for.

    Args:
        path: The file.
        most: Number of bytes.

    Raises:
        OSError: If it cannot be read, or is none.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        return file.read(most)


def in_place(path: Path) -> bool:
    """Tell whether a path leads to a device, a pipe or an open stream, which is never replaced."""
    if _stream(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _stream(path: Path) -> int | None:
    """Give the number of the open stream of this process that a path names, if it names one."""
    name = str(path.absolute())
    if name in _NAMED:
        return _NAMED[name]
    found = _STREAM.fullmatch(name)
    if found is None or found[1] not in (None, str(os.getpid())):
        return None
    return int(found[2])


def to_stdout(path: Path | None) -> bool:
    """Tell whether what is written to a path goes to standard output."""
    return path is not None and _stream(path) == 1


def _copy(part: Path, path: Path) -> None:
    """Write what `part` holds to a device, a pipe or an open stream.

    A stream goes on where it is: opened by its name, a file that it leads to would be emptied.
    """
    number = _stream(path)
    if number is not None:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    try:
        target = path.open("wb") if number is None else os.fdopen(os.dup(number), "wb")
        with part.open("rb") as source, target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        if number is not None and error.errno == errno.EPIPE:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def written_by_airtcp(path: Path) -> bool:
    """Tell whether a file is a page or a capture that airtcp wrote, from its first bytes."""
    try:
        head = content(path, _LOOK)
    except OSError:
        return False
    return _PAGE in head or (head.startswith(_CAPTURE) and b"airtcp " in head[:64])


def check(path: Path, *, force: bool, inputs: Iterable[Path] = (), ours: bool = False) -> None:
    """Refuse a place for a file that would cost somebody something.

    Args:
        path: Where the file is to be.
        force: Whether a file that is there may be replaced.
        inputs: Files and folders that are read; a file of theirs is never replaced.
        ours: Whether an earlier page or capture of airtcp may be replaced without `force`.

    Raises:
        PlaceError: If the file must not be written there.
    """
    if in_place(path):
        if _stream(path) in closed:
            message = f"{path}: this stream is closed; give the name of a file"
            raise PlaceError(message)
        return
    _check_link(path)
    if path.is_dir():
        message = f"{path}: this is a folder; expected the name of a file"
        raise PlaceError(message)
    _check_folder(path.parent, path)
    if not path.exists():
        return
    known = written_by_airtcp(path)
    for source in inputs:
        if _is_part_of(path, source, known=known):
            message = f"{path}: this is an input of the same command; give the output another name"
            raise PlaceError(message)
    # The superuser may write to everything, but a file without any such right says what it is.
    if not os.access(path, os.W_OK) or not path.stat().st_mode & 0o222:
        message = f"{path}: this file cannot be written to: it is read-only; give another name"
        raise PlaceError(message)
    if not force and not (ours and known):
        kind = "was not written by airtcp" if ours else "is not replaced"
        message = f"{path} is here already and {kind}; give another name, or --force to replace it"
        raise PlaceError(message)


def _is_part_of(path: Path, source: Path, *, known: bool) -> bool:
    if source.is_dir():
        return not known and path.resolve().is_relative_to(source.resolve())
    with suppress(OSError):
        return path.samefile(source)
    return False


def _check_link(path: Path) -> None:
    """Refuse a symbolic link that leads to no place: it would be replaced itself."""
    if Path(os.path.realpath(path)).is_symlink():
        message = f"{path}: this symbolic link leads back to itself; give another name"
        raise PlaceError(message)


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be one, or that cannot be written to."""
    _check_link(folder)
    if folder.exists() and not folder.is_dir():
        message = f"{folder}: this is a file; expected a folder, or a name that is free"
        raise PlaceError(message)
    _check_folder(folder, folder)


def _check_folder(folder: Path, wanted: Path) -> None:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        message = f"{wanted}: {folder} is not a folder"
        raise PlaceError(message)
    if not os.access(folder, os.W_OK | os.X_OK):
        message = f"{wanted}: nothing can be written to the folder {folder.resolve()}"
        raise PlaceError(message)


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
            if not live or (_stream(path) is not None and path.is_file()):
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
        f"{target}: another command wrote this file meanwhile, and it is not replaced; give "
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
