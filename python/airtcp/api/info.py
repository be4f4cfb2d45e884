"""What there is: the version, what can be chosen by name, the schemas of documents."""

from __future__ import annotations

import json
from typing import Any, Literal

from airtcp import _core


def version() -> str:
    """Give the version of the program, which stands in every result."""
    return _core.version()


def registry(family: str | None = None) -> list[dict[str, str]]:
    """List what can be chosen by name.

    Args:
        family: One family, such as "loss", "queue", "congestion"; all if left out.

    Returns:
        Entries with `family`, `name`, `description` and `source`.

    Examples:
        >>> sorted(entry["name"] for entry in registry("queue"))
        ['codel', 'drop-tail', 'fq-codel', 'jersey', 'pie', 'red']
    """
    return json.loads(_core.registry(family))


def schema(
    kind: Literal["scenario", "study", "run", "trace", "compare"] = "scenario",
) -> dict[str, Any]:
    """Give the JSON Schema of a document.

    Args:
        kind: Which document.

    Examples:
        >>> "links" in schema("study")["properties"]
        True
    """
    return json.loads(_core.schema(kind))
