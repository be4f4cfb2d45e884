"""Laws in other processes: how one finds there the law that the caller named here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp._core import LawError
from airtcp.laws.limit import Watch
from airtcp.laws.source import LOADED, found_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.laws.source import Found


def specs(laws: Iterable[Found]) -> list[dict[str, str]] | str:
    """Return what another process needs to load the same laws, as JSON types.

    Returns:
        The specs, or the name of the first law that no other process can load: one of a notebook or
        of the main program, or one within a function.
    """
    found: list[dict[str, str]] = []
    for law in laws:
        source = _source(law)
        if source is None:
            return law.label
        found.append({"source": source, "name": law.label, "sha256": law.sha256})
    return found


def _source(law: Found) -> str | None:
    made = law.made_of
    if made is None:
        return law.file
    module = sys.modules.get(made.__module__)
    file = getattr(module, "__file__", None)
    if file is None or made.__module__ == "__main__" or made.__qualname__ != made.__name__:
        return None
    if getattr(module, made.__name__, None) is None:
        return None
    return str(file) if made.__module__.startswith(LOADED) else made.__module__


def load(wanted: Iterable[dict[str, str]]) -> list[Found]:
    """Load laws of another process.

    Args:
        wanted: What `specs` returned there.

    Raises:
        LawError: If a law cannot be loaded, or its source has changed since.
    """
    found: list[Found] = []
    for spec in wanted:
        law = found_in(spec["source"], spec["name"])[0]
        if law.sha256 != spec["sha256"]:
            message = (
                f"{spec['source']}: it has changed since the call began (SHA-256 "
                f"{law.sha256[:12]}, then {spec['sha256'][:12]}); call again"
            )
            raise LawError(message)
        found.append(law)
    return found


def here(path: list[str]) -> None:
    """Look for modules where the caller does.

    Args:
        path: `sys.path` of the caller.
    """
    sys.path[:] = path + [place for place in sys.path if place not in path]


def job(laws: list[dict[str, str]], seconds: float) -> dict[str, Any]:
    """Return what a worker needs of the laws of a call, as JSON types."""
    return {"laws": laws, "path": sys.path, "seconds": seconds}


def core_of(laws: Sequence[Found], seconds: float) -> _core.Laws | None:
    """Return laws as the extension takes them.

    Args: laws: The laws. seconds: Processor time that a replication may take, and time that a call
        of a compiled law may take.
    """
    named = [(law.label, law.law, law.file, law.sha256, law.keys) for law in laws]
    return _core.Laws(named, Watch(seconds), seconds) if named else None
