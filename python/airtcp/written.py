"""Results as files: the document, the tables, the page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from airtcp import output

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars as pl


class Written(ABC):
    """What all kinds of result have that can be written."""

    _kind: ClassVar[str]
    """Name of the document's file, without its ending."""

    @abstractmethod
    def _document(self) -> str:
        """The document as JSON text."""

    @abstractmethod
    def _frames(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Every table, with the name of its file without the ending."""

    @abstractmethod
    def page(self) -> str:
        """Make the report: one HTML document, complete in itself."""

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report.

        Args:
            path: The file to write.

        Returns:
            The file written.
        """
        target = Path(path)
        output.write_text(target, self.page())
        return target

    def write(self, folder: str | os.PathLike[str], *, report: bool = True) -> list[Path]:
        """Write everything: the document, every table as Parquet, and the report.

        Files appear when they are whole. Others in the folder are left alone.

        Args:
            folder: The folder to write to; made if it does not exist.
            report: Whether to write `report.html` as well.

        Returns:
            The files written.
        """
        home = Path(folder)
        written: list[Path] = []
        for name, frame in self._frames():
            target = home / f"{name}.parquet"
            with output.whole(target) as part:
                frame.write_parquet(part)
            written.append(target)
        if report:
            written.append(self.report(home / "report.html"))
        target = home / f"{self._kind}.json"
        output.write_text(target, self._document() + "\n")
        return [*written, target]
