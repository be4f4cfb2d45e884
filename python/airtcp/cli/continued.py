"""How a command continues as `airtcp-live`, the program for real packets."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from airtcp.cli.console import fail

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM: Final = "airtcp-live"
"""The program that reads and writes real packets."""
PLACE: Final = "AIRTCP_LIVE"
"""Environment variable: the place of the program, if it is not beside Python or on the path."""


def program() -> str | None:
    """Return the place of `airtcp-live`: as `PLACE` says, beside this Python, or on the path."""
    if said := os.environ.get(PLACE):
        return said
    beside = Path(sys.executable).parent / PROGRAM
    if beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    return shutil.which(PROGRAM)


def needed_program(command: str) -> str:
    """Return the place of `airtcp-live`, or say how to get it.

    Args:
        command: The command of airtcp, for errors.
    """
    if not sys.platform.startswith("linux"):
        fail(f"airtcp {command} needs Linux: it uses its network interfaces and namespaces")
    place = program()
    if place is None:
        fail(
            f"airtcp {command} needs the program {PROGRAM}, which is not installed; get it with"
            ' pip install "airtcp[live]", or in a checkout: pip install ./live'
        )
    return place


def continue_as(command: str, arguments: Sequence[str]) -> NoReturn:
    """Continue as `airtcp-live`.

    Args:
        command: The command of airtcp, for errors.
        arguments: The arguments of the program.
    """
    place = needed_program(command)
    try:
        os.execv(place, [PROGRAM, *arguments])  # noqa: S606 - no shell
    except OSError as error:
        fail(f"{place}: {error.strerror}")
