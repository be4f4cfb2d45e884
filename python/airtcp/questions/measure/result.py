"""The result of a measurement: its document, tables and page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from airtcp.questions.document_result import DocumentResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.pages.section import Page
    from airtcp.questions.measure.document import MeasureDocument
    from airtcp.words.answer import Answer


class MeasureResult(DocumentResult):
    """A measured path, from the document of `airtcp measure`."""

    _kind = "measure"
    _tables = ("losses", "bursts", "load")
    _schemas: ClassVar[Mapping[str, Mapping[str, type]]] = {}
    json: MeasureDocument

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C ended it; what was measured is here."""
        return self.json["cut"] == "interrupted"

    def _losses(self) -> list[dict[str, Any]]:
        return self._rows("losses")

    def _bursts(self) -> list[dict[str, Any]]:
        return self._rows("capacity")

    def _load(self) -> list[dict[str, Any]]:
        return self._rows("load")

    def _rows(self, part: str) -> list[dict[str, Any]]:
        """Return what a part met over time, both ways."""
        ways: dict[str, Any] = {"down": self.json["down"], "up": self.json["up"]}
        return [
            {"way": name, **row}
            for name, way in ways.items()
            if way[part] is not None
            for row in way[part]["over_time"]
        ]

    def _answer(self, document: MeasureDocument) -> Answer:
        from airtcp.questions.measure.answer import answer

        return answer(document)

    def _make_page(self) -> Page:
        from airtcp.questions.measure.sections import measure_page

        return measure_page(self.json)
