"""Where results may be written: the targets of names, and refused places.

A name leads to a file, to a device or pipe, or to an open stream of the process. Places that would
lose data are refused: inputs, and files that airtcp did not write.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable

_LOOK: Final = 4096
_PAGE: Final = b'name="generator" content="airtcp'
_CAPTURE: Final = b"\x0a\x0d\x0d\x0a"
_INSIDE: Final = re.compile(r"\.airtcp-[^/\s]*?\.part/(?:(?:pcap|radiotap)/)?")
_NUMBER: Final = re.compile(r" \(os error \d+\)")
_MANY: Final = "too many open files; raise the limit (ulimit -n)"
_FULL: Final = "the disk is full; free space on it, or give a place on another disk"
_STREAM: Final = re.compile(r"(?:/dev/fd|/proc/(?:self|thread-self|(\d+))/fd)/(\d{1,9})")
_NAMED: Final = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

closed: Final[set[int]] = set()
"""Standard streams that were closed when the program began."""


class PlaceError(Exception):
    """A place where a result must not be written; the message gives the reason and what to do."""


def refuse(message: str) -> NoReturn:
    """Refuse a place.

    Args: message: The reason, and what to do.

    Raises:
        PlaceError: Always.
    """
    raise PlaceError(message)


def said_plainly(message: str) -> str:
    """Return a message without names that only airtcp knows.

    >>> said_plainly("r/.airtcp-ab12.part/a.txt: No space left on device (os error 28)")
    'r/a.txt: the disk is full; free space on it, or give a place on another disk'
    """
    message = _NUMBER.sub("", _INSIDE.sub("", message))
    return re.sub(r"No space left on device|Disk quota exceeded", _FULL, message)


def trouble(error: OSError) -> str:
    """Return the system's error in words, and what to do if that is known."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _FULL
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _MANY
    return error.strerror or str(error)


def content(path: Path, most: int) -> bytes:
    """Read the first bytes of a regular file; refuse anything else without waiting.

    Raises: OSError: If it cannot be read, or is no regular file.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "no regular file", str(path))
        return file.read(most)


def in_place(path: Path) -> bool:
    """Return whether a path leads to a device, a pipe or an open stream."""
    if stream(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def stream(path: Path) -> int | None:
    """Return the number of the open stream of this process that a path names, if any."""
    name = str(path.absolute())
    if name in _NAMED:
        return _NAMED[name]
    found = _STREAM.fullmatch(name)
    if found is None or found[1] not in (None, str(os.getpid())):
        return None
    return int(found[2])


def to_stdout(path: Path | None) -> bool:
    """Return whether a path leads to standard output."""
    return path is not None and stream(path) == 1


def written_by_airtcp(path: Path) -> bool:
    """Return whether a file is a page or a capture that airtcp wrote, from its first bytes."""
    try:
        head = content(path, _LOOK)
    except OSError:
        return False
    return _PAGE in head or (head.startswith(_CAPTURE) and b"airtcp " in head[:64])


def check(path: Path, *, force: bool, inputs: Iterable[Path] = (), ours: bool = False) -> None:
    """Refuse a place where a file would lose data.

    Args: path: The place of the file. force: Whether an existing file may be replaced. inputs:
        Files and folders that the command reads; they are never replaced. ours: Whether an earlier
        page or capture of airtcp may be replaced without `force`.

    Raises:
        PlaceError: If the file must not be written there.
    """
    if in_place(path):
        if stream(path) in closed:
            refuse(f"{path}: this stream is closed; give the name of a file")
        return
    _check_link(path)
    if path.is_dir():
        refuse(f"{path}: this is a folder; expected the name of a file")
    _check_folder(path.parent, path)
    if not path.exists():
        return
    known = written_by_airtcp(path)
    for source in inputs:
        if _is_part_of(path, source, known=known):
            refuse(f"{path}: this is an input of the same command; give the output another name")
    # The superuser may write to every file, but a file without any write permission is read-only.
    if not os.access(path, os.W_OK) or not path.stat().st_mode & 0o222:
        refuse(f"{path}: this file cannot be written to: it is read-only; give another name")
    if not force and not (ours and known):
        kind = "was not written by airtcp" if ours else "is not replaced"
        refuse(f"{path} exists already and {kind}; give another name, or --force to replace it")


def _is_part_of(path: Path, source: Path, *, known: bool) -> bool:
    if source.is_dir():
        return not known and path.resolve().is_relative_to(source.resolve())
    with suppress(OSError):
        return path.samefile(source)
    return False


def _check_link(path: Path) -> None:
    """Refuse a symbolic link without a target, which would be replaced itself."""
    if Path(os.path.realpath(path)).is_symlink():
        refuse(f"{path}: this symbolic link leads back to itself; give another name")


def check_folder(folder: Path) -> None:
    """Refuse a path that is no possible folder, or a folder without write permission."""
    _check_link(folder)
    if folder.exists() and not folder.is_dir():
        refuse(f"{folder}: this is a file; expected a folder, or a name that is free")
    _check_folder(folder, folder)


def _check_folder(folder: Path, wanted: Path) -> None:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        refuse(f"{wanted}: {folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        refuse(f"{wanted}: nothing can be written to the folder {folder.resolve()}")
