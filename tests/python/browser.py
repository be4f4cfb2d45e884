"""A browser that opens our pages, draws all charts and records their errors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Limits a wait; the speed of drawing is not tested.
PATIENCE_MS: Final = 180_000
_NEXT_UNDRAWN: Final = (
    "document.querySelector('[data-chart]:not([data-drawn])')?.dataset.chart ?? ''"
)


def wait_for(page: Any, expression: str) -> None:
    """Wait until an expression of a page is true.

    Playwright's own wait evaluates text within the page, which the policy of our pages forbids.
    """
    end = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(20)


class Browser:
    """Opens pages and records their errors."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.complaints: list[str] = []

    def blank(self, *, scheme: str = "light", width: int = 1300) -> Any:
        """Return an empty page without network access."""
        context = self._browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}
        )
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("console", lambda m: self.complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda e: self.complaints.append(f"error: {e}"))
        page.on(
            "request",
            lambda r: (
                None
                if r.url.startswith(("file:", "data:", "blob:"))
                else self.complaints.append(r.url)
            ),
        )
        return page

    def open(self, path: Path, *, scheme: str = "light", width: int = 1300) -> Any:
        """Open a page and draw all charts, one after the other.

        A figure is drawn once it comes near the window, which a busy browser may notice only
        after a scroll has gone past it: so each is brought there and waited for.
        """
        page = self.blank(scheme=scheme, width=width)
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details.part').forEach(one => one.open = true)")
        # Asks once, because a chart may be drawn between two questions.
        while name := page.evaluate(_NEXT_UNDRAWN):
            page.evaluate(
                "name => document.querySelector(`[data-chart='${name}']`)"
                ".scrollIntoView({behavior: 'instant', block: 'center'})",
                name,
            )
            page.locator(f"[data-chart='{name}'][data-drawn]").wait_for(state="attached")
        return page
