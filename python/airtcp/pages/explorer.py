"""The address at which the explorer, a web page, opens a scenario."""

from __future__ import annotations

import base64
import json
import zlib
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLACE: Final = "explorer/index.html"
# Browsers accept longer addresses; one this long is for a list of many stations, and slow.
_LONGEST: Final = 64_000


def site() -> str:
    """Return the address of the documentation, with a slash at its end; empty if it has none."""
    try:
        urls = metadata.metadata("airtcp").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    pairs = (url.partition(",") for url in urls)
    found = [url.strip() for name, _, url in pairs if name.strip().lower() == "documentation"]
    return f"{found[0].rstrip('/')}/" if found else ""


def address(scenario: Mapping[str, Any]) -> str | None:
    """Return the address of the explorer with a scenario in its fragment.

    The fragment is the scenario as JSON, compressed by zlib, in base64url. A browser sends no
    fragment to a server. Without an address of the documentation, the page is beside the report.

    Returns:
        The address; `None` if the scenario is too long for one, or names a file: the explorer
        opens none.
    """
    if _names_file(scenario, ""):
        return None
    text = json.dumps(scenario, ensure_ascii=False, separators=(",", ":"))
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    return None if len(packed) > _LONGEST else f"{site()}{_PLACE}#s={packed}"


def _names_file(value: Any, key: str) -> bool:
    """Whether a key names a file: `path`, or `trace` in a `rate`. The explorer has this rule."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return any(
            (isinstance(part, str) and (name == "path" or (name == "trace" and key == "rate")))
            or _names_file(part, name)
            for name, part in table.items()
        )
    if isinstance(value, list):
        return any(_names_file(part, "") for part in cast("list[Any]", value))
    return False
