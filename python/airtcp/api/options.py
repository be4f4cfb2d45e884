"""How arguments become the options of the extension, for all functions.

What was not given is left out, so that the program's own default holds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PathLike: TypeAlias = "str | os.PathLike[str]"
Progress: TypeAlias = "Callable[[int, int, str], object]"
ColumnKind: TypeAlias = Literal["received", "lost", "sequence", "arrival"]
TraceFormat: TypeAlias = Literal["bits", "csv", "sequence"]

COMPARED: Final = 20
"""Links up to which a study compares TCPs, and remedies are tried, without being asked to."""


def only_given(**options: Any) -> dict[str, Any]:
    """Leave out what was not given, so that the program's own default holds."""
    return {name: value for name, value in options.items() if value is not None}


def paths_of(paths: PathLike | Iterable[PathLike]) -> list[str]:
    """Give paths as text, whether there is one or several."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def native(path: PathLike) -> str | list[int]:
    """Give a path as JSON can hold it: text, or its bytes where they are not UTF-8."""
    text = os.fspath(path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return list(os.fsencode(text))
    return text


def names_of(names: str | Iterable[str]) -> list[str]:
    """Split names that are separated by commas.

    >>> names_of("newreno, sack,"), names_of(["a,b", "c"])
    (['newreno', 'sack'], ['a', 'b', 'c'])
    """
    given = [names] if isinstance(names, str) else list(names)
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def remedies_of(remedies: bool | str | Iterable[str]) -> list[str]:  # noqa: FBT001
    """Name the remedies to try.

    >>> remedies_of(True), remedies_of(False), remedies_of("lt-tcp,ll-arq")
    (['usual'], [], ['lt-tcp', 'll-arq'])
    """
    if isinstance(remedies, bool):
        return ["usual"] if remedies else []
    return names_of(remedies)


class Reading(TypedDict, total=False):
    """How to read traces, as `study` has it."""

    interval: str | None
    layout: str | None
    column: str | int | None
    kind: ColumnKind | None
    time_column: str | int | None
    time_unit: str | None
    rate_unit: str | None


def how_to_read(reading: Reading) -> dict[str, Any]:
    """Say how to read traces.

    Raises:
        TypeError: If there is a keyword that says nothing of it.
    """
    known = Reading.__annotations__
    unknown = sorted(set(reading) - set(known))
    if unknown:
        message = (
            f"unexpected keyword argument {unknown[0]!r}; "
            f"how to read traces is said by {', '.join(known)}"
        )
        raise TypeError(message)
    given: dict[str, Any] = {name: value for name, value in reading.items() if value is not None}
    return {
        name: str(value) if name in {"column", "time_column"} else value
        for name, value in given.items()
    }
