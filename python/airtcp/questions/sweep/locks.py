"""Locks on a file, which the system releases when a process ends or is killed."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any


def try_lock(handle: int) -> bool:
    """Lock an open file for this process, without waiting.

    Args: handle: The file, open for writing.

    Returns:
        False if another process has the lock. True also if the file system has no locks.
    """
    try:
        import fcntl
    except ImportError:
        return _on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Not every file system has locks.
        pass
    return True


def _on_windows(handle: int) -> bool:
    """Lock the first byte of a file, which need not exist."""
    msvcrt: Any = import_module("msvcrt")
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except PermissionError:
        return False
    except OSError:
        pass
    return True
