"""The options of how to read traces, for every command that reads some."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, Final, TypeVar, cast, get_type_hints

import typer

from airtcp.reading import Reading, ReadingOption, options

NOT_SAID: Final[Reading] = {}
_ARGUMENT: Final = "reading"
_Command = TypeVar("_Command", bound=Callable[..., None])


def reads_traces(command: _Command) -> _Command:
    """Give a command all options of reading, where it has the argument `reading`.

    The command gets them as one table, with `None` for what was not said.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == _ARGUMENT:
            parameters += [_parameter(option) for option in options()]
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))

    @wraps(command)
    def given(**arguments: Any) -> None:
        reading = {option.name: arguments.pop(option.name) for option in options()}
        said = {k: v.value if isinstance(v, StrEnum) else v for k, v in reading.items()}
        command(**arguments, reading=said)

    given.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    given.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del given.__wrapped__
    return cast("_Command", given)


def _parameter(option: ReadingOption) -> inspect.Parameter:
    kind: Any = str
    if option.accepted:
        kind = StrEnum(option.name, [(value.upper(), value) for value in option.accepted])
    return inspect.Parameter(
        option.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=None,
        annotation=Annotated[kind | None, typer.Option(option.flag, help=option.help)],
    )
