"""The command line.

Conventions: results on standard output, progress and words on standard error; progress only on
a terminal; JSON only where it is asked for. Exit codes: 0 done, 2 for bad input or usage, 130
after Ctrl-C (finished work is written first), 1 for a fault of airtcp's own.

Only what every start of a program has loaded is imported here: before `main` runs, Ctrl-C ends in a
traceback.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType


def main() -> None:
    """Run the command line; the entry point of the program `airtcp`."""
    # One who starts this in the background may have it ignore Ctrl-C.
    wanted = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if wanted:
        signal.signal(signal.SIGINT, _at_once)
    from airtcp.cli.console import guard, streams

    streams()
    with guard():
        from airtcp.cli.commands import app

        if wanted:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _run(app)
    if wanted:
        # All is done but the end of the interpreter.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    """End while modules are loaded, where an exception could be taken for another."""
    os.write(2, b"interrupted\n")
    os._exit(130)


def _run(app: object) -> None:
    """Run what the arguments ask for; its exceptions are for `guard`."""
    import typer
    from typer.main import get_command

    from airtcp.cli.console import usage

    command = get_command(app)  # pyright: ignore[reportArgumentType]
    if "_AIRTCP_COMPLETE" in os.environ:
        command(prog_name="airtcp")
        return
    try:
        with command.make_context("airtcp", sys.argv[1:]) as context:
            command.invoke(context)
    except typer.Exit as error:
        raise SystemExit(error.exit_code) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # Typer brings its own copy of the library that these come from, or not.
        if not hasattr(error, "format_message"):
            raise
        usage(error)
