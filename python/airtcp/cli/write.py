"""What commands print and write, once the work is done."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.cli.console import BAD_INPUT, fail, note
from airtcp.cli.options import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from airtcp.written import Written


REPORT: Final = "report.html"
_OURS: Final = b'name="generator" content="airtcp'
_LOOK: Final = 4096


def report_path(html: Path | None, out: Path | None, *, wanted: bool, piped: bool) -> Path | None:
    """Decide where the report goes, before any work is done.

    A report that nobody placed goes to `report.html` in this folder, unless the result itself
    was asked for on standard output. A file there that is not one of ours is left alone.
    """
    if html is not None:
        _check_writable(html.parent, html)
        return html
    if not wanted:
        return None
    if out is not None:
        return out / REPORT
    if piped:
        return None
    path = Path(REPORT)
    _check_writable(path.parent, path)
    if path.exists():
        head = path.read_bytes()[:_LOOK] if path.is_file() else b""
        if _OURS not in head:
            fail(
                f"{path} is here already and was not written by airtcp; "
                "give --html FILE or --no-report"
            )
    return path


def check_out(out: Path | None) -> None:
    """Refuse a folder that cannot be one, before any work is done."""
    if out is None:
        return
    if out.exists() and not out.is_dir():
        fail(f"--out {out}: this is a file; expected a folder, or a name that is free")
    _check_writable(out, out)


def _check_writable(folder: Path, wanted: Path) -> None:
    """Refuse what cannot be written, before any work is done for it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        fail(f"{wanted}: {folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        fail(f"{wanted}: nothing can be written to the folder {folder.resolve()}")
    if wanted.is_file() and not os.access(wanted, os.W_OK):
        fail(f"{wanted}: this file cannot be written to")


def printed(
    form: Format,
    *,
    table: Callable[[], None],
    text: Callable[[], str],
    rows: Callable[[], tuple[pl.DataFrame, Sequence[Any]]],
) -> None:
    """Print a result in the format that was asked for; only what that needs is made.

    Args:
        form: The format.
        table: Prints the tables for people.
        text: Gives the document as JSON text.
        rows: Gives frame and rows, as for `table_to_stdout`.
    """
    if form is Format.TABLE:
        table()
    elif form is Format.JSON:
        sys.stdout.write(text() + "\n")
    else:
        table_to_stdout(*rows(), form)
    sys.stdout.flush()


def table_to_stdout(frame: pl.DataFrame, rows: Sequence[Any], form: Format) -> None:
    """Print a table in a format for machines.

    Args:
        frame: The table.
        rows: The same things as the document has them, for JSON lines.
        form: The format.
    """
    if form is Format.CSV:
        sys.stdout.write(frame.write_csv())
    elif form is Format.JSONL:
        for row in rows:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    elif form is Format.PARQUET:
        if sys.stdout.isatty():
            fail("--format parquet is binary: send it to a file, or use --out DIR")
        frame.write_parquet(sys.stdout.buffer)


def files(
    result: Written,
    out: Path | None,
    report: Path | None,
    *,
    show: bool,
    quiet: bool,
) -> None:
    """Write the files that were asked for and say where they are."""
    if out is not None:
        written = result.write(out, report=False)
        note(f"results: {out} ({len(written)} files)", quiet=quiet)
    if report is not None:
        result.report(report)
        note(f"report: {report}", quiet=quiet)
        if show:
            import typer

            typer.launch(report.resolve().as_uri())


__all__ = ["BAD_INPUT", "check_out", "files", "printed", "report_path", "table_to_stdout"]
