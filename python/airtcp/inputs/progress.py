"""Progress of long calls in a notebook.

In Jupyter (a kernel of IPython) and in marimo, a call without `progress` shows a bar below its
cell, and removes the bar at its end. The bar is HTML: it needs no widgets. Elsewhere nothing is
shown. A notebook has imported its own library; this file imports none for a program without one.
"""

from __future__ import annotations

import sys
import time
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")

_PAUSE_S: Final = 0.2
"""Least time between two pictures of a bar; a notebook sends each of them to the browser."""


def shows_progress(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function show its progress in a notebook, unless its caller asks for `progress`."""

    @wraps(function)
    def shown(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        screen = None if kwargs.get("progress") is not None else _screen()
        if screen is None:
            return function(*args, **kwargs)
        bar = _Bar(screen)
        cast("dict[str, Any]", kwargs)["progress"] = bar
        try:
            return function(*args, **kwargs)
        finally:
            bar.end()

    return shown


def _screen() -> Callable[[str], None] | None:
    """Return what shows HTML in place of the HTML before, if the program is a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if type(shell).__name__ == "ZMQInteractiveShell":
        return _Jupyter()
    marimo = sys.modules.get("marimo")
    if marimo is not None and marimo.running_in_notebook():
        return lambda text: marimo.output.replace(marimo.Html(text) if text else None)
    return None


class _Jupyter:
    """An output of a cell in Jupyter."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, text: str) -> None:
        from importlib import import_module

        display = import_module("IPython.display")
        if self._handle is None:
            self._handle = display.display(display.HTML(text), display_id=True)
        else:
            self._handle.update(display.HTML(text))


class _Bar:
    """A bar in the output of a cell."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._drawn_s: float | None = None

    def __call__(self, done: int, total: int, label: str) -> None:
        now = time.monotonic()
        if self._drawn_s is not None and now - self._drawn_s < _PAUSE_S:
            return
        self._drawn_s = now
        self._show(_picture(done, total, label))

    def end(self) -> None:
        """Remove the bar."""
        if self._drawn_s is not None:
            self._show("")


def _picture(done: int, total: int, label: str) -> str:
    """Write a bar as HTML.

    >>> _picture(1, 4, "links")
    '<progress value="1" max="4"></progress> links: 25 %'
    """
    if total <= 0:
        return f"<progress></progress> {escape(label)}"
    share = min(100, 100 * done // total)
    return f'<progress value="{done}" max="{total}"></progress> {escape(label)}: {share} %'
