"""The command line.

Conventions: results go to standard output, progress and notes to standard error. Progress appears
only on a terminal, and JSON only on request. Exit codes: 0 success, 1 a defect of airtcp, 2 bad
input or usage, 130 after Ctrl-C (finished work is written first).

This file imports only modules that every Python program has loaded, because Ctrl-C gives a
traceback until `main` runs.

Ctrl-C has three meanings. While modules are loaded and after the work is done, it ends the program
at once. During the work it raises `KeyboardInterrupt`, and what is finished is written. A second
Ctrl-C ends the program within about a second, whatever it waits for (`airtcp.cli.ctrl_c`).
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

_NEW_OBJECTS = 200_000
"""New objects between two searches for unreachable cycles.

Modules and documents consist of many objects and have no cycles to free. With Python's default of
700, the searches take a considerable part of the time of a short command.
"""


def main() -> NoReturn:
    """Run the command line and end the process; the entry point of the program `airtcp`."""
    # A program that was started in the background may have to ignore Ctrl-C.
    before = signal.getsignal(signal.SIGINT)
    wanted = before is signal.default_int_handler or getattr(before, "__name__", "") == "_at_once"
    if wanted:
        signal.signal(signal.SIGINT, _at_once)
    code = 1
    try:
        try:
            _guarded(wanted=wanted)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code == 0:
            from airtcp.cli import console

            code = console.BAD_INPUT if console.unheard() else 0
        if wanted:
            signal.signal(signal.SIGINT, _at_once)
        _flush()
    except KeyboardInterrupt:
        _at_once(signal.SIGINT, None)
    # The end of the interpreter would silently restore the default handling of Ctrl-C.
    os._exit(code)


def _guarded(*, wanted: bool) -> None:
    import gc

    gc.set_threshold(_NEW_OBJECTS)
    from airtcp.cli.console import guard, streams

    streams()
    with guard():
        from airtcp.cli.commands import app

        if wanted:
            from airtcp.cli import ctrl_c

            ctrl_c.watch()
            signal.signal(signal.SIGINT, ctrl_c.interrupt)
            signal.signal(signal.SIGTERM, ctrl_c.terminate)
        _run(app)


def _at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    """End at once while modules are loading, because an exception could be mistaken for another."""
    os.write(2, b"interrupted\n")
    os._exit(130)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue


def _arguments() -> list[str]:
    """Return the arguments; `airtcp FILE...` runs the command that the first file belongs to."""
    given = sys.argv[1:]
    if not given or given[0].startswith("-"):
        return given
    from airtcp.cli.commands import HOME

    if given[0] in HOME:
        return given
    from airtcp.cli.console import fail, note

    if not os.path.exists(given[0]):  # noqa: PTH110 - pathlib loads slowly
        if "." in given[0] or os.sep in given[0]:
            fail(f"{given[0]}: No such file or directory, and no command (airtcp -h lists them)")
        return given
    from airtcp.data.plain import printable
    from airtcp.inputs.file_kinds import command_for, kind_of

    name, kind = printable(given[0]), kind_of(given[0])
    if kind is not None and kind.document:
        from airtcp.cli.saved import show_saved

        show_saved(given, kind)
        raise SystemExit(0)
    found = command_for(given[0])
    if found is None:
        what = kind.name if kind else "of no known kind"
        hint = f"; {kind.hint}" if kind and kind.hint else ""
        fail(f"{name}: this is {what}, which no command reads{hint}")
    note(f"airtcp {found} {' '.join(printable(one) for one in given)}", quiet=False)
    return [*found.split(), *given]


def _run(app: object) -> None:
    """Run the command of the arguments; `guard` handles its exceptions."""
    import typer
    from typer.main import get_command

    from airtcp.cli.console import usage
    from airtcp.cli.values import read_plainly

    command = read_plainly(get_command(app))  # pyright: ignore[reportArgumentType]
    if "_AIRTCP_COMPLETE" in os.environ:
        command(prog_name="airtcp")
        return
    try:
        with command.make_context("airtcp", _arguments()) as context:
            command.invoke(context)
    except typer.Exit as error:
        raise SystemExit(error.exit_code) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # Typer may bundle its own copy of the library that defines these.
        if not hasattr(error, "format_message"):
            raise
        usage(error)
