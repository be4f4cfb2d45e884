"""The version, everything that has a name, and the schemas of documents."""

from __future__ import annotations

import json
from typing import Any, Literal

from airtcp import _core
from airtcp.questions.document_schema import PYTHON_KINDS, document_schema


def version() -> str:
    """Return the version of the program, which every result contains."""
    return _core.version()


def registry(family: str | None = None) -> list[dict[str, str]]:
    """List everything that has a name: models, queues, laws, profiles, layouts.

    Args:
        family: One family, such as "loss", "queue", "congestion"; by default all.

    Returns:
        Entries with `family`, `name`, `description` and `source`.

    Examples:
        >>> sorted(entry["name"] for entry in registry("queue"))[:5]
        ['ack-filter', 'airtime-fair', 'codel', 'drop-tail', 'fq-codel']
    """
    return json.loads(_core.registry(family))


def schema(
    kind: Literal[
        "scenario",
        "study",
        "run",
        "trace",
        "compare",
        "schemes",
        "capture",
        "diagnose",
        "fit",
        "sweep",
        "sweep-file",
    ] = "scenario",
) -> dict[str, Any]:
    """Return the JSON Schema of a document.

    Args:
        kind: The document; `scenario` and `sweep-file` are files that airtcp reads.

    Examples:
        >>> "links" in schema("study")["properties"]
        True
    """
    if kind in PYTHON_KINDS:
        return document_schema(kind, _core_schema)
    return _core_schema(kind)


def _core_schema(kind: str) -> dict[str, Any]:
    return json.loads(_core.schema(kind))
