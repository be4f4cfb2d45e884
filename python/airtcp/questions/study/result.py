"""The result of `study`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from airtcp.questions.result import SeededResult
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp import _core
    from airtcp.data.documents import StudyDocument
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer


class StudyResult(SeededResult):
    """The result of `study`: one entry for each link."""

    _kind = "study"

    def __init__(
        self, core: _core.CoreResult, asked: Mapping[str, Any], file: str | None = None
    ) -> None:
        """Hold the result.

        Args: core, asked: As for `TableResult`. file: The file of the links, if there is one.
        """
        super().__init__(core, asked)
        self._file = file

    @cached_property
    def json(self) -> StudyDocument:
        """The document, as `airtcp study --json` prints it."""
        return self._document

    @cached_property
    def links(self) -> Table:
        """One row per link: metrics, and TCP over the trace and over synthetic links."""
        return self.table("links")

    def _answer(self, document: StudyDocument) -> Answer | None:
        from airtcp.questions.study.answer import answer

        return answer(document, self._file)

    def _make_page(self) -> Page:
        from airtcp.questions.study.sections import study_page

        return study_page(self.json, self._file)

    def __len__(self) -> int:
        """Return the number of links."""
        return len(self.json["links"]) + len(self.json["capacities"])

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        return f"StudyResult({words.counted(len(self), 'link')}, seed {self.seed}{state})"
