"""Pages of reference that follow from the program: commands, algorithms, and functions in Python."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

import manual
from typer.main import get_command

import airtcp
from airtcp.cli.commands import app

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATED: Final = "This page is generated: `make generated` writes it."
_WIDTH: Final = 10_000
"""Columns of the help texts, so that none is broken into lines."""


def cell(text: str) -> str:
    """Return a text for a cell of a table: one line, with bars that do not end the cell."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def code(text: str) -> str:
    """Return code for a cell of a table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Lay out a table, whose cells are ready."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def commands() -> Iterator[tuple[str, Any]]:
    """Give every command below `airtcp` with its name; a group comes before its commands."""
    for words, command in manual.tree(get_command(app)):
        if words[1:]:
            yield " ".join(words[1:]), command


def commands_page() -> str:
    """Lay out the page of commands: what `--help` says of each."""
    parts = [
        "# Commands\n\nWhat `--help` says of every command. "
        "[The guide](../guide/cli.md) explains outputs, conventions and exit codes.\n\n"
        f"{GENERATED}\n"
    ]
    for name, command in commands():
        context = command.make_context(f"airtcp {name}", [], resilient_parsing=True)
        context.max_content_width = context.terminal_width = _WIDTH
        said = inspect.cleandoc(command.help or "").split("\n\n")
        text = "\n\n".join(" ".join(part.replace("\b", "").split()) for part in said)
        parts.append(f"\n## airtcp {name}\n\n{text.replace('<', '&lt;')}\n")
        if hasattr(command, "commands"):
            continue
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f"\n```\nairtcp {name} {usage}\n```\n")
        records = [parameter.get_help_record(context) for parameter in command.params]
        rows = [[code(left), cell(right)] for left, right in filter(None, records)]
        parts.append("\n" + table(["argument or option", "meaning"], rows))
    return "".join(parts)


def algorithms_page() -> str:
    """Lay out the page of everything that has a name."""
    entries = airtcp.registry()
    parts = [
        "# Names of algorithms and models\n\nEverything that a scenario or an option can name, with its "
        "source. `airtcp list` prints the same. [The pages on models](../README.md#models) have the equations.\n\n"
        f"{GENERATED}\n"
    ]
    for family in dict.fromkeys(entry["family"] for entry in entries):
        of = [entry for entry in entries if entry["family"] == family]
        rows = [[code(e["name"]), cell(e["description"]), cell(e["source"])] for e in of]
        parts.append(f"\n## {family}\n\n{table(['name', 'what it is', 'source'], rows)}")
    return "".join(parts)


def summary(name: str) -> str:
    """Return the first sentence of what a name of the package says of itself."""
    text = inspect.getdoc(getattr(airtcp, name)) or ""
    return " ".join(text.split("\n\n")[0].split())


def python_names() -> list[str]:
    """Return the public names of the package, functions first."""
    names = [name for name in airtcp.__all__ if not name.startswith("_")]
    return sorted(names, key=lambda name: (name[0].isupper(), name))


def python_page() -> str:
    """Lay out the page of functions and results; the site adds what each one says of itself."""
    rows = [[code(f"airtcp.{name}"), cell(summary(name))] for name in python_names()]
    return (
        "# Functions and results in Python\n\n"
        "The public names of the package `airtcp`. `help(airtcp.study)` prints what a function takes, returns "
        "and raises; the site of the documentation has the same on this page. "
        f"[The guide](../guide/python-api.md) shows how they are used.\n\n{GENERATED}\n\n"
        + table(["name", "what it does or holds"], rows)
    )
