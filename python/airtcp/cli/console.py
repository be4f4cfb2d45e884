"""The terminal: progress, errors, and the exit of a command."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from airtcp.cli import ctrl_c
from airtcp.data.plain import POOR, printable
from airtcp.files.destinations import PlaceError, closed, said_plainly, trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import TextIO

    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from airtcp._core import AirtcpError

FAULT: Final = 1
BAD_INPUT: Final = 2
INTERRUPTED: Final = 130
PIPED_WIDTH: Final = 100
"""Width of output in a file or a pipe, unless `COLUMNS` gives another."""
_WIDTHS: Final = range(20, 10_001)
"""Widths that `COLUMNS` may give."""
TRACEBACK: Final = "AIRTCP_TRACEBACK"
"""Environment variable: if it is set, a defect of airtcp prints its traceback."""

_NOT_MAPPED: Final = ("failed to map segment", "cannot allocate memory", "Cannot allocate memory")
"""The error of a system that lacks memory to load a library."""
_REPORT_TO: Final = "the issue tracker of airtcp"
_LONGEST_MESSAGE: Final = 1600


def fail(message: str, code: int = BAD_INPUT) -> NoReturn:
    """Exit with an error about the input: one line, whatever characters it quotes, no traceback."""
    text = printable(_as_typed(said_plainly(message.strip())))
    if len(text) > _LONGEST_MESSAGE:
        text = text[:_LONGEST_MESSAGE].rstrip() + " ..."
    _say(f"error: {text}\n")
    raise SystemExit(code)


def _as_typed(message: str) -> str:
    """Name options as they are typed, and the quotes that a TOML text lacks.

    >>> _as_typed("option rate_unit: found 1"), _as_typed('rate_unit = "x": expected b/s')
    ('--rate-unit: found 1', '--rate-unit "x": expected b/s')
    >>> _as_typed(f"a.toml:1: not valid TOML: invalid basic string, expected {3 * chr(34)}")
    'a.toml:1: not valid TOML: invalid basic string, expected a closing "'
    """
    message = _OPTION.sub(lambda found: f"--{found[1].replace('_', '-')}:", message)
    message = _ASSIGNED.sub(lambda found: f'--{found[1].replace("_", "-")} "', message)
    return _QUOTE.sub(r"string, expected a closing \1", message)


_OPTION: Final = re.compile(r"^option ([a-z_]+):")
_ASSIGNED: Final = re.compile(r'^(rate_unit|time_unit) = "')
_QUOTE: Final = re.compile(r"string, expected \"([\"'])\"$")


def _say(text: str) -> None:
    """Write to standard error, which may be closed or full."""
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


def streams() -> None:
    """Prepare the standard streams.

    The null device replaces a closed stream. Otherwise the first opened file would get the
    number of the stream, and receive the output for the terminal. Characters that the encoding
    of a stream lacks are replaced.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            closed.add(number)
            null = os.open(os.devnull, os.O_RDONLY if number == 0 else os.O_WRONLY)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed at the start
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            kind = _LostOutput if number == 1 else io.TextIOWrapper
            raw = open(number, "wb", closefd=False)  # noqa: SIM115
            setattr(sys, name, kind(raw, encoding="utf-8", errors=POOR))
        elif isinstance(getattr(stream, "buffer", None), io.RawIOBase):
            setattr(sys, name, _buffered(stream))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=POOR)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def _buffered(stream: TextIO) -> io.TextIOWrapper:
    """Return an unbuffered stream (PYTHONUNBUFFERED) with a buffer that each line flushes.

    Python writes once to an unbuffered stream and drops what a signal, such as Ctrl-C, left over.
    """
    whole = io.BufferedWriter(stream.buffer)  # pyright: ignore[reportArgumentType]
    return io.TextIOWrapper(whole, encoding=stream.encoding, errors=POOR, line_buffering=True)


class _LostOutput(io.TextIOWrapper):
    """Replaces a closed standard output, and records whether output was lost."""

    printed = False
    spare = False

    def write(self, text: str) -> int:
        self.printed = self.printed or bool(text)
        return super().write(text)


def spare() -> None:
    """Accept a closed standard output, because the result is also written elsewhere."""
    if isinstance(sys.stdout, _LostOutput):
        sys.stdout.spare = True


def unheard() -> bool:
    """Return whether printed output was lost, and report it."""
    lost = isinstance(sys.stdout, _LostOutput) and sys.stdout.printed and not sys.stdout.spare
    if lost:
        _say(
            "error: standard output is closed: nothing was written; redirect it to a file or pipe\n"
        )
    return lost


def _redirect_to_null(stream: TextIO) -> None:
    """Redirect a failed stream to the null device, so that the flush at exit cannot fail."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _shortage(error: Exception) -> str | None:
    """Return what the system lacks, if that caused the error."""
    unmapped = isinstance(error, ImportError) and any(say in str(error) for say in _NOT_MAPPED)
    if unmapped or isinstance(error, MemoryError):
        return "there is not enough memory; use fewer links or packets"
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "the system allows no further thread; raise the limit of processes (ulimit -u)"
    return None


@contextmanager
def to_stdout() -> Generator[None]:
    """Add the name of standard output to its write errors, but not if the reader closed it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, "standard output") from error


