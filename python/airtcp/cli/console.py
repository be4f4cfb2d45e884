"""The terminal: progress, errors, and the ways a command ends."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.console import Console

BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
PIPED_WIDTH: Final = 1000
"""Columns of a table that goes to a file or a pipe, where there is no edge to keep to."""

_LONGEST_MESSAGE: Final = 1600


def fail(message: str) -> NoReturn:
    """End with an error about what was given: one screen, no traceback."""
    text = message.strip()
    if len(text) > _LONGEST_MESSAGE:
        text = text[:_LONGEST_MESSAGE].rstrip() + " ..."
    sys.stderr.write(f"error: {text}\n")
    raise SystemExit(BAD_INPUT)


@contextmanager
def guard() -> Generator[None]:
    """Turn what can go wrong on the user's side into a message and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader, `head` for instance, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        fail(f"{place}{error.strerror or error}")


@contextmanager
def refusals() -> Generator[None]:
    """Turn airtcp's own refusals into a message and exit code 2."""
    from airtcp._core import AirtcpError

    try:
        yield
    except AirtcpError as error:
        fail(str(error))


def screen(*, stderr: bool = False) -> Console:
    """Give a console that is plain where it is not a terminal."""
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            # Rich would end the program as if it had failed; `guard` knows better.
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Screen(file=stream, width=width, highlight=False, soft_wrap=False)


def note(message: str, *, quiet: bool) -> None:
    """Say something on standard error."""
    if not quiet:
        screen(stderr=True).print(message, markup=False, soft_wrap=True)


@contextmanager
def progress(*, quiet: bool) -> Generator[Callable[[int, int, str], Any] | None]:
    """Show a progress bar with the time left, on a terminal only."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description:<10}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    with bars.Progress(*columns, console=screen(stderr=True), transient=True) as shown:
        task = shown.add_task("reading", total=None)
        label = "reading"

        def tell(done: int, total: int, now: str) -> None:
            nonlocal label, task
            if now != label:
                label = now
                shown.remove_task(task)
                task = shown.add_task(now, total=total or None)
            shown.update(task, completed=done, total=total or None)

        yield tell
