"""What every result with a report has: the page, and its file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.files import atomic_write
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    import os

    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer


class Paged(ABC):
    """A result with a report."""

    json: Any
    """The document; each kind has its type."""

    def answer(self) -> Answer | None:
        """Return the answer: what terminal, page and notebook show first.

        It has at most four sentences (`headline`, `also`, `help`, `doubt`), one `table` and the
        `next` command; None if nothing is finished that an answer could rest on.
        """
        return self._answer(self.json)

    @property
    def findings(self) -> list[Finding]:
        """The sentences of the answer, and the findings behind `--details`."""
        answer = self.answer()
        if answer is None:
            return []
        said = [Finding(sentence, "") for sentence in answer.sentences]
        return said + [part for part in answer.details if isinstance(part, Finding)]

    @abstractmethod
    def _answer(self, document: Any) -> Answer | None:
        """Make the answer from the document, which need not have its key `answer` yet."""

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        return self._page.html()

    @cached_property
    def _page(self) -> Page:
        return self._make_page()

    @abstractmethod
    def _make_page(self) -> Page:
        """Lay out the page: what it shows, and each chart with its data."""

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
