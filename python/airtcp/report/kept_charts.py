"""Keeps charts between commands.

altair needs longer to load, and to build the charts of a page, than the rest of the page. Charts
that do not depend on the data of a page are therefore kept in the cache of `airtcp.papers.cache`,
under a hash of everything that they depend on.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache, wraps
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from airtcp import _core
from airtcp.papers import cache as results

if TYPE_CHECKING:
    from collections.abc import Callable

Charts: TypeAlias = dict[str, dict[str, Any]]


def kept(make: Callable[..., Charts]) -> Callable[..., Charts]:
    """Keep the charts of a function between commands.

    Args: make: Makes charts from arguments that JSON can hold, and that take few values. Titles may
        depend on the schema of studies.
    """

    @wraps(make)
    def found(**arguments: Any) -> Charts:
        store = results.Cache(results.default_folder())
        asked = [_sources(), make.__module__, make.__qualname__, arguments]
        key = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        known: Charts | None = store.get(f"charts-{key}")
        if known is None:
            known = make(**arguments)
            store.put(f"charts-{key}", known)
        return known

    return found


@cache
def _sources() -> str:
    """Hash what charts are made of: sources, the schema with the titles, altair."""
    package = Path(__file__).parent.parent
    whole = hashlib.sha256()
    for folder in (".", "findings", "report"):
        for path in sorted(package.glob(f"{folder}/*.py")):
            whole.update(f"{folder}/{path.name} {results.digest(path)}\n".encode())
    whole.update(f"{_core.schema('study')} {metadata.version('altair')}".encode())
    return whole.hexdigest()
