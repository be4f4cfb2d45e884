"""The output of commands after the work.

No finished result is lost: an output that fails does not stop the others, and while files are
written, Ctrl-C must be pressed twice.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.cli import ctrl_c
from airtcp.cli.console import INTERRUPTED, fail, note, to_stdout
from airtcp.cli.options import Format
from airtcp.data.plain import controls_escaped, plain_json, printable
from airtcp.files import atomic_write, destinations
from airtcp.files import folder as folders
from airtcp.files.destinations import PlaceError, closed
from airtcp.questions.result_files import REPORT
from airtcp.words.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path
    from types import FrameType

    from airtcp.cli.places import Places
    from airtcp.data.table import Table
    from airtcp.questions.result_files import Written

    Text = Callable[[Callable[[str], object]], object]
    """Gives JSON text to a function, in one or several pieces."""


_FORMULA: Final = re.compile("\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""A spreadsheet ignores leading blanks; in some languages it also accepts wide characters."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def printed(
    form: Format,
    *,
    table: Callable[[], None],
    text: Text,
    rows: Callable[[], tuple[Table, Sequence[Any]]],
) -> None:
    """Print a result in the requested format, and compute only what the format needs.

    Args:
        form: The format.
        table: Prints the tables for people.
        text: Gives the document as JSON text to a function, in one or several pieces.
        rows: Gives table and rows, as for `table_to_stdout`.
    """
    if form is not Format.TABLE and 1 in closed:
        # An explicit format needs standard output; a table for people may be lost.
        fail(f"standard output is closed, and --format {form.value} prints there; use --out DIR")
    with to_stdout():
        if form is Format.TABLE:
            table()
        elif form is Format.JSON:
            text(lambda piece: sys.stdout.write(plain_json(piece)))
            sys.stdout.write("\n")
        else:
            table_to_stdout(*rows(), form)
        sys.stdout.flush()


def table_to_stdout(table: Table, rows: Sequence[Any], form: Format) -> None:
    """Print a table in a format for machines.

    Args: table: The table. rows: The same rows as in the document, for JSON lines. form: The
        format.
    """
    if form is Format.CSV:
        text = table.to_csv(lambda text: _no_formula(controls_escaped(text)))
        sys.stdout.write(printable(text, keep="\n") if sys.stdout.isatty() else text)
    elif form is Format.JSONL:
        for row in rows:
            sys.stdout.write(plain_json(json.dumps(row, ensure_ascii=False)) + "\n")
    elif form is Format.PARQUET:
        if sys.stdout.isatty():
            fail("--format parquet is binary: send it to a file, or use --out DIR")
        table.write_parquet(sys.stdout.buffer)


def _no_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def files(result: Written, places: Places, *, quiet: bool) -> None:
    """Write all requested files or none, and print their places."""
    out, report = places.out, places.report
    names: list[str] = []
    taken: list[str] = []
    problem: OSError | None = None
    staged = atomic_write.Staged()
    try:
        with atomic_write.staged(staged):
            if out is not None:
                # Other writers must wait; their earlier files stay.
                staged.hold(out)
                refused = _taken(out, places)
                if refused is not None:
                    kept = atomic_write.free(out, "kept")
                    taken.append(f"{refused}; this result is kept in {kept}")
                    report = kept / REPORT if places.with_page else report
                    places = replace(places, out=kept, report=report)
                    out = kept
                with atomic_write.named(out):
                    names = result.stage(
                        staged, out, report=places.with_page, purpose=places.purpose
                    )
            if report is not None and not places.with_page:
                with atomic_write.named(report):
                    part = staged.file(report, live=False)
                    part.write_text(result.page(), encoding="utf-8")
    except OSError as error:
        if not staged.placed:
            raise
        problem, report = error, None
    if out is not None:
        note(f"results: {out} ({counted(len(names) - places.with_page, 'file')})", quiet=quiet)
    if report is not None:
        note(f"report: {report}", quiet=quiet)
    if taken:
        raise PlaceError("; ".join(taken))
    if problem is not None:
        raise problem


def _taken(out: Path, places: Places) -> str | None:
    """Return why the folder may no longer be written to, if another command wrote there."""
    try:
        folders.check(out, places.purpose, force=places.force, option="--out", pattern="*.parquet")
    except PlaceError as error:
        return str(error).partition("; ")[0]
    return None


def finish(
    result: Written,
    places: Places,
    form: Format,
    *,
    table: Callable[[], None],
    text: Text,
    rows: Callable[[], tuple[Table, Sequence[Any]]],
    drawn: Callable[[], None] = lambda: None,
    show: bool,
    quiet: bool,
    stopped: str | None = None,
    finished: int = 1,
    failed: str | None = None,
) -> None:
    """Write and print a result, and end the command with its exit code.

    Args: result: The result. places: The places of files. form: The format. table: As for
        `printed`. text: As for `printed`. rows: As for `printed`. drawn: Writes the figures. show:
        Whether to open the page. quiet: Whether to print fewer notes. stopped: What was finished,
        if Ctrl-C stopped the work; empty if the answer says it. finished: Number of finished
        pieces; with 0 nothing is written. failed: The error that ended the work, with which the
        command ends.
    """
    problem: Exception | None = None
    with finishing():
        if stopped is not None or failed is not None:
            places = aside(places)
        if not finished:
            where = places.out or places.report
            if where is not None:
                note(f"nothing was finished: nothing is written to {where}", quiet=False)
        else:
            # Files come first, because the reader of standard output may be gone.
            for written in (lambda: files(result, places, quiet=quiet), drawn):
                try:
                    written()
                except Exception as error:  # noqa: BLE001 - raised again when all is printed
                    problem = problem or error
        if not places.stdout:
            printed(form, table=table, text=text, rows=rows)
        if problem is not None:
            raise problem
    if show and finished and places.report is not None:
        import typer

        typer.launch(places.report.resolve().as_uri())
    _end(stopped, failed)


def _end(stopped: str | None, failed: str | None) -> None:
    """End the command if its work was ended before."""
    if failed is not None:
        fail(failed)
    if stopped is not None:
        note(f"interrupted: {stopped}" if stopped else "interrupted", quiet=False)
        raise SystemExit(INTERRUPTED)


def finished(number: int, noun: str) -> str:
    """Return how much of a result was finished before Ctrl-C."""
    return f"{counted(number, f'{noun} was', f'{noun}s were')} finished"


def aside(places: Places) -> Places:
    """Return places for an unfinished result that replace no earlier one."""
    out, report = places.out, places.report
    with_page = places.with_page
    if out is not None and out.is_dir() and any(out.iterdir()):
        out = atomic_write.free(out)
    if with_page and out is not None:
        report = out / "report.html"
    elif report is not None and report.is_file() and not destinations.in_place(report):
        report = atomic_write.free(report)
    return replace(places, out=out, report=report)


@contextmanager
def finishing() -> Generator[None]:
    """Delay Ctrl-C until files are written; a second one acts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = 0
    ctrl_c.again()

    def later(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed += 1
        if pressed > 1:
            ctrl_c.interrupt(number, frame)
        note("writing the results; press Ctrl-C again to drop them", quiet=False)

    with ctrl_c.handled(later, signal.SIGINT):
        yield
    if pressed:
        raise KeyboardInterrupt


__all__ = ["files", "finish", "finished", "finishing", "printed", "table_to_stdout"]