@contextmanager
def guard() -> Generator[None]:  # noqa: C901 - one branch for each way to end
    """Turn every exception into one message and an exit code."""
    try:
        try:
            yield
        finally:
            with to_stdout():
                sys.stdout.flush()
    except KeyboardInterrupt:
        _say("interrupted\n")
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError as error:
        if error.filename:
            fail(f"{printable(os.fsdecode(error.filename))}: the reader has closed it")
        # The reader, for instance `head`, has closed the pipe.
        _redirect_to_null(sys.stdout)
        raise SystemExit(0) from None
    except OSError as error:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        _redirect_to_null(sys.stdout)
        # Without a file name, the cause of a missing file is the current folder, which was removed.
        missing_file = isinstance(error, FileNotFoundError)
        name = error.filename or ("the current folder" if missing_file else None)
        place = f"{printable(os.fsdecode(name))}: " if name else ""
        fail(f"{place}{trouble(error)}")
    except Exception as error:  # noqa: BLE001 - one message instead of a traceback
        from airtcp._core import AirtcpError

        if (missing := _shortage(error)) is not None:
            fail(missing)
        if isinstance(error, AirtcpError | PlaceError):
            fail(_said(error))
        if ctrl_c.seen() and not os.environ.get(TRACEBACK):
            # Ctrl-C interrupted a library, which raised this exception.
            _say("interrupted\n")
            raise SystemExit(INTERRUPTED) from None
        fault(error)
    except BaseException as error:
        # A panic of the core or of a library is no ordinary Python exception.
        if type(error).__name__ != "PanicException":
            raise
        from airtcp._core import first_panic

        fault(error, first_panic())


def usage(error: Any) -> NoReturn:
    """Exit with the message of the argument parser."""
    import io

    from airtcp.cli.refused import reworded

    reworded(error)
    said = io.StringIO()
    error.show(file=said)
    _say(printable(said.getvalue(), keep="\n"))
    raise SystemExit(int(error.exit_code))


def fault(error: BaseException, said: str | None = None) -> NoReturn:
    """Exit after a defect of airtcp: print its message, its place, and where to report it."""
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
        raise SystemExit(FAULT)
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" ({Path(code.co_filename).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    text = printable(said or f"{type(error).__name__}: {error}".strip())
    if len(text) > _LONGEST_MESSAGE:
        text = text[:_LONGEST_MESSAGE] + " ..."
    _say(
        f"error: a bug in airtcp, not in its input: {text}{place}; please report it to "
        f"{_REPORT_TO}, with the command and its output under {TRACEBACK}=1\n"
    )
    raise SystemExit(FAULT)


_OPTIONS: Final = ("replications", "seed")
"""Paths of a scenario that have options of their own."""


def _said(error: BaseException) -> str:
    """Return the message of an exception; a value from an option follows the option's name."""
    given: str | None = getattr(error, "given", None)
    if given is None:
        return str(error)
    return f"--{'' if given in _OPTIONS else 'set '}{error}"


@contextmanager
def refusals(command: str = "", files: Iterable[object] = ()) -> Generator[None]:
    """Turn the exceptions of airtcp into a message and exit code 2.

    Args: command: The command. files: The files that it was given: if one of them belongs to
        another command, the message says so.
    """
    from airtcp._core import AirtcpError, quiet_panics

    if not os.environ.get(TRACEBACK):
        quiet_panics()
    try:
        yield
    except AirtcpError as error:
        from airtcp.inputs.file_kinds import belongs_elsewhere

        # A function names functions in its message; what it made that of names commands.
        while isinstance(error.__cause__, AirtcpError):
            error = error.__cause__
        said = _said(error)
        if command and not ("this is " in said and "'airtcp " in said):
            said = belongs_elsewhere([str(file) for file in files], command) or said
            said += _whole_command(error, command, files)
        fail(said)


def _whole_command(error: AirtcpError, command: str, files: Iterable[object]) -> str:
    """Write the command that reads the files, if the reader guesses what they hold."""
    from airtcp.words.names import shell_paths

    guess: tuple[str, str] | None = getattr(error, "guess", None)
    paths = shell_paths([str(file) for file in files])
    if paths is None or guess is None:
        return ""
    holds, options = guess
    return f"; for {holds}: airtcp {command} {paths} {options}"


def screen(*, stderr: bool = False) -> Console:
    """Return a console; without a terminal it has no styles."""
    from rich.console import Console
    from rich.segment import Segment

    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            # Rich would end the program with an error; `guard` handles the closed pipe.
            raise BrokenPipeError

        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            # All output passes through here.
            for segment in super().render(renderable, options):
                if segment.control:
                    yield segment
                else:
                    text = printable(segment.text, "\n")
                    yield Segment(text if terminal else ungrouped(text), segment.style)

    width = columns_asked() or (None if terminal else PIPED_WIDTH)
    return Screen(
        file=stream, width=width, highlight=False, soft_wrap=False, markup=False, emoji=False
    )


def columns_asked() -> int | None:
    """Return the width in the environment variable `COLUMNS`, if it is set to a usable one."""
    text = os.environ.get("COLUMNS", "")
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < len("100000") else 0
    return asked if asked in _WIDTHS else None


def ungrouped(text: str) -> str:
    """Remove the blanks that group digits, for programs that read columns."""
    return text.replace("\N{NARROW NO-BREAK SPACE}", "")


def note(message: str, *, quiet: bool) -> None:
    """Print a note on standard error."""
    if not quiet:
        with suppress(OSError, ValueError):
            screen(stderr=True).print(printable(message), soft_wrap=True)


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
        bars.TaskProgressColumn(),
        bars.TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    with bars.Progress(*columns, console=screen(stderr=True), transient=True) as shown:
        task = shown.add_task("reading", total=None)
        label = "reading"

        def update(done: int, total: int, now: str) -> None:
            nonlocal label, task
            if now != label:
                label = now
                shown.remove_task(task)
                task = shown.add_task(now, total=total or None)
            shown.update(task, completed=done, total=total or None)

        yield update
