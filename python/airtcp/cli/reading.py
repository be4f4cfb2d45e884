"""The options for reading traces, for every command that reads traces."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli.complete import READING
from airtcp.cli.expand import Command, expanded, option
from airtcp.inputs.reading import Reading, ReadingOption, options

if TYPE_CHECKING:
    import inspect

DEFAULT_READING: Final[Reading] = {}


def reads_traces(command: Command) -> Command:
    """Replace the argument `reading` of a command by all options of reading.

    The command gets them as one table, with `None` for options that were not given.
    """
    return expanded(command, "reading", [_parameter(each) for each in options()], _said)


def _said(reading: dict[str, Any], _: dict[str, Any]) -> Reading:
    said: Any = {k: v.value if isinstance(v, StrEnum) else v for k, v in reading.items()}
    return said


def _parameter(of: ReadingOption) -> inspect.Parameter:
    kind: Any = str
    if of.accepted:
        kind = StrEnum(of.name, [(value.upper(), value) for value in of.accepted])
    return option(
        of.name,
        Annotated[
            kind | None, typer.Option(of.flag, help=of.help, autocompletion=READING.get(of.name))
        ],
    )
