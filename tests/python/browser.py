"""A browser that opens the pages we make, draws all of them and keeps what they complain of."""

from __future__ import annotations

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
_ALL_DRAWN: Final = "[...document.querySelectorAll('[data-chart]')].every(n => n.dataset.drawn)"


class Browser:
    """Opens pages and keeps what they complain of."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self.complaints: list[str] = []

    def blank(self, *, scheme: str = "light", width: int = 1300) -> Any:
        """Give a page with nothing on it yet, which may fetch nothing."""
        context = self._browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 900}
        )
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

    def open(
        self, path: Path, *, scheme: str = "light", width: int = 1300, timeout_ms: int = 20_000
    ) -> Any:
        """Open a page and draw everything on it."""
        page = self.blank(scheme=scheme, width=width)
        page.goto(path.as_uri())
        top = 0
        # Charts make the page longer as they are drawn.
        while top < page.evaluate("document.documentElement.scrollHeight"):
            page.evaluate(f"window.scrollTo({{top: {top}, behavior: 'instant'}})")
            page.wait_for_timeout(30)
            top += 400
        page.wait_for_function(_ALL_DRAWN, timeout=timeout_ms)
        return page
