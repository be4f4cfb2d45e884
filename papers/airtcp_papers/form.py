"""The form of a paper file: the keys of a table, their kinds, and the checks.

A form maps keys to `Key`. It checks tables from TOML files strictly: it refuses unknown keys,
missing keys and values of the wrong kind, and names the file, the place, what was found and what is
accepted. The JSON Schema of the reference is made of the same forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, TypeAlias, cast

from airtcp._core import AirtcpError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

Kind = Literal[
    "text", "number", "whole", "flag", "any", "interval", "texts", "numbers", "list",
    "conditions", "table", "tables", "open", "set", "sets", "scenario",
]  # fmt: skip
"""Kinds of values. `conditions` are names with a text or number each; `open` is a table whose keys
are not checked here; `set`, `sets` and `scenario` name files of the library."""

Form: TypeAlias = "Mapping[str, Key]"


class PaperError(AirtcpError):
    """A paper file that cannot be used, and why."""


def refuse(message: str) -> NoReturn:
    """Refuse a paper file.

    Raises:
        PaperError: Always.
    """
    raise PaperError(message)


@dataclass(frozen=True)
class Key:
    """One key of a table."""

    kind: Kind
    meaning: str
    required: bool = False
    accepted: tuple[str, ...] = ()
    of: Form | None = None
    default: Any = None


def did_you_mean(word: str, names: Collection[str]) -> str:
    """Suggest the nearest names, and list all.

    >>> did_you_mean("mesure", ["measure", "title"])
    '; did you mean "measure"? (accepted: measure, title)'
    """
    near = get_close_matches(word, list(names), 3, 0.6)
    guess = "; did you mean " + " or ".join(f'"{name}"' for name in near) + "?" if near else ""
    return f"{guess} (accepted: {', '.join(names)})"


def check(form: Form, table: Mapping[str, Any], where: str, place: str = "") -> dict[str, Any]:
    """Check a table, and return it with defaults filled in.

    Args: form: Its form. table: The table, as read from TOML. where: The file, for messages. place:
        The place of the table in the file, such as `published[2]`.

    Returns: Every key of the form that is given or has a default.

    Raises: PaperError: If the table does not match the form.
    """
    for name in table:
        if name not in form:
            message = f'{where}: {_at(place, name)}: unknown key "{name}"'
            refuse(message + did_you_mean(name, list(form)))
    whole: dict[str, Any] = {}
    for name, key in form.items():
        if name in table:
            whole[name] = _value(key, table[name], where, _at(place, name))
        elif key.required:
            message = f'{where}: {place + ": " if place else ""}the key "{name}" is missing'
            refuse(f"{message} ({key.meaning})")
        elif key.default is not None:
            whole[name] = key.default
    return whole


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number and no flag."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _parts(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None


def _table(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _is_interval(value: Any) -> bool:
    match _parts(value):
        case [low, high]:
            return is_number(low) and is_number(high) and low <= high
        case _:
            return False


def _all_of(kind: type) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        parts = _parts(value)
        return parts is not None and all(isinstance(part, kind) for part in parts)

    return fits


def _all_numbers(value: Any) -> bool:
    parts = _parts(value)
    return parts is not None and all(map(is_number, parts))


def _is_conditions(value: Any) -> bool:
    table = _table(value)
    return table is not None and all(isinstance(v, str) or is_number(v) for v in table.values())


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_whole(value: Any) -> bool:
    return is_number(value) and isinstance(value, int)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


_KINDS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "text": ("text", _is_text),
    "number": ("a number", is_number),
    "whole": ("a whole number", _is_whole),
    "flag": ("true or false", lambda value: isinstance(value, bool)),
    "any": ("a value", lambda _: True),
    "interval": ("an interval [low, high]", _is_interval),
    "texts": ("a list of text", _all_of(str)),
    "numbers": ("a list of numbers", _all_numbers),
    "list": ("a list", lambda value: isinstance(value, list)),
    "conditions": ("a table of texts and numbers", _is_conditions),
    "table": ("a table", _is_table),
    "tables": ("a list of tables", _all_of(dict)),
    "open": ("a table", _is_table),
    "set": ("the name of a set of links", _is_text),
    "sets": ("a list of names of sets of links", _all_of(str)),
    "scenario": ("the path of a scenario", _is_text),
}


def _value(key: Key, value: Any, where: str, place: str) -> Any:
    said, fits = _KINDS[key.kind]
    if not fits(value):
        found = _shown(value)
        refuse(f"{where}: {place} is {found}; expected {said} ({key.meaning})")
    if key.accepted:
        parts = _parts(value)
        for word in [value] if parts is None else parts:
            if word not in key.accepted:
                message = f'{where}: {place}: unknown value "{word}"'
                refuse(message + did_you_mean(str(word), key.accepted))
    if key.kind == "text":
        # Long texts have several lines in a file; line breaks have no meaning.
        return " ".join(value.split())
    if key.of is not None and (table := _table(value)) is not None:
        return check(key.of, table, where, place)
    if key.of is not None and (parts := _parts(value)) is not None:
        return [check(key.of, part, where, f"{place}[{i}]") for i, part in enumerate(parts)]
    return value


def _shown(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) < 60 else text[:57] + "..."  # noqa: PLR2004 - a line's worth


_SCHEMA: Final[dict[str, dict[str, Any]]] = {
    "text": {"type": "string", "minLength": 1},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "any": {},
    "interval": {
        "type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2,
    },
    "texts": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "number"}},
    "list": {"type": "array"},
    "conditions": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
    "table": {"type": "object"},
    "tables": {"type": "array"},
    "open": {"type": "object"},
    "set": {"type": "string"},
    "sets": {"type": "array", "items": {"type": "string"}},
    "scenario": {"type": "string"},
}  # fmt: skip


def json_schema(form: Form) -> dict[str, Any]:
    """Write a form as JSON Schema."""
    properties: dict[str, Any] = {}
    for name, key in form.items():
        part: dict[str, Any] = {"description": key.meaning, **_SCHEMA[key.kind]}
        if key.default is not None:
            part["default"] = key.default
        if key.accepted:
            if key.kind in {"texts", "sets"}:
                part["items"] = {"enum": list(key.accepted)}
            else:
                part["enum"] = list(key.accepted)
        if key.of is not None:
            if key.kind == "table":
                part |= json_schema(key.of)
            else:
                part["items"] = json_schema(key.of)
        properties[name] = part
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in form.items() if key.required],
        "properties": properties,
    }
