"""`airtcp emulate`, and how a command continues as `airtcp-live`, the program for real packets."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import typer

from airtcp.cli.console import fail

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM: Final = "airtcp-live"
"""The program that reads and writes real packets."""


def program() -> str | None:
    """Return the place of `airtcp-live`: beside this Python, else on the search path."""
    beside = Path(sys.executable).parent / PROGRAM
    if beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    return shutil.which(PROGRAM)


def continue_as(command: str, arguments: Sequence[str]) -> NoReturn:
    """Continue as `airtcp-live`.

    Args:
        command: The command of airtcp, for errors.
        arguments: The arguments of the program.
    """
    if not sys.platform.startswith("linux"):
        fail(f"airtcp {command} needs Linux: it uses its network interfaces and namespaces")
    place = program()
    if place is None:
        fail(
            f"airtcp {command} needs the program {PROGRAM}, which is not installed; get it with"
            ' pip install "airtcp[live]", or in a checkout: pip install ./live'
        )
    try:
        os.execv(place, [PROGRAM, *arguments])  # noqa: S606 - no shell
    except OSError as error:
        fail(f"{place}: {error.strerror}")


def emulate(context: typer.Context) -> None:
    """Run real programs over the links and cells of a scenario, in real time (Linux).

    airtcp emulate SCENARIO.toml [OPTIONS] [-- COMMAND...]

    Network namespaces stand for the ends of the first flow, or for the nodes of [[outside]].
    COMMAND runs at its receiving end, client; the other end is server, where --server PROGRAM runs
    one. --set KEY=VALUE replaces a value; --loss-log, --pcap, --record and --json FILE write
    what happened. Runs airtcp-live, whose --help has all options. Exit status: that of COMMAND; 3
    if the run was too late to be valid.

    Example: airtcp emulate scenarios/wifi6-home.toml -- iperf3 -c server -t 10
    """
    _pass_on("emulate", context)


def replay(context: typer.Context) -> None:
    """Let the arrivals that emulate --record wrote meet their scenario again: each packet's fate.

    airtcp replay SCENARIO.toml ARRIVALS [--set KEY=VALUE]

    Prints a line a packet, as emulate --loss-log writes them. Runs airtcp-live.
    """
    _pass_on("replay", context)


def _pass_on(command: str, context: typer.Context) -> NoReturn:
    """Pass all arguments on as they were given: the parser would drop what separates COMMAND."""
    given = sys.argv[1:]
    arguments = given[given.index(command) + 1 :] if command in given else context.args
    continue_as(command, [command, *arguments])
