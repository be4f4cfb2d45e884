"""Conversion of arguments to the options of the extension, for all functions.

Options that are not given are left out, so that the extension's defaults apply.
"""

from __future__ import annotations

import json
import math
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PathLike: TypeAlias = "str | os.PathLike[str]"
Progress: TypeAlias = "Callable[[int, int, str], object]"
TraceFormat: TypeAlias = Literal["bits", "csv", "sequence"]

COMPARED: Final = 20
"""Up to this number of links, TCPs are compared and remedies tried by default."""

_DEMO: Final = "demo"
_LONGEST_RANGE: Final = 1_000_000


def only_given(**options: Any) -> dict[str, Any]:
    """Leave out options that are not given, so that the extension's defaults apply."""
    return {name: value for name, value in options.items() if value is not None}


def as_json(options: Mapping[str, Any]) -> str:
    """Write options as JSON. Numbers and arrays of numpy, and ranges, are accepted.

    >>> as_json({"seed": 1, "read": {"interval": "1 ms"}})
    '{"seed": 1, "read": {"interval": "1 ms"}}'

    Raises: TypeError: If an option has an unsupported type; the message names the option.
        ValueError: If an option is not a finite number, or is nested too deeply.
    """
    try:
        return json.dumps(plain(options))
    except RecursionError:
        message = "an option is nested too deeply"
        raise ValueError(message) from None


def plain(value: Any, name: str = "") -> Any:
    """Return an option as JSON types.

    Raises:
        TypeError: As for `as_json`.
        ValueError: As for `as_json`.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            message = f"{name} is {value}; expected a finite number"
            raise ValueError(message)
        return float(value)
    if isinstance(value, Mapping):
        table = cast("Mapping[Any, Any]", value)
        return {_key(key, name): plain(part, str(key)) for key, part in table.items()}
    if isinstance(value, range) and len(value) > _LONGEST_RANGE:
        message = f"{name} is a range of {len(value)} numbers; expected at most {_LONGEST_RANGE}"
        raise ValueError(message)
    if isinstance(value, (list, tuple, range)):
        return [plain(part, name) for part in cast("list[Any]", value)]
    shape = getattr(value, "shape", None)
    made = getattr(value, "item" if shape == () else "tolist", None)
    if shape is not None and made is not None:
        return plain(made(), name)
    message = (
        f"{name} is of type {type(value).__name__}; "
        "expected text, a number, a flag, or a list or table of them"
    )
    raise TypeError(message)


def finite(value: float) -> bool:
    """Return whether a number is finite as a float.

    >>> finite(2.5), finite(float("nan")), finite(10**400)
    (True, False, False)
    """
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _key(key: Any, name: str) -> str:
    if isinstance(key, str):
        return key
    message = f"{name} has the key {key!r}; expected text"
    raise TypeError(message)


def whole(name: str, value: Any, least: int, most: int) -> int | None:
    """Check a whole number; None stays None.

    >>> whole("seed", 3, 0, 10), whole("seed", None, 0, 10)
    (3, None)

    Raises:
        TypeError: If it is no whole number.
        ValueError: If it is out of its range.
    """
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        message = f"{name} is {value!r}; expected a whole number"
        raise TypeError(message) from None
    if not least <= number <= most:
        message = f"{name} is {number}; expected {least} to {most}"
        raise ValueError(message)
    return number


def paths_of(paths: PathLike | Iterable[PathLike]) -> list[str]:
    """Return one path or several as a list of texts."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def links_of(paths: PathLike | Iterable[PathLike]) -> list[str]:
    """Return the paths of links.

    `demo` and `demo/...` are the links that come with the package, if there is no file or folder
    `demo`.
    """
    found = paths_of(paths)
    if not any(Path(path).parts[:1] == (_DEMO,) for path in found) or Path(_DEMO).exists():
        return found
    home = Path(__file__).parents[1]
    return [str(home / path) if Path(path).parts[:1] == (_DEMO,) else path for path in found]


def native(path: PathLike) -> str | list[int]:
    """Return a path for JSON: text, or its bytes if they are not UTF-8."""
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
    given = texts_of("names", names)
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def texts_of(name: str, texts: str | Iterable[str]) -> list[str]:
    """Return one text or several as a list.

    >>> texts_of("where", "mu>0.5"), texts_of("where", ("a", "b"))
    (['mu>0.5'], ['a', 'b'])

    Raises: TypeError: If an item is no text.
    """
    given = [texts] if isinstance(texts, str) else list(texts)
    for text in given:
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - from anyone
            message = f"{name} has {text!r}, of type {type(text).__name__}; expected text"
            raise TypeError(message)
    return given


def remedies_of(remedies: bool | str | Iterable[str]) -> list[str]:  # noqa: FBT001
    """Return the names of the remedies to try.

    >>> remedies_of(True), remedies_of(False), remedies_of("lt-tcp,ll-arq"), remedies_of("none")
    (['usual'], [], ['lt-tcp', 'll-arq'], [])
    """
    if isinstance(remedies, bool):
        return ["usual"] if remedies else []
    names = names_of(remedies)
    return [] if names == ["none"] else names
