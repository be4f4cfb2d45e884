"""A capture that is analysed while it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.inputs.arguments import as_json, only_given
from airtcp.questions.capture.result import CaptureResult, CaptureSettings

if TYPE_CHECKING:
    from pathlib import Path


class LiveCapture:
    """A capture of an interface, read while it is written."""

    def __init__(
        self, stream: str, interface: str, *, kept: Path | None = None, **options: Any
    ) -> None:
        """Begin to read.

        Args:
            stream: The place of the stream.
            interface: The interface.
            kept: The file that gets the packets, too.
            options: As `capture` has them: `events`, `series`, `log`, `vantage`.
        """
        given = only_given(**options) | {"workers": 1}
        self._core = _core.LiveCapture(stream, interface, as_json(given))
        self._settings = CaptureSettings(
            [] if kept is None else [str(kept)],
            bool(options.get("events")),
            options.get("vantage"),
            interface if kept is None else None,
        )

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the stream, and return whether it has ended.

        Args:
            seconds: The longest time to wait.
        """
        return self._core.wait(seconds)

    def so_far(self) -> CaptureResult:
        """Return what was found so far, as if all connections ended here; they go on."""
        return CaptureResult(self._core.so_far(), self._settings)

    def finish(self) -> CaptureResult:
        """Return what was found in the whole stream."""
        return CaptureResult(self._core.finish(), self._settings)
