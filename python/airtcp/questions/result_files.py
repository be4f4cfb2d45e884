"""Results as files: the document, the tables, the page."""

from __future__ import annotations

import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from airtcp.data.plain import printable_values
from airtcp.files import atomic_write
from airtcp.files import folder as folders
from airtcp.questions.shown import Shown

if TYPE_CHECKING:
    import os
    from collections.abc import Callable


REPORT = "report.html"


class Written(Shown):
    """The common part of all results that can be written."""

    _kind: ClassVar[str]
    """Name of the document's file, without its ending."""

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        raise NotImplementedError

    def put_text(self, write: Callable[[str], object]) -> None:
        """Give the document as JSON text to a function, in one or several pieces.

        Args:
            write: Takes a piece of the text.
        """
        write(self.text)

    def shown(self) -> Self:
        """Return the same result with names that are safe to show in a terminal."""
        other = copy.copy(self)
        document = getattr(self, "json")  # noqa: B009 - each kind has its own
        setattr(other, "json", printable_values(document, keep=""))  # noqa: B010 - as above
        return other

    def write(self, folder: str | os.PathLike[str], *, report: bool = True) -> list[Path]:
        """Write the document, every table as Parquet, and the report.

        All files appear together. They replace the whole airtcp result in the folder; other files
        in the folder stay.

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
        """Write everything into hidden folders; committing `files` moves it to its place.

        Args: files: Where to write. home: The final folder. report: Whether to write `report.html`
            as well. purpose: The purpose of the result, if known.

        Returns:
            The names of the files.
        """
        part = files.folder(home)
        names: list[str] = []
        for name, table in self._frames():
            names.append(f"{name}.parquet")
            # The library accepts UTF-8 names only.
            with (part / names[-1]).open("wb") as file:
                table.write_parquet(file)
        if report:
            names.append(REPORT)
            (part / REPORT).write_text(self.page(), encoding="utf-8")
        names.append(f"{self._kind}.json")
        with (part / names[-1]).open("w", encoding="utf-8") as file:
            self.put_text(file.write)
            file.write("\n")
        folders.replace(files, home, purpose or folders.Purpose())
        return names
