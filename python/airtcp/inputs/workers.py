"""Workers: how many a call has by default, and this program in a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def command(module: str = "airtcp") -> list[str]:
    """Return the words that run a module of this program with this Python."""
    return [sys.executable, "-P", "-m", module]


def environment() -> dict[str, str]:
    """Return the environment of such a process: it finds this program, installed or not."""
    package = str(Path(__file__).parents[2])
    before = os.environ.get("PYTHONPATH")
    path = package if not before else os.pathsep.join([package, before])
    return os.environ | {"PYTHONPATH": path}
