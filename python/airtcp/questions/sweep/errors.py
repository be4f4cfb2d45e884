"""Refusals of a sweep file, with the place, what was found and what is accepted."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from airtcp import _core
from airtcp.data.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable


def refuse(place: str, message: str) -> NoReturn:
    """Refuse a sweep.

    Args: place: The file and the key. message: What was found, and what is accepted.

    Raises:
        AirtcpError: Always.
    """
    text = f"{printable(place)}: {message}"
    raise _core.AirtcpError(text)


def near(name: str, names: Iterable[str]) -> str:
    """Suggest the nearest name, and list all.

    >>> near("vari", ["vary", "of"])
    '; did you mean "vary"? (accepted: of, vary)'
    """
    known = sorted(names)
    close = get_close_matches(name, known, 1, 0.6)
    guess = f'; did you mean "{close[0]}"?' if close else ""
    return f"{guess} (accepted: {', '.join(known)})"


def known(place: str, table: dict[str, Any], names: Iterable[str]) -> None:
    """Refuse a table with an unknown key.

    Args: place: The place of the table. table: The table. names: The keys that exist.
    """
    accepted = list(names)
    for key in table:
        if key not in accepted:
            refuse(f"{place}.{key}" if place else key, f"unknown key{near(key, accepted)}")


def found(value: Any) -> str:
    """Describe a value that was found, for messages."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004 - a line
