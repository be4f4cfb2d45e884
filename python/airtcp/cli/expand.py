"""Groups of options, declared once for all commands that have them."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Command = TypeVar("Command", bound="Callable[..., None]")


def option(name: str, annotation: Any, default: Any = None) -> inspect.Parameter:
    """Return the declaration of an option for typer."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def expanded(
    command: Command,
    argument: str,
    options: Sequence[inspect.Parameter],
    gather: Callable[[dict[str, Any], dict[str, Any]], Any],
) -> Command:
    """Replace an argument of a command by options.

    Args: command: The command. argument: The argument that the options replace. options: The
        options, in the order of the help text. gather: Makes the argument from the values of the
        options, and from all given arguments.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name == argument:
            parameters += options
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name]))

    @wraps(command)
    def given(**arguments: Any) -> None:
        values = {option.name: arguments[option.name] for option in options}
        others = {name: value for name, value in arguments.items() if name not in values}
        command(**others, **{argument: gather(values, arguments)})

    given.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    given.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    del given.__wrapped__
    return cast("Command", given)
