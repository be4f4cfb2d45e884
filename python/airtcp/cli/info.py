"""`airtcp list` and `airtcp schema`: registered models, and the schemas of documents."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import Annotated

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import refusals, screen, to_stdout
from airtcp.cli.show import width as show_width


class Document(StrEnum):
    """Documents that have a schema."""

    SCENARIO = "scenario"
    STUDY = "study"
    RUN = "run"
    TRACE = "trace"
    COMPARE = "compare"
    SCHEMES = "schemes"
    CAPTURE = "capture"
    DIAGNOSE = "diagnose"
    EMULATE = "emulate"
    FIT = "fit"
    SWEEP = "sweep"
    SWEEP_FILE = "sweep-file"


def list_(
    family: Annotated[
        str | None,
        typer.Argument(
            help="One family, such as loss or queue; by default all.",
            autocompletion=complete.family,
        ),
    ] = None,
    as_json: opt.Json = False,
    details: opt.Details = False,
) -> None:
    """List everything that has a name: loss models, queues, congestion laws, profiles ..."""
    from airtcp.cli import families
    from airtcp.data import extension

    with refusals():
        entries = extension.registry(family)
    if as_json:
        with to_stdout():
            json.dump(entries, sys.stdout, ensure_ascii=False)
            sys.stdout.write("\n")
        return
    with to_stdout():
        if family is None and not details:
            from airtcp.cli import show

            show.put_answer(families.overview(entries), details=False)
        else:
            _every(entries)
            if family in families.BESIDE:
                screen().print(families.BESIDE[family], width=show_width(screen()))


def _every(entries: list[dict[str, str]]) -> None:
    """Print every entry with its source; the column of the family only if there are several."""
    from rich import box
    from rich.table import Table

    several = len({entry["family"] for entry in entries}) > 1
    keys = {"family": "family", "name": "name", "what it is": "description", "source": "source"}
    if not several:
        del keys["family"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in keys:
        table.add_column(head, overflow="fold", no_wrap=head in {"family", "name"})
    for entry in entries:
        table.add_row(*(entry[key] for key in keys.values()))
    console = screen()
    console.print(table, width=show_width(console))


def schema(
    kind: Annotated[Document, typer.Argument(help="The document.")] = Document.SCENARIO,
) -> None:
    """Print the JSON Schema of a document."""
    from airtcp.questions import schemas

    with refusals():
        found = schemas.schema(kind.value)
    with to_stdout():
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        sys.stdout.write("\n")
