"""What every result with a report has: the page, and its file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.files import atomic_write

if TYPE_CHECKING:
    import os


class Paged(ABC):
    """A result with a report."""

    @abstractmethod
    def page(self) -> str:
        """Return the report: one self-contained HTML document."""

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, and replace an existing file.

        Args:
            path: The file to write.

        Returns:
            The file written.
        """
        target = Path(path)
        atomic_write.write_text(target, self.page())
        return target
