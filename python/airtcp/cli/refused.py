"""What the argument parser refuses, in words: what was found, and what is expected.

The parser leaves the conversion of values to a library for data of programs, whose messages are
for programmers ("Input should be a valid integer, unable to parse string as an integer").
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, Final

from airtcp.words.sentences import either

_CHOICE: Final = re.compile(r"(?:Value error, )?('.*?') is not one of ('.*')\.?", re.DOTALL)
_NUMBER: Final = re.compile(r"Input should be .*(integer|number|than)", re.DOTALL)


def reworded(error: Any) -> None:
    """Put the message of a refused value into words.

    Args: error: An exception of the argument parser; one without such a value stays as it is.
    """
    message, parameter = getattr(error, "message", None), getattr(error, "param", None)
    if isinstance(message, str):
        error.message = said(message, getattr(parameter, "type_descriptor", None))


def said(message: str, about: Any = None) -> str:
    """Return what was found and what is expected.

    Args: message: The message of the parser. about: The type of the parameter, if known.

    >>> said("Value error, 'rec' is not one of 'received', 'lost'.")
    "found 'rec'; expected received or lost; did you mean received?"
    >>> said("Input should be a valid integer, unable to parse string as an integer")
    'expected a whole number'
    >>> said("the name is empty; expected a file or folder")
    'the name is empty; expected a file or folder'
    """
    if (choice := _CHOICE.fullmatch(message.strip())) is not None:
        found, names = choice[1], re.findall(r"'([^']*)'", choice[2])
        close = get_close_matches(found.strip("'"), names, 1, 0.5)
        hint = f"; did you mean {close[0]}?" if close else ""
        return f"found {found}; expected {either(names)}{hint}"
    if _NUMBER.search(message) is None:
        return message
    info = getattr(about, "parameter_info", None)
    least, most = (getattr(info, name, None) for name in ("min", "max"))
    whole = "integer" in message or "int" in str(getattr(about, "annotation", ""))
    return f"expected a {'whole ' if whole else ''}number{_range(least, most)}"


def _range(least: float | None, most: float | None) -> str:
    """Write the range of a number.

    >>> _range(1, 10), _range(1, None), _range(None, None)
    (' from 1 to 10', ' of at least 1', '')
    """
    if least is not None and most is not None:
        return f" from {least} to {most}"
    if least is not None:
        return f" of at least {least}"
    return "" if most is None else f" of at most {most}"
