"""Paths of a scenario, as in --set, and the values of texts that are set at them."""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

OPTION: Final = "options."
"""What the path of an option begins with."""
_STEP: Final = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)")


def steps(path: str) -> list[str]:
    """Return the keys and positions of a path.

    >>> steps("links[0].loss.probability")
    ['links', '0', 'loss', 'probability']
    """
    return [found[1] or found[2] for found in _STEP.finditer(path)]


def last(path: str) -> str:
    """Return the last key of a path; empty if it has none."""
    return (steps(path) or [""])[-1]


def value_of(text: str) -> Any:
    """Read a value as --set does: as TOML if it is TOML, else as text.

    >>> value_of("3"), value_of("3 ms"), value_of("{ a = 1 }")
    (3, '3 ms', {'a': 1})
    """
    return tree_of(f"v = {text}").get("v", text)


def tree_of(text: str) -> dict[str, Any]:
    """Return the content of a TOML text; empty if it is not TOML, or is nested too deeply."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
