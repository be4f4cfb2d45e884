"""Options that several commands share, with one help text each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer


class Format(StrEnum):
    """Formats of a table on standard output."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


class Layout(StrEnum):
    """Layouts in which traces are written."""

    BITS = "bits"
    CSV = "csv"
    SEQUENCE = "sequence"


def place(text: str) -> Path:
    """Read the name of an output.

    Raises:
        BadParameter: If it is empty, or the sign of standard input.
    """
    if not text:
        message = "the name is empty; expected a file or folder"
        raise typer.BadParameter(message)
    if text == "-":
        message = (
            "'-' stands for no output; /dev/stdout is standard output, ./- a file of this name"
        )
        raise typer.BadParameter(message)
    return Path(text)


SHOWN: Final = "<path>"
"""The type of an output in help texts."""
MOST_WORKERS: Final = 100_000
MOST_REPLICATIONS: Final = 1_000_000

Links = Annotated[
    list[str],
    typer.Argument(
        metavar="LINK",
        help="Delivery traces: files, folders, patterns like 'traces/*.gz'; - is standard input.",
        show_default=False,
    ),
]
MOST_SEED = 2**64 - 1
Seed = Annotated[
    int,
    typer.Option(help="Root seed; the same seed gives the same result.", min=0, max=MOST_SEED),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Threads; all cores by default. The result does not depend on it.",
        min=1,
        max=MOST_WORKERS,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the whole result as JSON."),
]
TableFormat = Annotated[Format, typer.Option("--format", help="What to print.")]
Out = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar=SHOWN,
        help="Folder for everything: JSON, Parquet tables, report.",
        show_default=False,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace files that are there, and the whole result that --out holds; an input never.",
    ),
]
ForceFile = Annotated[
    bool, typer.Option("--force", help="Replace files that are there; an input never.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")]
Html = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar=SHOWN,
        help="Where to write the report; default: report.html here, or in --out.",
        show_default=False,
    ),
]
HtmlOnly = Annotated[
    Path | None,
    typer.Option(
        "--html",
        parser=place,
        metavar=SHOWN,
        help="Where to write the report; with --out it is in that folder, otherwise there is none.",
        show_default=False,
    ),
]
Report = Annotated[bool, typer.Option("--report/--no-report", help="Write the report.")]
Open = Annotated[
    bool,
    typer.Option("--open/--no-open", help="Show the report in a browser."),
]
WrittenLayout = Annotated[
    Layout | None,
    typer.Option("--format", help="Layout: csv for a name that ends in .csv, else bits."),
]
