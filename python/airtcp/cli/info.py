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
) -> None:
    """List everything that has a name: loss models, queues, congestion laws, profiles ..."""
    from airtcp.data import extension

    with refusals():
        entries = extension.registry(family)
    if as_json:
        with to_stdout():
            json.dump(entries, sys.stdout, ensure_ascii=False)
            sys.stdout.write("\n")
        return
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("family", "name", "what it is", "source"):
        table.add_column(head, overflow="fold", no_wrap=head in {"family", "name"})
    for entry in entries:
        table.add_row(entry["family"], entry["name"], entry["description"], entry["source"])
    with to_stdout():
        screen().print(table)


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
