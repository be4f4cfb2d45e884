"""altair under its usual name `alt`, loaded by the first chart that is built.

altair takes longer to load than most pages take to write, and a page may have kept charts only
(`airtcp.report.kept_charts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
else:

    class _OnUse:
        def __getattr__(self, name: str) -> Any:
            import altair as alt

            return getattr(alt, name)

    alt = _OnUse()

__all__ = ["alt"]
