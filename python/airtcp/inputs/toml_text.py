"""Values as TOML in one line, as they follow `=` in a scenario and in options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Sequence


def value_text(value: Any) -> str:
    """Write a value as the text after `=`; text stays as it is.

    >>> value_text("5 ms"), value_text(True), value_text([{"kind": "red", "min": 5}])
    ('5 ms', 'true', '[{ "kind" = "red", "min" = 5 }]')
    """
    return value if isinstance(value, str) else inline(value)


def inline(value: Any) -> str:
    """Write a value as TOML in one line, with nested tables and lists."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        pairs = [f"{_quoted(key)} = {inline(part)}" for key, part in table.items()]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, list | tuple):
        parts = cast("Sequence[Any]", value)
        return "[" + ", ".join(inline(part) for part in parts) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    r"""Write text as a TOML string: as in JSON, except for surrogate pairs and DEL.

    >>> print(_quoted('a "b" \x7f'))
    "a \"b\" \u007f"
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
