"""Options that several commands share, with one help text each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from airtcp.cli import complete


class Format(StrEnum):
    """Formats of a table on standard output."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


class Why(StrEnum):
    """Whether to find what limits the flows of a run."""

    AUTO = "auto"
    YES = "yes"
    NO = "no"


class Layout(StrEnum):
    """Layouts in which traces are written."""

    BITS = "bits"
    CSV = "csv"
    SEQUENCE = "sequence"


class FigureWidth(StrEnum):
    """Widths of figures: a column or a page of a journal."""

    COLUMN = "column"
    PAGE = "page"


def place(text: str) -> Path:
    """Read the name of an output.

    Raises:
        BadParameter: If the name is empty, or stands for standard input.
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
MAX_WORKERS: Final = 100_000
MAX_REPLICATIONS: Final = 1_000_000
MAX_SEED: Final = 2**64 - 1


def replications(about: str, most: int = 10_000, *, least: int = 1, default: bool = True) -> Any:
    """Return the option --replications.

    Args: about: What is repeated. most: The largest number. least: The smallest. default: Whether
        the help shows the default.
    """
    return typer.Option(
        "--replications", "-n", help=about, min=least, max=most, show_default=default
    )


def root_seed(about: str) -> Any:
    """Return the option --seed, of a command that has no seed of its own.

    Args: about: Which seed is the default.
    """
    return typer.Option("--seed", help=about, min=0, max=MAX_SEED)


Links = Annotated[
    list[str],
    typer.Argument(
        metavar="LINK",
        help="Delivery traces: files, folders, patterns like 'traces/*.gz'; - is standard input.",
        show_default=False,
    ),
]
Seed = Annotated[
    int,
    typer.Option(help="Root seed. Equal seeds give equal results.", min=0, max=MAX_SEED),
]
Profile = Annotated[
    str,
    typer.Option(
        help="TCP parameters: s1 (timers in proportion to the slot), or the name of a profile "
        "(airtcp list tcp-profile).",
        autocompletion=complete.profile,
    ),
]
Slot = Annotated[
    str | None,
    typer.Option(help="Duration of a slot; by default the trace's interval, else 10 ms."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Number of threads, or of processes with a congestion control in Python; by default "
        "all cores. The result does not depend on it.",
        min=1,
        max=MAX_WORKERS,
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Replace a value of the scenario, such as 'links[0].rate=20 Mb/s'; may be repeated.",
    ),
]
Law = Annotated[
    list[str] | None,
    typer.Option(
        "--law",
        metavar="FILE",
        help="A file with congestion controls of your own (my_law.py), which scenarios may name, "
        "as in congestion = { external = 'Aimd' }; its code runs. May be repeated.",
        show_default=False,
    ),
]
LawTimeout = Annotated[
    str,
    typer.Option(
        "--law-timeout",
        metavar="TIME",
        help="Processor time that a replication with a law in Python may take, such as"
        " 60s, and time that one call of a compiled law may take; an endless loop ends then.",
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print the whole result as JSON."),
]
Details = Annotated[
    bool, typer.Option("--details", help="Print all tables and findings below the answer.")
]
TableFormat = Annotated[Format, typer.Option("--format", help="Format of the printed result.")]
Out = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar=SHOWN,
        help="Write JSON, Parquet tables and the report to this folder.",
        show_default=False,
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace existing files and the whole result in --out. "
        "Input files are never replaced.",
    ),
]
ForceFile = Annotated[
    bool, typer.Option("--force", help="Replace existing files. Input files are never replaced.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no notes.")]
Html = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar=SHOWN,
        help="File of the report; by default in --out, and none without --out.",
        show_default=False,
    ),
]
Open = Annotated[
    bool,
    typer.Option("--open/--no-open", help="Open the report in a browser."),
]
Figures = Annotated[
    Path | None,
    typer.Option(
        parser=place,
        metavar="DIR",
        help="Write every chart of the report to this folder, for paper: as SVG and PDF.",
        show_default=False,
    ),
]
Wide = Annotated[
    FigureWidth,
    typer.Option("--figure-width", help="Width of these figures: 88 mm or 180 mm."),
]
WrittenLayout = Annotated[
    Layout | None,
    typer.Option(
        "--format", help="Layout; by default csv for a name that ends in .csv, else bits."
    ),
]
