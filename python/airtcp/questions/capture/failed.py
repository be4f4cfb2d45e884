"""Connections that did not come about: their SYNs were not answered, or were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture.findings import is_one_way
from airtcp.words.sentences import begun, count, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS: Final = {"unanswered": "not answered", "refused": "refused"}
_MANY: Final = 0.1
"""Share of all connections from which those that failed are the first sentence [choice]."""


def sentence(document: Mapping[str, Any], total: int) -> str | None:
    """Count the connections that failed; none if all were answered.

    A capture of one direction has no answers: it does not show which connections failed.

    Args:
        document: The document of a capture.
        total: The number of connections with data.
    """
    kinds: Mapping[str, int] = document["without_data_by"]
    found = {key: kinds[key] for key in _KINDS if kinds[key]}
    connections = document["connections"]
    if not found or (connections and all(map(is_one_way, connections))):
        return None
    number = sum(found.values())
    were = "was" if number == 1 else "were"
    how = " or ".join(_KINDS[key] for key in found)
    every = counted(total + document["without_data"], "connection")
    return f"{begun(count(number))} of {every} {were} {how}."


def is_first(document: Mapping[str, Any], total: int) -> bool:
    """Return whether enough connections failed to be what a capture shows first."""
    failed = sum(document["without_data_by"][key] for key in _KINDS)
    return failed >= _MANY * (total + document["without_data"])
