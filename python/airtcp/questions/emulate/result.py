"""The result of an emulated run: its document, tables and page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from airtcp.questions.document_result import DocumentResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.pages.section import Page
    from airtcp.questions.emulate.document import EmulateDocument
    from airtcp.words.answer import Answer


class EmulateResult(DocumentResult):
    """An emulated run, from the document that `airtcp-live` wrote."""

    _kind = "emulate"
    _tables = ("ports", "fates", "flows", "series")
    _schemas: ClassVar[Mapping[str, Mapping[str, type]]] = {}
    json: EmulateDocument

    @property
    def interrupted(self) -> bool:
        """False: a run that Ctrl-C ends is whole."""
        return False

    def _ports(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.json["ports"]]

    def _fates(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.json["fates"]]

    def _flows(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.json["flows"]]

    def _series(self) -> list[dict[str, Any]]:
        """Return a row an interval, with a column a node and a cell."""
        nodes = [port["node"] for port in self.json["ports"]]
        cells = self.json["cells"]
        return [
            {key: value for key, value in row.items() if not isinstance(value, list)}
            | dict(zip((f"{node}_rate_bps" for node in nodes), row["rate_bps"], strict=False))
            | dict(
                zip((f"{cell}_airtime_share" for cell in cells), row["airtime_share"], strict=False)
            )
            for row in self.json["series"]
        ]

    def _answer(self, document: EmulateDocument) -> Answer:
        from airtcp.questions.emulate.answer import answer

        return answer(document)

    def _make_page(self) -> Page:
        from airtcp.questions.emulate.sections import emulate_page

        return emulate_page(self.json)
