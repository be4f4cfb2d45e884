"""Values of options and arguments in plain form, read without typer's library for conversions.

typer converts every value, including those of options that were not given, with a library that
takes longer to load than a short run. `read_plainly` reads what most values are: nothing, a text,
a number within its limits, the name of a choice, a path. It leaves every other value to typer,
which also reports all errors.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any, Final, cast, get_args, get_origin

_WHOLE: Final = re.compile(r"-?[0-9]{1,20}")
_DECIMAL: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")
UNREAD: Final = object()
"""Stands for a value that typer must read."""


def read_plainly(command: Any) -> Any:
    """Read plain values of a command without typer's library, and return the command.

    Args: command: A command or group that typer made. Nothing changes if the installed version of
        typer has no such library.
    """
    of_typer = command.get_params

    def get_params(context: Any) -> Any:
        # The option --help is made here.
        parameters = of_typer(context)
        for parameter in parameters:
            if hasattr(parameter, "type_descriptor") and "process_value" not in vars(parameter):
                parameter.process_value = _reader(parameter)
        return parameters

    command.get_params = get_params
    return command


def _reader(parameter: Any) -> Any:
    """Return the method `process_value` of a parameter."""
    of_typer = parameter.process_value

    def process_value(context: Any, value: Any) -> Any:
        read = plain_value(parameter, value)
        if read is UNREAD:
            return of_typer(context, value)
        callback = parameter.callback
        return read if callback is None else callback(context, parameter, read)

    return process_value


def plain_value(parameter: Any, value: Any) -> Any:
    """Read a value of a parameter.

    Args: parameter: The parameter. value: Its argument or its default.

    Returns: What typer would make of the value, or `UNREAD`.
    """
    kind, about = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    several = parameter.multiple or parameter.nargs == -1
    if not value and parameter.required:
        return UNREAD
    if value is None:
        return () if several else None
    if not several:
        return _single(kind, about, value)
    if get_origin(kind) is not list or not isinstance(value, list | tuple):
        return UNREAD
    read = [_single(get_args(kind)[0], about, part) for part in cast("list[Any]", value)]
    return UNREAD if UNREAD in read else read


def _single(kind: Any, about: Any, value: Any) -> Any:
    read: Any = UNREAD
    if about.parser is not None:
        with suppress(ValueError, AssertionError):
            read = about.parser(value)
    elif kind is str:
        read = value if type(value) is str else UNREAD
    elif kind is int or kind is float:
        read = _number(kind, about, value)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        found = (choice for choice in kind if value is choice or value == choice.value)
        read = next(found, UNREAD)
    elif kind is Path:
        read = _path(about, value)
    return read


def _number(kind: type[float], about: Any, value: Any) -> Any:
    if type(value) is str:
        if (_WHOLE if kind is int else _DECIMAL).fullmatch(value) is None:
            return UNREAD
        value = kind(value)
    if type(value) is not kind or about.clamp:
        return UNREAD
    low = about.min is None or value >= about.min
    high = about.max is None or value <= about.max
    return value if low and high else UNREAD


def _path(about: Any, value: Any) -> Any:
    """Return a path that is readable or new."""
    special = about.exists or about.resolve_path or about.allow_dash or about.path_type is not None
    if type(value) is not str or special or not value or "\0" in value:
        return UNREAD
    if os.path.lexists(value) and (about.writable or not os.access(value, os.R_OK)):
        return UNREAD
    return Path(value) if about.file_okay and about.dir_okay else UNREAD
