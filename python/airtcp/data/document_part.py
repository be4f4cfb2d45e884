"""Parts that a Python document takes over from the document of another command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A definition in the schema of another document."""

    kind: str
    """The document, such as `compare`."""
    name: str
    """The definition, such as `Subject`."""
