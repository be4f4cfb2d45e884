"""Scenarios as a caller gives them: a file, a text, or a table of Python values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn, cast

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.inputs.arguments import native, plain
from airtcp.inputs.toml_text import inline, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_LONGEST_SCENARIO: Final = 4 << 20
_EXPECTED: Final = "expected a scenario file (TOML)"
IN_PYTHON: Final = "scenario"
"""The name of a scenario that is given as a table."""
_DEEPEST: Final = 100


def scenario_texts(scenarios: Iterable[Path], text: str | None) -> list[dict[str, Any]]:
    """Return the scenarios as the extension reads them.

    Args:
        scenarios: Their files.
        text: The text of the scenario, instead of the files.

    Raises:
        ScenarioError: If a file cannot be read as text.
    """
    return [
        {
            "name": printable(str(path)),
            "text": (scenario_text(path) if text is None else parsable(text, printable(str(path)))),
            "folder": native(path.parent),
        }
        for path in scenarios
    ]


def warn_about(
    options: Mapping[str, Any],
    warn: Callable[[str], object] | None,
    laws: _core.Laws | None = None,
) -> None:
    """Give the warnings about the cells of scenarios.

    Args:
        options: Options with `scenarios` and `set`.
        warn: Called with each warning.
        laws: Congestion controls of one's own that the scenarios may name.
    """
    if warn is None:
        return
    for scenario in options["scenarios"]:
        how = json.dumps({"set": options["set"], "folder": scenario["folder"]})
        for warning in _core.warnings(scenario["text"], scenario["name"], how, laws):
            warn(f"{scenario['name']}: {warning}")


def table_text(scenario: Mapping[str, Any]) -> str:
    """Return the text of a scenario that is given as a table.

    >>> print(table_text({"duration": "1 s", "links": [{"from": "a", "to": "b"}]}))
    "duration" = "1 s"
    "links" = [{ "from" = "a", "to" = "b" }]

    Raises:
        ScenarioError: If a value is None; the message names its path.
        TypeError: If a key is no text, or a value has no form in TOML; the message names it.
    """
    _check_table(scenario, "")
    values = cast("dict[str, Any]", plain(scenario))
    return "\n".join(f"{json.dumps(key)} = {inline(value)}" for key, value in values.items())


def _check_table(value: Any, at: str, depth: int = 0) -> None:
    """Refuse values of None and keys that are no text, with their path."""
    if value is None:
        _refuse(IN_PYTHON, f"{at} is None: leave the key out")
    if depth > _DEEPEST:
        _refuse(IN_PYTHON, f"{at[:80]}: nested too deeply")
    if isinstance(value, Mapping):
        for key, part in cast("Mapping[Any, Any]", value).items():
            if not isinstance(key, str):
                where = at or "the scenario"
                message = f"{where}: found the key {key!r}; expected keys that are text"
                raise TypeError(message)
            _check_table(part, f"{at}.{key}" if at else key, depth + 1)
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(cast("list[Any]", value)):
            _check_table(part, f"{at}[{number}]", depth + 1)


def only_table(text: str | None) -> None:
    """Refuse a text beside a scenario that is given as a table.

    Raises:
        TypeError: If there is a text.
    """
    if text is not None:
        message = "there are a table and text; expected a scenario as a table, or a name with text"
        raise TypeError(message)


def replaced_texts(values: Mapping[str, Any]) -> list[list[str]]:
    """Return each path with the TOML text of its value."""
    return [
        [key, value_text(value)] for key, value in cast("dict[str, Any]", plain(values)).items()
    ]


_MAGIC: Final = 4096
"""Bytes that are enough to recognise a file that is not text."""


def parsable(text: str, name: str) -> str:
    """Return the text of a scenario if a TOML parser can read it in bounded time.

    Raises:
        ScenarioError: If the text is longer, or has more headers or longer keys, than allowed.
    """
    _core.parsable(text, name)
    return text


def scenario_text(path: Path) -> str:
    """Read the text of a scenario's file.

    Raises:
        ScenarioError: If the file cannot be read as the text of a scenario.
    """
    try:
        with path.open("rb") as file:
            return text_of(file, str(path))
    except OSError as error:
        if "\n" in str(path):
            said = "this is the text of one; give it as text=, and a name in its place"
            _refuse("scenario", said)
        _refuse(str(path), f"{error.strerror}; {_EXPECTED}")


def text_of(stream: BinaryIO, name: str) -> str:
    """Read the text of a scenario, from a stream that may have no end.

    Raises:
        ScenarioError: If the text is too long, or not UTF-8.
    """
    raw = stream.read(_LONGEST_SCENARIO + 1)
    if len(raw) > _LONGEST_SCENARIO:
        _refuse(name, f"longer than {_LONGEST_SCENARIO} bytes; {_EXPECTED}")
    if raw.startswith(b"\x1f\x8b"):
        _refuse(name, f"this is compressed with gzip; {_EXPECTED}: decompress it (gunzip)")
    kind = _core.binary_kind(raw[:_MAGIC])
    if kind is not None:
        _refuse(name, f"this is {kind[0]}, not a scenario; {_EXPECTED}")
    try:
        return parsable(raw.decode("utf-8"), printable(name))
    except UnicodeDecodeError as error:
        _refuse(name, f"byte {error.start} is not UTF-8; {_EXPECTED}")


def _refuse(name: str, what: str) -> NoReturn:
    message = f"{printable(name)}: {what}"
    raise _core.ScenarioError(message)
