"""Results as files: the document, the tables, the page."""

from __future__ import annotations

import copy
import io
from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Self

from airtcp import atomic_write
from airtcp import folder as folders
from airtcp.plain import printable_values

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars as pl

REPORT = "report.html"


def write_parquet(frame: pl.DataFrame, file: BinaryIO) -> None:
    """Write a table; what the system refuses comes out as an `OSError`.

    The library writes to memory: of a full disk it makes an error of its own without a number.
    """
    whole = io.BytesIO()
    frame.write_parquet(whole)
    file.write(whole.getbuffer())


class Written(ABC):
    """What all kinds of result have that can be written."""

    _kind: ClassVar[str]
    """Name of the document's file, without its ending."""

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        raise NotImplementedError

    @abstractmethod
    def _frames(self) -> Iterator[tuple[str, pl.DataFrame]]:
        """Every table, with the name of its file without the ending."""

    @abstractmethod
    def page(self) -> str:
        """Make the report: one HTML document, complete in itself."""

    def shown(self) -> Self:
        """Give the same result with all names in one line, as a terminal may show them."""
        other = copy.copy(self)
        document = getattr(self, "json")  # noqa: B009 - each kind has its own
        setattr(other, "json", printable_values(document, keep=""))  # noqa: B010 - as above
        return other

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report, in place of a file that is there.

        Args:
            path: The file to write.

        Returns:
            The file written.
        """
        target = Path(path)
        atomic_write.write_text(target, self.page())
        return target

    def write(self, folder: str | os.PathLike[str], *, report: bool = True) -> list[Path]:
        """Write everything: the document, every table as Parquet, and the report.

        Files appear together when all are whole. They replace a result of airtcp that the folder
        holds, all of it; other files in the folder are left alone.

        Args:
            folder: The folder to write to; made if it does not exist.
            report: Whether to write `report.html` as well.

        Returns:
            The files written.
        """
        home = Path(folder)
        with atomic_write.staged() as files:
            names = self.stage(files, home, report=report)
        return [home / name for name in names]

    def stage(
        self,
        files: atomic_write.Staged,
        home: Path,
        *,
        report: bool,
        purpose: folders.Purpose | None = None,
    ) -> list[str]:
        """Write everything beside its places, which it takes when `files` are committed.

        Args:
            files: Where to write.
            home: The folder that it is for.
            report: Whether to write `report.html` as well.
            purpose: What the result answers; nothing is known of it if left out.

        Returns:
            The names of the files.
        """
        part = files.folder(home)
        names: list[str] = []
        for name, frame in self._frames():
            names.append(f"{name}.parquet")
            # The library takes no names that are not UTF-8.
            with (part / names[-1]).open("wb") as file:
                write_parquet(frame, file)
        if report:
            names.append(REPORT)
            (part / REPORT).write_text(self.page(), encoding="utf-8")
        names.append(f"{self._kind}.json")
        (part / names[-1]).write_text(self.text + "\n", encoding="utf-8")
        folders.replace(files, home, purpose or folders.Purpose())
        return names
